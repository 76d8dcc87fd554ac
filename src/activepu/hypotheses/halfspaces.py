"""Halfspaces {x : w·x ≥ b}, with nothing and everything (w = 0) among them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points, sauer, shown
from activepu.saved import Field

Floats = NDArray[np.float64]

WITHIN = (0.05, 0.95)
"""The quantiles between which nine in ten points lie."""
FARTHEST = 1e5
"""The farthest that a point may lie from the centre, as a multiple of half the distance between these quantiles."""


class Halfspaces(HypothesisClass):
    """Halfspaces {x : w·x ≥ b} in R^D: positive on one side of a hyperplane.

    ∅ and the whole space are members. The class is not closed under intersection. In the plane, version spaces are
    exact (see `HalfspaceVersionSpace` for the limits); in other dimensions they are known through a sample of their
    members, and certificates say that this is no proof. VC dimension D + 1.

    Parameters
    ----------
    dim : int, optional
        D, the number of columns. By default it is taken from the pool.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> V = apu.version_space(apu.Halfspaces(dim=2))
    >>> V = V.require(np.array([[1.0, 0.0], [0.0, 1.0]])).cap_mass(np.array([[0.0, 0.0]]), 0)
    >>> V.certain(np.array([[0.5, 0.5], [3.0, -1.0]])).tolist()
    [True, False]

    References
    ----------
    Cover, "Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition", IEEE Transactions on Electronic Computers 14 (1965): the growth function.
    """

    name: ClassVar[str] = "halfspaces"

    @property
    def vc_dimension(self) -> int:
        """D + 1."""
        return self.bound_dim + 1

    def log_growth(self, n: int) -> float:
        """Return ln 2 Σ_{i≤D} C(n − 1, i), exact in general position (Cover 1965); all and nothing are counted."""
        return math.log(2.0) + sauer(self.bound_dim, n - 1) if n > 0 else 0.0

    @property
    def empty(self) -> Halfspace:
        """∅."""
        return self.nothing

    @property
    def nothing(self) -> Halfspace:
        """∅."""
        return Halfspace(self, np.zeros(self.bound_dim), 1.0)

    @property
    def everything(self) -> Halfspace:
        """The whole space."""
        return Halfspace(self, np.zeros(self.bound_dim), -1.0)

    def member_with(self, points: Points, labels: NDArray[np.bool_]) -> Halfspace | None:
        """Return a halfspace that separates the positives from the others, found by a linear program; else None.

        In coordinates that the points fill, g·(x, 1) ≥ 1 on the positives and ≤ −1 elsewhere.
        """
        frame = Frame.around(points)
        signed = np.where(labels[:, None], -1.0, 1.0) * frame.lift(points)
        free = (None, None)
        answer = linprog(np.zeros(signed.shape[1]), signed, -np.ones(len(signed)), bounds=[free] * signed.shape[1])
        if answer.status != 0:
            return None
        w, b = frame.raw(np.asarray(answer.x))
        found = Halfspace(self, w, float(b))
        return found if np.array_equal(found.contains(points), labels) else None

    def hypothesis_from_dict(self, data: dict[str, Any]) -> Halfspace:
        """Read `Halfspace.to_dict` back."""
        said = Field(data, "halfspace")
        return Halfspace(self, [one.number() for one in said["w"].each(self.bound_dim)], said["b"].number())


class Halfspace(Hypothesis):
    """{x : w·x ≥ b}. Immutable. Its scale is kept as given, and only printing makes w a unit vector."""

    def __init__(self, hypotheses: Halfspaces, w: Any, b: float) -> None:
        self.hypotheses: Halfspaces = hypotheses
        self.w: Floats = np.asarray(w, np.float64)
        self.b = checks.number("b", b)
        if self.w.shape != (hypotheses.bound_dim,) or not np.isfinite(self.w).all():
            raise InvalidInput(f"w must be {hypotheses.bound_dim} finite number(s), got {w!r}.")

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Return whether w·x ≥ b."""
        return np.asarray(points @ self.w >= self.b)

    def to_dict(self) -> dict[str, Any]:
        """Return w and b."""
        return {"w": self.w.tolist(), "b": self.b}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Halfspace):
            return NotImplemented
        return bool(np.array_equal(self.w, other.w) and self.b == other.b)

    def __hash__(self) -> int:
        return hash((self.w.tobytes(), self.b))

    def __str__(self) -> str:
        length = float(np.linalg.norm(self.w))
        if length == 0.0:
            return "everything" if self.b <= 0.0 else "nothing"
        text = ""
        for axis, value in enumerate(self.w / length):
            if value != 0.0:
                sign = ("-" if value < 0 else "") if not text else (" - " if value < 0 else " + ")
                text += f"{sign}{shown(abs(value))}*{self.hypotheses.column(axis)}"
        return f"{text} >= {shown(self.b / length)}"

    def __repr__(self) -> str:
        return f"<halfspaces: {self}>"


@dataclass(frozen=True)
class Frame:
    """Coordinates z = (x − centre) / scale in which given sites fill [−1, 1]^D, so that one tolerance fits all data.

    A vector g ∈ R^{D+1} stands for the halfspace {z : g·(z, 1) ≥ 0}.
    """

    centre: Floats
    scale: Floats

    @classmethod
    def around(cls, sites: Floats) -> Self:
        """Return the frame of the sites' bounding box; an axis on which they do not differ keeps its unit."""
        if len(sites) == 0:
            return cls(np.zeros(sites.shape[1]), np.ones(sites.shape[1]))
        low, high = sites.min(axis=0), sites.max(axis=0)
        half = high / 2 - low / 2
        return cls(low + half, np.where(half > 0, half, 1.0))

    @classmethod
    def among(cls, points: Floats) -> Self:
        """Return the frame in which nine in ten points fill [−1, 1]^D; refuse points that lie too far out."""
        if len(points) == 0:
            return cls.around(points)
        whole = cls.around(points)
        low, high = np.quantile(points, WITHIN, axis=0)
        half = np.where(high > low, high / 2 - low / 2, whole.scale)
        frame = cls(np.where(high > low, low + half, whole.centre), half)
        away = np.abs(frame.lift(points)[:, :-1]).max(axis=0)
        if np.any(away > FARTHEST):
            axis = int(np.argmax(away))
            odd = points[np.argmax(np.abs(points[:, axis] - frame.centre[axis])), axis]
            raise InvalidInput(
                f"Feature {axis} has the value {odd:g} where nine in ten rows lie between {low[axis]:g} and "
                f"{high[axis]:g}, and halfspaces cannot tell these apart on such a scale; leave that row out, or "
                "rescale the features, for example to ranks or logarithms."
            )
        return frame

    def lift(self, points: Floats) -> Floats:
        """Return (z, 1) for every point."""
        return np.column_stack([(points - self.centre) / self.scale, np.ones(len(points))])

    def raw(self, g: Floats) -> tuple[Floats, Floats]:
        """Return w and b in the points' own coordinates, for one vector or for rows of them."""
        w = g[..., :-1] / self.scale
        return w, w @ self.centre - g[..., -1]

    def framed(self, w: Floats, b: Floats) -> Floats:
        """Return the unit vectors g of halfspaces with rows of w and b."""
        g = np.column_stack([w * self.scale, w @ self.centre - b])
        return np.asarray(g / np.linalg.norm(g, axis=1, keepdims=True))
