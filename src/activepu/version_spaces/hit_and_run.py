"""Hit-and-run over halfspaces, on great circles of the unit sphere of parameters (Smith 1984; Bélisle et al. 1993).

A unit vector g ∈ R^{D+1} stands for {z : g·z̃ ≥ 0}, z̃ = (z, 1). On the circle φ ↦ g cos φ + v sin φ, v ⊥ g, a site has
label 1 on the half circle around its angle atan2(v·z̃, g·z̃): it changes once on [0, π) and is reversed on [π, 2π). So
every signed sum of labels is piecewise constant, and sorting n angles gives the law of φ exactly, for any weight that
depends on the labels alone:
    log weight of an arc = ln length − β · Σ_j max(0, sum_j − limit_j) − γ · (the sum of `cost`) + Σ_i table_i[sum_i].
β = ∞ samples V uniformly. A finite β tempers the constraints. γ > 0 prefers members with a small cost. A table gives
each value of a weighted count of labels its own weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activepu.hypotheses.halfspaces import Floats

BLOCK = 1 << 21
"""How many arcs are held in memory at a time."""


@dataclass(frozen=True)
class Target:
    """`lifted` (n, D + 1) sites, `weights` (caps, n), `limits` (caps,), and a cost per site.

    `tables` are pairs: whole numbers ≥ 0, one per site, and the log weight of each value of their sum.
    """

    lifted: Floats
    weights: Floats
    limits: Floats
    cost: Floats
    tables: Sequence[tuple[Floats, Floats]] = ()

    def step(self, g: Floats, rng: np.random.Generator, beta: float = np.inf, gamma: float = 0.0) -> Floats:
        """Move every row of g once, each on its own circle; a row without an arc to go to does not move."""
        v = rng.normal(size=g.shape)
        v -= (v * g).sum(axis=1, keepdims=True) * g
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        choice, place = rng.random(len(g)), rng.random(len(g))
        phi = np.empty(len(g))
        size = max(1, BLOCK // (2 * len(self.lifted) + 2))
        for start in range(0, len(g), size):
            rows = slice(start, start + size)
            phi[rows] = self._angles(g[rows], v[rows], choice[rows], place[rows], beta, gamma)
        moved = np.cos(phi)[:, None] * g + np.sin(phi)[:, None] * v
        return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True))

    def _angles(self, g: Floats, v: Floats, choice: Floats, place: Floats, beta: float, gamma: float) -> Floats:
        here, ahead = g @ self.lifted.T, v @ self.lifted.T
        changes = np.mod(np.arctan2(ahead, here) + np.pi / 2, np.pi)
        order = np.argsort(changes, axis=1)
        labels = (here > 0) | ((here == 0) & (ahead > 0))  # just after φ = 0
        flips = np.where(np.take_along_axis(labels, order, axis=1), -1.0, 1.0)

        def sums(row: Floats) -> Floats:
            """Σ row·label on each arc of both half circles."""
            start = labels.astype(np.float64) @ row
            half = np.cumsum(np.concatenate([start[:, None], row[order] * flips], axis=1), axis=1)
            return np.concatenate([half, row.sum() - half], axis=1)

        ends = np.pad(np.take_along_axis(changes, order, axis=1), ((0, 0), (1, 1)), constant_values=(0.0, np.pi))
        with np.errstate(divide="ignore"):
            weight = np.tile(np.log(np.diff(ends, axis=1)), 2)
        for row, limit in zip(self.weights, self.limits, strict=True):
            excess = np.maximum(sums(row) - limit, 0.0)
            weight -= np.where(excess > 0, np.inf, 0.0) if beta == np.inf else beta * excess
        if gamma > 0:
            weight -= gamma * sums(self.cost)
        for row, table in self.tables:
            weight += table[sums(row).astype(np.intp)]
        best = weight.max(axis=1, keepdims=True)
        stuck = ~np.isfinite(best[:, 0])
        best[stuck] = 0.0
        mass = np.cumsum(np.exp(weight - best), axis=1)
        arc = np.argmax(mass > (choice * mass[:, -1])[:, None], axis=1)
        half, arc = np.divmod(arc, ends.shape[1] - 1)
        rows = np.arange(len(g))
        phi = half * np.pi + ends[rows, arc] + place * (ends[rows, arc + 1] - ends[rows, arc])
        return np.where(stuck, 0.0, phi)
