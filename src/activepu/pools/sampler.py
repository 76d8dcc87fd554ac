"""An endless pool: a function that draws from D, for theory and simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass, Points
from activepu.pools.base import Draws, Source, names_or_none


class Sampler(Source):
    """`draw(n, rng)` returns an array of n rows drawn from D.

    D must have no atoms (P(X = x) = 0 for every x) for the algorithms that need a continuous distribution.
    """

    def __init__(
        self, draw: Callable[[int, np.random.Generator], Any], dim: int, names: Sequence[str] | None = None
    ) -> None:
        self.draw = draw
        self.dim = checks.count("dim", dim, minimum=1)
        self.names = names_or_none(names)

    @property
    def has_repeated_rows(self) -> bool:
        """A continuous distribution is assumed."""
        return False

    def rows(self, items: Any) -> Any:
        """Items exist only within a run."""
        raise InvalidInput("A Sampler has no rows of its own; its items exist within a Run, as question.row.")

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """n checked rows."""
        drawn = checks.matrix("what draw(n, rng) returns", self.draw(n, rng), self.dim)
        if len(drawn) != n:
            raise InvalidInput(f"draw(n, rng) must return n rows, got {len(drawn)} for n = {n}.")
        return drawn

    def draws(self, hypotheses: HypothesisClass, seed: int, positives: Any = ()) -> Draws:
        """See `Source.draws`; `positives` are rows of features here."""
        bound = hypotheses.bind(self.dim, self.names)
        known = checks.matrix("positives", positives, self.dim) if len(positives) else np.empty((0, self.dim))
        return _SamplerDraws(self, bound, seed, bound.encode(known))


class _SamplerDraws(Draws):
    """Rows come in numbered blocks, so that an item can be drawn again from its number alone.

    Item = block · 2³² + offset. The question order has blocks 1, 3, 5, … of `ROWS` rows; every unlabeled sample is one
    of the blocks 2, 4, 6, ….
    """

    ROWS = 1024
    KEPT = 64

    def __init__(self, sampler: Sampler, hypotheses: HypothesisClass, seed: int, positives: Points) -> None:
        super().__init__(hypotheses, positives, seed)
        self.sampler = sampler
        self._sizes: dict[int, int] = {}
        self._blocks: dict[int, NDArray[np.float64]] = {}

    @property
    def remaining(self) -> int | None:
        return None

    def _block(self, number: int) -> NDArray[np.float64]:
        if number not in self._blocks:
            if len(self._blocks) >= self.KEPT:
                self._blocks.pop(next(iter(self._blocks)))
            rng = np.random.default_rng([self.seed, number])
            self._blocks[number] = self.sampler.sample(self._sizes.get(number, self.ROWS), rng)
        return self._blocks[number]

    def features(self, items: Any) -> NDArray[np.float64]:
        wanted = np.asarray(items, np.int64)
        if len(wanted) == 0:
            return np.empty((0, self.sampler.dim))
        numbers, offsets = wanted >> 32, wanted & 0xFFFFFFFF
        if numbers[0] == numbers[-1] and (numbers == numbers[0]).all():
            return np.asarray(self._block(int(numbers[0]))[offsets])
        found = np.empty((len(wanted), self.sampler.dim))
        for number in np.unique(numbers):
            here = numbers == number
            found[here] = self._block(int(number))[offsets[here]]
        return found

    def points(self, items: Any) -> Points:
        return self.hypotheses.encode(self.features(items))

    def rows(self, items: Any) -> Any:
        return self.features(items)

    def coin(self, item: int) -> int:
        return item

    def twins(self, item: int) -> NDArray[np.int64]:
        return np.array([item])

    def table(self) -> Points | None:
        return None

    def rest(self) -> Points | None:
        return None

    def _back_items(self, n: int) -> NDArray[np.int64]:
        number = 2 * (len(self._sizes) + 1)
        self._sizes[number] = n
        return (number << 32) + np.arange(n)

    def _front(self, position: int, n: int) -> NDArray[np.int64]:
        block, offset = np.divmod(np.arange(position, position + n), self.ROWS)
        return ((2 * block + 1) << 32) + offset
