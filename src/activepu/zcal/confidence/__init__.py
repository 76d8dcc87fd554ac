"""The likelihood of the answers: what is still possible, of the hypotheses and of the reveal rates.

`standing(V, points, rates, delta)` follows the confidence set of Z-CAL on a pool, answer by answer.
"""

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Points
from activepu.version_spaces import ClosedVersionSpace, FiniteVersionSpace, VersionSpace
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.zcal.confidence.base import ConfidenceSet
from activepu.zcal.confidence.capped import CappedSet
from activepu.zcal.confidence.closure import ClosureSet
from activepu.zcal.confidence.finite import FiniteSet
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.confidence.unknown_rate import UnknownRateSet
from activepu.zcal.confidence.wrong_reveals import WrongRevealsSet
from activepu.zcal.rates import Rates
from activepu.zcal.sides import Sides


def standing(
    V: VersionSpace,
    points: Points,
    rates: Rates,
    delta: float,
    false_reveal: float = 0.0,
    sides: Sides | None = None,
) -> ConfidenceSet:
    """What stands on `points`, to begin with what V says; V has the positives that are known beforehand required.

    `false_reveal` bounds the rate at which an item outside the truth is revealed. Finite classes are bet against member
    by member, intersection-closed ones with one rate side by side if `sides` are given; else there is one prediction
    for all.
    """
    wrong = checks.share("false_reveal", false_reveal)
    if isinstance(V, FiniteVersionSpace):
        return FiniteSet(V, points, rates, delta, wrong)
    if isinstance(V, HalfspaceVersionSpace) and wrong > 0:
        return WrongRevealsSet(V, points, rates, delta, wrong)
    if wrong > 0:
        raise InvalidInput(
            f"false_reveal = {false_reveal:g} needs a FiniteClass or Halfspaces, got '{V.hypotheses.name}', where "
            "reveals must lie inside the hypothesis; pass a list of candidate rules, or false_reveal=0."
        )
    if not isinstance(V, ClosedVersionSpace) or V.caps or V.costs:
        return CappedSet(V, points, rates, delta)
    if rates.known and sides is not None:
        return KnownRateSet(V, points, rates, delta, sides)
    if not rates.per_expert and sides is not None:
        return UnknownRateSet(V, points, rates, delta, sides)
    return ClosureSet(V, points, rates, delta)


__all__ = ["ConfidenceSet", "Rates", "standing"]
