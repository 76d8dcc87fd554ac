"""What a hypothesis and a class of hypotheses are.

A class *encodes* raw features once into **points**, an array with one row per item in the form in which its version
space works: coordinates for geometric classes, bit-packed predictions for finite ones. Version spaces see only points.
"""

from __future__ import annotations

import copy
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput

Points = NDArray[Any]
"""One row per item, as a hypothesis class encodes it."""


class HypothesisClass(ABC):
    """A set H of functions X → {0, 1}. The empty hypothesis ∅ is adjoined to every class.

    `dim` and `names` are None until `bind` takes them from a pool; a bound class encodes and prints.
    """

    name: ClassVar[str]
    plural: ClassVar[str]
    """The members in a sentence: "the truth is one of the boxes"; the name, unless a class says otherwise."""
    intersection_closed: ClassVar[bool]
    fixed_dim: ClassVar[int | None] = None
    """The number of coordinates of a point, where the class itself fixes it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and "plural" not in vars(cls):
            cls.plural = cls.name

    def __init__(self, dim: int | None = None) -> None:
        self.dim = None if dim is None else checks.count("dim", dim, minimum=1)
        self.names: tuple[str, ...] | None = None

    def bind(self, dim: int, names: Sequence[str] | None = None) -> Self:
        """The same class for features with `dim` columns; refuses if it was made for another dimension."""
        if self.dim is not None and self.dim != dim:
            raise InvalidInput(
                f"{type(self).__name__} was made for {self.dim} column(s), but the pool has {dim}; "
                f"choose the columns with Pool(…, features=…), or a class of that dimension."
            )
        bound = copy.copy(self)
        bound.dim = dim
        bound.names = None if names is None else tuple(names)
        return bound

    def column(self, axis: int) -> str:
        """The name of a column, x0, x1, … where the pool has none."""
        return f"x{axis}" if self.names is None else self.names[axis]

    def columns_of(self, table: Any) -> Any:
        """The feature columns of a DataFrame that has others too; anything else as it is."""
        present = list(getattr(table, "columns", ()))
        if self.names is None or not present or not all(isinstance(name, str) for name in present):
            return table
        missing = [name for name in self.names if name not in present]
        if missing:
            raise InvalidInput(
                f"The table has no column {missing[0]!r}, which was a feature when this was learned; it has "
                f"{', '.join(present)[:200]}: rename its columns, or pass an array."
            )
        return table[list(self.names)]

    @property
    def bound_dim(self) -> int:
        """The number of coordinates of a point, once it is known."""
        dim = self.dim if self.fixed_dim is None else self.fixed_dim
        if dim is None:
            raise InvalidInput(f"{type(self).__name__} has no dimension yet; pass dim=… or use it with a pool.")
        return dim

    def encode(self, X: Any) -> Points:
        """Raw features to points; checks dimension and finiteness."""
        return checks.matrix("features", X, self.dim)

    @property
    @abstractmethod
    def vc_dimension(self) -> int:
        """d = VC(H); for a class that is not bound yet, bind first."""

    @abstractmethod
    def log_growth(self, n: int) -> float:
        """ln Π_H(n), or an upper bound of it: the number of ways in which H can label n points."""

    @abstractmethod
    def hypothesis_from_dict(self, data: dict[str, Any]) -> Hypothesis:
        """The hypothesis that `Hypothesis.to_dict` described."""

    @property
    def no_points(self) -> Points:
        """An array of points without rows, of the right shape and type."""
        return self.encode(np.empty((0, self.bound_dim if self.dim is None else self.dim)))

    @property
    def empty(self) -> Hypothesis:
        """∅."""
        return Nothing(self)

    @property
    def always_repeats(self) -> bool:
        """Whether items that look alike are the rule, so that nothing that needs distinct items may be proved."""
        return False

    @property
    def n_sides(self) -> int | None:
        """The number of sides s of a closure, where one random point per side decides how far it reaches; else None.

        The closure of K random points of ℓ then misses at most a share t of it, P(Bin(K, t) ≤ s − 1) = δ, but for
        probability δ (`activepu.theory.closure_radius`). Box-like classes have sides. A class with a closure alone
        has none.
        """
        return None

    @property
    def is_chain(self) -> bool:
        """Whether of any two members one contains the other."""
        return False

    def member_with(self, points: Points, labels: NDArray[np.bool_]) -> Hypothesis | None:
        """Return a member that contains exactly the points with a true label, or None if there is none.

        By default the members that the class lists are tried; ∅ counts as one.
        """
        listed = self.members()
        if listed is None:
            raise InvalidInput(
                f"{type(self).__name__} cannot find a member with given labels; pass a member, or define members() or "
                "member_with(points, labels)."
            )
        return next((h for h in (*listed, self.empty) if np.array_equal(h.contains(points), labels)), None)

    def members(self) -> Sequence[Hypothesis] | None:
        """Return all members except ∅, or None if the class is too large to list.

        A class that is listed has an exact version space.
        """
        return None

    def sample(self, points: Points, containing: Points, n: int, rng: np.random.Generator) -> Sequence[Hypothesis]:
        """Return up to `n` random members that hold every point of `containing`.

        Without `members`, the version space and the posterior of a class are made of such samples, unless it registers
        its own. The better the sample covers the ways to split `points`, the better they are. Certificates that rest on
        a sample say so.

        Parameters
        ----------
        points : array
            Points of the pool, in the form in which `encode` returns them.
        containing : array
            Points that every member returned must hold; possibly none.
        n : int
            How many members are wanted.
        rng : numpy.random.Generator
            The only source of randomness.
        """
        listed = self.members()
        if listed is None:
            raise InvalidInput(
                f"{type(self).__name__} can neither list its members nor sample them; define members() or "
                "sample(points, containing, n, rng), or register a version space and a posterior."
            )
        fit = [h for h in listed if h.contains(containing).all()]
        return fit if len(fit) <= n else [fit[k] for k in rng.choice(len(fit), n, replace=False)]

    def to_dict(self) -> dict[str, Any]:
        """A readable description, enough to make the class again where it holds no code."""
        described = {"class": self.name, "dim": self.dim, "names": None if self.names is None else list(self.names)}
        own = type(self).__module__.startswith("activepu.")  # any other class is code, whatever it calls itself
        return described if own else described | {"code": True}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.dim is None else f'dim={self.dim}'})"


@contextmanager
def nameless_features() -> Iterator[None]:
    """Points are arrays: a model that was fitted on a DataFrame need not say so at every call."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


