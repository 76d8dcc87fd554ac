"""The second implementation's set: rates that cannot matter are left out early, and nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy

from activepu.verify.bounds import PlainSet

INSIDE = np.array([True, False])
SIZES, ASKED, REVEALED = (300, 400), (60, 80), (20, 6)


def made(rates: NDArray[np.float64]) -> PlainSet:
    positives = [np.arange(r, n + 1.0) for n, r in zip(SIZES, REVEALED, strict=True)]
    logs = []
    for A, N, n, r in zip(positives, SIZES, ASKED, REVEALED, strict=True):
        share = rates[:, None] * A / N
        logs.append(xlogy(r, share) + xlog1py(n - r, -share))
    best = max(float(sum(part[k].max() for part in logs)) for k in range(len(rates)))
    return PlainSet(rates, positives, logs, np.full(len(rates), best - 4.0), np.ones(2))


def test_all_rates_together_are_the_best_of_each_alone() -> None:
    rates = np.linspace(0.15, 0.95, 30)
    found, alone = made(rates), []
    for k in np.flatnonzero(found.possible):
        logs = [part[k : k + 1] for part in found.logs]
        alone.append(PlainSet(rates[k : k + 1], found.positives, logs, found.floors[k : k + 1], found.weights))
    recalls = np.array([each.recall(INSIDE) for each in alone])
    assert found.recall(INSIDE) == pytest.approx((recalls[:, 0].min(), recalls[:, 1].max()), abs=2e-5)
    for c in (np.array([1.0, 1.0]), np.array([-1.0, 1.0])):
        assert found.largest(c) == pytest.approx(max(each.largest(c) for each in alone), abs=1e-4)


def test_most_rates_are_left_out_of_most_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, solved = PlainSet._largest, []

    def spied(self: PlainSet, *given: Any) -> NDArray[np.float64]:
        found = solve(self, *given)
        solved.append(int(np.isfinite(found).sum()))
        return found

    monkeypatch.setattr(PlainSet, "_largest", spied)
    found = made(np.linspace(0.15, 0.95, 100))
    possible = int(found.possible.sum())
    assert possible > 50
    found.recall(INSIDE)
    found.largest(np.array([1.0, 1.0]))
    assert sum(solved) < 6 * possible  # one recall is 34 halvings
