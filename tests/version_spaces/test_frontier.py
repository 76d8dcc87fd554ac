from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import constraints, problems

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.boxes import Boxes
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.version_spaces.frontier import Frontier


def recomputed(V: BoxVersionSpace, X: Any) -> Any:
    return np.where(V.certain(X), 1, np.where(V.possible(X), -1, 0))


@settings(max_examples=300)
@given(data=st.data())
def test_frontier_equals_recomputation_and_decisions_are_final(data: st.DataObject) -> None:
    hypotheses, brute, _ = data.draw(problems())
    X = hypotheses.encode(brute.points)
    V = BoxVersionSpace(hypotheses)
    frontier = Frontier(X)
    for step in data.draw(constraints(len(X))):
        before = frontier.status.copy()
        if step[0] == "require":
            V = V.require(X[step[1]])
        else:
            weights = None if step[3] is None else np.array(step[3], np.int64)
            V = V.cap_mass(X[step[1]], step[2], weights)
        if V.is_empty():
            with pytest.raises(AssumptionsViolated):
                frontier.update(V)
            np.testing.assert_array_equal(frontier.status, before)
            return
        if data.draw(st.booleans()):  # steps may be skipped: the frontier catches up
            continue
        frontier.update(V)
        np.testing.assert_array_equal(frontier.status, recomputed(V, X))
        np.testing.assert_array_equal(frontier.status[before != -1], before[before != -1])
        assert frontier.status.dtype == np.int8
        for value, rows in ((1, frontier.positive), (0, frontier.negative), (-1, frontier.undecided)):
            assert rows.tolist() == [i for i in range(len(X)) if frontier.status[i] == value]
        assert frontier.n_positive == len(frontier.positive)
        assert frontier.n_undecided == len(frontier.undecided)
        assert frontier.positive_share == len(frontier.positive) / len(X)
        assert frontier.undecided_share == len(frontier.undecided) / len(X)


class Watched(BoxVersionSpace):
    """Remembers how many points it was asked about."""

    asked = 0

    def _certain(self, points: Any) -> Any:
        type(self).asked += len(points)
        return super()._certain(points)


def test_only_the_undecided_are_looked_at_and_the_same_version_space_not_at_all() -> None:
    X = np.random.default_rng(0).random((1000, 2))
    V = Watched(Boxes(2)).require([[0.2, 0.2], [0.8, 0.8]]).cap_mass(X, 450)
    frontier = Frontier(X)
    frontier.update(V)
    assert Watched.asked == len(X)
    frontier.update(V)
    assert Watched.asked == len(X)
    left = int(np.sum(frontier.status == -1))
    assert min(left, len(frontier.positive), len(frontier.negative)) > 0
    frontier.update(V.require([[0.1, 0.5]]))
    assert Watched.asked == len(X) + left


def test_status_cannot_be_written_to() -> None:
    frontier = Frontier(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="read-only"):
        frontier.status[0] = 1


def test_a_pool_without_items_has_no_shares() -> None:
    frontier = Frontier(np.empty((0, 2)))
    frontier.update(BoxVersionSpace(Boxes(2)))
    assert (frontier.undecided_share, frontier.positive_share) == (0.0, 0.0)
