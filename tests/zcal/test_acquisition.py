"""Which item is asked when all are worth the same: the first of the candidates, so that every machine asks it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import activepu as apu
from activepu.zcal.candidates import Candidates
from activepu.zcal.tuning import TUNING


class Singleton(apu.Hypothesis):
    def __init__(self, hypotheses, value):
        self.hypotheses, self.value = hypotheses, value

    def contains(self, points):
        return points[:, 0] == self.value

    def to_dict(self):
        return {"value": self.value}

    def __str__(self):
        return f"x0 = {self.value}"


class Singletons(apu.HypothesisClass):
    """{0}, {1}, …, listed, with the default confidence set, which has no rivals."""

    name, vc_dimension = "singletons", 1

    def __init__(self, n):
        super().__init__()
        self.n = n

    def members(self):
        return [Singleton(self, value) for value in range(self.n)]

    def log_growth(self, n):
        return math.log(n + 1)

    def hypothesis_from_dict(self, data):
        return Singleton(self, data["value"])


def finite(n):
    """The same class with rivals, so that the potential decides."""
    return apu.FiniteClass([lambda X, k=k: X[:, 0] == k for k in range(n)])


def asked(H, n, rate, questions=1, seed=0, epsilon=0.1):
    """The items of the first questions, of rows 0, 1, …, n − 1 that are all worth the same."""
    run = apu.Run(apu.ZCal(H, epsilon, 0.05, rate=rate, check=0), np.arange(float(n))[:, None], seed=seed)
    return [question.item for question in run.ask(questions)]


@pytest.mark.parametrize("rate", [None, 0.5, "per expert"])
@pytest.mark.parametrize("made", [Singletons, finite], ids=["by information", "by potential"])
def test_of_items_that_are_worth_the_same_the_first_is_asked(made, rate):
    assert asked(made(6), 6, rate, questions=6) == [0, 1, 2, 3, 4, 5]


def test_the_finalists_are_the_first_of_those_that_are_worth_the_same():
    n = 2 * TUNING.finalists
    assert [asked(finite(n), n, 0.5, seed=seed, epsilon=0.5 / n) for seed in range(5)] == [[0]] * 5


@pytest.mark.parametrize("made", [Singletons, finite], ids=["by information", "by potential"])
def test_the_first_is_that_of_the_sampled_candidates(made, monkeypatch):
    """Candidates of a large pool come in random order; the first of them need not have the lowest number."""
    some = Candidates.some
    monkeypatch.setattr(Candidates, "some", lambda self, rows, n: some(self, rows, n)[::-1])
    assert asked(made(6), 6, 0.5) == [5]
