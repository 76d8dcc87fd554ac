"""The world in which an audit is simulated: a pool by stratum, with the positives in each.

`guessed` makes it from four numbers, as a model with this recall and precision would: two bands are called positive
(60% sure; 40% less sure, with nine in ten of the wrong ones), three are not (the 5% just below the cut, the next 20%
and the rest, with 80%, 15% and 5% of the missed positives). `of_pool` takes the strata of an audit and the classifier's
own probabilities. In both the classifier's probabilities are right on average in every stratum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from activepu.audit import Audit
from activepu.audit.groups import read as read_groups
from activepu.audit.strata import Strata
from activepu.audit.targets import quantities
from activepu.errors import InvalidInput
from activepu.pools import Pool, Source

T = TypeVar("T")


@dataclass(frozen=True)
class Bands:
    """The strata of a pool, and the positives in each.

    Attributes
    ----------
    sizes, positives : tuple of int
        The items of each stratum, and how many of them are positive.
    inside : tuple of bool
        Whether the classifier calls them positive.
    means : tuple of float
        Its mean probability in each stratum.
    bands, weights, groups : tuple of int
        The band of the score, 0 for the lowest; how many rows an item stands for; the number of the group.
    names : tuple of str
        The names of the groups by their numbers; none if there are no groups.
    gold : tuple of int
        How many known positives each of these groups has.
    """

    sizes: tuple[int, ...]
    positives: tuple[int, ...]
    inside: tuple[bool, ...]
    means: tuple[float, ...]
    bands: tuple[int, ...]
    weights: tuple[int, ...]
    groups: tuple[int, ...]
    names: tuple[str, ...] = ()
    gold: tuple[int, ...] = ()

    @property
    def strata(self) -> Strata:
        """The strata without their items: enough for targets and their coefficients."""
        none, sizes = np.empty(0, np.int64), np.array(self.sizes)
        weights, bands = np.array(self.weights, np.float64), np.array(self.bands)
        inside, means = np.array(self.inside), np.array(self.means)
        return Strata(none, none, sizes, weights, inside, bands, np.empty(0), means, (None,) * len(sizes))

    @property
    def sides(self) -> tuple[float, float]:
        """How many positive rows are called positive, and how many are not."""
        rows, inside = np.array(self.positives) * self.weights, np.array(self.inside)
        return float(rows[inside].sum()), float(rows[~inside].sum())

    def value(self, what: str) -> float:
        """Return the true recall, precision, error or prior."""
        found, lost = (np.array([side]) for side in self.sides)
        return float(quantities(self.strata.rows, self.strata.called)[what].value(found, lost)[0])

    def with_quality(self, recall: float, precision: float) -> Bands:
        """Return the world in which the classifier has another recall and precision, as far as the strata have room.

        In the strata that it calls positive, the log-odds of being positive are shifted by one number, so that the
        precision is this one; in the others by another one. What the classifier says is the same.
        """
        sizes, weights, inside = np.array(self.sizes), np.array(self.weights), np.array(self.inside)
        found = precision * float((sizes * weights)[inside].sum())
        wanted = np.where(inside, found, found * (1 / recall - 1))
        share = (np.array(self.positives) + 0.5) / (sizes + 1)
        shifted = np.zeros(len(sizes))
        for side in (inside, ~inside):
            low, high = -40.0, 40.0
            for _ in range(50):
                middle = (low + high) / 2
                shifted[side] = expit(logit(share[side]) + middle)
                less = float((sizes * weights * shifted)[side].sum()) < wanted[side].max(initial=0.0)
                low, high = (middle, high) if less else (low, middle)
        positives = np.clip(np.round(sizes * shifted), 0, sizes).astype(int)
        return replace(self, positives=tuple(positives.tolist()))

    def only(self, group: int) -> Bands:
        """Return the strata of one group, as a world without groups."""
        kept = [k for k, number in enumerate(self.groups) if number == group]

        def own(values: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(values[k] for k in kept)

        sizes, weights = own(self.sizes), own(self.weights)
        bands = _filled(own(self.bands), np.multiply(sizes, weights))
        return Bands(sizes, own(self.positives), own(self.inside), own(self.means), bands, weights, (0,) * len(kept))

    def by_item(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the stratum of every item and whether it is positive."""
        positive = [np.arange(n) < a for n, a in zip(self.sizes, self.positives, strict=True)]
        return np.repeat(np.arange(len(self.sizes)), self.sizes), np.concatenate(positive)


