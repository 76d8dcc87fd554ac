"""Pools (`Source`), and the order in which one run draws from them (`Draws`).

The algorithms need samples of D that are *fresh* (nothing depends on them yet), *reusable* or *reserved*. `Draws` keeps
these apart by construction: questions are taken from the front of a random row order, unlabeled samples from its back,
and no row is drawn twice. Rows that rejection sampling passed over are not used again, because they are no sample of D.
Rows that were asked elsewhere are set aside: V depends on their answers, so they must not be in a sample on which V is
measured.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import PoolExhausted
from activepu.hypotheses.base import HypothesisClass, Points

Region = Callable[[Points], NDArray[np.bool_]]
"""A set of points, given by the function that says which points lie in it."""


class Source(ABC):
    """Where items come from: a table (`Pool`) or a distribution (`Sampler`).

    Attributes
    ----------
    dim : int
        The number of features.
    names : tuple of str or None
        The names of the features, if they have any.
    """

    dim: int
    names: tuple[str, ...] | None

    @abstractmethod
    def draws(self, hypotheses: HypothesisClass, seed: int, positives: Any = ()) -> Draws:
        """Return the draws of one run in the points of a class; `positives` are known beforehand and never drawn."""

    @abstractmethod
    def rows(self, items: Any) -> Any:
        """Return what an expert sees of these items."""

    @property
    @abstractmethod
    def has_repeated_rows(self) -> bool:
        """Whether some rows look the same to the expert, so that one answer holds for all of them."""


class Draws(ABC):
    """The draws of one run from a pool: a learner takes its questions and its samples from here.

    A row is drawn at most once. With the same seed the draws are the same on every machine.

    Attributes
    ----------
    hypotheses : HypothesisClass
        The class, bound to the columns of the pool.
    positives : points
        The points of the positives that are known beforehand.
    position : int
        How far into the question order questions were taken.
    reserved : frozenset of int
        Items of the sample that influences nothing but the stop: a learner leaves answers about them out.

    See Also
    --------
    Learner : Its method `steps` is given the draws.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> draws = apu.Pool(np.arange(10.0)).draws(apu.Thresholds(), seed=0)
    >>> sample = draws.unlabeled(4, "an example")
    >>> asked = [item for item, position in draws.questions(lambda points: points[:, 0] >= 5)]
    >>> len(sample), draws.remaining, set(asked).isdisjoint(sample[:, 0])
    (4, 0, True)
    """

    BLOCK = 64
    """How many rows are looked at together when the first question of a region is sought; the number doubles."""

    source: Source
    """The pool itself."""

    given_coins: set[int]
    """The coins of the positives known beforehand: they are never asked."""

    MISSES = 10_000_000
    """After this many rows outside a region, one after the other, an endless pool is taken to have none inside."""

    def __init__(self, hypotheses: HypothesisClass, positives: Points, seed: int) -> None:
        self.hypotheses = hypotheses
        self.seed = seed
        self.positives = positives
        self.position = 0
        self.asking: Hashable = None
        """The expert to whom the next question is put."""
        self._aside: set[int] = set()
        self.reserved: frozenset[int] = frozenset()
        """Items of the sample that influences nothing but the stop: answers about them are left out."""

    @property
    @abstractmethod
    def remaining(self) -> int | None:
        """How many rows were not drawn yet; None for an endless pool."""

    @abstractmethod
    def points(self, items: Any) -> Points:
        """Return the points of items."""

    @abstractmethod
    def rows(self, items: Any) -> Any:
        """Return what an expert sees of items."""

    @abstractmethod
    def features(self, items: Any) -> Any:
        """Return the features of items."""

    @abstractmethod
    def coin(self, item: int) -> int:
        """Return the number of the coin that decides this item's answer; rows that look the same share one."""

    @abstractmethod
    def coins(self, items: NDArray[np.int64]) -> list[int]:
        """Return the coin of each of these items."""

    @abstractmethod
    def twins(self, item: int) -> NDArray[np.int64]:
        """Return the items that share this item's coin, itself included."""

    @abstractmethod
    def table(self) -> Points | None:
        """Return the points of all rows, drawn or not, in the order of the table; None for an endless pool."""

    @abstractmethod
    def rest(self) -> Points | None:
        """Return the points of all rows not drawn yet, without drawing them; None for an endless pool."""

    @abstractmethod
    def _back_items(self, n: int) -> NDArray[np.int64]:
        """Draw n fresh items from the back."""

    @abstractmethod
    def _front(self, position: int, n: int) -> NDArray[np.int64]:
        """Return the items at positions position, …, position + n − 1 of the question order; fewer if the pool ends."""

    def unlabeled(self, n: int, purpose: str) -> Points:
        """Draw a fresh unlabeled sample of D of size n; `purpose` names it in the error of a pool that is too small."""
        return self.points(self.unlabeled_items(n, purpose))

    def unlabeled_items(self, n: int, purpose: str) -> NDArray[np.int64]:
        """Draw the same as items, for a learner that has to recognise them."""
        if self.remaining is not None and n > self.remaining:
            raise PoolExhausted(
                f"The pool ran dry: {purpose} needs {n:,} fresh rows and {self.remaining:,} are left; "
                "use a larger pool or a larger epsilon."
            )
        items = self._without_aside(self._back_items(n))
        return items if len(items) == n else np.concatenate([items, self.unlabeled_items(n - len(items), purpose)])

    def set_aside(self, item: int) -> None:
        """Never draw this item again, because it was asked elsewhere; it must have been picked at random."""
        self._aside.add(item)

    def aside_in(self, start: int, stop: int) -> int:
        """Count the rows at positions start, …, stop − 1 of the question order that are set aside."""
        items = self._front(start, stop - start) if self._aside else np.empty(0, np.int64)
        return len(items) - len(self._without_aside(items))

    def _without_aside(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        return items[~np.isin(items, list(self._aside))] if self._aside else items

    def unlabeled_in(self, region: Region, n: int, purpose: str) -> Points:
        """Draw a fresh unlabeled sample of D given `region`, by rejection sampling."""
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
            drawn = self.points(self._without_aside(self._back_items(block)))
            drawn = drawn[region(drawn)][:missing]
            found.append(drawn)
            missing -= len(drawn)
            misses = 0 if len(drawn) else misses + block
            block = min(2 * block, 1 << 18)
        return np.concatenate(found) if found else self.points([])

    def questions(self, region: Region) -> Iterator[tuple[int, int]]:
        """Yield items of D given `region` with their positions, in the question order, each once, until the pool ends.

        Rows are looked at in blocks, ahead of time: what was asked or sampled in the meantime is left out.
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
        """Mark everything up to `position` as drawn: a recorded question was put there."""
        self.position = max(self.position, position + 1)


def names_or_none(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return column names as a tuple of strings."""
    return None if names is None else tuple(str(name) for name in names)


def everywhere(points: Points) -> NDArray[np.bool_]:
    """Say that every point is inside: the region that is the whole space."""
    return np.ones(len(points), bool)
