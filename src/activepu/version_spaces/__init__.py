"""Version spaces: which hypotheses are still possible. `version_space(H)` is all of H."""

from typing import Any

from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.hypotheses.registration import registration
from activepu.version_spaces.base import VersionSpace
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.version_spaces.closed import ClosedVersionSpace
from activepu.version_spaces.finite import FiniteVersionSpace
from activepu.version_spaces.frontier import Frontier
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.version_spaces.members import MemberVersionSpace


def version_space(hypotheses: HypothesisClass) -> VersionSpace:
    """Return all of a bound class H as a version space: before the first answer every rule is possible.

    Parameters
    ----------
    hypotheses : HypothesisClass
        A class with a dimension: ``Boxes(dim=2)``, or any class after ``bind``.

    Returns
    -------
    VersionSpace
        Of the kind that is registered for the class.

    Raises
    ------
    InvalidInput
        If the class has no dimension yet.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> V = apu.version_space(apu.Boxes(dim=1)).require(np.array([[1.0], [2.0]]))
    >>> V.certain(np.array([[1.5], [3.0]])).tolist()
    [True, False]
    """
    made: VersionSpace = registration(hypotheses).version_space(hypotheses)
    if hypotheses.intersection_closed and made.least is None:
        raise InvalidInput(
            f"The version space registered for {type(hypotheses).__name__}, {type(made).__name__}, names no least "
            "member, but the class is closed under intersection; set `least` to the closure, or register none."
        )
    return made


def from_dict(hypotheses: HypothesisClass, data: dict[str, Any]) -> VersionSpace:
    """Return the version space that `VersionSpace.to_dict` described.

    Parameters
    ----------
    hypotheses : HypothesisClass
        The bound class that it belongs to.
    data : dict
        What `VersionSpace.to_dict` returned.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.version_spaces import from_dict
    >>> H = apu.Intervals()
    >>> V = apu.version_space(H).require(H.encode([1.0, 2.0]))
    >>> from_dict(H, V.to_dict()).least
    <intervals: 1 <= x0 <= 2>
    """
    return type(version_space(hypotheses)).from_dict(hypotheses, data)


__all__ = [
    "BoxVersionSpace",
    "ClosedVersionSpace",
    "FiniteVersionSpace",
    "Frontier",
    "HalfspaceVersionSpace",
    "MemberVersionSpace",
    "VersionSpace",
    "from_dict",
    "version_space",
]
