"""The registrations of the built-in hypothesis classes: one block per class, one line per part.

A class inherits what its block leaves out from the class that it extends: `Intervals` from `Boxes`, `Boxes` from
`BoxLike`, `BoxLike` from `ClosedClass`, and every class from `HypothesisClass`. `activepu.hypotheses.registration` says
what each part is.
"""

from __future__ import annotations

from typing import Any

from activepu.errors import InvalidInput
from activepu.hypotheses import (
    Boxes,
    BoxLike,
    ClosedClass,
    Conjunctions,
    FiniteClass,
    Halfspaces,
    HypothesisClass,
    Orthants,
    Points,
    Thresholds,
)
from activepu.hypotheses.registration import Registration, register
from activepu.theory.disagreement import of_boxes, of_finite, of_orthants, of_thresholds
from activepu.theory.flips import BoxFlips, ConjunctionFlips, HalfspaceFlips, ListedFlips
from activepu.version_spaces import (
    BoxVersionSpace,
    ClosedVersionSpace,
    FiniteVersionSpace,
    HalfspaceVersionSpace,
    MemberVersionSpace,
    VersionSpace,
)
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.confidence.capped import CappedSet
from activepu.zcal.confidence.finite import FiniteSet
from activepu.zcal.confidence.halfspaces import HalfspaceSet
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.confidence.rate_per_expert import RatePerExpertSet
from activepu.zcal.confidence.unknown_rate import UnknownRateSet
from activepu.zcal.confidence.wrong_reveals import WrongRevealsSet
from activepu.zcal.posteriors import Posterior
from activepu.zcal.posteriors.boxes import BoxPosterior
from activepu.zcal.posteriors.finite import FinitePosterior
from activepu.zcal.posteriors.halfspaces import HalfspacePosterior
from activepu.zcal.posteriors.members import MemberPosterior
from activepu.zcal.posteriors.thresholds import ThresholdPosterior
from activepu.zcal.radius.bounding_ball import box_ball, finite_ball, halfspace_ball, undecided_ball
from activepu.zcal.rates import Rates
from activepu.zcal.sides import sides_of

# Ways to make a class again from `HypothesisClass.to_dict`.


def must_be_passed(cls: type[HypothesisClass], data: dict[str, Any]) -> HypothesisClass:
    """Refuse: the class holds code, or is not one of the library's."""
    raise InvalidInput(
        f"The class '{data['class']}' holds code, which is not saved; pass it again: load_result(path, hypotheses=…)."
    )


def from_settings(cls: type[HypothesisClass], data: dict[str, Any]) -> HypothesisClass:
    """Make the class from its settings, and bind it."""
    if data.get("code"):
        return must_be_passed(cls, data)
    settings = {key: data[key] for key in ("signs", "score", "above") if key in data}
    return cls(**settings).bind(data["dim"], data["names"])


# Any class that lists or samples its members.


def capped_set(
    V: VersionSpace, points: Points, rates: Rates, delta: float, sample: Points, false_reveal: float
) -> ConfidenceSet:
    """Return a set with one sequence of predictions for all hypotheses, and caps on the stars."""
    _refuse_false_reveals(V, false_reveal)
    return CappedSet(V, points, rates, delta)


def _refuse_false_reveals(V: VersionSpace, false_reveal: float) -> None:
    if false_reveal > 0:
        raise InvalidInput(
            f"{type(V.hypotheses).__name__} is registered with false_reveals, but its confidence set requires every "
            "reveal; register a confidence set that allows for wrong ones."
        )


register(
    HypothesisClass,
    Registration(
        version_space=MemberVersionSpace,
        confidence_set=capped_set,
        posterior=MemberPosterior,
        radius=undecided_ball,
        flip_costs=ListedFlips,
        coefficient=of_finite,
        from_dict=must_be_passed,
        false_reveals=False,
    ),
)

# Any class with a closure.

register(ClosedClass, Registration(version_space=ClosedVersionSpace))

# Classes {x : low ≤ x ≤ high}: Thresholds, Intervals, Boxes, Orthants, Conjunctions.


def box_set(
    V: BoxVersionSpace, points: Points, rates: Rates, delta: float, sample: Points, false_reveal: float
) -> ConfidenceSet:
    """Return a set with bets on each side if all experts share a rate, else one with predictions for all members."""
    _refuse_false_reveals(V, false_reveal)
    if V.caps or V.costs:
        return CappedSet(V, points, rates, delta)
    if rates.per_expert:
        return RatePerExpertSet(V, points, rates, delta)
    kind = KnownRateSet if rates.known else UnknownRateSet
    return kind(V, points, rates, delta, sides_of(V.hypotheses, sample))


def box_posterior(
    H: BoxLike, rates: Rates, sample: Points, positives: Points, seed: int, false_reveal: float
) -> Posterior:
    """Return the exact posterior of a chain, otherwise a Gibbs sampler, one side at a time."""
    sides = sides_of(H, sample)
    if H.is_chain:
        return ThresholdPosterior(sides, rates, positives)
    return BoxPosterior(sides, rates, positives, seed)


register(
    BoxLike,
    Registration(
        version_space=BoxVersionSpace,
        confidence_set=box_set,
        posterior=box_posterior,
        radius=box_ball,
        flip_costs=BoxFlips,
        from_dict=from_settings,
    ),
)

register(Thresholds, Registration(coefficient=of_thresholds))
register(Boxes, Registration(coefficient=of_boxes))
register(Orthants, Registration(coefficient=of_orthants))
register(Conjunctions, Registration(flip_costs=ConjunctionFlips))

# Finite classes: everything is counted member by member, also if reveals can be wrong.


def finite_set(
    V: FiniteVersionSpace, points: Points, rates: Rates, delta: float, sample: Points, false_reveal: float
) -> ConfidenceSet:
    """Return a set with bets against each member, some of which begin after every answer."""
    return FiniteSet(V, points, rates, delta, false_reveal)


def finite_posterior(
    H: FiniteClass, rates: Rates, sample: Points, positives: Points, seed: int, false_reveal: float
) -> Posterior:
    """Return the exact posterior."""
    return FinitePosterior(H, rates, positives, false_reveal)


register(
    FiniteClass,
    Registration(
        version_space=FiniteVersionSpace,
        confidence_set=finite_set,
        posterior=finite_posterior,
        radius=finite_ball,
        false_reveals=True,
    ),
)

# Halfspaces: exact in the plane, sampled in other dimensions.


def halfspace_set(
    V: HalfspaceVersionSpace, points: Points, rates: Rates, delta: float, sample: Points, false_reveal: float
) -> ConfidenceSet:
    """Return a set with caps on the stars; if reveals can be wrong, on missed reveals and stars together."""
    if false_reveal > 0:
        return WrongRevealsSet(V, points, rates, delta, false_reveal)
    return HalfspaceSet(V, points, rates, delta)


register(
    Halfspaces,
    Registration(
        version_space=HalfspaceVersionSpace,
        confidence_set=halfspace_set,
        posterior=HalfspacePosterior,
        radius=halfspace_ball,
        flip_costs=HalfspaceFlips,
        from_dict=from_settings,
        false_reveals=True,
    ),
)
