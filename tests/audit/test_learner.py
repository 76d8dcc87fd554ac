"""`Audit` as a learner: every kind of classifier, batches, skips, undo, studies, files, and input that it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from audit.world import CALLED, EXPERT, RECALL, RNG, SCORE, TRUTH, N, X, audit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import activepu as apu
from activepu.errors import InvalidInput, StudyDiffers


def test_certifies_a_recall_that_is_true() -> None:
    result = apu.learn(audit(recall=0.7), X, EXPERT)
    assert result.stop_reason == apu.StopReason.CERTIFIED
    assert 0.7 <= result.recall.low <= RECALL <= result.recall.high
    assert result.n_queries < N
    sentence = str(result.certificate)
    assert sentence.startswith("With 95% confidence the classifier finds at least 70% of the positives among these")
    assert "each positive is equally likely to be confirmed, whatever it is" in sentence
    assert "Nothing is assumed about the classifier or about what makes an item positive." in sentence
    assert sentence.endswith(" A bet on this one target has shown it.")


def test_states_everything_without_a_target() -> None:
    result = apu.learn(audit(rate=0.6), X, EXPERT, budget=500)
    error, precision = (TRUTH != CALLED).mean(), TRUTH[CALLED].mean()
    assert result.stop_reason == apu.StopReason.BUDGET
    assert "A confidence set has shown it: all statements of one rung hold at once." in str(result.certificate)
    for bounds, true in (
        (result.recall, RECALL),
        (result.error, error),
        (result.precision, precision),
        (result.prior, TRUTH.mean()),
    ):
        assert bounds is not None
        assert bounds.low <= true <= bounds.high
        assert bounds.confidence == 0.95
        assert bounds.high - bounds.low < 0.5
    assert [s.what for s in result.statements()][:2] == ["recall", "confirmable recall"]
    assert {s.what: s.rung for s in result.statements()} == {
        "recall": "1", "confirmable recall": "0", "error": "2", "precision": "2", "prior": "2", "rate": "2"
    }  # fmt: skip


def test_the_curve_holds_for_every_cut() -> None:
    result = apu.learn(audit(rate=0.6), X, EXPERT, budget=500)
    curve = result.curve()
    for k, score in enumerate(curve["score"]):
        called = score <= SCORE
        assert curve["called positive"][k] == called.sum()
        assert curve["recall at least"][k] <= (TRUTH & called).sum() / TRUTH.sum() <= curve["recall at most"][k]
        assert curve["precision at least"][k] <= TRUTH[called].mean() <= curve["precision at most"][k]
    assert curve["recall at least"][-1] == 1.0
    assert curve["score"][-1] == -np.inf
    cut = result.at_recall(0.6)
    assert cut.recall[0] >= 0.6
    assert (TRUTH & (cut.score <= SCORE)).sum() >= 0.6 * TRUTH.sum()
    with pytest.raises(InvalidInput, match=r"No cut of the score is certified to have recall 0.999; the best has 0\."):
        result.at_recall(0.999)
    with pytest.raises(InvalidInput, match=r"got 40; pass a share such as 0\.9, not a percentage"):
        result.at_recall(40)


def test_gold_tells_the_rate() -> None:
    gold = np.flatnonzero(TRUTH)[:60]
    result = apu.learn(audit(gold=gold), X, EXPERT, budget=500)
    pairs = zip(result.history["item"], result.history["phase"], strict=True)
    asked = [item for item, phase in pairs if phase == "gold"]
    assert len(asked) > 40
    assert set(asked) <= set(gold.tolist())
    assert result.rate is not None
    assert 0.3 < result.rate.low < 0.6 < result.rate.high < 0.99
    assert result.findings.find("error").rung == "2g"
    assert "gold items are as easy" in "".join(result.findings.find("error").assumptions)
    blind = apu.learn(audit(), X, EXPERT, budget=500)
    assert blind.rate is not None
    assert blind.rate.high == 1.0
    assert "gold=" in blind.findings.find("error").remark


def test_every_kind_of_classifier() -> None:
    model = LogisticRegression().fit(X, CALLED)
    table = pa.table({"a": SCORE, "b": X[:, 1], "said": CALLED, "s": SCORE})
    pool = apu.Pool(table, features=["a", "b"])
    kinds: list[tuple[Any, Any]] = [
        (apu.Audit(model), X),
        (apu.Audit(LinearSVC().fit(X, CALLED)), X),
        (apu.Audit(lambda rows: rows[:, 0] > 0.5), X),
        (apu.Audit(CALLED.tolist()), X),
        (apu.Audit("said", score="s"), pool),
        (apu.Audit("said", score=lambda rows: rows[:, 0]), pool),
    ]
    for learner, items in kinds:
        result = apu.learn(learner, items, EXPERT, budget=40)
        assert result.n_queries == 40
        assert 0 <= result.recall.low <= 1
    by_model = apu.learn(apu.Audit(model), X, EXPERT, budget=10)
    assert (by_model.predict(X[:50]) == model.predict(X[:50])).all()
    with pytest.raises(InvalidInput, match="says nothing about other rows"):
        apu.learn(apu.Audit(CALLED), X, EXPERT, budget=10).predict(X)


def test_an_earlier_result_is_audited_on_what_was_not_asked() -> None:
    pool = apu.Pool(X)
    before = apu.learn(apu.ModelLearner(LogisticRegression()), pool, EXPERT, budget=60, batch=20)
    result = apu.learn(apu.Audit(before), pool, EXPERT, budget=200)
    assert not set(before.history["item"]) & set(result.history["item"])
    assert f"these {N - 60:,} items" in str(apu.learn(apu.Audit(before), pool, EXPERT, budget=400).certificate)


def test_rows_that_look_the_same_are_one_item_with_their_weight() -> None:
    copies = np.repeat(np.arange(300), RNG.integers(1, 4, 300))
    score, truth = SCORE[copies], TRUTH[copies]
    rows = np.column_stack([score, X[copies, 1]])
    learner = apu.Audit(score > 0.5, score=score, rate=0.6)
    result = apu.learn(learner, rows, apu.SimulatedExpert(truth, rate=0.6))
    assert result.n_queries == 300
    assert set(result.findings.evidence["weights"]) == {1.0, 2.0, 3.0}
    recall = (truth & (score > 0.5)).sum() / truth.sum()
    assert result.recall.low <= recall <= result.recall.high
    assert result.error.low <= (truth != (score > 0.5)).mean() <= result.error.high


def test_groups_divide_the_bands() -> None:
    topics = np.where(np.arange(N) % 2, "a", "b")
    result = apu.learn(audit(groups=topics, rate=0.6), X, EXPERT, budget=100)
    assert len(result.findings.evidence["sizes"]) == 10


@pytest.mark.parametrize("settings", [{"recall": 0.7}, {"recall": 0.7, "precision": 0.3, "rate": (0.4, 0.8)}])
def test_order_of_answers_and_batches_do_not_matter(settings: dict[str, Any]) -> None:
    """The lot is fixed by the seed and the answers: told in another order, the same questions follow."""
    runs = [apu.Run(audit(**settings), X, seed=3) for _ in range(2)]
    for turn in range(12):
        for run, step in zip(runs, (1, -1), strict=True):
            for question in run.ask(10)[::step]:
                run.tell(question, bool(EXPERT.answer(np.array([question.item]), None)[0]))
        assert [q.item for q in runs[0].questions] == [q.item for q in runs[1].questions], turn
    assert runs[0].result().recall == runs[1].result().recall


def test_waits_for_answers_on_which_the_next_plan_rests() -> None:
    run = apu.Run(audit(recall=0.7), X)
    first = run.ask(100)
    assert len(first) == 20
    assert not run.ask(5)
    assert not run.finished
    for question in first[:10]:
        run.tell(question, False)
    assert len(run.ask(100)) == 10


def test_skips_come_back_and_are_named() -> None:
    run = apu.Run(audit(recall=0.7), X)
    for question in run.ask(20):
        run.tell(question, apu.SKIP if question.number % 3 == 0 else TRUTH[question.item])
    while run.n_answered < 60:
        for question in run.ask(5):
            run.tell(question, bool(TRUTH[question.item]))
    assert "items were skipped whatever they are" in run.result().certificate.assumptions
    assert sum(run.result().findings.evidence["asked"]) == run.n_answered


def test_undo_and_replay_give_the_same_run() -> None:
    run = apu.Run(audit(recall=0.7), X)
    for question in run.ask(15):
        run.tell(question, bool(TRUTH[question.item]))
    last = run.questions[-1]
    before = run.result().recall
    run.undo(last)
    run.tell(last, bool(TRUTH[last.item]))
    assert run.result().recall == before
    again = apu.Run(audit(recall=0.7), X)
    for question in run.questions:
        recalled = again.recall(question.item, question.note)
        again.tell(recalled, bool(TRUTH[question.item]))
    assert again.result().recall == before
    other = apu.Run(audit(recall=0.7), X)
    with pytest.raises(InvalidInput, match="which the lot did not give"):
        other.recall(run.questions[5].item, run.questions[5].note)


def test_an_answer_is_firm_once_a_plan_rests_on_it() -> None:
    run = apu.Run(audit(recall=0.7), X)
    while run.n_answered < 45:
        for question in run.ask(5):
            run.tell(question, bool(TRUTH[question.item]))
    with pytest.raises(InvalidInput, match=r"cannot be taken back.*Only the last 15 answers of the lot can be"):
        run.undo(run.questions[29])
    assert run.questions[29].answer is not None
    run.undo(run.questions[30])
    assert not run.questions[30].revealed
    assert run.open == [run.questions[30]]


def test_questions_of_ones_own_are_refused() -> None:
    run = apu.Run(audit(recall=0.7), X)
    with pytest.raises(InvalidInput, match="Audit draws every question by lot"):
        run.put(5)
    assert not run.questions


def test_a_study_resumes_and_refuses_other_predictions(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/audit.db"
    study = apu.Study.create(url, "audit", X, audit(recall=0.7), seed=2)
    for _ in range(3):
        for question in study.ask("ann", n=5):
            study.tell(question.token, bool(TRUTH[question.item]))
    found = study.result().recall
    study.close()
    again = apu.Study.load(url, "audit", pool=X, learner=audit(recall=0.7))
    assert again.result().recall == found
    assert again.ask("ann", n=2)
    again.close()
    with pytest.raises(StudyDiffers):
        apu.Study.load(url, "audit", pool=X, learner=apu.Audit(SCORE > 0.6, score=SCORE, recall=0.7))


def test_a_study_of_a_column_needs_no_code(tmp_path: Path) -> None:
    import pyarrow.csv as csv

    csv.write_csv(pa.table({"a": SCORE, "said": CALLED.astype(int), "s": SCORE}), tmp_path / "pool.csv")
    pool = apu.Pool(tmp_path / "pool.csv", features=["a"])
    url = f"sqlite:///{tmp_path}/audit.db"
    study = apu.Study.create(
        url, "audit", pool, apu.Audit("said", score="s", recall=0.7, rate=(0.3, 0.8)), deadline=None
    )
    [question] = study.ask("ann")
    study.tell(question.token, True)
    study.close()
    again = apu.Study.load(url, "audit")
    assert again.result().n_queries == 1
    again.close()


def test_saved_and_loaded(tmp_path: Path) -> None:
    result = apu.learn(audit(rate=0.6), X, EXPERT, budget=100)
    result.save(tmp_path / "audit.json")
    again = apu.load_result(tmp_path / "audit.json")
    assert str(again) == str(result)
    assert again.curve() == result.curve()
    assert again.findings.evidence == result.findings.evidence


def test_other_results_say_what_an_audit_is_for() -> None:
    result = apu.learn(apu.ZCal(apu.Thresholds(), 0.2, 0.1, check=0), SCORE, apu.SimulatedExpert(CALLED), budget=5)
    with pytest.raises(InvalidInput, match=r"Only an audit has recall"):
        _ = result.recall


def test_gold_alone_says_nothing_about_the_recall() -> None:
    """While only gold was revealed, a tiny rate still explains the silence of all others."""
    gold = np.flatnonzero(TRUTH)[:60]
    run = apu.Run(audit(gold=gold), X)
    while run.n_answered < 200:
        for question in run.ask(10):
            run.tell(question, question.note.phase == "gold")
    result = run.result()
    assert result.rate is not None
    assert result.rate.low > 0.5
    assert (result.recall.low, result.recall.high) == (0.0, 1.0)
    assert result.curve()["recall at most"][0] == 1.0


def test_a_second_audit_with_the_same_seed_has_a_lot_of_its_own() -> None:
    """What is left of a stratum that was mostly drawn comes last in the lot; in another lot it must not."""
    table, high = np.arange(2000.0)[:, None], np.arange(2000) >= 1000

    def order(audit: apu.Audit) -> np.ndarray:
        _, strata = audit.strata(apu.Pool(table).draws(audit.hypotheses, 5))
        return np.argsort(np.concatenate(strata.lot(5)))

    first, again, other = order(apu.Audit(high)), order(apu.Audit(high)), order(apu.Audit(~high & (table[:, 0] > 9)))
    assert (first == again).all()
    for half in (high, ~high & (table[:, 0] > 9)):
        assert abs(np.corrcoef(first[half], other[half])[0, 1]) < 0.12
