"""The rows of a plan that are formulas: the paper's bounds, the sharp algorithms, and what the channel allows."""

from __future__ import annotations

import math
from typing import NamedTuple

from activepu import channel
from activepu.hypotheses.base import HypothesisClass
from activepu.hypotheses.conjunctions import Conjunctions
from activepu.planning.table import Row
from activepu.theory import binomial, budgets, sharp
from activepu.theory.deviations import log_size, uniform_sample_size
from activepu.theory.ladder import Ladder
from activepu.theory.radii import passive_sizes


class Setting(NamedTuple):
    """What is to be learned, and from whom; `rate` and `prior` are guesses of ω and π."""

    H: HypothesisClass
    epsilon: float
    delta: float
    rate: float
    prior: float
    theta: float | None


def rows(asked: Setting) -> list[Row]:
    """Every formula that applies.

    What needs a θ that is not known is left out, and so is what needs a continuous distribution for conjunctions.
    """
    hypotheses, theta = asked.H, asked.theta
    continuous = not isinstance(hypotheses, Conjunctions)
    found: list[Row] = []
    if theta is not None:
        if continuous:
            found += [_paper_known_prior(asked, theta), *_paper_unknown_prior(asked, theta)]
            found.append(_known_prior_at_worst(asked, theta))
        found.append(_known_prior(asked, theta))
    if continuous:
        found += [_unknown_prior(asked), _passive(asked)]
    if theta is not None:
        found.append(_full_labels(asked, theta))
    found.append(_limit(asked))
    return found


def least(s: Setting) -> int:
    """About as many questions as any method needs: one reveal, and then the limit."""
    limit = _limit(s).questions
    assert limit is not None
    return limit + math.ceil(1 / (s.prior * s.rate))


def _paper_known_prior(s: Setting, theta: float) -> Row:
    d = s.H.vc_dimension
    # The test that can be run may go on until Δ < ε/2: one halving more than printed (erratum A2).
    questions = budgets.known_prior_questions(d, theta, s.rate, s.epsilon / 2, s.delta)
    unlabeled = budgets.known_prior_unlabeled(d, budgets.margin(theta, s.epsilon), s.delta / 4)
    return Row("paper, known prior", questions, unlabeled, "proved bound", "Algorithm 1: λN questions")


def _paper_unknown_prior(s: Setting, theta: float) -> list[Row]:
    d = s.H.vc_dimension
    constants = "a proved form, but its constants are grid maxima"
    alone = budgets.estimate_rate_questions(d, theta, s.prior, s.rate, s.delta)
    first = budgets.estimate_rate_questions(d, theta, s.prior, s.rate, s.delta / 8)
    then = budgets.unknown_prior_questions(d, theta, s.rate, s.epsilon, s.delta)
    if s.H.intersection_closed:
        unlabeled = budgets.unknown_prior_unlabeled_closed(s.H, s.epsilon, s.delta)
    else:  # as the proof asks; it reuses S1 in a way that only intersection-closed classes allow
        unlabeled = budgets.unknown_prior_unlabeled_solved(d, s.epsilon, s.delta)
    return [
        Row("paper, reveal rate", alone, None, "estimate", f"Algorithm 2: {constants}"),
        Row("paper, unknown prior", first + then, unlabeled, "estimate", f"Algorithms 2 and 3: {constants}"),
    ]


def _known_prior_at_worst(s: Setting, theta: float) -> Row:
    bound = sharp.known_prior_questions(s.H, theta, s.rate, s.epsilon, s.delta)
    for_bound = uniform_sample_size(s.H, budgets.margin(theta, s.epsilon), s.delta / 4)
    return Row("known prior, at worst", bound, for_bound, "proved bound", "Algorithm 1 with computed radii")


def _known_prior(s: Setting, theta: float) -> Row:
    typical = math.ceil(sharp.known_prior_typical(s.H, theta, s.prior, s.rate, s.epsilon))
    for_typical = sharp.known_prior_unlabeled(s.prior, theta, s.epsilon, s.delta)
    return Row("KnownPrior", typical, for_typical, "estimate", "Algorithm 1S: 1/(πω) + d ln(π/ε) θ/ω")


def _unknown_prior(s: Setting) -> Row:
    questions = sharp.unknown_prior_typical(s.H, s.prior, s.rate, s.epsilon, s.delta)
    unlabeled = sharp.unknown_prior_rows(s.H, s.epsilon, s.delta, s.rate)
    note = "prune: the reveal rate, then what is undecided among random draws"
    return Row("UnknownPrior", math.ceil(questions), unlabeled, "estimate", note)


def _passive(s: Setting) -> Row:
    positives, unlabeled = passive_sizes(s.H, s.epsilon, Ladder(s.epsilon, s.delta).rungs[0][1])
    questions = binomial.trials_for_successes(positives, s.prior * s.rate, s.delta)
    note = f"random questions until {positives:,} positives are revealed"
    return Row("PassivePU", questions, unlabeled, "proved bound", note)


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
