"""Intervals [a, b] on the line."""

from __future__ import annotations

import math
from typing import ClassVar

from activepu.hypotheses.boxes import Boxes


class Intervals(Boxes):
    """Intervals [a, b] on the line: positive between two unknown numbers of a single column.

    The class is closed under intersection, so its version spaces are exact. VC dimension 2, and exactly n(n+1)/2 + 1
    ways to label n points.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Intervals()
    >>> V = apu.version_space(H).require(H.encode([2.0, 3.0])).cap_mass(H.encode([5.0]), 0)
    >>> V.certain(H.encode([2.5, 4.0, 6.0])).tolist()
    [True, False, False]
    >>> V.possible(H.encode([2.5, 4.0, 6.0])).tolist()
    [True, True, False]
    """

    name: ClassVar[str] = "intervals"
    fixed_dim: ClassVar[int | None] = 1

    def __init__(self) -> None:
        super().__init__(dim=1)

    def log_growth(self, n: int) -> float:
        """Return ln(n(n+1)/2 + 1), the exact number of labellings of n points."""
        return math.log(n * (n + 1) / 2 + 1)

    def __repr__(self) -> str:
        return "Intervals()"
