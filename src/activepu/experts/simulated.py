"""An expert for simulations: positives are revealed completely at random, by one coin per item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks, hashing
from activepu.errors import InvalidInput
from activepu.experts.base import Live


class SimulatedExpert(Live):
    """An expert who knows the truth, for simulations and dry runs.

    A positive item is revealed with probability `rate`, independently of all others ("selected completely at random");
    every other answer is ★. The same item always gets the same answer, in any order of asking: its coin is a hash of
    (seed, row number). In an endless pool it is a hash of (seed, features), so that equal rows share it.

    Parameters
    ----------
    y : array of bool, or callable
        The truth: one entry per row of the pool, or a function of features (what the learner sees, not what is shown).
    rate : float
        The reveal rate ω, in (0, 1].
    seed : int
        Another seed gives other coins.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> expert = apu.SimulatedExpert([True, True, False], rate=1.0)
    >>> expert.answer(np.array([0, 2]), rows=None)
    array([ True, False])

    With a rate of 0.5 about half of the positives are revealed, the same ones each time:

    >>> half = apu.SimulatedExpert(np.ones(1000, bool), rate=0.5, seed=1)
    >>> int(half.answer(np.arange(1000), rows=None).sum())
    505
    """

    sees_features = True
    """A run passes features, not what is shown, because `y` may be a function of features."""

    def __init__(self, y: Any | Callable[[Any], Any], rate: float = 0.5, seed: int = 0) -> None:
        self.rate = checks.rate("rate", rate)
        self.seed = checks.count("seed", seed)
        self.label: Callable[[Any], Any] | None = y if callable(y) else None
        self.y = None if callable(y) else binary("y", y)

    def answer(self, items: NDArray[np.int64], rows: Any) -> NDArray[np.bool_]:
        """Return True where the item is positive and its coin shows heads."""
        numbers = np.asarray(items, np.int64)
        coins: NDArray[Any] = numbers
        if self.y is not None:
            if len(numbers) and numbers.max() >= len(self.y):
                raise InvalidInput(
                    f"y must have one entry per row of the pool, got {len(self.y)} for item {numbers.max()}."
                )
            positive = self.y[numbers]
        else:
            assert self.label is not None
            positive = binary("what y(features) returns", self.label(rows))
            if len(positive) != len(numbers):
                raise InvalidInput(f"y(features) must return one value per row ({len(numbers)}), got {len(positive)}.")
            endless = numbers >= hashing.ENDLESS
            if endless.any():
                coins = np.where(endless, hashing.of_rows(rows), numbers.astype(np.uint64))
        return positive & (hashing.uniforms(self.seed, "coin", coins) < self.rate)


def binary(name: str, values: Any) -> NDArray[np.bool_]:
    """Return a vector of booleans or of the numbers 0 and 1 as booleans; refuse anything else."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidInput(f"{name} must be a vector of true and false, got an array of shape {array.shape}.")
    if array.dtype == bool:
        return array
    if array.dtype == object and all(isinstance(value, (bool, np.bool_)) for value in array):
        return array.astype(bool)
    if np.issubdtype(array.dtype, np.number) and np.isin(array, (0, 1)).all():
        return array.astype(bool)
    strange = next((v for v in array.tolist() if v not in (0, 1)), None)
    raise InvalidInput(f"{name} must hold only true and false (or 1 and 0), got {strange!r}.")
