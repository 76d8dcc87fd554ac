"""What a run that learns and then audits refuses, and how it meets the other parts."""

import numpy as np
import pytest
from models.audits import EXPERT, SMALL, SMALL_EXPERT, learner
from models.scenes import PLANE, TRUTH
from sklearn.naive_bayes import GaussianNB

import activepu as apu
from activepu.verify import verify

FOUND = {"classifier": "found", "recall": 0.8, "delta": 0.2}
CONFIRMABLE = SMALL_EXPERT.answer(np.arange(220), None).astype(bool)


def test_rows_alike_are_left_out_together():
    rows = np.repeat(PLANE[:200], 2, axis=0)
    truth = np.repeat(TRUTH[:200], 2)
    found = apu.learn(learner(), rows, apu.SimulatedExpert(truth, rate=0.8), budget=60, batch=5)
    members = set(np.concatenate(found.findings.evidence["items"]).tolist())
    assert not members & {item // 2 * 2 for item in found.history["item"][:20]}
    assert "the 360 items that were not asked before" in found.findings.split
    assert {rows for _, rows in found.findings.evidence["confirmed"]} == {2}


def test_gold_is_not_asked_while_the_model_learns():
    gold = np.flatnonzero(TRUTH)[:6]
    found = apu.learn(learner(audit={"gold": gold}), PLANE, EXPERT, budget=60, batch=5)
    phases = dict(zip(found.history["item"], found.history["phase"], strict=True))
    assert {phases[item] for item in gold.tolist() if item in phases} == {"gold"}
    assert "gold" in phases.values()


def test_a_learning_curve_leaves_the_audit_out():
    found = apu.learn(learner(), SMALL, SMALL_EXPERT, budget=30, batch=5)
    curve = apu.learning_curve(learner(), found, points=2)
    assert curve["questions"] == [10, 20]


def test_a_model_that_finds_nothing_is_not_audited():
    class No(GaussianNB):
        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    made = apu.ModelLearner(No(), audit={"recall": 0.9}, questions=20, patience=None)
    found = apu.learn(made, PLANE, EXPERT, budget=100, batch=5)
    assert not found.predict(PLANE).any()
    assert "The model was not audited: The classifier calls none of these" in found.stop_reason
    assert found.certificate.error_bound == 1
    assert found.n_queries == 20


def test_without_any_item_left_nothing_is_audited():
    found = apu.learn(learner(questions=60), PLANE[:60], apu.SimulatedExpert(TRUTH[:60], rate=0.5), batch=60)
    assert found.stop_reason.startswith("The model was not audited: Nothing is left to audit")
    assert found.certificate.method == "estimate"


def test_a_budget_that_ends_before_the_audit_is_told():
    found = apu.learn(learner(questions=50), PLANE, EXPERT, budget=20)
    assert "No bound on the error is certified: the audit begins once the model has settled" in str(found)
    assert "after 50 questions" in str(found)


def test_the_classifier_takes_such_a_learner():
    fitted = apu.ActivePUClassifier(learner(), budget=40, batch=5, random_state=0).fit(PLANE, EXPERT)
    assert fitted.n_queries_ == 40
    assert fitted.result_.recall.confidence == 0.8
    assert fitted.predict_proba(PLANE).shape == (600, 2)


def test_how_much_is_in_hand_may_be_asked_in_place_of_the_model():
    made, confirmable = learner(audit=FOUND, questions=12, rate=0.8), CONFIRMABLE
    run = apu.Run(made, SMALL)
    while run.n_answered < 10:
        for question in run.ask(5):
            run.tell(question, bool(confirmable[question.item]))
    put = run.ask(6)
    for question in put[:2]:
        run.tell(question, bool(confirmable[question.item]))  # the model is fixed, and four questions are open
    run.ask(3)
    while not run.finished:
        for question in run.open or run.ask(4):
            run.tell(question, bool(confirmable[question.item]))
    found = run.result()
    assert found.stop_reason == apu.StopReason.CERTIFIED
    assert set(found.found) == {q.item for q in run.questions if q.revealed}  # the late ones, too
    assert confirmable[found.found].sum() >= found.recall.low * confirmable.sum()
    assert found.recall.low >= 0.8
    assert "further questions are about the 208 items without an answer then" in str(found)
    last = run.questions[-1]
    run.undo(last)
    run.tell(last, bool(confirmable[last.item]))
    assert run.result().findings == found.findings


def test_a_question_of_ones_own_in_a_search_can_be_taken_back():
    """One before the first draw cannot: the bands rest on it."""
    run = apu.Run(learner(audit=FOUND, questions=13), SMALL)
    run.record(219, False)
    while run.n_answered < 40:
        for question in run.ask(3):
            run.tell(question, bool(CONFIRMABLE[question.item]))
    before = run.result()
    own = run.put(int(np.flatnonzero(~np.isin(np.arange(220), [q.item for q in run.questions]))[0]))
    run.tell(own, True)
    after = run.result()
    assert len(after.found) == len(before.found) + 1
    assert "came later" not in after.findings.split
    run.undo(own)
    assert run.result().found.tolist() == before.found.tolist()
    run.tell(own, False)
    assert run.result().missing[1] <= before.missing[1]
    for early in (0, 5):
        with pytest.raises(apu.InvalidInput, match=f"question {early} cannot be taken back: it was asked before"):
            run.undo(run.questions[early])


@pytest.mark.parametrize("seed", range(3))
def test_a_search_among_rows_that_look_alike_is_verified(tmp_path, seed):
    """The learning asks the second of two equal rows as well as the first."""
    rows, truth = np.repeat(SMALL[:80], 2, axis=0), np.repeat(TRUTH[:80], 2)
    found = apu.learn(learner(audit=FOUND), rows, apu.SimulatedExpert(truth, rate=0.8), budget=45, batch=5, seed=seed)
    learned = [i for i, phase in zip(found.history["item"], found.history["phase"], strict=True) if phase == "model"]
    assert {item % 2 for item in learned} == {0, 1}
    found.save(tmp_path / "r.json")
    assert [str(line) for line in verify(tmp_path / "r.json") if line.ok is False] == []


BAD = {
    "a number": (0.9, r"audit takes a dictionary such as \{'recall': 0.9\}, got 0.9"),
    "a setting that is none": ({"recal": 0.9}, "audit takes settings named recall, error.*got 'recal'"),
    "another classifier": ({"classifier": GaussianNB()}, "no classifier but 'found'.*GaussianNB"),
    "a recall": ({"recall": 1.5}, "recall.*1.5"),
    "a delta": ({"delta": 0}, "delta"),
    "a rate": ({"rate": 0}, "rate"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_settings_get_a_sentence_at_once(case):
    audit, words = BAD[case]
    with pytest.raises(apu.InvalidInput, match=words):
        apu.ModelLearner(GaussianNB(), audit=audit)


UNFIT = {
    "gold elsewhere": ({"gold": [600]}, "gold must be row numbers from 0 to 599, got 600"),
    "other groups": ({"groups": [1, 2, 3]}, "groups must have one value per row"),
    "a score that is not there": ({"score": [1.0]}, "score must have one number per row"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_settings_that_do_not_fit_the_pool_are_refused_before_the_first_question(case):
    audit, words = UNFIT[case]
    with pytest.raises(apu.InvalidInput, match=words):
        apu.Run(learner(audit=audit), PLANE)
