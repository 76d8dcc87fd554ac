"""The rows of a plan that are formulas: the paper's bounds, the sharp algorithms, and the limit of the channel."""

from __future__ import annotations

import math
from typing import NamedTuple

from activepu import channel
from activepu.hypotheses.base import HypothesisClass
from activepu.learners.passive import OBSERVING
from activepu.learners.reserve import ideal_rows
from activepu.planning.table import Row
from activepu.theory import binomial, budgets, refined, sharp
from activepu.theory.deviations import log_size
from activepu.theory.ladder import Ladder
from activepu.theory.observed_prior import PriorLooks
from activepu.theory.radii import passive_sizes


class Setting(NamedTuple):
    """What is to be learned, and from which expert; `rate` and `prior` are guesses of ω and π."""

    H: HypothesisClass
    epsilon: float
    delta: float
    rate: float
    prior: float
    theta: float | None


def rows(asked: Setting) -> list[Row]:
    """Return a row for every formula that applies.

    Without θ, formulas that need it are left out; for classes of binary features, those that need a continuous
    distribution.
    """
    hypotheses, theta = asked.H, asked.theta
    continuous = not hypotheses.always_repeats
    found: list[Row] = []
    if theta is not None:
        if continuous:
            found += [*_paper_known_prior(asked, theta), *_paper_rate(asked, theta)]
            found += _paper_unknown_prior(asked, theta)
        found.append(_known_prior(asked, theta))
    if continuous:
        found += [_unknown_prior(asked), _passive(asked)]
    if theta is not None:
        found.append(_full_labels(asked, theta))
    found.append(_limit(asked))
    return found


def least(s: Setting) -> int:
    """Return roughly the fewest questions that any method needs: those for one reveal, and then the limit."""
    limit = _limit(s).questions
    assert limit is not None
    return limit + math.ceil(1 / (s.prior * s.rate))


GRID = "a proved form, but its constants are grid maxima"
"""What the printed bounds with M1, M2 and M3 are worth; those of `theory.refined` are below them, marked θ."""


def _paper_known_prior(s: Setting, theta: float) -> list[Row]:
    d = s.H.vc_dimension
    # A test on a sample may continue until Δ < ε/2, one halving more than printed (erratum A2).
    questions = budgets.known_prior_questions(d, theta, s.rate, s.epsilon / 2, s.delta)
    unlabeled = budgets.known_prior_unlabeled(d, budgets.margin(theta, s.epsilon), s.delta / 4)
    fewer = refined.known_prior_questions(s.H, theta, s.rate, s.epsilon, s.delta)
    computed = refined.known_prior_unlabeled(s.H, theta, s.epsilon, s.delta)
    note = "the same algorithm: θ in place of θ², computed constants"
    return [
        Row("paper, known prior", questions, unlabeled, "proved bound", "Algorithm 1: λN questions"),
        Row("paper, known prior, θ", fewer, computed, "proved bound", note),
    ]


def _paper_rate(s: Setting, theta: float) -> list[Row]:
    questions = budgets.estimate_rate_questions(s.H.vc_dimension, theta, s.prior, s.rate, s.delta)
    fewer = refined.estimate_rate_questions(s.H, theta, s.prior, s.rate, s.delta)
    note = "1/π in place of 1/π², computed constants"
    return [
        Row("paper, reveal rate", questions, None, "estimate", f"Algorithm 2: {GRID}"),
        Row("paper, reveal rate, θ", fewer, None, "proved bound", note),
    ]


def _paper_unknown_prior(s: Setting, theta: float) -> list[Row]:
    d = s.H.vc_dimension
    first = budgets.estimate_rate_questions(d, theta, s.prior, s.rate, s.delta / 8)
    then = budgets.unknown_prior_questions(d, theta, s.rate, s.epsilon, s.delta)
    if s.H.intersection_closed:
        unlabeled = budgets.unknown_prior_unlabeled_closed(s.H, s.epsilon, s.delta)
    else:  # what the proof uses; its reuse of S1 is sound for intersection-closed classes only
        unlabeled = budgets.unknown_prior_unlabeled_solved(d, s.epsilon, s.delta)
    fewer = refined.estimate_rate_questions(s.H, theta, s.prior, s.rate, s.delta / 8)
    fewer += refined.unknown_prior_questions(s.H, theta, s.rate / 4, s.epsilon, s.delta)  # ω_lo is ω/4 at worst
    fresh = refined.rounds(s.epsilon) * refined.unknown_prior_fresh(s.H, theta, s.epsilon, s.delta)
    fresh = math.ceil(2 * fresh / s.epsilon)  # rows of the region, whose mass is above ε/2
    note = "θ in place of θ², no search for π, computed constants"
    return [
        Row("paper, unknown prior", first + then, unlabeled, "estimate", f"Algorithms 2 and 3: {GRID}"),
        Row("paper, unknown prior, θ", fewer, fresh, "proved bound", note),
    ]


def _known_prior(s: Setting, theta: float) -> Row:
    typical = math.ceil(sharp.known_prior_typical(s.H, theta, s.prior, s.rate, s.epsilon))
    for_typical = sharp.known_prior_unlabeled(s.prior, theta, s.epsilon, s.delta)
    return Row("KnownPrior", typical, for_typical, "estimate", "Algorithm 1S: 1/(πω) + d ln(π/ε) θ/ω")


def _unknown_prior(s: Setting) -> Row:
    questions, rows = sharp.unknown_prior_typical(s.H, s.prior, s.rate, s.epsilon, s.delta)
    unlabeled = math.ceil(rows) + ideal_rows(s.epsilon, s.delta / 8)
    note = "prune: the reveal rate, then what is undecided among random draws"
    return Row("UnknownPrior", math.ceil(questions), unlabeled, "estimate", note)


def _passive(s: Setting) -> Row:
    """Bound the questions: half of δ for the number of reveals that are needed, half for the questions until then."""
    share = Ladder(s.epsilon, (1 - OBSERVING) * s.delta).rungs[0][1]
    most, unlabeled = passive_sizes(s.H, s.epsilon, share)
    looks = PriorLooks(s.H, most, s.epsilon, OBSERVING * s.delta)
    rows = max(unlabeled, looks.rows)
    positives = looks.positives_at_most(s.epsilon, rows, share, s.prior, s.delta / 2)
    questions = binomial.trials_for_successes(positives, s.prior * s.rate, s.delta / 2)
    known, _ = passive_sizes(s.H, s.epsilon, Ladder(s.epsilon, s.delta).rungs[0][1], s.prior)
    note = f"random questions until {positives:,} positives are revealed; {known:,} do if the prior is known"
    return Row("PassivePU", questions, rows, "proved bound", note)


def _full_labels(s: Setting, theta: float) -> Row:
    questions = sharp.full_label_questions(s.H, theta, s.epsilon, s.delta)
    return Row("Cal", questions, None, "proved bound", "another expert: one who always answers, yes or no")


def _limit(s: Setting) -> Row:
    bits, size = s.H.vc_dimension * math.log2(1 / s.epsilon), log_size(s.H)
    if size is not None:
        bits = min(bits, size / math.log(2))
    each = float(channel.capacity(s.rate))
    note = f"about {bits:.3g} bits, at most {each:.3g} a question, if nothing is known before"
    return Row("limit", math.ceil(bits / each), None, "limit", note)
