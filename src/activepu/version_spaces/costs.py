"""Caps on a sum of costs, for points of several groups: a monotone constraint that no cap on a mass can express.

Points come in an order. Stage j counts those of the first n_j points that lie inside h, group by group, and demands

    Σ_g cost_jg(|h ∩ C_jg|) ≤ limit_j,      C_jg: the points of group g among the first n_j.

The cost of zero points is zero, and costs never fall as counts rise. So if h meets a stage, every subset of h does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points

Bools = NDArray[np.bool_]
CHUNK = 2**22  # comparisons at a time
BEYOND = np.array([np.inf])


class Limit(Protocol):
    """A bound on how many of the `first` points lie inside, group by group; more points never help."""

    @property
    def first(self) -> int:
        """How many points it counts."""

    def broken(self, counts: Sequence[NDArray[Any]]) -> Bools:
        """Return where the counts, one array per group, break it."""


def kept(limits: Sequence[Limit], groups: NDArray[np.intp], inside: Bools) -> Bools:
    """Return which rows of `inside`, one column per point, meet every limit."""
    met = np.ones(len(inside), bool)
    ends, counts = np.array([limit.first for limit in limits], np.intp), []
    for group in range(int(groups.max(initial=0)) + 1):
        columns = np.flatnonzero(groups == group)
        running = np.zeros((len(inside), len(columns) + 1), np.int32)
        np.cumsum(inside[:, columns], axis=1, out=running[:, 1:])
        counts.append(running[:, np.searchsorted(columns, ends)].T)
    for limit, *own in zip(limits, *counts, strict=True):
        met &= ~limit.broken(own)
    return met


class Stage(NamedTuple):
    """`costs[g][k]` is the cost of k points of group g among the `first` points; beyond the table it is infinite."""

    first: int
    costs: tuple[NDArray[np.float64], ...]
    limit: float

    def broken(self, counts: Sequence[NDArray[Any]]) -> Bools:
        """Return where the counts, one array per group, cost more than the limit; groups without a table cost 0."""
        total = np.zeros(len(counts[0]))
        for table, count in zip(self.costs, counts, strict=False):
            total += np.concatenate((table, BEYOND)).take(count, mode="clip")
        return np.asarray(total > self.limit)


@dataclass(frozen=True, eq=False)
class CostCap:
    """The `stages` of caps on `points`, each of which belongs to one of `groups`."""

    points: Points
    groups: NDArray[np.intp]
    stages: tuple[Stage, ...]

    def kept(self, inside: Bools) -> Bools:
        """Return which rows of `inside`, one column per point, meet every stage."""
        return kept(self.stages, self.groups, inside)

    def meets(self, points: Points, low: NDArray[np.float64], high: NDArray[np.float64]) -> Bools:
        """Return for which x the box [min(low, x), max(high, x)] meets every stage."""
        verdict = np.empty(len(points), bool)
        step = max(1, CHUNK // max(1, len(self.points)))
        for i in range(0, len(points), step):
            x = points[i : i + step]
            inside = np.ones((len(x), len(self.points)), bool)
            for axis, column in enumerate(self.points.T):
                inside &= column >= np.minimum(x[:, axis], low[axis])[:, None]
                inside &= column <= np.maximum(x[:, axis], high[axis])[:, None]
            verdict[i : i + step] = self.kept(inside)
        return verdict

    def to_dict(self) -> dict[str, Any]:
        """Return points, groups and stages as lists."""
        stages = [
            {"first": stage.first, "costs": [table.tolist() for table in stage.costs], "limit": stage.limit}
            for stage in self.stages
        ]
        return {"points": self.points.tolist(), "groups": self.groups.tolist(), "stages": stages}

    @classmethod
    def from_dict(cls, dim: int, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        stages = [
            Stage(stage["first"], tuple(np.array(table, np.float64) for table in stage["costs"]), stage["limit"])
            for stage in data["stages"]
        ]
        return cls(
            np.array(data["points"], np.float64).reshape(-1, dim), np.array(data["groups"], np.intp), tuple(stages)
        )
