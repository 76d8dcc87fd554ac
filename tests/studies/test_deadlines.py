"""A question belongs to the first expert who was shown it, and ends with their answer or at its deadline."""

import numpy as np
import pytest
from studies.scenes import X, expire, kinds, pool, turn, zcal

import activepu as apu
from activepu.errors import AnswerRefused, InvalidInput


def test_a_question_that_nobody_saw_goes_back_oldest_first_with_its_number(study):
    put = study.ask("ann", 2, shown=False)
    assert not any(q.shown for q in put)
    expire(study)
    new = study.ask("bob", 3)
    assert [q.number for q in new] == [0, 1, 2]
    assert [q.item for q in new[:2]] == [q.item for q in put]
    assert not {q.token for q in new} & {q.token for q in put}
    with pytest.raises(AnswerRefused, match="went to 'bob' before it was shown here"):
        study.shown(put[0])
    with pytest.raises(AnswerRefused, match="went to 'bob' before it was shown here"):
        study.tell(put[0], True)


def test_a_question_that_was_shown_ends_at_its_deadline_and_goes_to_nobody_else(study):
    put = study.ask("ann", 2)
    assert all(q.shown for q in put)
    expire(study)
    assert not {q.item for q in study.ask("bob", 3)} & {q.item for q in put}
    assert study.open("ann") == []
    status = study.status()
    assert (status.timed_out, status.open, status.waiting) == (2, 3, 0)
    assert kinds(study).count("timeout") == 2
    assert "2 not answered in time" in str(status)


def test_a_late_yes_is_kept_and_not_counted_and_a_late_silence_adds_nothing(study):
    first, second = study.ask("ann", 2)
    expire(study)
    assert study.tell(first, True) is False  # also before anybody has noticed
    assert study.tell(second, False) is False
    assert study.tell(first, True) is False
    status = study.status()
    assert (status.timed_out, status.late, status.answered, status.revealed) == (2, 1, 0, 0)
    assert first.item in study.result().items("positive")
    assert kinds(study) == ["ask", "ask", "shown", "shown", "timeout", "late", "timeout"]
    taken_back = study.undo("ann")
    assert (taken_back.number, taken_back.item) == (first.number, first.item)
    assert study.status().late == 0
    assert study.status().timed_out == 2


def test_a_question_that_was_fetched_ahead_is_theirs_from_its_display_on(study):
    ahead, kept = study.ask("ann", 2, shown=False)
    deadline = study.shown(ahead)
    assert deadline == study.shown(ahead.token)
    assert [q.shown for q in study.open("ann")] == [True, False]
    assert study.open("ann")[0].expires == deadline > kept.expires
    study.release("ann")
    assert [q.number for q in study.open("ann")] == [ahead.number]
    assert study.shown(kept) == study.open("ann")[1].expires  # it had gone back, and nobody else saw it
    study.release("ann", shown=True)
    assert study.open("ann") == []
    assert study.status().timed_out == 2
    with pytest.raises(AnswerRefused, match="ended without an answer by 'ann'"):
        study.shown(kept)


def test_without_deadlines_nobody_is_late(url):
    with apu.Study.create(url, "s", pool(), zcal(), deadline=None) as study:
        (q,) = study.ask("ann")
        assert q.expires == float("inf")
        assert study.tell(q, True) is True
    with pytest.raises(InvalidInput, match="deadline must be more than 0 seconds, or None for no deadline, got 0"):
        apu.Study.create(url, "t", pool(), zcal(), deadline=0)


def test_the_deadline_is_that_of_the_study(url):
    with apu.Study.create(url, "s", pool(), zcal(), deadline=60) as study:
        put = study.ask("ann", 2)
        turn(study, 59)
        assert study.tell(put[0], True)
        turn(study, 1)
        assert not study.tell(put[1], True)


def test_a_late_yes_of_somebody_who_left_is_kept(study):
    (q,), _ = study.ask("ann"), study.ask("bob")
    study.leave("ann")
    assert not study.tell(q.token, True)
    assert (study.status().answered, study.status().late) == (0, 1)


@pytest.mark.filterwarnings("ignore:The reveal rate is not used")
@pytest.mark.parametrize(
    ("settings", "used"), [({}, False), ({"rate_in_time": True}, True), ({"deadline": None}, True)]
)
def test_a_stated_rate_is_used_only_if_it_is_that_of_the_answers_in_time(url, settings, used):
    """A yes may be slower or faster than a "can't tell", so that another share of the answers in time is yes."""
    with apu.Study.create(url, "s", pool(), zcal(rate=0.5), **settings) as study:
        told = "a positive is revealed with probability 0.5"
        for _ in range(4):
            (q,) = study.ask("ann")
            study.tell(q, False)
        with apu.Study.load(url, "s", pool()) as again:
            for each in (study, again):
                assert each.learner.rate == 0.5
                assert any(said.startswith(told) for said in each.result().certificate.assumptions) is used


def test_who_is_told_that_a_stated_rate_is_not_used(url):
    with pytest.warns(UserWarning, match="not used as it was stated.*rate_in_time=True"):
        apu.Study.create(url, "s", pool(), zcal(rate=0.5)).close()
    audit = apu.Audit(X[:400, 0] > 0.5, score=X[:400, 0], rate=(0.4, 0.6))
    for name, in_time in (("a", False), ("b", True)):  # an audit counts as silent what was not answered in time
        with pytest.warns(UserWarning, match="used as the most that it can be"):
            made = apu.Study.create(url, name, pool(), audit, rate_in_time=in_time)
        with made as study:
            assert study.run().learner.rates == (0.0, 0.6)


def test_every_stated_form_of_rate_has_a_form_for_deadlines():
    cuts = apu.FiniteClass([lambda X, c=c: X[:, 0] > c for c in np.linspace(0, 1, 30)])
    for rate in (0.5, (0.3, 0.7), "per expert", 1.0, None):
        learner = apu.ZCal(cuts, 0.3, 0.1, rate=rate, check=0)
        assert (learner.with_deadlines() is learner) is (rate in ("per expert", 1.0, None))
        run = apu.Run(learner.with_deadlines(), X[:300])
        for _ in range(5):
            for q in run.ask(2, "ann"):
                run.tell(q, bool(X[q.item, 0] > 0.4))
        found = run.result()
        assert {bounds.high for bounds in (found.rates or {"all": found.rate}).values()} == {1.0}
