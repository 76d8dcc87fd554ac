"""Posteriors: which hypotheses are likely. `posterior(H, …)` is the prior, until answers are folded in."""

from functools import singledispatch

from activepu.errors import InvalidInput
from activepu.hypotheses import ClosedClass, FiniteClass, Halfspaces, HypothesisClass, Points
from activepu.zcal.posteriors.base import Posterior, Prediction
from activepu.zcal.posteriors.boxes import BoxPosterior
from activepu.zcal.posteriors.finite import FinitePosterior
from activepu.zcal.posteriors.halfspaces import HalfspacePosterior
from activepu.zcal.posteriors.thresholds import ThresholdPosterior
from activepu.zcal.rates import Rates
from activepu.zcal.sides import sides_of


@singledispatch
def posterior(
    hypotheses: HypothesisClass,
    rates: Rates,
    sample: Points,
    positives: Points,
    seed: int,
    false_reveal: float = 0.0,
) -> Posterior:
    """The prior on a bound class, given positives that were known beforehand.

    `sample` are points of the pool: they tell what is a large cut and what a small one. `false_reveal` is the rate η
    at which points outside the truth are revealed. Classes of your own register here.
    """
    raise InvalidInput(f"No posterior is known for {hypotheses!r}; register one with posterior.register.")


@posterior.register
def _(
    hypotheses: ClosedClass,
    rates: Rates,
    sample: Points,
    positives: Points,
    seed: int,
    false_reveal: float = 0.0,
) -> Posterior:
    if false_reveal > 0.0:
        raise InvalidInput(
            f"False reveals (got a rate of {false_reveal:g}) are offered for finite classes and halfspaces, not for "
            f"{hypotheses.plural}; use one of those, or a rate of 0."
        )
    sides = sides_of(hypotheses, sample)
    if sides.count == 1:
        return ThresholdPosterior(sides, rates, positives)
    return BoxPosterior(sides, rates, positives, seed)


@posterior.register
def _(
    hypotheses: FiniteClass,
    rates: Rates,
    sample: Points,
    positives: Points,
    seed: int,
    false_reveal: float = 0.0,
) -> Posterior:
    return FinitePosterior(hypotheses, rates, positives, false_reveal)


@posterior.register
def _(
    hypotheses: Halfspaces,
    rates: Rates,
    sample: Points,
    positives: Points,
    seed: int,
    false_reveal: float = 0.0,
) -> Posterior:
    return HalfspacePosterior(hypotheses, rates, sample, positives, seed, false_reveal)


__all__ = [
    "BoxPosterior",
    "FinitePosterior",
    "HalfspacePosterior",
    "Posterior",
    "Prediction",
    "ThresholdPosterior",
    "posterior",
]