class Hypothesis(ABC):
    """One member of a class: a set of items that it calls positive. `str()` is a rule with column names."""

    hypotheses: HypothesisClass

    @abstractmethod
    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Which encoded points are positive."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Numbers only; `hypotheses.hypothesis_from_dict` reads it back."""

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Which rows of raw features are positive."""
        return self.contains(self.hypotheses.encode(self.hypotheses.columns_of(X)))


class Nothing(Hypothesis):
    """∅, for a class that has no member of its own for it."""

    def __init__(self, hypotheses: HypothesisClass) -> None:
        self.hypotheses = hypotheses

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """No point."""
        return np.zeros(len(points), bool)

    def to_dict(self) -> dict[str, Any]:
        """A mark that `read_hypothesis` knows."""
        return {"nothing": True}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nothing)

    def __hash__(self) -> int:
        return hash(Nothing)

    def __str__(self) -> str:
        return "nothing"


def read_hypothesis(H: HypothesisClass, data: dict[str, Any]) -> Hypothesis:
    """Return the member of the bound class H that `Hypothesis.to_dict` described."""
    return Nothing(H) if data.get("nothing") else H.hypothesis_from_dict(data)


@lru_cache(maxsize=4096)
def sauer(d: int, n: int) -> float:
    """ln Σ_{i≤d} C(n, i): the Sauer–Shelah bound on ln Π(n) for VC dimension d."""
    if n <= d:
        return float(n * np.log(2.0))
    i = np.arange(1, d + 1)
    return float(np.logaddexp.reduce(np.append(0.0, np.cumsum(np.log((n - i + 1) / i)))))


def shown(value: float) -> str:
    """Four digits, and all digits before the point: a time or an amount of money is read whole."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
