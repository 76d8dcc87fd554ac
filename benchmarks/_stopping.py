"""Stopping rules of technology-assisted review, written from their publications for `stopping_rules.py`.

A reviewer reads the records of a search in some order, and each is confirmed or not. A rule says when to stop. Here the
whole order is known, `shown[i]` says whether the i-th record would be confirmed, and a rule returns which records were
read at its stop. Each takes `(shown, recall, delta, rng)`; what it may look at is only what was read. A record that is
read twice counts once, which favours the rules with a sample of their own.

What they guarantee, if anything, is recall among the records that this reviewer would confirm.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, hypergeom, nchypergeom_wallenius

Shown = NDArray[np.bool_]
Rule = Callable[[Shown, float, float, np.random.Generator], Shown]
Test = Callable[..., NDArray[np.bool_]]


def first(n: int, size: int) -> Shown:
    """The first n of `size` records."""
    return np.arange(size) < n


def missed_from(found: NDArray[np.int64] | int, recall: float) -> NDArray[np.int64]:
    """The smallest number of confirmable records in all with which the recall of what was found is below its target."""
    return np.floor(np.asarray(found) / recall + 1e-9).astype(np.int64) + 1


# Rules of thumb, which promise nothing.


def share(part: float) -> Rule:
    """Read a fixed share of the records."""
    return lambda shown, recall, delta, rng: first(math.ceil(part * len(shown)), len(shown))


def oracle() -> Rule:
    """Read by rank until the target is reached, which nobody can know: the least that reading in this order takes."""

    def rule(shown: Shown, recall: float, delta: float, rng: np.random.Generator) -> Shown:
        enough = np.cumsum(shown) >= recall * shown.sum() - 1e-9
        return first(int(np.argmax(enough)) + 1, len(shown))

    return rule


def in_a_row(misses: int) -> Rule:
    """Stop after so many records in a row that were not confirmed, once one was."""

    def rule(shown: Shown, recall: float, delta: float, rng: np.random.Generator) -> Shown:
        at = np.arange(len(shown))
        last = np.maximum.accumulate(np.where(shown, at, -len(shown)))
        stops = np.flatnonzero((last >= 0) & (at - last >= misses))
        return first(stops[0] + 1 if len(stops) else len(shown), len(shown))

    return rule


# A random sample of positives that only stops the review.


def stop_at(sample: int, recall: float, delta: float) -> int:
    """QBCB's j: the smallest with P(Bin(r, recall) ≤ j − 1) ≥ 1 − δ, or r + 1 if none of 1, …, r has it."""
    return int(np.argmax(binom.cdf(np.arange(sample + 1), sample, recall) >= 1 - delta)) + 1


def _sampled(shown: Shown, positives: int, needed: int, rng: np.random.Generator) -> Shown:
    """Draw records until `positives` are confirmed, then read until the order has met `needed` of these."""
    drawn = rng.permutation(len(shown))
    hits = np.flatnonzero(shown[drawn])
    if len(hits) < positives or needed > positives:
        return np.ones(len(shown), bool)
    met = np.sort(drawn[hits[:positives]])
    read = first(met[needed - 1] + 1, len(shown))
    read[drawn[: hits[positives - 1] + 1]] = True
    return read


def qbcb(positives: int) -> Rule:
    """The quantile binomial confidence bound, QBCB.

    Lewis, Yang and Frieder, "Certifying one-phase technology-assisted reviews", CIKM 2021. Records are drawn by lot
    until `positives` of them are confirmed. The review does not learn from them; it stops when it has met the j-th of
    them itself. The ranks of the sample are order statistics of the ranks of all positives, so that the j-th lies at or
    behind their quantile with probability 1 − δ.

    Assumes a sample that is fixed beforehand and an order that does not depend on it. One may look all the time.
    """
    return lambda shown, recall, delta, rng: _sampled(shown, positives, stop_at(positives, recall, delta), rng)


def target_method() -> Rule:
    """The target method: QBCB with the smallest sample, all of which must be met.

    Cormack and Grossman, "Engineering quality and reliability in technology-assisted review", SIGIR 2016, for recall
    0.7 at 95%; here the smallest r with recall^r ≤ δ.
    """

    def rule(shown: Shown, recall: float, delta: float, rng: np.random.Generator) -> Shown:
        positives = math.ceil(math.log(delta) / math.log(recall))
        return _sampled(shown, positives, positives, rng)

    return rule


def point_estimate(positives: int) -> Rule:
    """Stop when the share of the sample that was met reaches the target: "PET" of Lewis et al., who show its bias."""
    return lambda shown, recall, delta, rng: _sampled(shown, positives, math.ceil(recall * positives - 1e-9), rng)


