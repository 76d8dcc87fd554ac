"""What an audit refuses: one clear sentence, before the first question."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from audit.world import CALLED, SCORE, TRUTH, N, X, audit
from sklearn.linear_model import LogisticRegression

import activepu as apu
from activepu.audit import reachable
from activepu.audit.targets import Target
from activepu.errors import InvalidInput


@pytest.fixture(scope="module")
def earlier() -> apu.Result:
    expert = apu.SimulatedExpert(TRUTH, rate=0.6)
    return apu.learn(apu.ModelLearner(LogisticRegression()), X, expert, budget=12)


@pytest.mark.parametrize("bands", ["many", ["a"], {}, 2.5, True, [[0.1], [0.2]], [0.1, [0.2, 0.3]]], ids=repr)
@pytest.mark.parametrize("classifier", [CALLED, "found"], ids=["classifier", "found"])
def test_bands_that_are_neither_a_number_nor_borders_are_refused_at_once(bands: Any, classifier: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^bands must be a whole number of bands, or .* such as 5 or .*, got .*\.$"):
        apu.Audit(classifier, score=SCORE, bands=bands)


@pytest.mark.parametrize("bands", [None, 4, np.int64(4), [0.2, 0.5], (0.2, 0.5), np.array([0.2, 0.5]), [1, 2], []])
def test_bands_may_be_a_number_or_borders(bands: Any) -> None:
    assert apu.Audit(CALLED, score=SCORE, bands=bands).bands is bands


def test_a_misspelt_found_is_told_from_a_column() -> None:
    table = pd.DataFrame({"p": CALLED, "s": SCORE})
    with pytest.raises(InvalidInput, match=r'no column \'fund\'; the table has p, s\. What .* by Audit\("found"\)\.$'):
        apu.Run(apu.Audit("fund", recall=0.9), table)


def few(called: int, others: int) -> np.ndarray:
    """A group that holds so many items, and all others in a second one."""
    mine = np.zeros(N, int)
    mine[np.flatnonzero(CALLED)[:called]] = mine[np.flatnonzero(~CALLED)[:others]] = 1
    return mine


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"classifier": CALLED[:9]}, r"one prediction per row of the pool \(1,500\), got shape \(9,\)"),
        ({"classifier": np.full(N, 2)}, "must hold only true and false"),
        ({"classifier": LogisticRegression()}, "LogisticRegression cannot judge the rows of the pool"),
        ({"score": np.where(SCORE > 0.9, np.nan, SCORE)}, "missing or infinite, the first in row"),
        ({"score": SCORE[:5]}, r"one number per row of the pool \(1,500\)"),
        ({"score": SCORE, "bands": [0.5, float(np.sort(SCORE)[-1])]}, r"holds 1 item\(s\), which tells nothing"),
        ({"bands": 4}, "needs a score to make bands of"),
        ({"score": SCORE, "bands": 1}, "at least 2 bands"),
        ({"gold": [N]}, f"from 0 to {N - 1}, got {N}"),
        ({"gold": [4, 4]}, "Two gold items are the same row"),
        ({"score": SCORE, "bands": 1000}, r"bands = 1000 makes a band that holds 1 item, which tells nothing"),
        ({"groups": ["a"]}, "one value per row of the pool"),
        ({"groups": ["a"] * N}, "groups is 'a' in every row, which divides nothing; leave groups out"),
        ({"groups": [None] * N}, r"groups is '\(missing\)' in every row"),
        ({"groups": np.arange(N) < 1}, "The group 'True' has 1 item to ask about"),
        (
            {"groups": few(called=1, others=4)},
            "has 5 items to ask about, of which the classifier calls 1 positive: too",
        ),
    ],
)
def test_bad_input_gets_one_sentence(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        apu.Run(apu.Audit(**{"classifier": CALLED, **settings}), X)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rate": 0}, "rate must"),
        ({"rate": (0.7, 0.3)}, "must rise"),
        ({"rate": (0.1, 0.2, 0.3)}, "a number, a range"),
        ({"recall": 1.0}, "recall must"),
        ({"error": 0}, "error must"),
        ({"purity": 2}, "purity must"),
    ],
)
def test_bad_settings_get_one_sentence(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        audit(**settings)


def test_gold_that_is_given_already() -> None:
    with pytest.raises(InvalidInput, match="both gold, which is asked, and among the given positives"):
        apu.Run(audit(gold=[3]), X, positives=[3])


@pytest.mark.parametrize(("called", "others"), [(0, 10), (1, 100), (3, 9), (2, 1)])
def test_a_group_that_can_have_a_statement_is_audited(called: int, others: int) -> None:
    assert apu.Run(audit(groups=few(called, others)), X).ask()


def test_a_group_that_is_refused_has_no_statement_even_if_all_is_asked() -> None:
    """The most favourable answers: what is called positive is confirmed, and nothing else is."""
    n, called = 40, np.arange(40) % 10 == 0
    for size, refused in ((4, True), (12, False)):
        groups = np.where(np.arange(n) < size, "few", "many")
        learner = apu.Audit(called, groups=groups)
        if refused:
            with pytest.raises(InvalidInput, match="The group 'few' has 4 items to ask about"):
                apu.Run(learner, np.arange(float(n)))
            mine = reachable.Limits(1, 3, 0.0, 1.0, 0.05 / 4)
            assert max(mine.chance(Target(kind, 0.5)) for kind in ("recall", "error")) < 0.5
        else:
            result = apu.learn(learner, np.arange(float(n)), apu.SimulatedExpert(called, rate=1.0))
            assert result.findings.find("recall", "few").low > 0


def test_gold_that_was_asked_before(earlier: apu.Result) -> None:
    """Whether it was revealed or not: what was said once would only be said again."""
    item = earlier.history["item"][0]
    with pytest.raises(InvalidInput, match=f"Item {item} is gold, but it was asked before, while the classifier"):
        apu.Run(apu.Audit(earlier, gold=[item]), X)
    fresh = next(row for row in range(N) if row not in earlier.history["item"])
    assert apu.Run(apu.Audit(earlier, gold=[fresh]), X).ask()


def test_gold_of_the_users_own_questions_before_an_audit() -> None:
    learner = apu.ModelLearner(LogisticRegression(), questions=6, audit={"recall": 0.5, "gold": [3]})
    run = apu.Run(learner, X)
    run.record(3, True)
    while (asked := run.ask()) and run.n_answered < 12:
        run.tell(asked[0], bool(TRUTH[asked[0].item]))
    assert "The model was not audited: Item 3 is gold, but it was asked before" in str(run.result())


def test_gold_of_an_audit_that_follows_may_be_keys() -> None:
    pool = apu.Pool(pd.DataFrame({"k": [f"k{row}" for row in range(N)], "s": SCORE}), features=["s"], id="k")
    learner = apu.ModelLearner(LogisticRegression(), questions=6, audit={"gold": ["k3", "k5"]})
    result = apu.learn(learner, pool, apu.SimulatedExpert(TRUTH, rate=0.6), budget=20)
    assert sorted(result.findings.evidence["gold_items"]) == [3, 5]


def test_a_classifier_that_was_fitted_on_the_answers_is_audited_on_the_other_items(earlier: apu.Result) -> None:
    """`ActivePUClassifier` knows what it asked, as a result does; of a bare model the certificate says so."""
    fitted = apu.ActivePUClassifier(LogisticRegression(), budget=12, random_state=0)
    fitted.fit(X, apu.SimulatedExpert(TRUTH, rate=0.6))
    for learned, answers in ((fitted, fitted.result_), (earlier, earlier)):
        evidence = apu.Run(apu.Audit(learned), X).result().findings.evidence
        assert not set(itertools.chain(*evidence["items"])) & set(answers.history["item"])
        assert sum(evidence["sizes"]) == N - answers.n_queries
    bare = apu.Run(apu.Audit(earlier.model), X).result()
    assert "fixed without looking at these answers" in str(bare.findings.stated("recall").assumptions)


def test_lookalikes_that_the_classifier_tells_apart() -> None:
    rows = np.column_stack([SCORE, np.zeros(N)])
    with pytest.raises(InvalidInput, match="look the same to the expert, but the classifier tells them apart"):
        apu.Run(apu.Audit(CALLED), apu.Pool(rows, features=[0], show=[1]))
