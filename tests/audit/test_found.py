"""`Audit("found")` as a learner: where earlier answers come from, questions of one's own, and when it stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import activepu as apu
from activepu.audit.depth import floor
from activepu.errors import InvalidInput, StudyDiffers
from activepu.testing import check_learner

N = 400
RNG = np.random.default_rng(5)
SCORE = RNG.random(N)
TRUTH = RNG.random(N) < SCORE**6
X = np.column_stack([SCORE, RNG.random(N)])
EXPERT = apu.SimulatedExpert(TRUTH, rate=0.8, seed=1)
CONFIRMABLE = np.flatnonzero(EXPERT.answer(np.arange(N), None))


def found(**settings: Any) -> apu.Audit:
    return apu.Audit("found", **{"score": SCORE, "recall": 0.8, "delta": 0.1} | settings)


def test_stops_when_enough_is_in_hand() -> None:
    result = apu.learn(found(), X, EXPERT)
    assert result.stop_reason == apu.StopReason.CERTIFIED
    assert result.n_queries < 0.8 * N
    assert result.recall.low >= 0.8
    assert set(result.found) <= set(CONFIRMABLE)
    missed = len(CONFIRMABLE) - len(result.found)
    assert result.missing[0] <= missed <= result.missing[1]
    assert result.recall.low <= len(result.found) / len(CONFIRMABLE) <= result.recall.high
    assert {"rank", "lot"} == set(result.history["phase"])
    [statement] = result.statements()
    assert (statement.what, statement.rung) == ("recall", "0")
    assert "cannot be more than the share that this expert confirms" in statement.remark
    unread = N - result.n_queries
    assert str(result.certificate).startswith(
        f"With 90% confidence at least {int(1000 * result.recall.low) / 10:g}% of all items that this expert would "
        f"confirm are in hand: {len(result.found)} found, at most {result.missing[1]} missing among the {unread} not "
        "read. This holds if what this expert would say"
    )
    said = "Nothing is assumed about what makes an item positive, or about the ranking."
    assert str(result.certificate).endswith(said)
    assert str(apu.Run(found(), X).result().certificate) == "Nothing is certified yet; more answers are needed."


def test_asking_everything_certifies_everything() -> None:
    result = apu.learn(found(recall=0.999, score=None), X[:40], apu.SimulatedExpert(TRUTH[:40], rate=0.8, seed=1))
    assert result.recall.low == result.recall.high == 1.0
    assert result.missing == (0, 0)
    nothing = apu.learn(found(score=None), X[:30], apu.SimulatedExpert(np.zeros(30, bool)))
    assert nothing.recall.low == 1.0
    assert 28 <= nothing.n_queries <= 30


def test_says_what_the_lot_will_cost() -> None:
    run = apu.Run(found(recall=0.9), X, positives=CONFIRMABLE[:27])
    remark = run.result().statements()[0].remark
    assert "With 3 misses allowed, at least 43.7% of the rest must be drawn by lot." in remark
    assert run.result().recall.low < 0.1
    assert floor(0.1, 3.9) == floor(0.1, 3) == pytest.approx(1 - 0.1**0.25)


def test_given_positives_count_as_found_and_are_not_asked() -> None:
    given = CONFIRMABLE[::2]
    result = apu.learn(found(), X, EXPERT, positives=given)
    assert set(given) <= set(result.found)
    assert not set(given) & set(result.history["item"])
    assert result.recall.low <= len(result.found) / len(CONFIRMABLE)
    assert any("given as positive beforehand" in assumption for assumption in result.certificate.assumptions)


def test_follows_an_earlier_run_and_counts_its_answers() -> None:
    pool = apu.Pool(X)
    before = apu.learn(apu.ModelLearner(LogisticRegression()), pool, EXPERT, budget=80, batch=20)
    revealed = [i for i, answer in zip(before.history["item"], before.history["answer"], strict=True) if answer]
    result = apu.learn(found(score=before), pool, EXPERT)
    assert set(revealed) <= set(result.found)
    assert not set(before.history["item"]) & set(result.history["item"])
    assert result.n_queries + 80 < N
    assert len(result.found) >= 0.8 * len(CONFIRMABLE)


def test_a_run_that_asked_everything_is_done_at_once() -> None:
    pool = apu.Pool(X[:30])
    expert = apu.SimulatedExpert(TRUTH[:30], rate=0.8, seed=1)
    before = apu.learn(apu.Audit("found"), pool, expert)
    assert before.n_queries == 30
    again = apu.learn(found(score=before), pool, expert)
    assert (again.n_queries, again.recall.low) == (0, 1.0)


def test_questions_of_ones_own_are_welcome_at_any_time() -> None:
    run = apu.Run(found(), X)
    own = [int(CONFIRMABLE[3]), 17, 18]
    for item in own:
        run.record(item, item in CONFIRMABLE)
    while not run.finished:
        for question in run.ask(7):
            run.tell(question, question.item in CONFIRMABLE)
        left = [i for i in range(300, 400) if i not in {q.item for q in run.questions}]
        if left and not run.finished:
            run.record(left[0], left[0] in CONFIRMABLE)
    result = run.result()
    assert own[0] in result.found
    assert result.recall.low >= 0.8
    assert len(result.found) >= 0.8 * len(CONFIRMABLE)
    assert not any("elsewhere" in assumption for assumption in result.certificate.assumptions)


def test_an_item_of_ones_own_is_no_evidence() -> None:
    """Silent items that somebody chose say nothing about the rest: only how many are left changes."""
    run = apu.Run(found(score=None), X)
    for item in range(200):
        run.record(item, False)
    assert run.result().missing == (0, 200)


def test_skips_and_undo() -> None:
    run = apu.Run(found(score=None), X)
    for question in run.ask(30):
        run.tell(question, apu.SKIP if question.number % 5 == 0 else question.item in CONFIRMABLE)
    first = run.questions[1]
    before = run.result().missing
    run.undo(first)
    run.tell(first, first.item in CONFIRMABLE)
    assert run.result().missing == before
    assert "items were skipped whatever they are" not in run.result().certificate.assumptions
    assert " 6 items were skipped (6 drawn by lot); the bounds hold whatever" in str(run.result())
    while not run.finished:
        for question in run.ask(20):
            run.tell(question, question.item in CONFIRMABLE)
    assert len(run.result().found) >= 0.8 * len(CONFIRMABLE)


def test_an_item_that_is_answered_after_a_skip_counts_as_drawn_by_lot() -> None:
    """Only Q was fixed without its answer, so that the bounds are nearly those of a run without skips."""
    bounds = {}
    for skips in (0, 9):
        run = apu.Run(found(score=None), X)
        for question in run.ask(60):
            run.tell(question, apu.SKIP if question.number < skips else question.item in CONFIRMABLE)
        before = run.result().missing
        for question in run.questions[:skips]:
            assert "skipped" in str(run.result())
            run.record(question.item, question.item in CONFIRMABLE)
        assert "skipped" not in str(run.result())
        bounds[skips] = run.result().missing
        assert (bounds[skips][1] < before[1]) is (skips > 0)
    assert bounds[0][1] <= bounds[9][1] < 1.2 * bounds[0][1]


def test_who_skips_all_that_they_would_confirm_certifies_nothing_false() -> None:
    """Otherwise the lot would seem to show that hardly anything is hidden."""
    run = apu.Run(found(), X)
    while len(run.questions) < 300 and (put := run.ask(10)):
        for question in put:
            skip = question.item in CONFIRMABLE and question.note.phase == "lot"
            run.tell(question, apu.SKIP if skip else question.item in CONFIRMABLE)
    result = run.result()
    assert "drawn by lot" in str(result)
    assert len(CONFIRMABLE) - len(result.found) <= result.missing[1] < N - result.n_queries


def test_a_run_of_skips_alone_ends_with_bounds_that_hold() -> None:
    """Items without an answer stay possible, even when nothing is left in the lot."""
    run = apu.Run(found(score=None), X[:20])
    for question in run.ask(20):
        run.tell(question, apu.SKIP if question.number < 5 else False)
    assert run.result().missing == (0, 5)


def test_replay_checks_the_lot() -> None:
    run = apu.Run(found(score=None), X, seed=4)
    for question in run.ask(12):
        run.tell(question, question.item in CONFIRMABLE)
    again = apu.Run(found(score=None), X, seed=4)
    for question in run.questions:
        again.tell(again.recall(question.item, question.note), question.answer)
    assert again.result().missing == run.result().missing
    other = apu.Run(found(score=None), X, seed=5)
    [given] = other.ask()
    different = next(question for question in run.questions if question.item != given.item)
    with pytest.raises(InvalidInput, match="but the lot gave item"):
        other.recall(different.item, different.note)


def test_rows_that_look_alike_are_one_item() -> None:
    copies = np.repeat(np.arange(120), RNG.integers(1, 4, 120))
    rows, truth = X[copies], TRUTH[copies]
    expert = apu.SimulatedExpert(truth, rate=0.8, seed=2)
    pool = apu.Pool(rows)
    result = apu.learn(found(score=SCORE[copies], recall=0.7), pool, expert)
    confirmable = int(expert.answer(pool.coins, None).sum())
    assert result.recall.low <= len(result.found) / confirmable <= result.recall.high
    assert "Rows that look the same share one answer, and each of them counts." in str(result)
    assert "look the same" not in str(apu.learn(found(), X, EXPERT, budget=5))
    assert sum(result.findings.evidence["sizes"]) == 120


def test_bands_can_be_asked_for() -> None:
    result = apu.learn(found(bands=4), X, EXPERT, budget=150)
    assert result.findings.evidence["sizes"] == [100, 100, 100, 100]
    by_border = apu.learn(found(bands=[0.5]), X, EXPERT, budget=50)
    assert by_border.findings.evidence["sizes"] == [int((SCORE < 0.5).sum()), int((SCORE >= 0.5).sum())]
    with pytest.raises(InvalidInput, match="needs a score"):
        apu.Run(found(bands=3, score=None), X)


def test_saved_and_loaded(tmp_path: Path) -> None:
    result = apu.learn(found(), X, EXPERT)
    result.save(tmp_path / "found.json")
    again = apu.load_result(tmp_path / "found.json")
    assert str(again) == str(result)
    assert (again.found == result.found).all()
    assert again.missing == result.missing


def test_keeps_the_contract_of_a_learner() -> None:
    check_learner(found(), apu.Pool(X), EXPERT, budget=40)


def test_a_study_resumes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/found.db"
    study = apu.Study.create(url, "found", X, found(), seed=2)
    for _ in range(4):
        for question in study.ask("ann", n=5):
            study.tell(question.token, question.item in CONFIRMABLE)
    before = study.result().missing
    assert "recall" in str(study.status())
    study.close()
    again = apu.Study.load(url, "found", pool=X, learner=found())
    assert again.result().missing == before
    assert again.ask("ann", n=2)
    again.close()
    with pytest.raises(StudyDiffers):
        apu.Study.load(url, "found", pool=X, learner=found(recall=0.9))


@pytest.mark.parametrize(
    "settings", [{"error": 0.1}, {"precision": 0.5}, {"rate": 0.5}, {"purity": 0.9}, {"gold": [1]}, {"groups": "a"}]
)
def test_refuses_what_means_nothing_here(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=f"takes no {next(iter(settings))}"):
        apu.Audit("found", **settings)


def test_only_recall_is_stated() -> None:
    result = apu.learn(found(), X, EXPERT, budget=5)
    with pytest.raises(InvalidInput, match="states nothing about the precision"):
        _ = result.precision
    other = apu.learn(apu.Audit(SCORE > 0.5), X, EXPERT, budget=5)
    with pytest.raises(InvalidInput, match=r'Only Audit\("found"\) knows what is missing'):
        _ = other.missing


def test_given_positives_are_named_apart_from_what_the_expert_would_confirm() -> None:
    """They count as found whatever this expert would say about them, so the claim must speak of both."""
    truth = np.arange(200) < 40
    given = np.flatnonzero(truth)[:20]
    expert = apu.CallbackExpert(lambda rows: (rows[:, 0] >= 20) & (rows[:, 0] < 40))
    result = apu.learn(apu.Audit("found", recall=0.8), np.arange(200.0)[:, None], expert, positives=given, budget=190)
    assert "of all items that were given as positive or that this expert would confirm are in hand" in str(
        result.certificate
    )
    assert "Of all that was given as positive or that this expert has confirmed" in str(result.statements())


def test_nothing_is_certified_about_what_several_experts_would_confirm() -> None:
    """What is in hand of one is not in hand of the other, so that a claim about either would be false."""
    eager, slow = (apu.CallbackExpert(lambda rows, n=n: rows[:, 0] < n) for n in (40, 3))
    table = np.arange(200.0)[:, None]
    result = apu.learn(apu.Audit("found", recall=0.8), table, {"ann": eager, "bob": slow}, budget=150)
    assert (result.recall.low, result.recall.high) == (0.0, 1.0)
    said = "2 experts answered, and nobody knows what one of them would confirm among the items that another read"
    assert said in str(result.statements())
    assert str(result.certificate).startswith(f"Nothing is certified. {said}; make a run for each expert.")
    with pytest.raises(InvalidInput, match=r"A model or an audit is certain of no single item"):
        result.items("positive")
