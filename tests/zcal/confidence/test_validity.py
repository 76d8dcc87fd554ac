"""The guarantee itself, without chance: every answer sequence of a small world, with its probability.

Under the truth ℓ and its rate ω, the mean of Q_t / L_t(ℓ, ω), in a finite class of N_t(ℓ) / L_t(ℓ, ω), is at most 1 at
every t, and ℓ is ever dropped with a probability of at most δ, whatever is asked and predicted. Dropped is what the
standing itself says: it raises, or its version space does not allow ℓ, or it has decided an item of the pool wrongly.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from zcal.confidence.test_finite import finite
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import Boxes, Conjunctions, Halfspaces, Hypothesis, Intervals, Orthants, Thresholds
from activepu.hypotheses.halfspaces import Halfspace
from activepu.version_spaces import VersionSpace, version_space
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.confidence.finite import FiniteSet
from activepu.zcal.rates import Rates

LINE = np.array([[0.1], [0.3], [0.3], [0.5], [0.6], [0.8], [0.9], [1.0]])
PLANE = np.array([[0, 0], [1, 2], [2, 1], [3, 3], [2, 2], [1, 1], [3, 0], [0, 3], [2, 3]], float)
BITS = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 1], [1, 1, 0]], float)
TRUE = 1
TABLE = [[1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 1, 0], [0, 1, 1, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1]]


def world(name: str) -> tuple[VersionSpace, Any, Hypothesis]:
    """All of H, a pool and a truth."""
    if name == "finite":
        H = finite(TABLE)
        return version_space(H), H.encode(np.arange(7)[:, None]), H.member(TRUE)
    if name == "halfspaces":
        half = Halfspaces(2)
        return version_space(half), PLANE, Halfspace(half, [1.0, 0.5], 2.2)
    closed, raw, inside = {
        "thresholds": (Thresholds().bind(1), LINE, [3, 7]),
        "intervals": (Intervals().bind(1), LINE, [1, 4]),
        "boxes": (Boxes(2), PLANE, [5, 4]),
        "orthants": (Orthants(2), PLANE, [1, 2]),
        "conjunctions": (Conjunctions(3), BITS, [1, 0]),
    }[name]
    points = closed.encode(raw)
    return version_space(closed), points, closed.closure(points[inside])


@dataclass
class Paths:
    """Walks through all answer sequences, and adds up what happens on them."""

    truth: Hypothesis
    points: Any
    rates: tuple[float, ...]
    wrong: float
    rule: str
    depth: int = 10

    def __post_init__(self) -> None:
        self.labels = self.truth.contains(self.points)
        self.mean = np.zeros(self.depth + 1)
        self.dropped = 0.0

    def walk(
        self, stand: ConfidenceSet, path: tuple[tuple[int, bool], ...] = (), chance: float = 1.0, lost: bool = False
    ):
        """`chance` is the probability of the path; a path on which ℓ was lost is counted once."""
        self.mean[len(path)] += chance * self.against(stand, path, chance)
        if not lost and self.drops(stand):
            self.dropped, lost = self.dropped + chance, True
        if len(path) == self.depth:
            return
        item, q, expert = self.question(stand, path)
        reveal = self.rates[expert] if self.labels[item] else self.wrong
        for revealed, probability in ((True, reveal), (False, 1 - reveal)):
            if probability == 0:
                continue
            after = copy.deepcopy(stand)
            try:
                after.fold(self.points[[item]], revealed, q, expert)
            except AssumptionsViolated:
                self.dropped += 0.0 if lost else chance * probability
                continue
            self.walk(after, (*path, (item, revealed)), chance * probability, lost)

    def question(self, stand: ConfidenceSet, path: tuple[tuple[int, bool], ...]) -> tuple[int, float, int]:
        """An item, a prediction and an expert: from what is known alone, in the least favourable way."""
        reveals = sum(revealed for _, revealed in path)
        among = stand.undecided if len(stand.undecided) and len(path) % 3 < 2 else np.arange(len(self.points))
        item = int(among[(5 * len(path) + 3 * reveals) % len(among)])
        share = (reveals + 0.5) / (len(path) + 1)
        q = {"silence": 0.05, "reveals": 0.9, "against": 0.9 - 0.8 * share}[self.rule]
        return item, q, len(path) % len(self.rates)

    def drops(self, stand: ConfidenceSet) -> bool:
        wrong = (stand.status == 0) & self.labels | (stand.status == 1) & ~self.labels
        return bool(wrong.any()) or not stand.version_space.allows(self.truth)

    def against(self, stand: ConfidenceSet, path: tuple[tuple[int, bool], ...], chance: float) -> float:
        """The evidence against the truth and its rates, which gave the path this chance: Q / L, or N / L."""
        if isinstance(stand, FiniteSet):
            return float(np.exp(stand.floors.log_floor[TRUE]) / stand.delta / chance)
        return float(np.exp(stand.log_q) / chance)


CLASSES = ["thresholds", "intervals", "boxes", "orthants", "conjunctions", "finite", "halfspaces"]
FORMS = {
    "known": (0.5, (0.5,)),
    "always": (1.0, (1.0,)),
    "unknown": (None, (0.4,)),
    "range": ((0.3, 0.7), (0.6,)),
    "per expert": ("per expert", (0.2, 0.9)),
}


@pytest.mark.parametrize(
    ("form", "rule"), [*((form, "silence") for form in FORMS), ("unknown", "against"), ("per expert", "against")]
)
@pytest.mark.parametrize("name", CLASSES)
def test_the_truth_is_dropped_with_a_probability_of_at_most_delta(name, form, rule):
    V, points, truth = world(name)
    stated, rates = FORMS[form]
    delta = 0.3
    paths = Paths(truth, points, rates, 0.0, rule)
    paths.walk(confidence_set(V, points, Rates.parse(stated), delta))
    assert np.all(paths.mean <= 1 + 1e-9)
    assert paths.dropped <= delta + 1e-12
    if form == "known" and rule == "silence":  # the bound is not idle
        assert paths.dropped > 0


@pytest.mark.parametrize("rule", ["silence", "reveals"])
@pytest.mark.parametrize("form", ["known", "unknown", "per expert"])
@pytest.mark.parametrize("name", ["finite", "halfspaces"])
def test_so_it_is_where_reveals_can_be_wrong(name, form, rule):
    V, points, truth = world(name)
    stated, rates = FORMS[form]
    paths = Paths(truth, points, rates, 0.1, rule, depth=8 if name == "finite" else 6)
    paths.walk(confidence_set(V, points, Rates.parse(stated), 0.3, false_reveal=0.1))
    assert np.all(paths.mean <= 1 + 1e-9)
    assert paths.dropped <= 0.3 + 1e-12
