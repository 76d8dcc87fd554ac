"""Axis-parallel boxes {x : low ≤ x ≤ high} in R^D."""

from __future__ import annotations

from typing import ClassVar

from activepu.hypotheses.base import sauer
from activepu.hypotheses.boxlike import BoxLike


class Boxes(BoxLike):
    """Axis-parallel boxes {x : low ≤ x ≤ high} in R^D: positive where every column lies in an interval of its own.

    The class is closed under intersection, so its version spaces are exact. VC dimension 2D.

    Parameters
    ----------
    dim : int, optional
        D, the number of columns. By default it is taken from the pool.

    See Also
    --------
    Intervals : boxes with one column.
    Orthants : a lower (or upper) bound alone in every column.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((1_000, 2))
    >>> expert = apu.SimulatedExpert((X <= 0.5).all(axis=1), rate=0.9)
    >>> result = apu.learn(apu.ZCal(apu.Boxes(), epsilon=0.1, delta=0.05, rate=0.9), X, expert)
    >>> result.hypothesis.predict([[0.2, 0.2], [0.9, 0.2]]).tolist()
    [True, False]

    References
    ----------
    Blumer, Ehrenfeucht, Haussler and Warmuth, "Learnability and the Vapnik–Chervonenkis dimension", J. ACM 36 (1989).
    """

    name: ClassVar[str] = "boxes"
    two_sided: ClassVar[bool] = True

    @property
    def vc_dimension(self) -> int:
        """2D: the centres of the 2D faces of a cube are shattered, and no set of 2D + 1 points is."""
        return 2 * self.bound_dim

    def log_growth(self, n: int) -> float:
        """Return the Sauer–Shelah bound at 2D."""
        return sauer(self.vc_dimension, n)
