"""Statements about a model that the same run learned are false with probability at most δ: exactly.

Every sequence of answers is walked through, of the learning and then of the lot, for every truth. The learning is the
real one, on seven rows; its end, the model, the items that are left and their bands all depend on its answers. One
learning question is open when the lot begins, and is answered late.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from audit import small
from sklearn.base import BaseEstimator, ClassifierMixin

import activepu as apu
from activepu.audit.classifiers import Judged
from activepu.audit.knowledge import Knowledge
from activepu.audit.likelihood import Counts
from activepu.audit.prediction import Predictions
from activepu.audit.report import Audited
from activepu.audit.strata import Strata
from activepu.audit.targets import Target

DELTA = 0.7
"""Of what is stated; larger than any that an audit takes, so that something is false at times."""
ROWS = np.arange(8.0)[:, None]
GIVEN = 7
AUDIT = {"recall": 0.7, "error": 0.5, "delta": 0.5}  # two targets: all is read off one set


class FromLowest(ClassifierMixin, BaseEstimator):
    """Calls positive what lies above the middle of the lowest reveal and the highest star: it follows every answer."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.array([0, 1])
        x = np.asarray(X)[:, 0]
        yes, no = x[np.asarray(y) == 1], x[np.asarray(y) == 0]
        self.cut_ = (yes.min(initial=8.0) + no.max(initial=-1.0)) / 2
        return self

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(self.cut_ - np.asarray(X)[:, 0]))
        return np.column_stack([1 - p, p])


@dataclass(frozen=True)
class Learned:
    """One way in which the learning may go: its questions and answers, and the audit that follows."""

    answers: dict[int, bool]
    strata: Strata
    items: list[list[int]]

    def likelihood(self, truth: np.ndarray, rate: float) -> float:
        """The probability of these answers."""
        p = [rate * truth[item] if revealed else 1 - rate * truth[item] for item, revealed in self.answers.items()]
        return float(np.prod(p))


def every_learning() -> Iterator[Learned]:
    """All sequences of answers up to the first question of the lot."""
    paths: list[tuple[bool, ...]] = [()]
    while paths:
        path = paths.pop()
        learner = apu.ModelLearner(FromLowest(), "margin", audit=AUDIT, questions=2, patience=None)
        run = apu.Run(learner, ROWS, positives=[GIVEN])
        waiting = run.ask(2)  # one question is always open
        for answer in path:
            run.tell(waiting.pop(0), answer)
            waiting += run.ask(1)
        if waiting[-1].note.phase != "lot":
            paths += [(*path, answer) for answer in (False, True)] if len(path) < 6 else []
            continue
        first, late = run.questions[-1], waiting[0]
        assert late.note.phase == "model"
        evidence = run.result().findings.evidence
        strata = small.strata(*(evidence[key] for key in ("sizes", "inside", "means")))
        for answer in (False, True):
            told = {question.item: question.revealed for question in run.questions if question.answer is not None}
            assert not {first.item} & told.keys()
            yield Learned(told | {late.item: answer}, strata, evidence["items"])


_JUDGED = Judged(None, np.empty(0, bool), None, None, np.empty(0, np.int64), in_run=True)  # type: ignore[arg-type]


class Bounds:
    """What the audit states after some counts, computed once."""

    def __init__(self, learned: Learned) -> None:
        self._strata, self._predictions = learned.strata, Predictions(learned.strata.means)
        self._confirmed = {item: 1 for item, revealed in learned.answers.items() if revealed}
        self._found: dict[tuple[Counts, ...], dict[str, tuple[float, float]]] = {}
        self.tree = small.every_path(small.state(self._strata, 1, TARGETS, None))

    def __call__(self, counts: tuple[Counts, ...]) -> dict[str, tuple[float, float]]:
        if counts not in self._found:
            state = small.state(self._strata, 1, TARGETS, None)
            state.counts = list(counts)
            settings = (state, _JUDGED, self._predictions, DELTA, Knowledge())
            statements = Audited(*settings, confirmed=self._confirmed).statements()
            self._found[counts] = {s.what: (s.low, s.high) for s in statements if s.rung in ("0", "1")}
        return self._found[counts]


TARGETS = [Target("recall", 0.7), Target("error", 0.5)]


@pytest.fixture(scope="module")
def ways() -> list[tuple[Learned, Bounds]]:
    return [(learned, Bounds(learned)) for learned in every_learning()]


def test_the_learning_ends_in_many_ways(ways) -> None:
    """Else nothing was tried: its length, the items that are left, and their bands depend on the answers."""
    assert len({len(learned.answers) for learned, _ in ways}) >= 2
    assert len({str(learned.items) for learned, _ in ways}) >= 3
    reached = sum(learned.likelihood(np.ones(8), 0.5) for learned, _ in ways)
    assert reached == pytest.approx(1 - 0.5**5)  # after five reveals in a row no item is left to audit


@pytest.mark.parametrize(
    ("kinds", "rates"),
    [(("recall", "error", "prior"), (0.3, 0.7, 1.0)), (("confirmable recall", "overall confirmable recall"), (1.0,))],
    ids=["rung 1", "rung 0"],
)
def test_what_is_said_of_a_model_that_learned_is_seldom_false(kinds, rates, ways) -> None:
    """At rung 0 the truth is what would be confirmed, with every coin tossed before: its positives at rate 1."""
    worst = 0.0
    for truth in product((False, True), repeat=7):
        positive = np.array([*truth, True])
        for rate in rates:
            total = sum(
                p * _ever_false(learned, found, positive, rate, kinds)
                for learned, found in ways
                if (p := learned.likelihood(positive, rate)) > 0
            )
            worst = max(worst, total)
    assert 0.01 < worst <= DELTA


def _ever_false(learned: Learned, found: Bounds, positive: np.ndarray, rate: float, kinds: tuple[str, ...]) -> float:
    """The probability that one of the statements is false at some moment of the lot."""
    A = [int(positive[part].sum()) for part in learned.items]
    inside = float(np.array(A)[learned.strata.inside].sum())
    total, n, called = float(sum(A)), learned.strata.rows, learned.strata.called
    confirmed = sum(learned.answers.values())
    recall = inside / total if total else 1.0
    true = {
        "recall": recall,
        "confirmable recall": recall,
        "overall confirmable recall": (confirmed + inside) / (confirmed + total) if confirmed + total else 1.0,
        "error": (called - inside + total - inside) / n,
        "prior": total / n,
    }

    def false(counts: tuple[Counts, ...]) -> bool:
        said = found(counts)
        return any(not said[k][0] - 1e-9 <= true[k] <= said[k][1] + 1e-9 for k in kinds if k in said)

    return small.ever(found.tree, A, rate, false)
