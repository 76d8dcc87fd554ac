"""A model that learns and is then audited, in one run."""

import json

import numpy as np
import pandas as pd
import pytest
from models.audits import EXPERT, SMALL, SMALL_EXPERT, learner
from models.scenes import PLANE, TRUTH

import activepu as apu
from activepu.verify import verify


def told(run, question):
    run.tell(question, bool(EXPERT.answer(np.array([question.item]), None)[0]))


def asked(run, n, batch=5):
    """Ask and answer in batches until n answers are in."""
    while run.n_answered < n and (put := run.ask(batch)):
        for question in put:
            told(run, question)
    return run


def lot(run):
    return [question.item for question in run.questions if question.note.phase == "lot"]


@pytest.fixture(scope="module")
def result():
    return apu.learn(learner(), SMALL, SMALL_EXPERT, budget=200, batch=5)


def test_the_model_is_fixed_and_then_audited(result):
    assert result.stop_reason == apu.StopReason.CERTIFIED
    assert result.history["phase"][:20] == ["model"] * 20
    assert set(result.history["phase"][20:]) == {"lot"}
    first = apu.learn(learner(None, None), SMALL, SMALL_EXPERT, budget=20, batch=5)
    assert (result.predict(PLANE) == first.predict(PLANE)).all()  # the audit's answers changed nothing
    assert np.array_equal(result.predict_proba(PLANE), first.predict_proba(PLANE))
    rest = np.setdiff1d(np.arange(220), result.history["item"][:20])
    called = result.predict(PLANE)[rest]
    assert result.recall.low == pytest.approx(0.5)
    assert TRUTH[rest][called].sum() / TRUTH[rest].sum() >= 0.5


def test_the_result_says_how_the_questions_were_split(result):
    n, shown = result.n_queries - 20, sum(result.history["answer"][:20])
    assert (
        f"The model learned from 20 answers ({shown} revealed), the most that were meant for learning, and was then "
        f"fixed. {n} questions by lot audit it, on the 200 items that were not asked before." in str(result)
    )
    assert "among these 200 items" in str(result.certificate)
    assert "were fixed without looking" not in str(result.certificate)  # the run itself saw to that


def test_what_was_revealed_while_learning_counts_as_found(result):
    overall = result.findings.find("overall confirmable recall")
    assert (overall.rung, overall.assumptions) == ("0", ())
    confirmed = np.array(result.history["item"][:20])[np.array(result.history["answer"][:20], bool)]
    assert result.findings.evidence["confirmed"] == [[item, 1] for item in sorted(confirmed.tolist())]
    confirmable = SMALL_EXPERT.answer(np.arange(220), None).astype(bool)
    in_hand = result.predict(SMALL) | np.isin(np.arange(220), confirmed)
    assert overall.low <= (confirmable & in_hand).sum() / confirmable.sum() <= overall.high


def test_silence_bounds_what_else_could_be_confirmed():
    """Nothing is revealed by the lot: no recall is stated, but most of what is confirmable is in hand."""
    run = asked(apu.Run(learner(audit={"delta": 0.2}), PLANE, positives=np.flatnonzero(TRUTH)[:3]), 20)
    while run.n_answered < 300:
        for question in run.ask(10):
            run.tell(question, False)
    found = run.result()
    assert (found.recall.low, found.recall.high) == (0.0, 1.0)
    in_hand = sum(found.history["answer"])
    overall = found.findings.find("overall confirmable recall")
    assert in_hand / (in_hand + 20) < overall.low < 1


def test_a_saved_run_is_verified_and_read_without_the_model(result, tmp_path):
    result.save(tmp_path / "r.json")
    lines = verify(tmp_path / "r.json")
    assert all(line.ok is not False for line in lines), [str(line) for line in lines]
    assert any("leaves out the 20 items asked before it" in line.what for line in lines)
    again = apu.load_result(tmp_path / "r.json")
    assert str(again) == str(result)


def _asked_before(data):
    """The first item of the lot was asked while the model learned, too."""
    data["history"]["item"][3] = data["findings"]["evidence"]["draws"][0][0]


def _more_in_hand(data):
    silent = next(k for k in range(20) if not data["history"]["answer"][k])
    data["findings"]["evidence"]["confirmed"].append([data["history"]["item"][silent], 1])


def _better(data):
    stated = next(s for s in data["findings"]["statements"] if s["what"] == "overall confirmable recall")
    stated["low"] = stated["low"] + 0.05


