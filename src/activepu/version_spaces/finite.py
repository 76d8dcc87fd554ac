"""The version space of a finite class: one bit per member, kept exactly.

With members packed 64 to a word, `require` is an AND over points, and DIS(V) compares each point's row with V's. A cap
needs, per member, the number of points that it contains: a *positional popcount*. Rows are summed as bit-sliced
numbers, pairwise, so that each word operation adds 64 members at once (the carry-save idea of Harley and Seal; Warren,
Hacker's Delight, §5). Words without a live member are left out, and temporaries are bounded by a block of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.finite import WORD, FiniteClass, Member, pack, unpack
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.caps import checked_weights, whole

BLOCK_WORDS = 1 << 19
"""About how many words a block of rows has: 4 MB, to stay near the cache."""


class FiniteVersionSpace(VersionSpace):
    """The exact version space of a `FiniteClass`: one bit per member that satisfies all constraints.

    Immutable.

    Parameters
    ----------
    hypotheses : FiniteClass
        The bound class.
    alive : array of uint64, optional
        A packed row with a bit for each member that remains; by default all of them, including ∅.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.version_spaces import FiniteVersionSpace
    >>> H = apu.FiniteClass([lambda X: X[:, 0] > 1, lambda X: X[:, 0] > 2, lambda X: X[:, 0] < 2]).bind(1)
    >>> V = FiniteVersionSpace(H).require(H.encode([[1.5]]))
    >>> V.indices.tolist()
    [0, 2]
    """

    method: Method = "exact"
    kind: ClassVar[str] = "finite"

    def __init__(self, hypotheses: FiniteClass, alive: NDArray[np.uint64] | None = None) -> None:
        self.hypotheses: FiniteClass = hypotheses
        self.alive = _packed(hypotheses, range(hypotheses.size)) if alive is None else alive
        live = np.flatnonzero(self.alive)
        # Gathering words costs more than reading all of them, unless few are left.
        self._live_words = live if 2 * len(live) < hypotheses.words else np.arange(hypotheses.words)

    @property
    def indices(self) -> NDArray[np.intp]:
        """The numbers of the members that are left."""
        return np.flatnonzero(unpack(self.alive[None])[0])

    def require(self, points: Points) -> Self:
        """Return {h ∈ V : h contains every point}, by an AND over the points' rows."""
        return self._with(self.alive & np.bitwise_and.reduce(points, axis=0)) if len(points) else self

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Return {h ∈ V : the weight of h ∩ points is ≤ limit}, by counting each remaining member's points."""
        amounts = None if weights is None else checked_weights(weights, len(points))
        return self._keep(self._counts(points, amounts) <= whole(limit))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Return {h ∈ V : |(h Δ c) ∩ P| ≤ limit}, where |(h Δ c) ∩ P| = |P ∩ c| − |h ∩ P ∩ c| + |h ∩ P \\ c|."""
        inside = center.contains(points)
        away = self._counts(points[~inside]) - self._counts(points[inside]) + np.count_nonzero(inside)
        return self._keep(away <= whole(limit))

    def is_empty(self) -> bool:
        """Return whether no bit is set."""
        return not self.alive.any()

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether the member's bit is set."""
        if not isinstance(hypothesis, Member):
            raise InvalidInput(f"A finite version space knows its own members only, got {hypothesis!r}.")
        word, bit = divmod(hypothesis.index, WORD)
        return bool(self.alive[word] >> np.uint64(bit) & np.uint64(1))

    def disagrees(self, points: Points) -> NDArray[np.bool_]:
        """Return DIS(V), in one pass and without a copy of the undecided rows."""
        self._refuse_if_empty()
        alive = self.alive[self._live_words]

        def split(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
            rows = rows & alive
            return np.asarray(rows.any(axis=1) & (rows != alive).any(axis=1))

        return self._by_block(points, split)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        alive = self.alive[self._live_words]
        return self._by_block(points, lambda rows: np.asarray(((rows & alive) == alive).all(axis=1)))

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        alive = self.alive[self._live_words]
        return self._by_block(points, lambda rows: np.asarray((rows & alive).any(axis=1)))

    def _smallest(self, points: Points) -> Member:
        """The first of the members with the fewest points."""
        indices = self.indices
        return Member(self.hypotheses, int(indices[np.argmin(self._counts(points)[indices])]))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the members that are left."""
        return {"kind": self.kind, "alive": self.indices.tolist()}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        if not isinstance(hypotheses, FiniteClass):
            raise InvalidInput(f"A finite version space needs a FiniteClass, got {hypotheses!r}.")
        if any(not 0 <= index < hypotheses.size for index in data["alive"]):
            raise InvalidInput(f"The stored members do not fit a class of {hypotheses.size - 1} predictors and ∅.")
        return cls(hypotheses, _packed(hypotheses, data["alive"]))

    def _with(self, alive: NDArray[np.uint64]) -> Self:
        return type(self)(self.hypotheses, alive)

    def _keep(self, mask: NDArray[np.bool_]) -> Self:
        return self._with(self.alive & pack(mask[None])[0])

    def _blocks(self, points: Points) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Yield blocks of rows, with only those words that have a live member."""
        every = len(self._live_words) == points.shape[1]
        size = 1 << max(6, (BLOCK_WORDS // max(1, len(self._live_words))).bit_length() - 1)
        for start in range(0, len(points), size):
            block = slice(start, min(start + size, len(points)))
            yield block, points[block] if every else points[block].take(self._live_words, axis=1)

    def _by_block(self, points: Points, decide: Any) -> NDArray[np.bool_]:
        out = np.empty(len(points), np.bool_)
        for block, rows in self._blocks(points):
            out[block] = decide(rows)
        return out

    def _counts(self, points: Points, weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return Σ weight·[h contains the point] per live member h; whole-number weights are added bit by bit."""
        live = np.zeros((len(self._live_words), WORD), np.int64)
        for block, rows in self._blocks(points):
            if weights is None:
                live += bit_counts(rows).reshape(live.shape)
                continue
            for bit in range(int(weights[block].max()).bit_length()):
                chosen = rows[(weights[block] >> bit & 1).astype(np.bool_)]
                live += bit_counts(chosen).reshape(live.shape) << bit
        counts = np.zeros((self.hypotheses.words, WORD), np.int64)
        counts[self._live_words] = live
        return counts.reshape(-1)


def bit_counts(rows: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return in how many rows each bit is set.

    planes[b] holds bit b of one number per (pair, quadruple, … of rows, member). Adding neighbours halves their count
    and adds a plane for the carry: Σ_l m/2^l · l word operations for m rows, a small multiple of m.
    """
    planes = [rows]
    while len(planes[0]) > 1:
        if len(planes[0]) % 2:
            planes = [np.concatenate([plane, np.zeros_like(plane[:1])]) for plane in planes]
        carry = np.zeros_like(planes[0][::2])
        sums = []
        for plane in planes:
            left, right = plane[::2], plane[1::2]
            either = left ^ right
            sums.append(either ^ carry)
            carry = (left & right) | (either & carry)
        planes = [*sums, carry]
    if len(planes[0]) == 0:
        return np.zeros(rows.shape[1] * WORD, np.int64)
    bits = unpack(np.concatenate(planes)).astype(np.int64)
    return np.asarray((1 << np.arange(len(planes))) @ bits, np.int64)


def _packed(hypotheses: FiniteClass, members: Any) -> NDArray[np.uint64]:
    bits = np.zeros((1, hypotheses.words * WORD), np.bool_)
    bits[0, list(members)] = True
    packed: NDArray[np.uint64] = pack(bits)[0]
    return packed
