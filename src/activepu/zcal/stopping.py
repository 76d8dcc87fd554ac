"""When Z-CAL may stop: as soon as every possible hypothesis is within ε of the rule.

On a table the radius of the `ball` around the rule is first computed on the rows that are not in T. When it is small
enough, it is computed once more on all rows. On an endless pool P(DIS V) is bounded on T.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from activepu.hypotheses.base import Hypothesis
from activepu.theory import binomial
from activepu.theory.ladder import Ladder
from activepu.version_spaces import VersionSpace
from activepu.zcal.radius import Ball, ball
from activepu.zcal.tuning import TUNING

if TYPE_CHECKING:
    from activepu.zcal.state import State


class StoppingRule:
    """Evaluates a run's `state` after every answer, and keeps the ball that it found."""

    def __init__(self, state: State, epsilon: float, delta: float) -> None:
        self._state, self._epsilon = state, epsilon
        self._ladder = Ladder(epsilon, delta / 2)
        self._around: Ball | None = None
        """The ball on the rows that are not in T."""
        self._ended: Ball | None = None
        """The ball that ended the run."""
        self.done = False
        """Whether the run was found to be near enough; it stays true."""
        self._measured: tuple[VersionSpace, int] | None = None
        self._due = 0
        self._most_wrong = math.floor(epsilon * (len(state.points) + len(state.T)) + 1e-9)
        self._aim = math.floor(epsilon * len(state.points) + 1e-9)

    @property
    def witness(self) -> Hypothesis | None:
        """The farthest known member from the rule."""
        return self._around.witness if self._around else None

    def reached(self) -> bool:
        """Return whether the run may stop; once true, it stays true."""
        state = self._state
        if self.done or state.endless:
            self.done = self.done or self.population() <= self._epsilon
            return self.done
        V = state.pool.newest
        known = self._measured is not None and self._measured[0] is V and self._measured[1] == self._aim
        if state.answered < self._due or known:  # many answers do not change V
            return False
        self._measured = V, self._aim
        self._around = ball(V, state.points, self._aim, self._around, state.pool.undecided)
        self._due = 0 if self._around.complete else state.answered + 1 + state.answered // TUNING.retry
        if self._around.radius <= self._aim:
            self._ended = self._pool_ball(self._most_wrong)
            self.done = self._ended.radius <= self._most_wrong
            self._aim -= max(
                1, self._aim // 20
            )  # T may have a larger share of errors than the rest, and must not influence further questions
        return self.done

    def smallest_ball(self) -> Ball:
        """Return a ball around V on all rows: a new one, or the one that ended the run if that is smaller.

        The ball that ended the run stays valid: the truth was in V then, and what was decided is right.
        """
        found, ended = self._pool_ball(), self._ended
        if ended and ended.radius < found.radius and self._state.pool.version_space.allows(ended.center):
            return ended
        return found

    def _pool_ball(self, enough: int | None = None) -> Ball:
        """Return the ball on all rows of the pool; on those that were drawn if it is endless."""
        state = self._state
        V = state.pool.version_space if enough is None else state.pool.newest
        likely = next((h for h in state.posterior.typical(state.sample) if V.allows(h)), None)
        if state.table is None or len(state.T) == 0:
            near = self._around if likely is None else Ball(likely, len(state.points), exact=False)
            return ball(V, state.points, enough, near, state.pool.undecided)
        state.reserved_in_pool.update(state.pool.permanent)
        rows = np.concatenate([state.items[state.pool.undecided], state.T[state.reserved_in_pool.undecided]])
        near = None if likely is None else Ball(likely, len(state.table), exact=False)
        return ball(V, state.table, enough, near, rows)

    def population(self) -> float:
        """Return a bound on P(DIS) of what is possible at level δ/2; 1 once a row of T was asked about elsewhere."""
        state = self._state
        if state.spoilt:
            return 1.0
        undecided, n = state.reserved.n_undecided, len(state.T)
        return self._ladder.best(lambda bound, share: binomial.upper(undecided, n, share) <= bound)