@pytest.mark.parametrize(
    ("forge", "words"),
    [(_asked_before, "is in it, too"), (_more_in_hand, "not those that were revealed"), (_better, "recomputed")],
)
def test_a_file_that_claims_too_much_is_found_out(result, tmp_path, forge, words):
    result.save(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    forge(data)
    (tmp_path / "forged.json").write_text(json.dumps(data), encoding="utf-8")
    wrong = [str(line) for line in verify(tmp_path / "forged.json") if line.ok is False]
    assert any(words in line for line in wrong)


def late(answer):
    """Of eight learning questions that were open when the model was fixed, five are answered after the lot began."""
    run = asked(apu.Run(learner(questions=12), PLANE, seed=1), 10)
    put = run.ask(10)
    for question in put[:2]:
        told(run, question)  # the model is fixed
    drawn = run.ask(5)
    assert [question.note.phase for question in drawn] == ["lot"] * 5
    for question in put[2:5]:
        run.tell(question, apu.SKIP)
    for question in put[5:]:
        run.tell(question, answer(question))
    for question in drawn:
        told(run, question)
    return asked(run, 50)


@pytest.fixture(scope="module")
def late_truth():
    return late(lambda question: bool(TRUTH[question.item]))


def test_late_answers_change_neither_the_model_nor_the_lot(late_truth):
    silent = late(lambda question: False)
    assert [q.item for q in late_truth.questions[:25]] == [q.item for q in silent.questions[:25]]
    one, other = late_truth.result(), silent.result()
    assert (one.predict(PLANE) == other.predict(PLANE)).all()
    assert one.findings.evidence["items"] == other.findings.evidence["items"]
    members = set(np.concatenate(one.findings.evidence["items"]).tolist())
    put = [question for question in late_truth.questions if question.note.phase == "model"]
    assert not members & {question.item for question in put}  # open or skipped ones are not audited either
    revealed = sum(question.revealed for question in put[12:])
    assert revealed
    assert len(one.findings.evidence["confirmed"]) == len(other.findings.evidence["confirmed"]) + revealed
    assert "5 answers to earlier questions came later and did not change the model" in one.findings.split
    assert "learned from 12 answers" in one.findings.split


def test_an_answer_of_the_lot_is_taken_back_and_given_again(late_truth, tmp_path):
    before = late_truth.result()
    last = late_truth.questions[-1]
    answer = last.answer
    late_truth.undo(last)
    assert len(late_truth.result().history["step"]) == len(before.history["step"]) - 1
    late_truth.tell(last, answer)
    after = late_truth.result()
    assert after.history == before.history
    assert after.findings == before.findings
    after.save(tmp_path / "r.json")
    assert all(line.ok is not False for line in verify(tmp_path / "r.json"))


def test_what_the_model_rests_on_is_not_taken_back():
    run = asked(apu.Run(learner(), PLANE), 20)
    run.undo(run.questions[3])  # no question of the lot was put yet
    told(run, run.questions[3])
    asked(run, 45)
    with pytest.raises(apu.InvalidInput, match=r"question 3 .* asked before the audit, which has begun"):
        run.undo(run.questions[3])
    with pytest.raises(apu.InvalidInput, match="where later questions were drawn rests on it"):
        run.undo(run.questions[20])


def test_questions_of_ones_own_choice_end_where_the_lot_begins():
    run = apu.Run(learner(), PLANE)
    for item in range(30):  # the model learns from all of them, and is fixed after the next question
        run.record(item, bool(TRUTH[item]))
    [question] = run.ask()
    assert question.note.phase == "model"
    told(run, question)
    run.record(40, False)
    [question] = run.ask()
    assert question.note.phase == "lot"
    with pytest.raises(apu.InvalidInput, match="draws every question by lot"):
        run.record(50, True)
    told(run, question)
    asked(run, 40)
    found = run.result()
    assert "learned from 31 answers" in found.findings.split
    assert not {40, *range(30)} & set(np.concatenate(found.findings.evidence["items"]).tolist())


def test_a_study_goes_on_where_it_was(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    made = learner(audit={"recall": 0.6, "gold": [7]})
    study = apu.Study.create(url, "s", made.pool(PLANE), made)

    def answer(study, n):
        for _ in range(n):
            for question in study.ask("ann", n=3):
                study.tell(question.token, bool(TRUTH[question.item]))

    answer(study, 9)
    open_ones = study.ask("ben", n=2)
    answer(study, 2)
    study.close()
    with apu.Study.load(url, "s", pool=PLANE, learner=made) as study:
        for question in open_ones:
            study.tell(question.token, False)
        answer(study, 4)
        one = study.result()
        assert study.status().certified
    with apu.Study.load(url, "s", pool=PLANE, learner=made) as study:
        assert study.result().findings == one.findings
    with pytest.raises(apu.errors.StudyDiffers, match=r"audit = .*0\.6.*0\.7"):
        apu.Study.load(url, "s", pool=PLANE, learner=learner(audit={"recall": 0.7, "gold": [7]}))


def test_a_study_without_code_is_made_again_with_its_audit(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    pd.DataFrame(PLANE, columns=["a", "b"]).to_csv(tmp_path / "t.csv", index=False)
    made = apu.ModelLearner(audit={"recall": 0.6, "rate": (0.3, 0.9)})
    apu.Study.create(url, "s", apu.Pool(tmp_path / "t.csv"), made, deadline=None).close()
    with apu.Study.load(url, "s", learner=made) as study:
        assert study.learner.targets == made.targets
