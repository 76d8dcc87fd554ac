"""Classes that strangers wrote, in one file each and with nothing patched, go everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from strangers.l1_balls import L1Balls
from strangers.prefixes import Prefix, Prefixes

import activepu as apu
from activepu import testing
from activepu.hypotheses import BoxLike
from activepu.version_spaces import MemberVersionSpace

CODES = np.random.default_rng(0).integers(0, 4, (1500, 5)).astype(float)
PLANE = np.random.default_rng(1).random((400, 2))


def positive_codes(X):
    return (X[:, :1] == 2).all(axis=1)


def positive_points(X):
    return np.abs(X - [0.5, 0.45]).sum(axis=1) <= 0.42


WORLDS = {
    "prefixes": (Prefixes(), CODES, positive_codes),
    "L1 balls": (L1Balls(), PLANE, positive_points),
}
LEARNERS = {
    "KnownPrior": lambda H: apu.KnownPrior(H, 0.2, 0.1, prior=0.35),
    "PassivePU": lambda H: apu.PassivePU(H, 0.3, 0.2, prior=0.35),
    "Cal": lambda H: apu.Cal(H, 0.2, 0.1),
    "ZCal": lambda H: apu.ZCal(H, 0.1, 0.1, check=0),
    "ZCal, rate known": lambda H: apu.ZCal(H, 0.1, 0.1, rate=0.7, check=0),
    "ZCal, per expert": lambda H: apu.ZCal(H, 0.1, 0.1, rate="per expert", check=0),
}


@pytest.fixture(params=WORLDS)
def world(request):
    return WORLDS[request.param]


def distinct(X):
    """Rows that the expert can tell apart: each shows a number of its own."""
    names = [f"x{k}" for k in range(X.shape[1])]
    return apu.Pool(pd.DataFrame(X, columns=names).assign(number=np.arange(len(X))), features=names)


def test_the_class_keeps_the_contracts(world):
    H, X, _ = world
    testing.check_hypothesis_class(H, X[:12])
    bound = H.bind(X.shape[1])
    testing.check_version_space(apu.version_space(bound), bound.encode(X[:40]))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_takes_it(world, name):
    H, X, truth = world
    if name == "PassivePU":  # it keeps a large sample to choose the smallest rule on
        X = np.concatenate([X, np.random.default_rng(3).random((9000, 2))]) if X is PLANE else X
    rate = 1.0 if name == "Cal" else 0.7
    expert = apu.SimulatedExpert(truth(X), rate, seed=1)
    budget = 500 if name == "PassivePU" else 120
    result = apu.learn(LEARNERS[name](H), distinct(X), expert, seed=2, budget=budget)
    bound = result.certificate.error_bound
    assert bound < 1
    wrong = np.mean(result.predict(X) != truth(X))
    assert wrong <= bound
    assert result.certificate.method == ("exact" if H.intersection_closed else "sampled")


def test_the_rule_is_in_the_class():
    """What was once taken for a box is certified with a prefix."""
    result = apu.learn(
        apu.ZCal(Prefixes(), 0.05, 0.05, check=0), distinct(CODES), apu.SimulatedExpert(positive_codes(CODES), 0.5)
    )
    assert str(result.hypothesis) == "the code begins with 2"
    assert result.certificate.error_bound <= 0.05


@pytest.mark.parametrize("name", ["KnownPrior", "ZCal"])
def test_a_learner_with_it_keeps_the_contract(world, name):
    H, X, truth = world
    testing.check_learner(LEARNERS[name](H), distinct(X), apu.SimulatedExpert(truth(X), 0.7), budget=15)


def test_a_result_is_saved_and_loaded(world, tmp_path):
    H, X, truth = world
    learner = LEARNERS["ZCal, rate known"](H)
    result = apu.learn(learner, distinct(X), apu.SimulatedExpert(truth(X), 0.7), budget=40)
    result.save(tmp_path / "result.json")
    with pytest.raises(apu.InvalidInput, match="pass it again"):
        apu.load_result(tmp_path / "result.json")
    again = apu.load_result(tmp_path / "result.json", hypotheses=H)
    assert np.array_equal(again.predict(X), result.predict(X))
    assert str(again) == str(result)


def test_a_study_goes_on_where_it_was_left(world, tmp_path):
    H, X, truth = world
    url, learner, pool = f"sqlite:///{tmp_path / 'study.db'}", LEARNERS["ZCal, rate known"](H), distinct(X)
    with apu.Study.create(url, "own", pool, learner, deadline=None) as study:
        for _ in range(4):
            (question,) = study.ask("ann")
            study.tell(question.token, bool(truth(X)[question.item]))
        before = study.result()
    with pytest.raises(apu.InvalidInput, match="learner"):
        apu.Study.load(url, "own", pool)
    with apu.Study.load(url, "own", pool, learner) as study:
        assert str(study.result()) == str(before)
        assert study.ask("ann")


# A class that breaks its promise is refused, and the sentence names the method.


class ShortClosure(Prefixes):
    def closure(self, points):
        return super().closure(points[:1])


class TwoLabels(L1Balls):
    def sample(self, points, containing, n, rng):
        return super().sample(points, containing[:0], n, rng)[:3]


class NoSample(L1Balls):
    sample = apu.HypothesisClass.sample


class Squashed(Prefixes):
    def encode(self, X):
        return super().encode(X)[:, 0]


@pytest.mark.parametrize(
    ("H", "X", "method"),
    [
        (ShortClosure(), CODES, "closure"),
        (TwoLabels(), PLANE, "sample"),
        (NoSample(), PLANE, "sample"),
        (Squashed(), CODES, "encode"),
    ],
    ids=["closure", "sample", "no sample", "encode"],
)
def test_a_class_that_breaks_the_contract_is_refused(H, X, method):
    with pytest.raises(apu.InvalidInput, match=rf"{type(H).__name__}.*{method}"):
        apu.learn(apu.ZCal(H, 0.1, 0.1, check=0), distinct(X), apu.SimulatedExpert(X[:, 0] > 0.5, 0.7), budget=30)


def test_a_class_without_a_name_is_refused():
    parts = ("vc_dimension", "closure", "log_growth", "hypothesis_from_dict")
    nameless = type("Nameless", (apu.ClosedClass,), {part: vars(Prefixes)[part] for part in parts})
    with pytest.raises(apu.InvalidInput, match="Nameless has no name; define name"):
        apu.Run(apu.ZCal(nameless(), 0.1, 0.1, check=0), distinct(CODES))


def test_a_box_with_another_closure_is_refused():
    with pytest.raises(apu.InvalidInput, match="Tree overrides closure"):
        type("Tree", (BoxLike,), {"closure": Prefixes.closure})


def test_only_a_closure_makes_a_class_closed_under_intersection():
    """A list of members has no least one: certificates that rest on it were false."""
    with pytest.raises(apu.InvalidInput, match="Claims says that it is closed under intersection"):
        type("Claims", (L1Balls,), {"intersection_closed": True})


def test_a_version_space_without_a_least_member_is_refused_for_a_closed_class():
    tree = type("Tree", (Prefixes,), {})
    apu.register(tree, apu.Registration(version_space=MemberVersionSpace))
    with pytest.raises(apu.InvalidInput, match="MemberVersionSpace, names no least member"):
        apu.version_space(tree().bind(5))


def test_wrong_reveals_need_a_confidence_set_of_their_own():
    tree = type("Tree", (Prefixes,), {})
    apu.register(tree, apu.Registration(false_reveals=True))
    with pytest.raises(apu.InvalidInput, match="Tree is registered with false_reveals"):
        apu.Run(apu.ZCal(tree(), 0.1, 0.1, false_reveal=0.1, check=0), distinct(CODES))


class NotEmpty(Prefixes):
    def closure(self, points):
        return super().closure(points if len(points) else CODES[-1:])


def test_a_closure_of_nothing_that_holds_an_item_is_refused():
    with pytest.raises(apu.InvalidInput, match=r"NotEmpty\.closure of no points must be empty"):
        apu.Run(apu.ZCal(NotEmpty(), 0.1, 0.1, check=0), distinct(CODES))


class Short(Prefixes):
    """Prefixes of at most so many digits."""

    def __init__(self, most=3):
        super().__init__()
        self.most = most

    def closure(self, points):
        found = super().closure(points)
        return found if found.digits is None else Prefix(self, found.digits[: self.most])


def test_other_settings_are_refused_when_a_class_is_passed_again(tmp_path):
    url, pool, path = f"sqlite:///{tmp_path / 's.db'}", distinct(CODES), tmp_path / "r.json"
    with apu.Study.create(url, "s", pool, apu.ZCal(Short(3), 0.1, 0.1, check=0)) as study:
        study.result().save(path)
    apu.Study.load(url, "s", pool, hypotheses=Short(3)).close()
    with pytest.raises(apu.StudyDiffers, match=r"settings of prefixes = {.most.: 3}"):
        apu.Study.load(url, "s", pool, hypotheses=Short(2))
    apu.load_result(path, hypotheses=Short(3))
    with pytest.raises(apu.InvalidInput, match="settings"):
        apu.load_result(path, hypotheses=Short(2))
