"""A pool, and one run's way through it.

The algorithms speak of samples from D that are *fresh* (seen by nothing before), *reusable* or *reserved*. `Draws`
keeps them apart by construction: questions are taken from the front of the hashed row order, unlabeled samples from
the back, and no row is ever handed out twice. Rows that a rejection step passed over are gone: they are no sample of
D. Rows that were asked about elsewhere are set aside: what they revealed is in V, so they can be in no sample that V is
measured on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput, PoolExhausted
from activepu.hypotheses.base import HypothesisClass, Points

Region = Callable[[Points], NDArray[np.bool_]]
"""A set of points, as the function that says which points lie in it."""


class Source(ABC):
    """Where items come from: a table (`Pool`) or a distribution (`Sampler`)."""

    dim: int
    names: tuple[str, ...] | None

    @abstractmethod
    def draws(self, hypotheses: HypothesisClass, seed: int, positives: Any = ()) -> Draws:
        """A new way through the pool for one run; `positives` are known beforehand and never drawn."""

    @abstractmethod
    def rows(self, items: Any) -> Any:
        """What an expert sees of these items."""

    @property
    @abstractmethod
    def has_repeated_rows(self) -> bool:
        """Whether some rows look the same to the expert, so that they share one coin."""


class Draws(ABC):
    """One run's way through a pool, in the points of `hypotheses` (a bound class)."""

    BLOCK = 64
    """Rows looked at in one go when the first question of a region is sought; doubles from there."""

    given_coins: set[int]
    """The coins of the positives known beforehand: they are never asked."""

    MISSES = 10_000_000
    """Rows outside a region in a row after which an endless pool is taken to have none inside."""

    def __init__(self, hypotheses: HypothesisClass, positives: Points, seed: int) -> None:
        self.hypotheses = hypotheses
        self.seed = seed
        self.positives = positives
        self.position = 0
        self.asking: Hashable = None
        """Whom the next question is put to."""
        self._aside: set[int] = set()
        self.reserved: frozenset[int] = frozenset()
        """Items of the sample that influences nothing but the stop: what is answered about them is left out."""

    @property
    @abstractmethod
    def remaining(self) -> int | None:
        """Rows that nobody has seen yet; None for an endless pool."""

    @abstractmethod
    def points(self, items: Any) -> Points:
        """The points of items that can be asked."""

    @abstractmethod
    def rows(self, items: Any) -> Any:
        """What an expert sees of items."""

    @abstractmethod
    def features(self, items: Any) -> Any:
        """The features of items that can be asked."""

    @abstractmethod
    def coin(self, item: int) -> int:
        """The number of the coin that answers for this item; equal for rows that the expert cannot tell apart."""

    @abstractmethod
    def twins(self, item: int) -> NDArray[np.int64]:
        """The items that the same coin answers for, itself included."""

    def part(self, hypotheses: HypothesisClass, items: NDArray[np.int64]) -> Draws:
        """A new way through these items alone, in the points of another class; they are numbered from 0."""
        raise InvalidInput("An endless pool has no items to go on with; draw a table from it: Pool(draw(n, rng)).")

    @abstractmethod
    def table(self) -> Points | None:
        """The points of all rows, drawn or not, in the order of the table; None for an endless pool."""

    @abstractmethod
    def rest(self) -> Points | None:
        """Every row that is left, without using it up: questions may still come from it. None if there is no end."""

    @abstractmethod
    def _back_items(self, n: int) -> NDArray[np.int64]:
        """n fresh items from the back."""

    @abstractmethod
    def _front(self, position: int, n: int) -> NDArray[np.int64]:
        """The items at positions position, …, position + n − 1 of the question order; fewer if the pool ends."""

    def unlabeled(self, n: int, purpose: str) -> Points:
        """A fresh unlabeled sample of D of size n."""
        return self.points(self.unlabeled_items(n, purpose))

    def unlabeled_items(self, n: int, purpose: str) -> NDArray[np.int64]:
        """The same as items, for a sample of which some will be asked about."""
        if self.remaining is not None and n > self.remaining:
            raise PoolExhausted(
                f"The pool ran dry: {purpose} needs {n:,} fresh rows and {self.remaining:,} are left; "
                "use a larger pool or a larger epsilon."
            )
        items = self._not_aside(self._back_items(n))
        return items if len(items) == n else np.concatenate([items, self.unlabeled_items(n - len(items), purpose)])

    def set_aside(self, item: int) -> None:
        """An item that was asked about elsewhere is never drawn again; it must have been picked by lot."""
        self._aside.add(item)

    def aside_in(self, start: int, stop: int) -> int:
        """How many of the rows at positions start, …, stop − 1 of the question order are set aside."""
        items = self._front(start, stop - start) if self._aside else np.empty(0, np.int64)
        return len(items) - len(self._not_aside(items))

    def _not_aside(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        return items[~np.isin(items, list(self._aside))] if self._aside else items

    def unlabeled_in(self, region: Region, n: int, purpose: str) -> Points:
        """A fresh unlabeled sample of D given `region`, by rejection."""
        found: list[Points] = []
        missing, block, misses = n, max(n, 1024), 0
        while missing > 0:
            left = self.remaining
            block = block if left is None else min(block, left)
            if block == 0 or misses >= self.MISSES:
                raise PoolExhausted(
                    f"The pool ran dry: {purpose} needs {n:,} rows of the disagreement region and found "
                    f"{n - missing:,}; use a larger pool or a larger epsilon."
                )
            drawn = self.points(self._not_aside(self._back_items(block)))
            drawn = drawn[region(drawn)][:missing]
            found.append(drawn)
            missing -= len(drawn)
            misses = 0 if len(drawn) else misses + block
            block = min(2 * block, 1 << 18)
        return np.concatenate(found) if found else self.points([])

    def questions(self, region: Region) -> Iterator[tuple[int, int]]:
        """Items of D given `region` with their positions, in the question order, each once, until the pool ends.

        A block is looked at ahead of time: what was asked or sampled of it in the meantime is left out.
        """
        block, misses = self.BLOCK, 0
        while misses < self.MISSES and len(items := self._front(self.position, block)):
            start, misses = self.position, misses + len(items)
            for offset in np.flatnonzero(region(self.points(items))):
                position = int(start + offset)
                if position < self.position:
                    continue
                if self.remaining is not None and position >= self.position + self.remaining:
                    break
                self.position, misses = position + 1, 0
                if int(items[offset]) not in self._aside:
                    yield int(items[offset]), position
            self.position = max(self.position, start + len(items))
            block = min(2 * block, 1 << 16)

    def advance(self, position: int) -> None:
        """Marks everything up to `position` as drawn: a recorded question was put there."""
        self.position = max(self.position, position + 1)


def names_or_none(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Column names as a tuple."""
    return None if names is None else tuple(str(name) for name in names)


def everywhere(points: Points) -> NDArray[np.bool_]:
    """The region that is the whole space."""
    return np.ones(len(points), bool)
