"""Classes that break their contract on purpose: what a run refuses, and what the check notices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strangers.prefixes import Prefix, Prefixes

import activepu as apu
from activepu.hypotheses.base import sauer
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
        (Ordered(never_equal), r"Member\.within says that .* is not within .* but the first is Ordered\.closure of \d"),
    ],
    ids=["closure", "within too often", "within too rarely"],
)
def test_a_closure_that_does_not_fit_the_order_is_noticed(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_hypothesis_class(broken, ALIKE)


@pytest.mark.parametrize("broken", [Jumps(), Ordered(never_equal)], ids=["closure", "within"])
def test_a_run_refuses_it_before_the_first_question(broken):
    with pytest.raises(apu.InvalidInput, match=r"Jumps\.closure|Member\.within"):
        apu.Run(apu.ZCal(broken, 0.1, 0.1, check=0), ALIKE)


# Methods that return something else than they should: each refusal is one sentence that names the method.


def returning(**methods):
    """Prefixes whose members have these methods."""
    member = type("Odd", (Prefix,), methods)
    return type(
        "Odds", (Prefixes,), {"closure": lambda self, points: member(self, Prefixes.closure(self, points).digits)}
    )()


def closing(closure):
    return type("Odds", (Prefixes,), {"closure": closure})()


class Day(apu.Hypothesis):
    def __init__(self, hypotheses, day):
        self.hypotheses, self.day = hypotheses, day

    def contains(self, points):
        return points[:, 0] == self.day

    def to_dict(self):
        return {"day": self.day}

    def __str__(self):
        return f"day {self.day}"


class Days(apu.HypothesisClass):
    """A class that lists its members, and bounds its growth by their number alone."""

    name, vc_dimension = "days", 1

    def __init__(self, member=Day):  # without super().__init__()
        self.member = member

    def members(self):
        return [self.member(self, day) for day in range(7)]

    def log_growth(self, n):
        return math.log(8)

    def hypothesis_from_dict(self, data):
        return self.member(self, data["day"])


class Sums(apu.BoxLike):
    name, two_sided, vc_dimension = "sums", True, 2

    def encode(self, X):
        return super().encode(X).sum(axis=1)[:, None]

    def log_growth(self, n):
        return sauer(2, n)


class Logs(Sums):
    fixed_dim = 1

    def encode(self, X):
        with np.errstate(invalid="ignore"):
            return np.log(super().encode(X) - 11.5)


class Flat(Sums):
    fixed_dim = 1

    def encode(self, X):
        return super().encode(X)[:, 0]


class Doubled(Sums):
    def encode(self, X):
        return np.hstack([X, X])


def listed(member):
    return Days(type("Odd", (Day,), member))


def as_list(h, points):
    return Prefix.contains(h, points).tolist()


def as_column(h, points):
    return Prefix.contains(h, points)[:, None]


REFUSED_BY_BOTH = {
    "contains, a list": (returning(contains=as_list), r"Odd\.contains must return an array with one boolean .* got \["),
    "contains, a column": (returning(contains=as_column), r"Odd\.contains .* got an array of shape \(\d+, 1\) of bool"),
    "contains of a listed member": (
        listed({"contains": lambda h, points: Day.contains(h, points).tolist()}),
        r"Odd\.contains must return an array with one boolean",
    ),
    "within, None": (returning(within=lambda h, g: None), r"Odd\.within must return True or False, got None"),
    "within, reversed": (returning(within=lambda h, g: Prefix.within(g, h)), r"Odd\.within says that"),
    "closure, a set": (closing(lambda H, points: {1}), r"Odds\.closure must return .* extends Closure.* got \{1\}"),
    "closure of nothing, None": (
        closing(lambda H, points: Prefixes.closure(H, points) if len(points) else None),
        r"Odds\.closure must return .* got None for 0 point",
    ),
    "closure without a point": (
        closing(lambda H, points: Prefixes.closure(H, points[1:])),
        r"Odds\.closure must contain the 1 point\(s\) that it is given, got 'nothing'",
    ),
    "members, numbers": (
        type("Odds", (Days,), {"members": lambda H: [1, 2]})(),
        r"Odds\.members must return objects that extend Hypothesis, got 1",
    ),
    "encode, fewer columns": (Sums(), r"Sums\.encode must return 4 column.* got 1; write fixed_dim = 1"),
    "encode, more columns": (Doubled(), r"Doubled\.encode must return 4 column.* got 8; write fixed_dim = 8"),
    "encode, one dimension": (Flat(), r"Flat\.encode must return an array with one row per item"),
    "encode, NaN": (Logs(), r"Logs\.encode returns must be finite, got nan in row 0"),
}


@pytest.mark.parametrize("case", REFUSED_BY_BOTH)
def test_a_run_and_the_check_refuse_the_same_in_one_sentence(case):
    broken, sentence = REFUSED_BY_BOTH[case]
    with pytest.raises(apu.InvalidInput, match=sentence):
        apu.Run(apu.ZCal(broken, 0.1, 0.1, check=0), ALIKE)
    with pytest.raises(AssertionError, match=sentence):
        check_hypothesis_class(broken, ALIKE)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (
            listed({"to_dict": lambda h: {"day": {h.day}}}),
            r"Odd\.to_dict must return what JSON can hold, got \{'day': \{",
        ),
        (listed({"to_dict": lambda h: [h.day]}), r"Odd\.to_dict must return a dict, got \["),
        (listed({"__str__": lambda h: " "}), r"Odd\.__str__ returns an empty string"),
        (type("Odds", (Days,), {"hypothesis_from_dict": lambda H, data: None})(), r"Odds\.hypothesis_from_dict must"),
        (
            type("Odds", (Days,), {"log_growth": lambda H, n: None})(),
            r"Odds\.log_growth must return a number, got None",
        ),
    ],
    ids=["a set", "a list", "empty", "None", "no number"],
)
def test_the_check_names_the_method_that_returns_something_else(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_hypothesis_class(broken, ALIKE)


def test_a_message_about_many_rows_is_short():
    with pytest.raises(apu.InvalidInput) as refused:
        apu.Run(apu.ZCal(returning(contains=as_list), 0.1, 0.1, check=0), np.tile(ALIKE, (3000, 1)))
    assert len(str(refused.value)) < 200


def test_any_upper_bound_of_the_growth_function_is_accepted():
    check_hypothesis_class(Days(), ALIKE)


def test_a_class_without_the_constructor_of_its_base_takes_its_columns_from_the_pool():
    result = apu.learn(apu.ZCal(Days(), 0.1, 0.1, check=0), ALIKE, apu.SimulatedExpert(ALIKE[:, 0] == 1, rate=0.9))
    assert result.hypothesis.hypotheses.dim == 4


def test_a_box_that_does_not_say_which_sides_are_free_is_refused():
    parts = {"name": "open", "vc_dimension": 2, "log_growth": Sums.log_growth}
    with pytest.raises(apu.InvalidInput, match=r"Open does not say .* define two_sided = True"):
        apu.Run(apu.ZCal(type("Open", (apu.BoxLike,), parts)(), 0.1, 0.1, check=0), ALIKE)


def test_coordinates_that_a_class_makes_itself_are_not_called_by_the_names_of_columns():
    sums = type("Fixed", (Sums,), {"fixed_dim": 1})
    H = sums().bind(2, ["amount", "age"])
    assert str(H.closure(np.array([[1.0], [2.0]]))) == "1 <= z0 <= 2"
    named = type("Named", (sums,), {"coordinate": lambda self, axis: " + ".join(self.names)})
    assert str(named().bind(2, ["amount", "age"]).closure(np.array([[1.0], [2.0]]))) == "1 <= amount + age <= 2"
