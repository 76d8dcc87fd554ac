"""What the two searches for an extreme member share: best-first branch and bound over parts of V.

Every part has an upper bound on a count of rows. The open parts together contain every member with a larger count than
the best one so far, so the largest of their bounds is always valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Generic, TypeVar

Part = TypeVar("Part")
Member = TypeVar("Member")


@dataclass(frozen=True)
class Extreme(Generic[Member]):
    """No h ∈ V has a count above `bound`, and `member` ∈ V has the count `value`.

    `complete`: the search finished, rather than ran out of effort.
    """

    bound: int
    value: int
    member: Member
    complete: bool = True


class Search(Generic[Part]):
    """`value` is the largest count so far; `skipped` is the largest bound of a part that was left unsplit.

    With `enough` the search ends as soon as it is clear whether bound ≤ enough. `spent` is the effort so far.
    """

    def __init__(self, enough: int | None) -> None:
        self.enough = enough
        self.value = 0
        self.skipped = 0
        self.spent = 0
        self._order = count()
        self._queue: list[tuple[int, int, Part]] = []

    @property
    def needed(self) -> int:
        """Bounds up to this one are not worth a split."""
        return max(self.value, 0 if self.enough is None else self.enough)

    @property
    def found(self) -> bool:
        """Whether a member has more than enough."""
        return self.enough is not None and self.value > self.enough

    def push(self, bound: int, part: Part) -> None:
        """Queue a part."""
        heappush(self._queue, (-bound, next(self._order), part))

    def pop(self) -> Part:
        """Remove the part with the largest bound, of equal ones the oldest."""
        return heappop(self._queue)[2]

    @property
    def largest_bound(self) -> int:
        """The largest bound of a queued part; 0 if there is none."""
        return -self._queue[0][0] if self._queue else 0

    def outcome(self, open_bound: int) -> tuple[int, bool]:
        """Return the bound over all parts, and whether the search finished; no open part exceeds `open_bound`."""
        bound = max(open_bound, self.value, self.skipped)
        return bound, self.found or bound <= self.needed
