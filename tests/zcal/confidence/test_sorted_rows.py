"""Slices of ordered rows, against comparing every row; coordinates are few, so that many rows are alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import activepu as apu
from activepu.hypotheses.boxlike import Box
from activepu.zcal.confidence.sorted_rows import SortedRows

DIM = 2
BOXES, ORTHANTS = apu.Boxes(dim=DIM), apu.Orthants(dim=DIM)


def points(most: int) -> st.SearchStrategy[np.ndarray]:
    rows = st.integers(1, most)
    return rows.flatmap(lambda n: arrays(np.float64, (n, DIM), elements=st.integers(-3, 3).map(float)))


@given(points(12), st.integers(0, 2 * DIM - 1), st.integers(-4, 4), st.booleans())
def test_what_lies_beyond_a_bound_is_found_the_furthest_last(rows: np.ndarray, side: int, place: int, strictly: bool):
    out = BOXES.outward(rows)[:, side]
    found = SortedRows(BOXES.closure(rows[:0]), rows).beyond(side, place, strictly)
    assert sorted(found) == np.flatnonzero(out > place if strictly else out >= place).tolist()
    assert (np.diff(out[found]) >= 0).all()


@given(points(12), st.integers(0, 2 * DIM - 1), st.lists(st.integers(-3, 3), min_size=1, max_size=5).map(sorted))
def test_each_row_has_the_amount_of_the_last_place_that_it_reaches(rows: np.ndarray, side: int, places: list[int]):
    amounts = np.arange(1.0, len(places) + 1)
    found, given_out = SortedRows(BOXES.closure(rows[:0]), rows).reaching(side, np.array(places, float), amounts)
    number = np.searchsorted(places, BOXES.outward(rows)[:, side], side="right")
    expected = np.zeros(len(rows))
    expected[found] = given_out
    assert expected.tolist() == number.tolist()


@given(points(12), points(3), st.sampled_from([BOXES, ORTHANTS]))
def test_what_a_larger_closure_holds_is_positive(rows: np.ndarray, revealed: np.ndarray, H: apu.HypothesisClass):
    slices = SortedRows(H.closure(revealed[:0]), rows)
    assert slices.n_undecided == len(rows)
    closure: Box = H.closure(revealed)
    slices._grow(closure, DIM * (1 + H.two_sided))
    inside = closure.contains(rows)
    assert slices.status.tolist() == np.where(inside, 1, -1).tolist()
    assert slices.undecided.tolist() == np.flatnonzero(~inside).tolist()
    assert slices.n_positive == inside.sum()
