"""Rows are added without copying, and an array never sees rows that were added to another."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from activepu.zcal.growing import Growing


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=20))
def test_whatever_is_added_to_whichever_each_keeps_its_own_rows(steps):
    grown = [Growing(np.empty((0, 2)))]
    expected = [np.empty((0, 2))]
    for number, (which, n) in enumerate(steps):
        rows = np.full((n, 2), float(number))
        grown.append(grown[which % len(grown)].plus(rows))
        expected.append(np.concatenate([expected[which % len(expected)], rows]))
    for one, rows in zip(grown, expected, strict=True):
        np.testing.assert_array_equal(one.rows, rows)


def test_many_rows_are_copied_about_twice():
    one, rooms = Growing(np.empty(0, np.intp)), set()
    for k in range(10_000):
        one = one.plus([k])
        rooms.add(id(one.rows.base))
    assert len(rooms) <= 16
    np.testing.assert_array_equal(one.rows, np.arange(10_000))
