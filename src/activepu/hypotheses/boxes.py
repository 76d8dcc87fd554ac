"""Axis-parallel boxes {x : low ≤ x ≤ high} in R^D."""

from __future__ import annotations

from typing import ClassVar

from activepu.hypotheses.base import sauer
from activepu.hypotheses.boxlike import BoxLike


class Boxes(BoxLike):
    """Positive inside an axis-parallel box, negative outside. VC dimension 2D."""

    name: ClassVar[str] = "boxes"
    two_sided: ClassVar[bool] = True

    @property
    def vc_dimension(self) -> int:
        """2D: the 2D face centres of a cube are shattered, and 2D + 1 points never are."""
        return 2 * self.bound_dim

    def log_growth(self, n: int) -> float:
        """Sauer–Shelah at 2D."""
        return sauer(self.vc_dimension, n)
