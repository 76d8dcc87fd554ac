"""Halfspaces: chains that walk by hit-and-run, on great circles along which the answers inside change one at a time.

The prior is uniform over the unit vectors of a frame in which the sample fills [−1, 1]^D. With r of a group's R reveals
and s of its S stars inside, a halfspace has the weight E[ω^r (1 − ω)^s] η^{R−r} (1 − η)^{S−s}, as in `finite`. The
weight is 0 if r < R and a reveal cannot be wrong (η = 0), or if a known positive lies outside. So a group's weight is a
function of the sum r·(S + 1) + s over the points asked, given as a table, which is all that a walk needs.

The whole space satisfies all hard constraints. Chains start there, and return there if none of them holds a new reveal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.halfspaces import Frame, Halfspace, Halfspaces
from activepu.version_spaces.hit_and_run import Target
from activepu.zcal.posteriors.base import Counts, tables
from activepu.zcal.posteriors.chains import ChainPosterior
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.tuning import TUNING

MOVES = 6
"""Moves of every chain after an answer."""
MOVES_FAR = 32
"""Moves if an answer leaves few effective chains, or if all start from the whole space."""
KNOWN = -1
"""The group of the positives that were known beforehand."""


class HalfspacePosterior(ChainPosterior):
    """`members` (chains, D + 1) are rows (w, b); `sites` the points that count, with their group and answer."""

    def __init__(
        self,
        hypotheses: Halfspaces,
        rates: Rates,
        sample: Points,
        positives: Points,
        seed: int,
        false_reveal: float = 0.0,
        chains: int = TUNING.chains,
    ) -> None:
        super().__init__(rates, seed, chains, false_reveal)
        self.hypotheses = hypotheses
        self.frame = Frame.around(np.concatenate([sample, positives]))
        self.sites = np.empty((0, hypotheses.bound_dim))
        self.groups: Counts = np.empty(0, np.intp)
        self.revealed = np.empty(0, np.bool_)
        self.members = self._whole_space()
        self._add(positives, np.full(len(positives), KNOWN), revealed=True)
        self._walk(MOVES_FAR)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Fold an answer: reweight the chains and, if it tells enough, resample them and walk."""
        self._weigh(x, [expert], revealed)
        held = self.holds(x)[0]
        known = revealed and bool(held.all())  # all chains expected it, so it changes little
        if (known or not revealed) and not self._should_move(held, known):
            return
        lost = self.effective < self.chains / 4
        if self.effective == 0.0:
            self.members = self._whole_space()
            self._reset_weights()
        self._draw()
        self._walk(MOVES_FAR if lost else MOVES)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Return (points, chains): whether w·x ≥ b."""
        return np.asarray(points @ self.members[:, :-1].T >= self.members[:, -1])

    def typical(self, points: Points) -> Iterator[Halfspace]:
        """Yield the members; those that differ least from the majority on these points come first."""
        labels = self.holds(points)
        away = (labels != (self.predict(points).p >= 0.5)[:, None]).sum(axis=0)
        for k in np.argsort(away, kind="stable"):
            yield Halfspace(self.hypotheses, self.members[k, :-1], float(self.members[k, -1]))

    @property
    def halfspaces(self) -> Floats:
        """The chains as rows (w, b)."""
        return self.members

    @property
    def silent(self) -> Counts:
        """The number of stars inside each member: one row per group, one column per member."""
        groups = np.arange(self.groups.max(initial=0) + 1)[:, None]
        stars = (self.groups == groups) & ~self.revealed
        return np.asarray(stars.astype(np.intp) @ self.holds(self.sites))

    def _whole_space(self) -> Floats:
        return np.tile(np.append(np.zeros(self.sites.shape[1]), -1.0), (self.chains, 1))

    def _add(self, points: Points, groups: Counts, revealed: bool) -> None:
        self.sites, self.groups = np.concatenate([self.sites, points]), np.append(self.groups, groups)
        self.revealed = np.append(self.revealed, np.full(len(points), revealed))

    def _keep(self, drawn: Counts) -> None:
        self.members = self.members[drawn]

    def _log_weight(self) -> Floats:
        total = np.zeros(self.chains)
        for group in np.unique(self.groups):
            codes, log_weight, _ = self._table(int(group))
            total += log_weight[self._codes(codes)]
        return total

    def _mean_rate(self, group: int) -> Floats:
        codes, _, rate = self._table(group)
        return np.asarray(rate[self._codes(codes)])

    def _codes(self, codes: Floats) -> Counts:
        return (codes @ self.holds(self.sites)).astype(np.intp)

    def _table(self, group: int) -> tuple[Floats, Floats, Floats]:
        """Return what each site adds to the sum, and the log weight and the mean rate for each value of the sum."""
        mine = self.groups == group
        reveals, stars = int((mine & self.revealed).sum()), int((mine & ~self.revealed).sum())
        codes = mine * np.where(self.revealed, stars + 1.0, 1.0)
        shape = (reveals + 1, stars + 1)
        log_weight, rate = np.full(shape, -np.inf), np.zeros(shape)
        if group == KNOWN:
            log_weight[reveals] = 0.0
        else:
            soft = self.false_reveal > 0.0
            for r in range(0 if soft else reveals, reveals + 1):
                inside, mean = tables(self.rates, r, stars)
                rate[r] = mean[: stars + 1]
                outside = np.arange(stars, -1, -1) * np.log1p(-self.false_reveal)
                missed = (reveals - r) * np.log(self.false_reveal) if soft else 0.0
                log_weight[r] = inside[: stars + 1] + outside + missed
        return codes, log_weight.ravel(), rate.ravel()

    def _walk(self, moves: int) -> None:
        """Move all chains; a chain that rounding has made impossible stays where it was."""
        rng = self._rng()
        weigh = [self._table(int(group))[:2] for group in np.unique(self.groups)]
        n = len(self.sites)
        target = Target(self.frame.lift(self.sites), np.empty((0, n)), np.empty(0), np.zeros(n), weigh)
        before = self.members
        g = self.frame.framed(before[:, :-1], before[:, -1])
        for _ in range(moves):
            g = target.step(g, rng)
        self.members = np.column_stack(self.frame.raw(g))
        self.members = np.where(np.isfinite(self._log_weight())[:, None], self.members, before)
