"""In an audit, what was not confirmed in time was not confirmed: a timeout is a "can't tell", whatever comes later."""

import numpy as np
import pytest

import activepu as apu
from activepu.errors import InvalidInput
from activepu.verify import verify

N = 400
RNG = np.random.default_rng(3)
SCORE = RNG.random(N)
TRUTH = RNG.random(N) < SCORE**2
SAYS = TRUTH & (RNG.random(N) < 0.7)
CALLED = SCORE > 0.6


def audits():
    gold = np.flatnonzero(TRUTH & ~CALLED)[:6]
    return {
        "bet": apu.Audit(CALLED, score=SCORE, recall=0.6),
        "set": apu.Audit(CALLED, score=SCORE),
        "gold": apu.Audit(CALLED, score=SCORE, gold=gold, delta=0.2),
        "experts": apu.Audit(CALLED, score=SCORE, rate="per expert"),
    }


def answered(audit, late, missed=apu.TIMEOUT, n=120):
    """A run in which every third question is missed, some of them told late; `missed` says what a miss is told as."""
    run = apu.Run(audit, SCORE, seed=1)
    experts = ("ann", "bob") if audit.rate == "per expert" else (None,)
    while not run.finished and len(run.questions) < n:
        put = run.ask(6, experts[len(run.questions) // 6 % len(experts)])
        if not put:
            break
        for question in put:
            over = question.number % 3 == 0 or 30 <= question.number < 55
            run.tell(question, missed if over else bool(SAYS[question.item]))
            if late and over and question.number % 2:
                run.tell(question, True)
    return run


@pytest.mark.parametrize("name", audits())
@pytest.mark.parametrize("late", [False, True])
def test_a_timeout_counts_as_a_silence(name, late):
    one, other = answered(audits()[name], late), answered(audits()[name], False, missed=False)
    assert [q.item for q in one.questions] == [q.item for q in other.questions]
    assert one.history == other.history
    here, there = one.result(), other.result()
    bounds = [(s.what, s.low, s.high, s.group) for s in here.statements()]
    assert bounds == [(s.what, s.low, s.high, s.group) for s in there.statements()]
    assert len(bounds) > 2
    assert "an item that was not answered in time counts as one that the expert does not confirm" in str(here)
    assert "and would not have been confirmed if it had been asked at another time" in str(here)


@pytest.mark.parametrize("name", audits())
def test_a_file_with_timeouts_is_verified(name, tmp_path):
    answered(audits()[name], True).result().save(tmp_path / "audit.json")
    assert [check for check in verify(tmp_path / "audit.json") if check.ok is False] == []


def test_no_row_of_timeouts_ends_an_audit():
    run = apu.Run(apu.Audit(CALLED, score=SCORE, recall=0.6), SCORE)
    for _ in range(6):
        put = run.ask(12)
        assert put
        for question in put:
            run.tell(question, apu.TIMEOUT)
    assert run.ask(1)


def test_a_model_is_audited_by_what_is_confirmed_in_time():
    from sklearn.linear_model import LogisticRegression

    learner = apu.ModelLearner(LogisticRegression(), audit={"recall": 0.5}, questions=30)
    run = apu.Run(learner, SCORE.reshape(-1, 1), seed=0)
    for _ in range(16):
        for question in run.ask(8):
            lot = question.note.phase == "lot"
            run.tell(question, apu.TIMEOUT if lot and question.number % 2 else bool(SAYS[question.item]))
            if lot and question.number % 4 == 1:
                run.tell(question, True)  # too late to count
    phases = run.history["phase"]
    assert phases.count("lot") == sum(q.note.phase == "lot" for q in run.questions)
    draws = run.result().findings.evidence["draws"]
    lot = [question for question in run.questions if question.note.phase == "lot"]
    assert sum(bool(answer) for *_, answer in draws) == sum(question.answer is True for question in lot)


def test_what_was_stated_of_the_rate_is_the_most_before_a_deadline():
    audit = apu.Audit(CALLED, score=SCORE, rate=(0.3, 0.6))
    assert audit.with_deadlines().rates == (0.0, 0.6)
    assert audit.rates == (0.3, 0.6)
    assert apu.Audit(CALLED, score=SCORE, rate=0.5).with_deadlines().rates == (0.0, 0.5)
    for same in (apu.Audit(CALLED), apu.Audit("found", recall=0.9), apu.Audit(CALLED, rate="per expert")):
        assert same.with_deadlines() is same
    learner = apu.ModelLearner(rate=0.5, audit={"error": 0.3})
    assert learner.with_deadlines() is not learner


def test_the_share_of_yes_among_answers_in_time_is_not_the_rate_of_an_audit():
    """Every positive that is answered in time is confirmed, and 40% are not; 30% are positive, not 18%."""
    n, rng = 1_000, np.random.default_rng(0)
    truth, answered_in_time = np.arange(n) < 300, rng.random(n) < 0.6
    audit = apu.Audit(np.arange(n) < 250, rate=1.0)
    for in_time in (False, True):
        run = apu.Run(audit.with_deadlines(rate_in_time=in_time), np.arange(n), seed=0)
        while len(run.questions) < 600:
            for question in run.ask(50):
                in_hand = answered_in_time[question.item]
                run.tell(question, bool(truth[question.item]) if in_hand else apu.TIMEOUT)
        prior = run.result().prior
        assert prior.low <= 0.3 <= prior.high


def test_an_audit_names_what_a_rate_means_where_questions_time_out():
    said = "the reveal rate that was given is the share of the positives that are confirmed in time"
    known = apu.Audit(CALLED, score=SCORE, rate=0.6)
    assert said in str(answered(known, False).result())
    for audit in (known.with_deadlines(), apu.Audit(CALLED, score=SCORE)):
        assert said not in str(answered(audit, False, n=60).result())
    model = apu.ModelLearner(rate=0.5, audit={"error": 0.3})
    assert said in model.in_time
    assert said not in model.with_deadlines(rate_in_time=True).in_time


def test_a_stated_share_of_wrong_reveals_needs_to_be_of_the_answers_in_time():
    with pytest.raises(InvalidInput, match="of those before a deadline more may be wrong"):
        apu.ZCal(apu.FiniteClass([lambda x: x[:, 0] > 0]), 0.1, 0.1, false_reveal=0.05).with_deadlines()
