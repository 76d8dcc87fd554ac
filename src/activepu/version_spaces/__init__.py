"""Version spaces: which hypotheses are still possible. `version_space(H)` is all of H."""

from functools import singledispatch
from typing import Any

from activepu.errors import InvalidInput
from activepu.hypotheses import ClosedClass, FiniteClass, Halfspaces, HypothesisClass
from activepu.version_spaces.base import VersionSpace
from activepu.version_spaces.closed import ClosedVersionSpace
from activepu.version_spaces.finite import FiniteVersionSpace
from activepu.version_spaces.frontier import Frontier
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace


@singledispatch
def version_space(hypotheses: HypothesisClass) -> VersionSpace:
    """All of H; classes of your own register here: `version_space.register(MyClass, make)`."""
    raise InvalidInput(f"No version space is known for {hypotheses!r}; register one with version_space.register.")


@version_space.register
def _(hypotheses: ClosedClass) -> VersionSpace:
    return ClosedVersionSpace(hypotheses)


@version_space.register
def _(hypotheses: FiniteClass) -> VersionSpace:
    return FiniteVersionSpace(hypotheses)


@version_space.register
def _(hypotheses: Halfspaces) -> VersionSpace:
    return HalfspaceVersionSpace(hypotheses)


def from_dict(hypotheses: HypothesisClass, data: dict[str, Any]) -> VersionSpace:
    """The version space that `VersionSpace.to_dict` described."""
    return type(version_space(hypotheses)).from_dict(hypotheses, data)


__all__ = [
    "ClosedVersionSpace",
    "FiniteVersionSpace",
    "Frontier",
    "HalfspaceVersionSpace",
    "VersionSpace",
    "from_dict",
    "version_space",
]
