"""When an audit stops: every target is certified, by the bet or by the set of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from activepu.audit.report import Audited
from activepu.audit.state import FIRST, GROWTH, State
from activepu.audit.targets import Target


class Stopping:
    """Whether all targets are certified: looked at after every answer for a bet, else where a plan ends."""

    def __init__(self, state: State, targets: Sequence[Target], delta: float) -> None:
        self._state, self._targets, self._delta = state, targets, delta
        self._next = FIRST
        self._growth = GROWTH if state.bet is None else 0.1  # where a bet decides, the set seldom comes first
        self._met = False
        self.certified: dict[str, tuple[float, float]] = {}
        """Bounds at the last look. The statements hold at all times at once: once certified, always certified."""
        self.moments: dict[str, tuple[int, int]] = {}
        """After how many answers each of these bounds was certified."""

    @property
    def done(self) -> bool:
        """Whether all targets are certified."""
        return self._met or (self._state.bet is not None and self._state.bet.won(self._delta))

    def look(self, audited: Callable[[], Audited]) -> None:
        """Look, if it is time to."""
        if self.done or not self._targets:
            return
        if self._state.answered >= self._next:
            self._next = self._state.answered + max(FIRST, int(self._growth * self._state.answered))
            now = audited()
            for target in self._targets:
                self._note(target.kind, now.bounds(target.kind))
            self._met = all(target.met(*self.certified[target.kind]) for target in self._targets)

    def _note(self, kind: str, bounds: tuple[float, float]) -> None:
        before, at = self.certified.get(kind, (None, None)), self.moments.get(kind, (0, 0))
        now = self._state.folded
        self.moments[kind] = (
            at[0] if bounds[0] == before[0] else now,
            at[1] if bounds[1] == before[1] else now,
        )
        self.certified[kind] = bounds
