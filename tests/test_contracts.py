"""The shipped contracts over everything of ours, and broken classes that each contract must notice."""

import itertools
import math

import numpy as np
import pytest

from activepu.certificate import Certificate
from activepu.experts import SimulatedExpert
from activepu.hypotheses import (
    Boxes,
    Conjunctions,
    FiniteClass,
    Halfspaces,
    Intervals,
    Orthants,
    Thresholds,
)
from activepu.learners import Cal, KnownPrior, Learner, PassivePU, RevealRate, UnknownPrior
from activepu.learners.base import questions
from activepu.pools import Pool, everywhere
from activepu.records import Ask, Report
from activepu.testing import check_hypothesis_class, check_learner, check_version_space
from activepu.version_spaces import BoxVersionSpace, version_space

RNG = np.random.default_rng(0)
LINE = RNG.random((40, 1))
PLANE = RNG.random((40, 2))
SPACE = RNG.random((30, 3))
GRID = RNG.integers(0, 3, (30, 2)).astype(float)
BITS = RNG.integers(0, 2, (40, 4)).astype(float)

CUTS = [lambda X, a=a: X[:, 0] + X[:, 1] >= a for a in (0.3, 0.6, 0.9, 1.2)] + [lambda X: X[:, 0] < 0.5]

CLASSES = {
    "thresholds": (Thresholds(), LINE),
    "thresholds-below": (Thresholds(above=False), LINE),
    "thresholds-column": (Thresholds(1), PLANE),
    "thresholds-score": (Thresholds(lambda X: X.sum(axis=1)), PLANE),
    "intervals": (Intervals(), LINE),
    "boxes": (Boxes(), PLANE),
    "boxes-ties": (Boxes(), GRID),
    "boxes-3d": (Boxes(dim=3), SPACE),
    "orthants": (Orthants(), PLANE),
    "orthants-signs": (Orthants(signs=[1, -1, -1]), SPACE),
    "conjunctions": (Conjunctions(), BITS),
    "finite": (FiniteClass(CUTS), PLANE),
    "halfspaces": (Halfspaces(), PLANE[:12]),
    "halfspaces-ties": (Halfspaces(), GRID[:12]),
    "halfspaces-3d": (Halfspaces(), SPACE[:6]),
}


@pytest.mark.parametrize("name", CLASSES)
def test_our_classes_keep_the_contract(name):
    check_hypothesis_class(*CLASSES[name])


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_our_version_spaces_keep_the_contract(name, seed):
    hypotheses, X = CLASSES[name]
    bound = hypotheses.bind(X.shape[1])
    check_version_space(version_space(bound), bound.encode(X), seed)


@pytest.mark.parametrize("name", ["boxes", "orthants", "finite", "halfspaces"])
def test_a_version_space_in_the_middle_of_a_run_keeps_the_contract(name):
    hypotheses, X = CLASSES[name]
    bound = hypotheses.bind(X.shape[1])
    points = bound.encode(X)
    V = version_space(bound).require(points[:1])
    least = int(V.smallest(points).contains(points).sum())
    check_version_space(V.cap_mass(points, least + 5), points)


def in_box(X):
    return (np.abs(X - 0.5) <= 0.3).all(axis=1)


def pool_of(n, dim=2, seed=1):
    return Pool(np.random.default_rng(seed).random((n, dim)))


