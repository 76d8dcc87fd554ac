"""Confidence sets and posteriors as Z-CAL makes them."""

from __future__ import annotations

from typing import Any

from activepu.hypotheses import BoxLike, HypothesisClass, registration
from activepu.version_spaces import VersionSpace
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.confidence.capped import CappedSet
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.confidence.rate_per_expert import RatePerExpertSet
from activepu.zcal.confidence.unknown_rate import UnknownRateSet
from activepu.zcal.posteriors import Posterior
from activepu.zcal.rates import Rates


def confidence_set(
    V: VersionSpace, points: Any, rates: Rates, delta: float, false_reveal: float = 0.0, sides: Any = None
) -> ConfidenceSet:
    """By one prediction for all hypotheses in box-like classes, unless their sides are given."""
    if not isinstance(V.hypotheses, BoxLike):
        return registration(V.hypotheses).confidence_set(V, points, rates, delta, points, false_reveal)
    if V.caps or V.costs:
        return CappedSet(V, points, rates, delta)
    if sides is None or rates.per_expert:
        return RatePerExpertSet(V, points, rates, delta)
    return (KnownRateSet if rates.known else UnknownRateSet)(V, points, rates, delta, sides)


def posterior(
    H: HypothesisClass, rates: Rates, sample: Any, positives: Any, seed: int, false_reveal: float = 0.0
) -> Posterior:
    """The posterior that is registered for the class."""
    return registration(H).posterior(H, rates, sample, positives, seed, false_reveal)
