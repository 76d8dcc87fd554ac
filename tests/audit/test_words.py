"""What an audit says to its user: every target, doubts first, no empty bounds, and each remark once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from audit.world import CALLED, EXPERT, SCORE, TRUTH, N, X, audit

import activepu as apu
from activepu.audit.alarm import Known, against_range
from activepu.audit.knowledge import EYES
from activepu.certificate import Certificate
from activepu.findings import RUNGS, Statement, Statements
from activepu.run import Run
from activepu.verify import verify

GOLD = np.flatnonzero(TRUTH)[::3][:60]


def learned(budget: int | None = 200, expert: Any = EXPERT, batch: int = 5, **settings: Any) -> apu.Result:
    return apu.learn(audit(**settings), X, expert, budget=budget, batch=batch)


@pytest.fixture(scope="module")
def missed() -> apu.Result:
    return learned(recall=0.5, precision=0.9, rate=(0.5, 0.7))


def test_every_certified_target_is_named() -> None:
    result = learned(None, recall=0.5, error=0.4, rate=(0.5, 0.7))
    recall, error = (next(s for s in result.statements() if s.what == what) for what in ("recall", "error"))
    said = str(result.certificate)
    assert said.startswith(f"With 95% confidence the classifier finds at least {recall.at_least} of the positives")
    assert f", and it is wrong on at most {error.at_most} of these" in said
    assert result.certificate.error_bound == result.error.high <= 0.4
    assert set(recall.assumptions) | set(error.assumptions) == set(result.certificate.assumptions)


def test_an_error_that_calling_nothing_positive_meets_is_warned_of() -> None:
    """A quarter of the items are positive, twice as many by the score: its probabilities do not count here."""
    learn = {"score": 10 * SCORE, "rate": 0.6}
    easy, hard = (
        str(apu.learn(apu.Audit(CALLED, error=error, **learn), X, EXPERT, budget=200, batch=5).certificate)
        for error in (0.4, 0.2)
    )
    assert re.search(
        r"Warning: perhaps only 2\d(\.\d)?% of the items are positive; calling nothing positive would meet error at "
        r"most 40%, too\. Choose a smaller error\.$",
        easy,
    )
    assert "calling nothing" not in hard
    unknown = Run(apu.Audit(CALLED, error=0.4, score=10 * SCORE, gold=GOLD), X)
    assert "calling nothing" not in str(unknown.result().certificate)  # nobody knows yet how many are positive
    assert "calling nothing" not in str(learned(recall=0.5, rate=0.6).certificate)  # no error is asked for


def test_a_missed_target_comes_first(missed: apu.Result) -> None:
    low = next(s for s in missed.statements() if s.what == "precision").at_least
    assert str(missed).startswith(f"Not shown: precision at least 90%; only at least {low} is certified. With 95%")
    assert missed.certificate.unshown == (("precision at least 90%", f"at least {low}"),)


def test_in_the_midst_of_a_run_it_is_not_shown_yet() -> None:
    run = Run(audit(recall=0.9, error=0.2, rate=0.6), X)
    said = str(run.result().certificate)
    assert said.startswith(
        "Not shown yet: recall at least 90%; so far nothing. Not shown yet: error at most 20%; so far"
    )
    assert said.endswith("Nothing is certified yet; more answers are needed.")


def test_an_exhausted_pool_ends_a_run_too() -> None:
    few = np.arange(0, N, 60)
    found = apu.learn(
        apu.Audit(CALLED[few], score=SCORE[few], recall=0.9),
        X[few],
        apu.SimulatedExpert(np.zeros(len(few), bool), rate=0.6),
    )
    assert str(found).startswith("Not shown: recall at least 90%; nothing about it is certified.\n")


def test_of_what_was_found_a_missed_target_comes_first_too() -> None:
    result = apu.learn(apu.Audit("found", recall=0.9, score=SCORE), SCORE, EXPERT, budget=30)
    assert str(result.certificate).startswith("Not shown: recall at least 90%; ")


def test_a_certificate_is_saved_with_what_is_not_shown(missed: apu.Result, tmp_path: Any) -> None:
    missed.save(tmp_path / "result.json")
    assert apu.load_result(tmp_path / "result.json").certificate == missed.certificate
    assert Certificate.from_dict(missed.certificate.to_dict()) == missed.certificate


def test_a_bound_that_rounds_to_nothing_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    from activepu.audit.report import Audited

    monkeypatch.setattr(Audited, "bounds", lambda self, what: (0.0004, 0.9996))
    for settings in ({}, {"recall": 0.5}, {"error": 0.3, "rate": 0.6}):
        result = learned(5, **settings)
        assert "at least 0%" not in str(result)
        assert "at most 100%" not in str(result)
        assert " 0% or more" not in str(result)
        assert result.certificate.claim == ""


def test_a_told_rate_that_the_answers_contradict_is_doubted_first() -> None:
    result = learned(300, rate=0.1)
    said = "Doubtful: the answers contradict what was told about the reveal rate: no numbers of positives fit them if "
    assert str(result).startswith(said)
    assert (
        "the reveal rate is 0.1. If all of this were true, an audit would say so with a probability of at most 5%."
        in (result.certificate.doubt)
    )
    assert {s.what for s in result.statements() if s.doubt} == {"error", "precision", "prior", "rate"}
    assert not learned(300, rate=0.6).certificate.doubt


def test_gold_that_contradicts_the_told_rate_is_counted() -> None:
    doubt = learned(300, rate=(0.85, 0.95), gold=GOLD).certificate.doubt
    assert doubt.startswith("Doubtful: the answers contradict what was told about the reveal rate: ")
    assert "known positives were confirmed, but the reveal rate lies between 0.85 and 0.95 and the gold" in doubt


def test_purity_that_the_answers_contradict_is_doubted() -> None:
    """The highest band is confirmed less often than the others, which no single rate allows if it is nearly pure."""
    upside_down = apu.SimulatedExpert(SCORE < 0.5, rate=0.9)
    result = apu.learn(apu.Audit(SCORE > 0.1, score=SCORE, purity=0.9), X, upside_down, budget=200, batch=10)
    assert "are positive, in each of its groups" in result.certificate.doubt
    assert {s.what: bool(s.doubt) for s in result.statements()}["recall"] is False


@pytest.mark.parametrize(("rate", "low", "high"), [(0.5, 0.5, 0.5), (0.3, 0.3, 0.6), (0.8, 0.8, 1.0)])
def test_a_true_range_is_seldom_contradicted(rate: float, low: float, high: float) -> None:
    """Over all sequences of ten answers, the probability that the e-value ever reaches 1/δ is at most δ."""
    fires: dict[tuple[bool, ...], bool] = {}

    def ever(told: tuple[bool, ...]) -> float:
        answers = [Known({}, revealed) for revealed in told]
        fires[told] = against_range(answers, low, high).fires(0.3)
        if fires[told] or len(told) == 10:
            return float(fires[told])
        no = (1 - rate) * ever((*told, False)) if rate < 1 else 0.0
        return rate * ever((*told, True)) + no

    assert ever(()) <= 0.3
    assert any(fires.values())


def test_eyes_are_independent_where_two_experts_see_the_same_gold() -> None:
    team = {"ann": apu.SimulatedExpert(TRUTH, 0.9, seed=1), "bob": apu.SimulatedExpert(TRUTH & False, 0.5, seed=2)}
    nobody = {name: apu.SimulatedExpert(np.isin(np.arange(N), GOLD[:4]), 1.0) for name in team}

    def eyes(expert: Any, **settings: Any) -> dict[str, bool]:
        result = learned(40, expert, gold=GOLD[:4], batch=1, **settings)
        assert {"gold"} < set(result.history["phase"]) <= {"gold", "lot"}  # nothing else was revealed
        return {s.what: EYES in s.assumptions for s in result.statements() if s.rung in ("1", "2g")}

    assert eyes(nobody, rate="per expert")["error"]
    assert not eyes(nobody, rate="per expert")["recall"]
    assert not any(eyes(nobody).values())  # with one rate for all, each gold item is asked once
    assert not any(eyes(nobody["ann"], rate="per expert").values())


def test_a_remark_is_printed_once_and_says_about_what() -> None:
    printed = str(learned(60))
    assert printed.count("Nothing is known") + printed.count("nothing is known") == 1
    assert "\nError, precision, prior and rate: nothing is known about the reveal rate: gold=…" in printed


def test_the_rungs_that_occur_are_explained_once() -> None:
    statements = learned(60, gold=GOLD).statements()
    assert str(statements).splitlines()[-1] == "The rung says what is assumed. " + " ".join(
        f"Rung {rung}: {RUNGS[rung]}." for rung in ("0", "1", "2g")
    )
    assert Statements().rungs == ""
    assert {s.rung for s in learned(60, purity=0.5).statements()} <= set(RUNGS)
    assert str(Statements([Statement("recall", 0.5, 1.0, 0.9, "0")])).count("Rung") == 1


def test_a_bet_has_shown_its_target_and_no_more(tmp_path: Path) -> None:
    """Where the set claims more than the target, the set has shown it."""
    seen = set()
    for seed in (27, 28):
        rng = np.random.default_rng(seed)
        score = rng.random(1_500)
        truth = rng.random(1_500) < score**3
        target = float(rng.choice([0.5, 0.6, 0.7]))
        yes = truth & (rng.random(1_500) < 0.8)
        run = Run(apu.Audit(score > 0.4, score=score, recall=target), score, seed=seed)
        while not run.finished:
            for question in run.ask(60):
                run.tell(question, bool(yes[question.item]))
        result = run.result()
        by_bet = str(result.certificate).endswith("A bet on this one target has shown it.")
        assert by_bet == (result.recall.low == target)
        seen.add(by_bet)
        result.save(tmp_path / "audit.json")
        assert [check for check in verify(tmp_path / "audit.json") if check.ok is False] == []
    assert seen == {True, False}
