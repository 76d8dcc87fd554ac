"""What a hypothesis and a class of hypotheses are.

A class *encodes* raw features once into **points**, an array with one row per item in the form in which its version
space works: coordinates for geometric classes, bit-packed predictions for finite ones. Version spaces see only points.
"""

from __future__ import annotations

import copy
import hashlib
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
    """A set H of rules X → {0, 1}: the rules among which a learner looks for the truth.

    Every guarantee of the library assumes that the truth is one of these rules. The empty hypothesis ∅, which calls
    nothing positive, is adjoined to every class.

    To write a class of your own, extend this one, or `ClosedClass` if your rules are closed under intersection. Define
    `name`, `vc_dimension`, `log_growth` and `hypothesis_from_dict`, and one of

    - `members`, which lists all rules: the version space and what is certified from it are exact;
    - `sample`, which draws rules at random: the version space is a sample, and certificates say that this is no proof.

    All learners, studies and files then work with the class. `register` replaces a part by a better one, and
    `activepu.testing.check_hypothesis_class` checks the whole contract.

    Parameters
    ----------
    dim : int, optional
        The number of feature columns. A class that is made without it takes it from the pool.

    Attributes
    ----------
    name, plural : str
        The class in a file, and its members in a sentence: "the truth is one of the boxes". `plural` is the name,
        unless the class says otherwise.
    dim, names : int, tuple of str
        The number of columns and their names. Both are None until `bind` takes them from a pool.

    See Also
    --------
    ClosedClass : classes in which every set of points has a least member around it.
    FiniteClass : any list of predictors, without a class of your own.

    Examples
    --------
    Values from an unknown number upwards, or from it downwards:

    >>> import math
    >>> import numpy as np
    >>> import activepu as apu
    >>> class Tail(apu.Hypothesis):
    ...     def __init__(self, hypotheses, start, sign):
    ...         self.hypotheses, self.start, self.sign = hypotheses, start, sign
    ...     def contains(self, points):
    ...         return self.sign * points[:, 0] >= self.sign * self.start
    ...     def to_dict(self):
    ...         return {"start": self.start, "sign": self.sign}
    ...     def __str__(self):
    ...         return f"x {'>=' if self.sign > 0 else '<='} {self.start:g}"
    >>> class Tails(apu.HypothesisClass):
    ...     name, vc_dimension = "tails", 2
    ...     def members(self):
    ...         return [Tail(self, start / 20, sign) for start in range(21) for sign in (1, -1)]
    ...     def log_growth(self, n):
    ...         return math.log(max(1, 2 * n))
    ...     def hypothesis_from_dict(self, data):
    ...         return Tail(self, data["start"], data["sign"])
    >>> X = np.random.default_rng(0).random((500, 1))
    >>> expert = apu.SimulatedExpert(X[:, 0] <= 0.3, rate=0.5)
    >>> result = apu.learn(apu.ZCal(Tails(), epsilon=0.05, delta=0.05, rate=0.5), X, expert)
    >>> print(result.hypothesis, result.certificate.error_bound <= 0.05)
    x <= 0.3 True
    """

    name: ClassVar[str]
    plural: ClassVar[str]
    """The members in a sentence."""
    intersection_closed: ClassVar[bool] = False
    """Whether V has a least member, its closure. Only a `ClosedClass` may say so: guarantees rest on it."""
    has_closure: ClassVar[bool] = False
    """Whether `closure` gives the least member around some points; see `ClosedClass`."""
    fixed_dim: ClassVar[int | None] = None
    """The number of coordinates of a point, where the class itself fixes it."""

    dim: int | None = None
    names: tuple[str, ...] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and "plural" not in vars(cls):
            cls.plural = cls.name
        if cls.intersection_closed and not cls.has_closure:
            raise InvalidInput(
                f"{cls.__name__} says that it is closed under intersection, but is no ClosedClass; extend ClosedClass "
                "and define closure, or leave intersection_closed out."
            )

    def __init__(self, dim: int | None = None) -> None:
        self.dim = None if dim is None else checks.count("dim", dim, minimum=1)
        self.names = None

    def bind(self, dim: int, names: Sequence[str] | None = None) -> Self:
        """Return the same class for features with `dim` columns; refuse if it was made for another dimension."""
        if not hasattr(self, "name") or not hasattr(self, "plural"):
            raise InvalidInput(
                f'{type(self).__name__} has no name; define name = "…" in the class itself, the word for its rules in '
                "files and sentences."
            )
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
        """Return the name of a column, or x0, x1, … if the pool has no names."""
        return f"x{axis}" if self.names is None else self.names[axis]

    def columns_of(self, table: Any) -> Any:
        """Return the feature columns of a DataFrame, which may have other columns too; any other table as it is."""
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
        """The number of coordinates of a point; refuses while it is not known."""
        dim = self.dim if self.fixed_dim is None else self.fixed_dim
        if dim is None:
            raise InvalidInput(f"{type(self).__name__} has no dimension yet; pass dim=… or use it with a pool.")
        return dim

    def encode(self, X: Any) -> Points:
        """Turn raw features into points, row by row; refuse a wrong dimension and numbers that are not finite."""
        return checks.matrix("features", X, self.dim)

    @property
    @abstractmethod
    def vc_dimension(self) -> int:
        """d = VC(H). It may depend on the dimension, so bind the class first."""

    @abstractmethod
    def log_growth(self, n: int) -> float:
        """Return ln Π_H(n), or an upper bound: in how many ways H, with ∅, can label n points."""

    @abstractmethod
    def hypothesis_from_dict(self, data: dict[str, Any]) -> Hypothesis:
        """Return the hypothesis that `Hypothesis.to_dict` described."""

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
        """Whether items that look alike are to be expected; then nothing that needs distinct items is claimed."""
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

        A class without `members` has a version space and a posterior that are made of such samples, unless it registers
        its own. They are the better, the more ways to split `points` the sample covers. Certificates that rest on a
        sample say so.

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
        """Return a readable description; the class can be made again from it, unless it holds code."""
        described = {"class": self.name, "dim": self.dim, "names": None if self.names is None else list(self.names)}
        if type(self).__module__.startswith("activepu."):
            return described
        # Any other class is code, whatever it calls itself; its settings are compared when it is passed again.
        settings = {key: _plain(value) for key, value in self._own_settings()}
        return described | {"code": True} | ({"settings": settings} if settings else {})

    def _own_settings(self) -> list[tuple[str, Any]]:
        known = ("hypotheses", "dim", "names")
        return [(key, value) for key, value in vars(self).items() if key not in known and key[0] != "_"]

    def __repr__(self) -> str:
        own = [] if type(self).__module__.startswith("activepu.") else self._own_settings()
        said = [] if self.dim is None else [f"dim={self.dim}"]
        return f"{type(self).__name__}({', '.join(said + [f'{key}={checks.brief(value)}' for key, value in own])})"


