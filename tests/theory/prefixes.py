"""A class of a stranger, for tests: the prefixes of a tree, with nothing registered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np

import activepu as apu


class Prefix(apu.Closure):
    """{x : the row x starts with these digits}, or ∅ if `digits` is None."""

    def __init__(self, hypotheses: Prefixes, digits: tuple[int, ...] | None) -> None:
        self.hypotheses = hypotheses
        self.digits = digits

    def contains(self, points: np.ndarray) -> np.ndarray:
        if self.digits is None:
            return np.zeros(len(points), bool)
        return (points[:, : len(self.digits)] == np.array(self.digits)).all(axis=1)

    def within(self, other: apu.Closure) -> bool:
        if self.digits is None or other.digits is None:
            return self.digits is None
        return self.digits[: len(other.digits)] == other.digits

    def to_dict(self) -> dict[str, Any]:
        return {"digits": self.digits}

    def __str__(self) -> str:
        return "nothing" if self.digits is None else f"starts with {''.join(map(str, self.digits))}"


class Prefixes(apu.ClosedClass):
    """Rows of digits; a member is all rows that start with a prefix.

    Two members are nested or disjoint, so that two points are shattered (by their full rows and a common prefix), three
    never are, and n points have at most 2n labellings: a tree with n leaves has at most 2n − 1 nodes with distinct
    leaves, and there is ∅.
    """

    name: ClassVar[str] = "prefixes"
    vc_dimension = 2

    def log_growth(self, n: int) -> float:
        return float(np.log(max(1, 2 * n)))

    def closure(self, points: np.ndarray) -> Prefix:
        if len(points) == 0:
            return Prefix(self, None)
        same = (points == points[0]).all(axis=0)
        length = len(same) if same.all() else int(np.argmin(same))
        return Prefix(self, tuple(int(digit) for digit in points[0, :length]))

    def hypothesis_from_dict(self, data: dict[str, Any]) -> Prefix:
        return Prefix(self, None if data["digits"] is None else tuple(data["digits"]))


class ListedPrefixes(Prefixes):
    """The same for binary digits, listed: one prefix per node of the tree."""

    def members(self) -> Sequence[Prefix]:
        lengths = range(self.bound_dim + 1)
        return [Prefix(self, digits) for length in lengths for digits in product((0, 1), repeat=length)]


class Unlisted(apu.HypothesisClass):
    """A class without a closure that can neither list its members nor sample them."""

    name: ClassVar[str] = "unlisted"
    vc_dimension = 2

    def log_growth(self, n: int) -> float:
        return float(np.log(max(1, 2 * n)))

    def hypothesis_from_dict(self, data: dict[str, Any]) -> apu.Hypothesis:
        raise NotImplementedError
