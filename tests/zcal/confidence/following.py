"""Follows a standing and the oracle through the same answers and holds them against each other at every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from zcal.confidence.oracle import Oracle

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import Hypothesis, Points
from activepu.zcal.confidence import ConfidenceSet

GRID = np.linspace(0.0, 1.0, 41)


def follow(
    standing: ConfidenceSet,
    oracle: Oracle,
    points: Points,
    answers: Sequence[tuple[Any, ...]],
    members: Sequence[Hypothesis] | None = None,
    check: Callable[[Oracle], None] = lambda oracle: None,
) -> None:
    """An answer that leaves nothing is refused without a trace, and the next one is taken in."""
    compare(standing, oracle, points, members)
    for item, revealed, q, expert in answers:
        after = oracle.after(item, revealed, q, expert)
        if after.alive.any():
            oracle = after
            standing.fold(points[[item]], revealed, float(q), expert)
        else:
            state = snapshot(standing)
            with pytest.raises(AssumptionsViolated, match=r"No hypothesis of the class"):
                standing.fold(points[[item]], revealed, float(q), expert)
            assert snapshot(standing) == state
        compare(standing, oracle, points, members)
        check(oracle)
    for group in range(oracle.groups):
        compare_rates(standing, oracle, group)


def snapshot(standing: ConfidenceSet) -> Any:
    return (
        standing.log_q,
        standing.log_floor,
        list(standing.revealed),
        standing.stars.tolist(),
        standing.star_groups.tolist(),
        standing.status.tolist(),
        standing.n_undecided,
        id(standing.version_space),
    )


def compare(standing: ConfidenceSet, oracle: Oracle, points: Points, members: Sequence[Hypothesis] | None) -> None:
    expected = oracle.status
    np.testing.assert_array_equal(standing.status, expected)
    np.testing.assert_array_equal(standing.undecided, np.flatnonzero(expected == -1))
    assert standing.n_undecided == np.count_nonzero(expected == -1)
    assert standing.n_positive == np.count_nonzero(expected == 1)
    assert standing.undecided_share == standing.n_undecided / len(points)
    assert standing.positive_share == standing.n_positive / len(points)
    V = standing.version_space
    np.testing.assert_array_equal(np.where(V.certain(points), 1, np.where(V.possible(points), -1, 0)), expected)
    if members is not None:
        some = slice(None, None, 1 + len(members) // 50)
        assert [V.allows(h) for h in members[some]] == oracle.alive[some].tolist()
    np.testing.assert_allclose(standing.log_floor, np.log(float(oracle.floor)), rtol=1e-9)


def compare_rates(standing: ConfidenceSet, oracle: Oracle, group: int) -> None:
    rates = standing.rates
    candidates = np.array([rate for rate in GRID if rates.low <= rate <= rates.high])
    possible = np.array([oracle.allows_rate(rate, group) for rate in candidates])
    try:
        low, high = standing.rate_bounds(group)
    except AssumptionsViolated:
        assert not possible.any()
        return
    assert rates.low <= low <= high <= rates.high
    assert not np.any(possible & ((candidates < low) | (candidates > high)))
    clear = (candidates > low + 1e-6) & (candidates < high - 1e-6)
    assert possible[clear].all()
    for end, limit, out in ((low, rates.low, -1e-6), (high, rates.high, 1e-6)):
        if abs(end - limit) > 1e-6:
            assert oracle.allows_rate(end - out, group) or high - low < 3e-6
            assert not oracle.allows_rate(end + out, group)
