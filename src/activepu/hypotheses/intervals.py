"""Intervals [a, b] on the line."""

from __future__ import annotations

import math
from typing import ClassVar

from activepu.hypotheses.boxes import Boxes


class Intervals(Boxes):
    """Positive between two numbers of a single column. VC dimension 2."""

    name: ClassVar[str] = "intervals"
    fixed_dim: ClassVar[int | None] = 1

    def __init__(self) -> None:
        super().__init__(dim=1)

    def log_growth(self, n: int) -> float:
        """Exactly n(n+1)/2 + 1 labellings of n points."""
        return math.log(n * (n + 1) / 2 + 1)

    def __repr__(self) -> str:
        return "Intervals()"
