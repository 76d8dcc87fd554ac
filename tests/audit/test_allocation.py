"""Where an audit asks: the nearest worst case, against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr

from activepu.audit.allocation import _at_distance, worst_case

SHARES = st.lists(st.floats(1e-9, 1 - 1e-9), min_size=3, max_size=3).map(np.array)
PULLS = np.array([-2.0, 1.0, 5.0])


def distance(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


@given(SHARES, st.floats(1e-9, 20.0), st.floats(0.3, 1.0))
def test_a_share_at_a_distance_is_so_far_in_the_direction_of_its_pull(p: np.ndarray, far: float, most: float) -> None:
    p = p * most * (1 - 1e-9)
    found = _at_distance(p, np.array([far]), PULLS, most)[0]
    assert (found * PULLS >= p * PULLS).all()
    free = (found > 1e-12) & (found < most) & (found < 1 - 1e-9)
    assert distance(p, found)[free] == pytest.approx(far, rel=1e-4)
    at_most = (found == most) & ~free
    assert (distance(p, found)[at_most] <= far * (1 + 1e-6)).all()


@given(SHARES, st.floats(0.05, 0.95))
def test_the_worst_case_misses_the_target_and_is_equally_far_everywhere(p: np.ndarray, part: float) -> None:
    p = 0.01 + 0.9 * p
    seen, most = PULLS @ p, PULLS.clip(0).sum()
    limit = seen + part * (most - seen) * 0.5
    worst = worst_case(p, PULLS, limit)
    assert PULLS @ worst.shares == pytest.approx(limit, rel=1e-3, abs=1e-3)
    assert distance(p, worst.shares) == pytest.approx(worst.information, rel=1e-6)
    assert worst.questions.sum() == pytest.approx(1.0)
