"""What a class prints can be typed."""

from __future__ import annotations

import pytest

import activepu as apu
from activepu.hypotheses import HypothesisClass

CLASSES = [
    apu.Thresholds(),
    apu.Thresholds("amount", above=False),
    apu.Thresholds(2),
    apu.Intervals(),
    apu.Boxes(),
    apu.Boxes(dim=3),
    apu.Orthants(dim=2),
    apu.Orthants(signs=[1, -1]),
    apu.Conjunctions(dim=4),
    apu.Halfspaces(),
    apu.Halfspaces(dim=2),
]


@pytest.mark.parametrize("H", CLASSES, ids=repr)
def test_a_class_prints_as_the_code_that_makes_it(H):
    again = eval(repr(H), vars(apu))
    assert type(again) is type(H)
    assert again.to_dict() == H.to_dict()


@pytest.mark.parametrize("H", CLASSES, ids=repr)
def test_a_class_that_a_pool_has_bound_prints_as_code_that_runs(H):
    names = ["amount", "x", "y"] if H.dim is None else [f"x{axis}" for axis in range(H.dim)]
    if H.name == "thresholds" and H.score is None:
        names = names[:1]
    again = eval(repr(H.bind(len(names), names)), vars(apu))
    assert again.bind(len(names), names).to_dict() == H.bind(len(names), names).to_dict()


def test_every_public_class_is_among_them_or_prints_as_no_code():
    public = {value for value in vars(apu).values() if isinstance(value, type) and issubclass(value, HypothesisClass)}
    assert public - {type(H) for H in CLASSES} == {HypothesisClass, apu.ClosedClass, apu.BoxLike, apu.FiniteClass}
    assert repr(apu.FiniteClass([bool, bool])) == "<FiniteClass of 2 predictors>"
    assert repr(apu.Thresholds(abs)) == "Thresholds(<abs>)"


class Own(apu.Boxes):
    name = "own"

    def __init__(self, place, dim=None):
        super().__init__(dim)
        self.place, self._hidden = place, 1


def test_a_class_of_ones_own_prints_its_settings():
    assert repr(Own((0.4, 0.5))) == "Own(place=(0.4, 0.5))"
    assert repr(Own("here", dim=2)) == "Own(dim=2, place='here')"
    assert len(repr(Own(list(range(10_000))))) < 120
