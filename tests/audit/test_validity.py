"""The statements of an audit are false with probability at most δ: exactly, over every sequence of answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from audit import small

from activepu.audit.classifiers import Judged
from activepu.audit.confidence import ConfidenceSet, Rates
from activepu.audit.knowledge import Knowledge
from activepu.audit.likelihood import Counts
from activepu.audit.prediction import Predictions
from activepu.audit.report import Audited
from activepu.audit.targets import Target, quantities

DELTA = 0.3
SIZES = (2, 3, 3)
INSIDE = (True, False, False)
KINDS = ("recall", "confirmable recall", "error", "precision", "prior", "rate")


class Bounds:
    """The bounds of every kind after some counts, computed once."""

    def __init__(
        self, start: small.State, predictions: Predictions, knowledge: Knowledge, delta: float = DELTA
    ) -> None:
        self._state, self._predictions, self._knowledge, self._delta = start, predictions, knowledge, delta
        self._found: dict[tuple[Counts, ...], dict[str, tuple[float, float]]] = {}

    def __call__(self, counts: tuple[Counts, ...]) -> dict[str, tuple[float, float]]:
        if counts not in self._found:
            state = small.state(self._state.strata, 0, self._state.targets, None)
            state.counts = list(counts)
            audited = Audited(state, _JUDGED, self._predictions, self._delta, self._knowledge)
            self._found[counts] = {kind: audited.bounds(kind) for kind in KINDS}
        return self._found[counts]


_JUDGED = Judged(None, np.empty(0, bool), None, None, np.empty(0, np.int64))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "rates"),
    [(Knowledge(), (0.3, 0.7, 1.0)), (Knowledge(0.6, 0.6), (0.6,)), (Knowledge(0.3, 0.7), (0.3, 0.5, 0.7))],
)
@pytest.mark.parametrize("means", [(0.9, 0.2, 0.02), (0.1, 0.5, 0.9)])
def test_no_truth_is_excluded_too_often(known: Knowledge, rates: tuple[float, ...], means: tuple[float, ...]) -> None:
    made = small.strata(SIZES, INSIDE, means)
    guess = known.low if known.known else None
    start = small.state(made, seed=1, targets=[Target("recall", 0.7), Target("precision", 0.5)], rate=guess)
    tree = small.every_path(start)
    bounds = Bounds(start, Predictions(made.means), known)
    worst = 0.0
    for positives in small.truths(SIZES):
        true = _true(positives)
        for rate in rates:

            def false(counts: tuple[Counts, ...], true: dict[str, float] = true, rate: float = rate) -> bool:
                found = bounds(counts)
                values = true | {"rate": rate}
                return any(
                    not low - 1e-9 <= values[kind] <= high + 1e-9
                    for kind, (low, high) in found.items()
                    if kind in values and (known.identifies or kind == "recall")
                )

            worst = max(worst, small.ever(tree, positives, rate, false))
    assert 0.01 < worst <= DELTA


def _true(positives: tuple[int, ...]) -> dict[str, float]:
    inside, outside = np.array([float(positives[0])]), np.array([float(positives[1] + positives[2])])
    return {kind: float(q.value(inside, outside)[0]) for kind, q in quantities(sum(SIZES), SIZES[0]).items()}


def test_what_the_expert_would_confirm_is_not_excluded_too_often() -> None:
    """Rung 0 speaks of confirmable items: with every coin tossed before, they are positives at rate 1."""
    made = small.strata(SIZES, INSIDE)
    tree = small.every_path(small.state(made, seed=2, targets=[Target("recall", 0.7)], rate=None))
    predictions = Predictions(made.means)
    worst = 0.0
    for confirmable in small.truths(SIZES):

        def excluded(counts: tuple[Counts, ...], confirmable: tuple[int, ...] = confirmable) -> bool:
            likelihood = sum(small.log(c, s, 1.0) for c, s in zip(counts, confirmable, strict=True))
            return likelihood < math.log(0.6) + predictions.log_probability(counts)

        worst = max(worst, small.ever(tree, confirmable, 1.0, excluded))
    assert 0.01 < worst <= 0.6


@pytest.mark.parametrize("rate", [0.2, 0.6, 1.0])
def test_the_prediction_is_a_probability(rate: float) -> None:
    """Σ over all answers of P(answers) · Q/Λ is at most 1: it is what Ville's inequality needs."""
    made = small.strata(SIZES, INSIDE)
    tree = small.every_path(small.state(made, seed=3, targets=[Target("error", 0.3)], rate=None))
    predictions = Predictions(made.means)

    def total(node: small.Node) -> float:
        """Σ over the leaves of Q."""
        if node.stratum is None or node.yes is None or node.no is None:
            return math.exp(predictions.log_probability(node.counts))
        return total(node.yes) + total(node.no)

    assert total(tree) == pytest.approx(1.0, abs=1e-9)


def test_the_set_is_never_empty_before_an_answer() -> None:
    seen = [Counts(5), Counts(7), Counts(9)]
    floor = math.log(0.05) + Predictions(np.array([0.5, 0.2, 0.1])).log_probability(seen)
    found = ConfidenceSet(seen, np.ones(3), floor, Rates.between(0.01, 1.0, 0))
    value = quantities(21.0, 5.0)["prior"]
    assert found.extremes(np.array(INSIDE), value.value, value.up) == (0.0, 1.0)