def guessed(prior: float, recall: float, precision: float, rows: int) -> Bands:
    """Return the bands of a model with this recall and precision, in a pool with this share of positives."""
    positives = prior * rows
    found = recall * positives
    called = found / precision
    wrong, missed, others = called - found, positives - found, rows - called
    if missed > others:
        raise InvalidInput(
            f"A model with recall {recall:g} and precision {precision:g} would call {called / rows:.0%} of the items "
            f"positive where {prior:.0%} are, which leaves no room for what it misses; lower the prior, or raise the "
            "precision."
        )
    sizes = np.round([0.6 * called, 0.4 * called, 0.05 * others, 0.2 * others, 0.75 * others]).astype(int)
    inside = [max(0.0, 0.6 * called - 0.1 * wrong), max(0.0, 0.4 * called - 0.9 * wrong)]
    inside[0] -= sum(inside) - found  # an imprecise model is wrong about some sure items too
    true = np.round([*inside, *_spread(missed, sizes[2:])]).astype(int)
    true = np.minimum(true, sizes)
    if sizes.min() < 2:
        raise InvalidInput(
            f"A model with recall {recall:g} and precision {precision:g} would call {called:.3g} of {rows:,} items "
            "positive, too few for two bands; plan with a larger pool."
        )
    means = tuple(float(a / n) for a, n in zip(true, sizes, strict=True))
    return Bands(
        tuple(sizes.tolist()), tuple(true.tolist()), (True, True, False, False, False), means, (4, 3, 2, 1, 0),
        (1,) * 5, (0,) * 5,
    )  # fmt: skip


def _spread(missed: float, sizes: NDArray[np.int64]) -> list[float]:
    """Return the missed positives of the three lower bands: 80%, 15% and 5%, and what has no room in the next one."""
    placed, rest = [], 0.0
    for share, size in zip((0.8, 0.15, 0.05), sizes, strict=True):
        wanted = share * missed + rest
        placed.append(min(wanted, float(size)))
        rest = wanted - placed[-1]
    return placed


def of_pool(audit: Audit, pool: Source) -> Bands:
    """Return the strata of an audit of this pool, with the positives that the classifier's probabilities promise."""
    draws = pool.draws(audit.hypotheses, 0)
    judged, strata = audit.strata(draws)
    if judged.probabilities is None:
        raise InvalidInput(
            "The classifier has no probabilities from which to guess the positives; pass score=… with probabilities, "
            "or plan with prior, model_recall and model_precision and the number of items as pool."
        )
    sizes = strata.sizes
    true = np.clip(np.round(sizes * strata.means), 0, sizes).astype(int)
    kinds = list(dict.fromkeys(strata.groups))
    names = tuple(name for name in kinds if name is not None)
    divided = read_groups(audit.groups, pool) if isinstance(pool, Pool) else None
    of_gold = [] if divided is None else [divided.of(row) for row in audit.gold_rows(draws)]
    return Bands(
        tuple(sizes.tolist()), tuple(true.tolist()), tuple(strata.inside.tolist()), tuple(strata.means.tolist()),
        _filled(strata.bands, sizes * strata.weights), tuple(strata.weights.astype(int).tolist()),
        tuple(kinds.index(g) for g in strata.groups), names, tuple(of_gold.count(name) for name in names),
    )  # fmt: skip


def _filled(bands: Any, rows_of_each: NDArray[Any]) -> tuple[int, ...]:
    """Return the bands of the strata, numbered from 0; one with a single row joins the band below it."""
    rows = np.bincount(bands, rows_of_each).tolist()
    number, numbers = -1, []
    for count in rows:
        number += count >= 2 or (number < 0 and count > 0)
        numbers.append(max(number, 0))
    return tuple(numbers[band] for band in bands)