@contextmanager
def nameless_features() -> Iterator[None]:
    """Silence the warning of a model that was fitted on a DataFrame and is given an array, as points are."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


class Hypothesis(ABC):
    """One rule of a class, that is the set of items that it calls positive.

    Users meet hypotheses in results: `str` gives the rule with the names of the columns, and `predict` applies it to
    raw features. Subclasses define `contains`, `to_dict` and `__str__`, and set `hypotheses`. A hypothesis must not
    change after it was made. `HypothesisClass` has an example of one.

    Attributes
    ----------
    hypotheses : HypothesisClass
        The bound class that it belongs to.
    remark : str
        A sentence that a result prints below the rule, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> box = apu.Boxes().bind(2, ["age", "dose"]).closure(np.array([[30.0, 1.5], [50.0, 2.0]]))
    >>> print(box)
    30 <= age <= 50 and 1.5 <= dose <= 2
    >>> box.predict([[40.0, 1.7], [40.0, 3.0]]).tolist()
    [True, False]
    """

    hypotheses: HypothesisClass

    @property
    def remark(self) -> str:
        """Nothing, unless a subclass has something to say."""
        return ""

    @abstractmethod
    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Return which encoded points are positive, one boolean per point."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON values; `hypotheses.hypothesis_from_dict` reads it back."""

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows of raw features are positive; a DataFrame may have other columns too."""
        return self.contains(self.hypotheses.encode(self.hypotheses.columns_of(X)))


def _plain(value: Any) -> Any:
    """Return a setting as JSON holds it; of what it cannot hold, its type's name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist() if value.size <= 64 else hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return type(value).__name__


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
    """Return the member of the bound class H that `Hypothesis.to_dict` described.

    Parameters
    ----------
    H : HypothesisClass
        The bound class.
    data : dict
        What `Hypothesis.to_dict` returned for a member of H, or for ∅.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.hypotheses import read_hypothesis
    >>> H = apu.Intervals()
    >>> read_hypothesis(H, H.closure(H.encode([1.0, 2.0])).to_dict())
    <intervals: 1 <= x0 <= 2>
    """
    return Nothing(H) if data.get("nothing") else H.hypothesis_from_dict(data)


@lru_cache(maxsize=4096)
def sauer(d: int, n: int) -> float:
    """Return ln Σ_{i≤d} C(n, i), the Sauer–Shelah bound on ln Π(n) for VC dimension d."""
    if n <= d:
        return float(n * np.log(2.0))
    i = np.arange(1, d + 1)
    return float(np.logaddexp.reduce(np.append(0.0, np.cumsum(np.log((n - i + 1) / i)))))


def shown(value: float) -> str:
    """Format a number with four digits, or with all digits before the point if these are more."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
