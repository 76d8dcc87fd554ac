"""An endless pool: a function that draws from D, for theory and simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass, Points
from activepu.hypotheses.contract import encoded
from activepu.pools.base import Draws, Source, names_or_none


class Sampler(Source):
    """An endless pool: fresh rows are drawn from a distribution D as they are needed, for theory and simulation.

    All certificates are then for the population. Rows that are drawn more than once (D has atoms) share one coin, as
    equal rows of a table do: they are asked once. The algorithms that need a continuous distribution refuse a D that
    repeats a row among its first `PROBE` ones.

    Parameters
    ----------
    draw : callable
        `draw(n, rng)` returns n rows as an array of shape (n, dim). It must take all randomness from the NumPy
        generator `rng`, because rows are drawn again from the same state.
    dim : int
        The number of columns.
    names : sequence of str, optional
        Names of the columns.

    Examples
    --------
    >>> import activepu as apu
    >>> square = apu.Sampler(lambda n, rng: rng.random((n, 2)), dim=2, names=["amount", "age"])
    >>> expert = apu.SimulatedExpert(lambda X: (X > 0.4).all(axis=1), rate=0.5)
    >>> result = apu.learn(apu.PassivePU(apu.Boxes(), 0.2, 0.1), square, expert)
    >>> result.certificate.scope, result.certificate.error_bound
    ('population', 0.2)

    A die has only six sides, so that its rows repeat:

    >>> dice = apu.Sampler(lambda n, rng: rng.integers(1, 7, (n, 1)), dim=1)
    >>> dice.has_repeated_rows
    True
    """

    PROBE = 4096
    """How many rows are drawn to see whether D repeats rows."""

    def __init__(
        self, draw: Callable[[int, np.random.Generator], Any], dim: int, names: Sequence[str] | None = None
    ) -> None:
        if not callable(draw):
            raise InvalidInput(f"draw must be a function draw(n, rng) that returns n rows, got {checks.brief(draw)}.")
        self.draw = draw
        self.dim = checks.count("dim", dim, minimum=1)
        self.names = names_or_none(names)

    @cached_property
    def has_repeated_rows(self) -> bool:
        """Whether two of `PROBE` draws are equal: D then has an atom. An atom that is very unlikely may be missed."""
        probe = self.sample(self.PROBE, np.random.default_rng([0, 0]))
        return len(np.unique(probe + 0.0, axis=0)) < len(probe)

    def rows(self, items: Any) -> Any:
        """Refuse: the items of a distribution exist only within a run."""
        raise InvalidInput("A Sampler has no rows of its own; its items exist within a Run, as question.row.")

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw n rows and check them."""
        drawn = checks.matrix("what draw(n, rng) returns", self.draw(n, rng), self.dim)
        if len(drawn) != n:
            raise InvalidInput(f"draw(n, rng) must return n rows, got {len(drawn)} for n = {n}.")
        return drawn

    def draws(self, hypotheses: HypothesisClass, seed: int, positives: Any = ()) -> Draws:
        """Return the draws of one run; `positives` are rows of features here, not row numbers."""
        bound = hypotheses.bind(self.dim, self.names)
        known = checks.matrix("positives", positives, self.dim) if len(positives) else np.empty((0, self.dim))
        return _SamplerDraws(self, bound, seed, known)


class _SamplerDraws(Draws):
    """Rows come in numbered blocks, so that an item can be drawn again from its number alone.

    Item = block · 2³² + offset, so that no item is below `hashing.ENDLESS`. The question order has blocks 1, 3, 5, …
    of `ROWS` rows; every unlabeled sample is one of the blocks 2, 4, 6, ….
    """

    ROWS = 1024
    KEPT = 64

    def __init__(
        self, sampler: Sampler, hypotheses: HypothesisClass, seed: int, positives: NDArray[np.float64]
    ) -> None:
        super().__init__(hypotheses, hypotheses.encode(positives), seed)
        self.source = self.sampler = sampler
        self.given_coins = {_coin(row) for row in positives}
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
        return encoded(self.hypotheses, self.features(items))

    def rows(self, items: Any) -> Any:
        return self.features(items)

    def coin(self, item: int) -> int:
        """Read the row itself as one number: equal rows share a coin."""
        return _coin(self.features([item]))

    def coins(self, items: NDArray[np.int64]) -> list[int]:
        return [_coin(row) for row in self.features(items)]

    def twins(self, item: int) -> NDArray[np.int64]:
        row = self.features([item])
        if not self.sampler.has_repeated_rows:
            return np.array([item])
        equal = [(number << 32) + np.flatnonzero((self._block(number) == row).all(axis=1)) for number in self._sizes]
        return np.unique(np.concatenate([[item], *equal]))

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


def _coin(row: NDArray[np.float64]) -> int:
    return int.from_bytes((row + 0.0).tobytes())  # + 0.0 turns −0 into 0
