"""The reveal rates of many experts that were possible at every moment, from what changed at each.

After t answers let expert e have r_e reveals, and let the possible hypothesis with the fewest stars hold s_e of theirs.
A rate ω of expert g is possible with it if

    ln ω^{r_g} (1 − ω)^{s_g} ≥ floor_t − Σ_{e ≠ g} f_e,      f_e = max_ω ln ω^{r_e} (1 − ω)^{s_e}.

An answer changes r and s of one expert, a larger closure those of a few. Only these changes are kept. The sum over the
experts is carried on as an exact whole number of 2⁻¹¹⁰⁰ nats, so that it is the sum of the present terms, rounded once.
Between two changes of expert g only the right side varies, so that its maximum is all that matters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.zcal.growing import Growing
from activepu.zcal.rates import Floats, Rates

Counts = NDArray[np.intp]
UNIT = 1 << 1100


class Moments:
    """The floors, and the changes of every expert's counts; `bounds` says which rates were possible at all times."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self._floors: Growing[np.float64] = Growing(np.empty(0))
        self._enclosed: Counts = np.empty(0, np.intp)
        self._changes: list[tuple[int, int, int, int]] = []
        self._totals: Growing[np.float64] = Growing(np.empty((0, 2)))
        """Σ f_e after each answer, and what rounding left of it."""
        self._total, self._next = 0, 0
        self._parts: list[list[tuple[int, int, int, float]]] = []
        """For each expert: since when, r, s and f."""
        self._bounds: list[tuple[float, float]] = []
        self._seen = 0

    def add(self, floor: float, group: int, revealed: Sequence[int], enclosed: Counts) -> None:
        """Take in a moment after an answer of expert `group`: its floor, and the reveals and stars of all experts."""
        time = len(self._floors.rows)
        self._floors = self._floors.plus([floor])
        before = np.append(self._enclosed, np.zeros(len(enclosed) - len(self._enclosed), np.intp))
        changed = np.union1d(np.flatnonzero(before != enclosed), group)
        self._changes += [(time, g, revealed[g], int(enclosed[g])) for g in changed.tolist()]
        self._enclosed = enclosed

    def bounds(self, group: int) -> tuple[float, float]:
        """Return the least interval of the rates of an expert that were possible at every moment."""
        if self._seen < len(self._floors.rows):
            self._look()
        return self._bounds[group] if group < len(self._bounds) else (self._rates.low, self._rates.high)

    def _look(self) -> None:
        """Narrow the bounds of all experts by the moments since the last look."""
        start, end = self._seen, len(self._floors.rows)
        self._carry_on(end)
        told = [self._needed(group, start, end) for group in range(len(self._parts))]
        r, s, needed = (np.concatenate(column) for column in zip(*told, strict=True))
        low, high = self._rates.ends(r, s, needed)
        first = np.cumsum([0, *(len(one[0]) for one in told)])[:-1]
        lowest, highest = np.maximum.reduceat(low, first), np.minimum.reduceat(high, first)
        before = self._bounds + [(self._rates.low, self._rates.high)] * (len(told) - len(self._bounds))
        self._bounds = [
            (max(old[0], float(a)), min(old[1], float(b))) for old, a, b in zip(before, lowest, highest, strict=True)
        ]
        self._seen = end

    def _carry_on(self, end: int) -> None:
        """Add up the terms of all experts after each answer, and sort the changes by expert."""
        changes, self._changes = self._changes, []
        counts = np.array([change[2:] for change in changes], np.int64).reshape(-1, 2)
        worth = self._rates.log_likelihood(*counts.T).tolist()
        totals, at = np.empty((end - self._seen, 2)), 0
        for time in range(self._seen, end):
            while at < len(changes) and changes[at][0] == time:
                self._change(*changes[at], worth[at])
                at += 1
            rounded = self._total / UNIT
            totals[time - self._seen] = rounded, (self._total - _whole(rounded)) / UNIT
        self._totals = self._totals.plus(totals)

    def _change(self, time: int, group: int, r: int, s: int, worth: float) -> None:
        while len(self._parts) <= group:
            self._parts.append([(0, 0, 0, 0.0)])
        own = self._parts[group]
        if own[-1][1:3] != (r, s):
            self._total += _whole(worth) - _whole(own[-1][3])
            own.append((time, r, s, worth))

    def _needed(self, group: int, start: int, end: int) -> tuple[Floats, Floats, Floats]:
        """Return r, s and the highest right side in every part of the time from start to end."""
        own = self._parts[group]
        first = next(k for k in range(len(own) - 1, -1, -1) if own[k][0] <= start)
        since, r, s, worth = (np.array(column) for column in zip(*own[first:], strict=True))
        since = np.maximum(since - start, 0)
        since, r, s, worth = (column[np.append(np.diff(since) > 0, True)] for column in (since, r, s, worth))
        f = np.repeat(worth, np.diff(np.append(since, end - start)))
        total, left = self._totals.rows[start:end].T
        others = total - f
        back = total - others
        others += (total - (others + back)) + (back - f) + left
        return r, s, np.maximum.reduceat(self._floors.rows[start:end] - others, since)


def _whole(value: float) -> int:
    """Return a number in units of 2⁻¹¹⁰⁰, exactly."""
    n, d = value.as_integer_ratio()
    return n * (UNIT // d)
