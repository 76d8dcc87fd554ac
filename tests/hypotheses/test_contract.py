"""Classes whose closure does not fit the order of their members, broken on purpose."""

from __future__ import annotations

import numpy as np
import pytest
from strangers.prefixes import Prefix, Prefixes

import activepu as apu
from activepu.testing import check_hypothesis_class


class Jumps(Prefixes):
    """The closure of two codes is everything, that of three is not."""

    def closure(self, points):
        return Prefix(self, points[0, :0]) if len(points) == 2 else super().closure(points)


class Ordered(Prefixes):
    """Prefixes with another order of the members."""

    def __init__(self, order):
        super().__init__()
        self.order = order

    def closure(self, points):
        return Member(self, super().closure(points).digits)


class Member(Prefix):
    def within(self, other):
        return self.hypotheses.order(self, other)


def longer(h, g):
    """Whether h has at least as many digits as g: too many pairs, as codes that begin otherwise are not compared."""
    return h.digits is None or (g.digits is not None and len(h.digits) >= len(g.digits))


def never_equal(h, g):
    """Too few pairs: a member is not within itself."""
    return Prefix.within(h, g) and not Prefix.within(g, h)


ALIKE = np.array([[1.0, 2, 3, 4], [1, 2, 3, 5], [1, 2, 4, 4], [1, 2, 5, 4], [2, 2, 5, 4], [3, 2, 5, 4]])
"""Codes that begin alike, and at last two that do not."""


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (Jumps(), r"Jumps\.closure must be monotone"),
        (Ordered(longer), r"Member\.within says that .* but by contains it has other points"),
        (Ordered(never_equal), r"Member\.within says that .* is not within .* but the first is Ordered\.closure of 0"),
    ],
    ids=["closure", "within too often", "within too rarely"],
)
def test_a_closure_that_does_not_fit_the_order_is_noticed(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_hypothesis_class(broken, ALIKE)


@pytest.mark.parametrize("broken", [Jumps(), Ordered(never_equal)], ids=["closure", "within"])
def test_a_run_refuses_it_before_the_first_question(broken):
    with pytest.raises(apu.InvalidInput, match=r"Jumps\.closure|Member\.within"):
        apu.Run(apu.ZCal(broken, 0.1, 0.1), ALIKE)
