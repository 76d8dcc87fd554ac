"""Answers that do not come in time, and a yes that comes later: the guarantee by every sequence of outcomes.

A positive is answered yes in time, silent in time, or not in time; other items are silent in time or not. The rate ω
is that of the positives that are answered in time, P(yes) / P(yes or silent in time). Whatever is not answered in time
is no evidence. A yes that comes later is required.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import pytest
from zcal.confidence.test_validity import CLASSES, Paths, world
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.rates import Rates


@dataclass
class TimedPaths(Paths):
    """`present` is how often positives and others are answered in time; `later` how often a late positive says yes."""

    present: tuple[float, float] = (0.5, 0.9)
    later: float = 0.5
    as_silence: bool = False
    """Whether an answer that does not come in time is taken for silence, which is wrong."""

    def walk(
        self, stand: ConfidenceSet, path: tuple[tuple[int, bool], ...] = (), chance: float = 1.0, lost: bool = False
    ):
        if not lost and self.drops(stand):
            self.dropped, lost = self.dropped + chance, True
        if len(path) == self.depth:
            return
        item, q, expert = self.question(stand, path)
        positive = bool(self.labels[item])
        rate, present = self.rates[expert] if positive else 0.0, self.present[0 if positive else 1]
        later = self.later if positive else 0.0
        outcomes = {
            "yes": present * rate,
            "silent": present * (1 - rate),
            "late": (1 - present) * later,
            "never": (1 - present) * (1 - later),
        }
        for outcome, probability in outcomes.items():
            if probability == 0:
                continue
            after = copy.deepcopy(stand)
            try:
                if outcome in ("yes", "silent") or self.as_silence:
                    after.fold(self.points[[item]], outcome == "yes", q, expert)
                elif outcome == "late":
                    after.require(self.points[[item]])
            except AssumptionsViolated:
                self.dropped += 0.0 if lost else chance * probability
                continue
            self.walk(after, (*path, (item, outcome == "yes")), chance * probability, lost)


FORMS = {
    "known": (0.5, (0.5,)),
    "always": (1.0, (1.0,)),
    "unknown": (None, (0.4,)),
    "range": ((0.3, 0.7), (0.6,)),
    "per expert": ("per expert", (0.2, 0.9)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CLASSES)
def test_the_truth_is_dropped_with_a_probability_of_at_most_delta(name, form):
    V, points, truth = world(name)
    stated, rates = FORMS[form]
    for present in ((0.5, 0.9), (0.9, 0.3)):
        paths = TimedPaths(truth, points, rates, 0.0, "silence", depth=5, present=present)
        paths.walk(confidence_set(V, points, Rates.parse(stated), 0.3))
        assert paths.dropped <= 0.3 + 1e-12


def test_it_is_dropped_more_often_if_what_did_not_come_in_time_is_taken_for_silence():
    V, points, truth = world("thresholds")
    paths = TimedPaths(truth, points, (0.5,), 0.0, "silence", depth=7, present=(0.3, 0.3), as_silence=True)
    paths.walk(confidence_set(V, points, Rates.parse(0.5), 0.3))
    assert paths.dropped > 0.3


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("stated", [0.5, None, (0.3, 0.7), "per expert"])
def test_a_late_yes_decides_its_item_and_counts_nowhere(name, stated):
    V, points, truth = world(name)
    inside = np.flatnonzero(truth.contains(points))
    stand = confidence_set(V, points, Rates.parse(stated), 0.3)
    stand.fold(points[inside[:1]], True, 0.5)
    before = stand.log_q, list(stand.revealed), len(stand.stars)
    for item in inside[:2]:
        stand.require(points[[item]])
        assert stand.status[item] == 1
        assert stand.version_space.certain(points[[item]])[0]
        assert stand.version_space.allows(truth)
    assert (stand.log_q, list(stand.revealed), len(stand.stars)) == before
    stand.fold(points[inside[1:2]], False, 0.5)  # it goes on
    assert stand.version_space.allows(truth)


@pytest.mark.parametrize("name", ["thresholds", "boxes", "finite", "conjunctions"])
def test_a_late_yes_that_no_hypothesis_holds_is_refused_without_a_trace(name):
    V, points, truth = world(name)
    stand = confidence_set(V, points, Rates.parse(1.0), 0.3)
    outside = int(np.flatnonzero(~truth.contains(points))[0])
    stand.fold(points[[outside]], False, 0.5)
    before = stand.status.tolist()
    assert stand.status[outside] == 0
    with pytest.raises(AssumptionsViolated, match="No hypothesis"):
        stand.require(points[[outside]])
    assert stand.status.tolist() == before


def test_where_reveals_can_be_wrong_a_late_yes_proves_nothing():
    V, points, _ = world("finite")
    stand = confidence_set(V, points, Rates.parse(0.9), 0.3, false_reveal=0.1)
    stand.require(points[[3]])
    assert stand.status[3] == -1