# Tests of the hypothesis that the recall is below its target.


def ranked_p(shown: Shown, size: int, recall: float, bias: float = 1.0, step: int = 1) -> float:
    """The smallest p-value of buscar over the last `step`, 2·`step`, … records read, each taken for a random sample.

    Callaghan and Müller-Hansen, "Statistical stopping criteria for automated screening in systematic reviews",
    Systematic Reviews 9:273, 2020 ("ranked quasi-sampling"). An urn holds the last i records that were read and all
    that were not. If the recall is below its target, at least K of them are confirmable; the p-value is the
    probability of so few among i draws. As the reviewer reads the likeliest first, the authors take it for
    conservative: nothing is proved, least of all for the smallest of many p-values. `bias` is how much likelier a
    confirmable record is drawn than another (Wallenius' distribution in place of the hypergeometric).
    """
    n, found = len(shown), int(shown.sum())
    missing = int(missed_from(found, recall)) - found
    if missing > size - n:
        return 0.0
    drawn = np.arange(step, n + 1, step)
    hits = np.cumsum(shown[::-1])[drawn - 1]
    urn, needed = size - n + drawn, missing + hits
    if bias == 1.0:
        return float(hypergeom.cdf(hits, urn, needed, drawn).min())
    return float(nchypergeom_wallenius.cdf(hits, urn, needed, drawn, bias).min())


def buscar_ranked(every: float | None = None, bias: float = 1.0) -> Rule:
    """Read by rank until buscar's p-value is below δ: a look after each share `every` of the records, or one at half.

    With a bias, whose distribution is slow, only urns that are multiples of `every` are looked at.
    """

    def rule(shown: Shown, recall: float, delta: float, rng: np.random.Generator) -> Shown:
        size = len(shown)
        batch = math.ceil((every or 0.5) * size)
        for n in [batch] if every is None else range(batch, size, batch):
            if ranked_p(shown[:n], size, recall, bias, step=1 if bias == 1.0 else batch) < delta:
                return first(n, size)
        return np.ones(size, bool)

    return rule


def hypergeometric(
    found: int, hits: NDArray[np.int64], drawn: NDArray[np.int64], rest: int, recall: float, delta: float
) -> NDArray[np.bool_]:
    """Whether a random sample of the rest rejects "the recall is below its target": buscar's test, for one look."""
    needed = missed_from(found + hits, recall) - found
    return (needed > rest - drawn + hits) | (hypergeom.cdf(hits, rest, np.minimum(needed, rest), drawn) < delta)


def clopper_pearson(
    found: int, hits: NDArray[np.int64], drawn: NDArray[np.int64], rest: int, recall: float, delta: float
) -> NDArray[np.bool_]:
    """The same by Clopper and Pearson's upper bound on the share of the rest that is confirmable."""
    share = np.where(hits < drawn, beta.ppf(1 - delta, hits + 1, np.maximum(drawn - hits, 1)), 1.0)
    return np.minimum(np.floor(share * rest), rest - drawn + hits) < missed_from(found + hits, recall) - found


def sample_size(test: Test, found: int, rest: int, recall: float, delta: float, allowed: int = 2) -> int:
    """The smallest sample of the rest that passes the test with `allowed` confirmed in it; all of it if none does."""
    drawn = np.arange(allowed, rest + 1)
    passes = test(found, np.full(len(drawn), allowed), drawn, rest, recall, delta)
    return int(drawn[np.argmax(passes)]) if passes.any() else rest


def sample_of_rest(test: Test, looks: str, depth: float = 0.5) -> Rule:
    """Read a share `depth` by rank, then records of the rest by lot, until a test shows the recall.

    With one look, the size of the sample is fixed beforehand, and everything is read if it does not pass: this is what
    the test is made for. With a look after every record one stops as soon as it passes, which is how buscar's random
    sampling is used.
    """

    def rule(shown: Shown, recall: float, delta: float, rng: np.random.Generator) -> Shown:
        size = len(shown)
        begun = math.ceil(depth * size)
        found, rest = int(shown[:begun].sum()), size - begun
        lot = begun + rng.permutation(rest)
        drawn = np.arange(1, rest + 1)
        if looks == "one":
            drawn = np.array([max(1, sample_size(test, found, rest, recall, delta))])
        passes = test(found, np.cumsum(shown[lot])[drawn - 1], drawn, rest, recall, delta)
        read = first(begun, size)
        read[lot[: drawn[np.argmax(passes)] if passes.any() else rest]] = True
        return read

    return rule
