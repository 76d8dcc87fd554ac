"""Finite classes: any list of predictors, with ∅ adjoined.

A point is the bit-packed row of all predictions on one item: bit h of its words says whether member h contains it, so
that a version space of the class is one more such row. Members are numbered as the predictors were given; member |H|
is ∅, whose bit is never set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import shorten
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points, nameless_features
from activepu.saved import Field

WORD = 64


class FiniteClass(HypothesisClass):
    """A finite class: any list of predictors, with ∅ adjoined.

    A predictor is a callable on an array of features that returns one bool (or 0/1) per row, or a fitted classifier
    with `predict`; the positive class of a classifier is the last of its `classes_`. The list must be fixed without a
    look at the answers. Version spaces and posteriors are exact, member by member, also where reveals can be wrong.
    VC dimension at most ⌊log2(|H| + 1)⌋; the 1 is ∅.

    Predictors are code, which no file holds: pass the class again when you load a result or a study.

    Parameters
    ----------
    predictors : sequence
        At least one predictor. Each is called once over the whole pool.

    Raises
    ------
    InvalidInput
        If there is no predictor, or one can neither be called nor predict.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> def tall(X):
    ...     return X[:, 0] > 180
    >>> def heavy(X):
    ...     return X[:, 1] > 90
    >>> H = apu.FiniteClass([tall, heavy]).bind(2)
    >>> V = apu.version_space(H).require(H.encode([[190.0, 70.0]]))
    >>> print(V.smallest(H.encode([[190.0, 70.0]])))
    tall
    """

    name: ClassVar[str] = "finite"
    plural: ClassVar[str] = "given rules"

    def __init__(self, predictors: Sequence[Any]) -> None:
        super().__init__()
        if not isinstance(predictors, Iterable):
            raise InvalidInput(f"FiniteClass takes a list of rules, got {predictors!r}; put a single one in a list.")
        self.predictors = tuple(predictors)
        if not self.predictors:
            raise InvalidInput("FiniteClass needs at least one predictor, got an empty list.")
        for index, predictor in enumerate(self.predictors):
            if not (callable(predictor) or hasattr(predictor, "predict")):
                raise InvalidInput(
                    f"Predictor {index} must be a callable on features or have predict(), got {predictor!r}."
                )

    @property
    def size(self) -> int:
        """The number of members, including ∅."""
        return len(self.predictors) + 1

    @property
    def words(self) -> int:
        """The number of 64-bit words of a point."""
        return -(-self.size // WORD)

    @property
    def vc_dimension(self) -> int:
        """⌊log2 (|H| + 1)⌋, because 2^d members are needed to shatter d points."""
        return self.size.bit_length() - 1

    def log_growth(self, n: int) -> float:
        """Return ln min(|H| + 1, 2^n)."""
        return min(math.log(self.size), n * math.log(2.0))

    def encode(self, X: Any) -> Points:
        """Return all predictions, (n, words) of uint64; each predictor is called once, and 64 are packed at a time."""
        X = super().encode(X)
        packed = np.zeros((len(X), self.words), np.uint64)
        for word in range(self.words):
            indices = range(word * WORD, min((word + 1) * WORD, len(self.predictors)))
            bits = np.zeros((len(X), WORD), np.bool_)
            for bit, index in enumerate(indices):
                bits[:, bit] = self.predictions(index, X)
            packed[:, word] = pack(bits)[:, 0]
        return packed

    def predictions(self, index: int, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the predictions of one predictor, or of ∅, after a check of their shape and values."""
        if index == len(self.predictors) or len(X) == 0:  # classifiers refuse to predict nothing
            return np.zeros(len(X), np.bool_)
        predictor = self.predictors[index]
        classes = getattr(predictor, "classes_", None)
        if classes is not None and len(classes) < 2:
            raise InvalidInput(
                f"Predictor {index} knows one class only, {list(classes)!r}, so it is unclear which class is positive; "
                "fit it on both classes, or leave it out."
            )
        try:
            with nameless_features():
                answer = np.asarray(predictor.predict(X) if hasattr(predictor, "predict") else predictor(X))
        except Exception as error:
            raise InvalidInput(
                f"Predictor {index} raised {type(error).__name__} over {len(X):,} rows of {X.shape[1]} feature(s): "
                f"{shorten(str(error), 200, placeholder=' …').rstrip('.')}; it must take an array with one row per "
                "item, and a classifier must be fitted."
            ) from error
        if classes is not None and hasattr(predictor, "predict"):
            answer = answer == classes[-1]
        if answer.shape != (len(X),):
            raise InvalidInput(
                f"Predictor {index} must answer {len(X)} rows with an array of shape ({len(X)},), got {answer.shape}."
            )
        if answer.dtype == np.bool_:
            return answer
        positive = answer == 1
        binary = positive | (answer == 0)
        if not np.all(binary):
            row = int(np.argmin(binary))
            raise InvalidInput(
                f"Predictor {index} must answer True/False or 1/0, got {checks.plain(answer[row])!r} in row {row}."
            )
        return np.asarray(positive, np.bool_)

    def label(self, index: int) -> str:
        """Return the name of a member: that of its predictor, if it has one."""
        if index == len(self.predictors):
            return "nothing"
        predictor = self.predictors[index]
        name = getattr(predictor, "__name__", None) or repr(predictor)
        return f"predictor {index}" if name == "<lambda>" else str(name)

    def member(self, index: int) -> Member:
        """Return the member with this number; the last one is ∅."""
        index = checks.count("index", index)
        if index >= self.size:
            raise InvalidInput(f"The class has the members 0 to {self.size - 1} (which is ∅), got {index}.")
        return Member(self, index)

    def members(self) -> Sequence[Member]:
        """Return all members except ∅, in the order of their predictors."""
        return [Member(self, index) for index in range(len(self.predictors))]

    @property
    def empty(self) -> Member:
        """∅, the last member."""
        return self.member(self.size - 1)

    def hypothesis_from_dict(self, data: dict[str, Any]) -> Member:
        """Read `Member.to_dict` back."""
        return self.member(Field(data, "member")["index"].count())

    def to_dict(self) -> dict[str, Any]:
        """Return the members' names; the predictors themselves are code and must be passed again."""
        return {**super().to_dict(), "predictors": [self.label(index) for index in range(len(self.predictors))]}

    def __repr__(self) -> str:
        return f"<FiniteClass of {len(self.predictors)} predictors>"


class Member(Hypothesis):
    """One predictor of the list, or ∅. Immutable."""

    def __init__(self, hypotheses: FiniteClass, index: int) -> None:
        self.hypotheses: FiniteClass = hypotheses
        self.index = index

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Return the member's bit of each point."""
        word, bit = divmod(self.index, WORD)
        return np.asarray(points[:, word] >> np.uint64(bit) & np.uint64(1), np.bool_)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows are positive; only this predictor is called."""
        return self.hypotheses.predictions(
            self.index, checks.matrix("features", self.hypotheses.columns_of(X), self.hypotheses.dim)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the number of the member and its name."""
        return {"index": self.index, "name": str(self)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Member):
            return NotImplemented
        return self.index == other.index and self.hypotheses.predictors == other.hypotheses.predictors

    def __hash__(self) -> int:
        return hash(self.index)

    def __str__(self) -> str:
        return self.hypotheses.label(self.index)

    def __repr__(self) -> str:
        return f"<finite: {self}>"


def pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack rows of bits into rows of words; the number of columns is a multiple of 64."""
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Unpack rows of words into rows of bits, 64 columns per word."""
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")