BOXES = pool_of(1500)
BINARY = Pool(np.random.default_rng(2).integers(0, 2, (800, 5)).astype(float))
LEARNERS = {
    "cal": (Cal(Boxes(), 0.1, 0.1), BOXES, SimulatedExpert(in_box, 1.0)),
    "cal-finite": (Cal(FiniteClass(CUTS), 0.1, 0.1), BOXES, SimulatedExpert(CUTS[2], 1.0)),
    "passive": (PassivePU(Boxes(), 0.2, 0.1), BOXES, SimulatedExpert(in_box, 0.5)),
    "passive-prior": (PassivePU(Boxes(), 0.2, 0.1, prior=0.5), BOXES, SimulatedExpert(in_box, 0.5)),
    "passive-finite": (PassivePU(FiniteClass(CUTS), 0.3, 0.1), pool_of(6000), SimulatedExpert(CUTS[2], 0.5)),
    "known prior": (KnownPrior(Boxes(), 0.1, 0.1, prior=0.36), BOXES, SimulatedExpert(in_box, 0.5)),
    "known prior, thresholds": (
        KnownPrior(Thresholds(), 0.1, 0.1, prior=0.3),
        pool_of(1500, 1),
        SimulatedExpert(lambda X: X[:, 0] > 0.7, 0.5),
    ),
    "known prior, conjunctions": (
        KnownPrior(Conjunctions(), 0.2, 0.1, prior=0.25),
        BINARY,
        SimulatedExpert(lambda X: (X[:, 0] == 1) & (X[:, 3] == 1), 0.7),
    ),
    "known prior, finite": (KnownPrior(FiniteClass(CUTS), 0.1, 0.1, 0.6), BOXES, SimulatedExpert(CUTS[2], 0.5)),
    "known prior, orthants": (
        KnownPrior(Orthants(signs=[1, -1]), 0.1, 0.1, prior=0.3),
        BOXES,
        SimulatedExpert(lambda X: (X[:, 0] >= 0.4) & (X[:, 1] <= 0.5), 0.5),
    ),
    "reveal rate": (RevealRate(Boxes(), 0.2), BOXES, SimulatedExpert(in_box, 0.8)),
    "reveal rate, repeated rows": (
        RevealRate(Conjunctions(), 0.3),
        BINARY,
        SimulatedExpert(lambda X: X[:, 0] == 1, 0.8),
    ),
    "unknown prior": (UnknownPrior(Intervals(), 0.3, 0.2), pool_of(3_000, 1), SimulatedExpert(in_box, 0.9)),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_our_learners_keep_the_contract(name):
    check_learner(*LEARNERS[name])


def test_halfspaces_learn_by_the_contract():
    X = np.random.default_rng(4).random((300, 2))
    check_learner(Cal(Halfspaces(), 0.2, 0.2), Pool(X), SimulatedExpert(lambda X: X.sum(axis=1) > 1, 1.0), budget=12)


# Broken on purpose: every contract can fail.


class GrowsTooLittle(Boxes):
    def log_growth(self, n):
        return 0.5 * math.log(n + 1)


class SmallDimension(Boxes):
    @property
    def vc_dimension(self):
        return 1


class EncodesTogether(Boxes):
    def encode(self, X):
        points = super().encode(X)
        return points - points.mean(axis=0) if len(points) else points


class ForgetsBounds(Boxes):
    def hypothesis_from_dict(self, data):
        return super().hypothesis_from_dict(data | {"low": data["high"]})


class Mute(Boxes):
    def describe(self, low, high):
        return ""


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (GrowsTooLittle(), "log_growth"),
        (SmallDimension(), "vc_dimension is 1"),
        (EncodesTogether(), "alone differs"),
        (ForgetsBounds(), "after to_dict and back"),
        (Mute(), "prints as a rule"),
    ],
)
def test_a_broken_class_is_noticed(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_hypothesis_class(broken, PLANE)


class Mutable(BoxVersionSpace):
    def require(self, points):
        self.closure = self.closure.grow(points)
        return self


class Vacuous(BoxVersionSpace):
    def _refuse_if_empty(self):
        pass


class NeverEmpty(BoxVersionSpace):
    def is_empty(self):
        return False


class Forgetful(BoxVersionSpace):
    def require(self, points):
        return type(self)(self.hypotheses, self.hypotheses.closure(points), self.caps)


class Uncapped(BoxVersionSpace):
    def cap_mass(self, points, limit, weights=None):
        return super().cap_mass(points, limit + 1 if limit >= 0 else limit, weights)


class Everywhere(BoxVersionSpace):
    def disagrees(self, points):
        self._refuse_if_empty()
        return np.ones(len(points), bool)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (Mutable, "changed the version space"),
        (Vacuous, "must raise AssumptionsViolated"),
        (NeverEmpty, "should be empty"),
        (Forgetful, "uncertain again"),
        (Uncapped, "capped at|should be empty|distance 0"),
        (Everywhere, "disagrees is not"),
    ],
)
def test_a_broken_version_space_is_noticed(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_version_space(broken(Boxes(dim=2)), PLANE)


class Asks(Learner):
    """A correct learner that asks at random for ever; the broken ones differ from it in one way."""

    def steps(self, draws):
        V = self.everything(draws)

        def report():
            return self.report(draws, V)

        items = questions(draws, everywhere, "random")
        while True:
            question = yield Ask(items, report)
            if question.revealed:
                V = V.require(draws.points([question.item]))

    def report(self, draws, V):
        return Report(V, V.smallest(draws.positives), self.certificate(draws, V, 1.0))


class Overconfident(Asks):
    def certificate(self, *args):
        return Certificate(0.1, 1.0, "population", "exact")


class NegativeError(Asks):
    def certificate(self, *args):
        return Certificate(-0.1, 1 - self.delta, "population", "exact")


class ForgetsReveals(Asks):
    def report(self, draws, V):
        return super().report(draws, self.everything(draws))


class KeepsState(Asks):
    """Stops when all its runs together have seen enough."""

    seen = 0

    def steps(self, draws):
        V = self.everything(draws)
        items = questions(draws, everywhere, "random")
        while self.seen < 100:
            question = yield Ask(items, lambda V=V: self.report(draws, V))
            self.seen += 1
            if question.revealed:
                V = V.require(draws.points([question.item]))
        return self.report(draws, V)


class Unseeded(Asks):
    starts = itertools.count()

    def steps(self, draws):
        for _ in range(next(self.starts)):
            next(questions(draws, everywhere, "skip"))
        return (yield from super().steps(draws))


def test_the_plain_learner_keeps_the_contract():
    check_learner(Asks(Boxes(), 0.1, 0.1), BOXES, SimulatedExpert(in_box, 0.5))


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (Overconfident, "not 1 − δ"),
        (NegativeError, "no share"),
        (ForgetsReveals, "not in the hypothesis"),
        (KeepsState, "no state of a run"),
        (Unseeded, "same for the same seed"),
    ],
)
def test_a_broken_learner_is_noticed(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_learner(broken(Boxes(), 0.1, 0.1), BOXES, SimulatedExpert(in_box, 0.5))
