"""When an audit stops: every target is certified, by the bet or by the set of counts.

A look at the set bounds every target. The statements hold at all times at once, so that the bounds of all looks hold
together. Most looks change nothing, and with a rate per expert a set takes long. So it is first computed at the few
rates only at which the last whole one had its extremes. Bounds over a part of the set are no wider than over all of it:

- a look at which they do not show a target does not show it, and the run goes on;
- a look at which they are within those of the other looks adds nothing.

Only the other looks are taken in whole, when a target may be certified or a report is wanted. The bounds of a part lie
above the true likelihood by as much as those of the whole set, so that the second rule may leave out what is as little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.audit.report import Audited, together
from activepu.audit.state import FIRST, GROWTH, State
from activepu.audit.targets import Target


class Stopping:
    """Whether all targets are certified: looked at after every answer for a bet, else where a plan ends."""

    def __init__(self, state: State, targets: Sequence[Target], delta: float) -> None:
        self._state, self._targets, self._delta = state, targets, delta
        self._next = FIRST
        self._growth = GROWTH if state.bet is None else 0.1  # where a bet decides, the set seldom comes first
        self._met = False
        self._certified: dict[str, tuple[float, float]] = {}
        self._moments: dict[str, tuple[int, int]] = {}
        self._looks: list[Audited] = []
        """The looks that were not taken in yet."""
        self._rates: dict[str, NDArray[np.float64] | None] = {}
        """By target: the rates at which the last whole set had its extremes, if each expert has a rate."""
        self._open: set[str] = set()
        """The targets that some of these looks may show."""

    @property
    def done(self) -> bool:
        """Whether all targets are certified."""
        return self._met or (self._state.bet is not None and self._state.bet.won(self._delta))

    def look(self, audited: Callable[[], Audited]) -> None:
        """Look, if it is time to; `audited` gives what follows from the answers so far, and does not change later."""
        if self.done or not self._targets:
            return
        if self._state.answered >= self._next:
            self._next = self._state.answered + max(FIRST, int(self._growth * self._state.answered))
            now = audited()
            self._looks.append(now)
            self._open |= {t.kind for t in self._targets if t.met(*now.at_rates(t.kind, self._rates.get(t.kind)))}
            if all(target.kind in self._open for target in self._targets):
                bounds, _ = self.found()
                shown = {target.kind for target in self._targets if target.met(*bounds[target.kind])}
                self._open, self._met = shown, len(shown) == len(self._targets)

    def found(self) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[int, int]]]:
        """Return the bounds of all looks together, and after how many answers each of them was certified."""
        for look in reversed(self._looks):  # the latest first: it has the best bounds
            for target in self._targets:
                self._take_in(look, target.kind)
        self._looks.clear()
        return dict(self._certified), dict(self._moments)

    def _take_in(self, look: Audited, kind: str) -> None:
        before, at = self._certified.get(kind, (0.0, 1.0)), self._moments.get(kind)
        if at is not None:
            low, high = look.at_rates(kind, self._rates.get(kind))
            if low <= before[0] and high >= before[1]:
                return
        bounds = look.now(kind)
        if at is None or look.state.folded > max(at):
            self._rates[kind] = look.binding(kind)
        found, now = together(bounds, before), look.state.folded
        self._certified[kind] = found
        self._moments[kind] = (
            (now, now)
            if at is None
            else (at[0] if found[0] == before[0] else now, at[1] if found[1] == before[1] else now)
        )
