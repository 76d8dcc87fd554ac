"""The plan of an audit: its world, its formulas, its simulated runs, and what a budget reaches."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import activepu as apu
from activepu.audit.targets import Target
from activepu.errors import InvalidInput
from activepu.planning import AuditReach, plan, runs
from activepu.planning.audits.bands import guessed, of_pool
from activepu.planning.audits.formulas import POWER, Formulas
from activepu.planning.audits.simulate import AuditSimulation
from activepu.planning.runs import Trial

WORLD = guessed(0.1, 0.95, 0.9, 20_000)
FORMULAS = Formulas(WORLD, 0.5, (0.5, 0.5), 0.05)


@given(st.floats(0.02, 0.4), st.floats(0.3, 1.0), st.floats(0.3, 1.0))
def test_a_guessed_world_is_as_it_was_guessed(prior: float, recall: float, precision: float) -> None:
    if prior * recall / precision + prior * (1 - recall) > 0.95:
        return
    world = guessed(prior, recall, precision, 20_000)
    assert sum(world.sizes) == pytest.approx(20_000, abs=3)
    for what, value in (("prior", prior), ("recall", recall), ("precision", precision)):
        assert world.value(what) == pytest.approx(value, abs=0.01)


def test_a_world_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no room for what it misses"):
        guessed(0.5, 0.5, 0.3, 1000)
    with pytest.raises(InvalidInput, match="too few for two bands"):
        guessed(0.01, 0.9, 0.9, 100)


@pytest.mark.parametrize(
    ("target", "expected"),
    [(Target("recall", 0.85), 786), (Target("recall", 0.9), 2035), (Target("error", 0.0456), 405)],
)
def test_the_limit_is_that_of_the_theory(target: Target, expected: int) -> None:
    assert FORMULAS.limit(target) == pytest.approx(expected, abs=1)


def test_nothing_shows_what_is_not_so_or_not_identified() -> None:
    assert math.isinf(FORMULAS.limit(Target("recall", 0.96)))
    assert "this classifier has recall 0.95" in FORMULAS.rows([Target("recall", 0.96)])[0].note
    unknown = Formulas(WORLD, 0.5, (0.0, 1.0), 0.05)
    assert unknown.rows([Target("error", 0.05)])[0].questions is None
    assert "say more about the rate" in unknown.rows([Target("error", 0.05)])[0].note
    assert unknown.limit(Target("recall", 0.9)) == FORMULAS.limit(Target("recall", 0.9))  # the rate cancels


def test_the_floor_is_what_silence_takes() -> None:
    """With the misses spread evenly, that many silent answers are as unlikely as δ."""
    found = FORMULAS.floor(Target("recall", 0.9))
    assert found is not None
    questions, allowed, others = found
    assert 1900 / (1900 + allowed) >= 0.9 > 1900 / (1900 + allowed + 1)
    assert (1 - 0.5 * questions / others) ** allowed == pytest.approx(0.05, rel=0.02)
    assert FORMULAS.floor(Target("precision", 0.8)) is None


@pytest.mark.parametrize("kind", ["recall", "precision"])
def test_the_fixed_sample_shows_the_target_as_often_as_it_says(kind: str) -> None:
    value, true = 0.85, WORLD.value(kind)
    size = FORMULAS.fixed(Target(kind, value))
    assert size is not None
    drawn, scale = (size * 0.1 * 0.5, 1.0) if kind == "recall" else (size * WORLD.strata.called / 20_000, 0.5)
    for n, enough in ((math.ceil(1.05 * drawn), True), (math.floor(0.9 * drawn), False)):
        least = int(binom.isf(0.05, n, scale * value)) + 1  # from here on Clopper–Pearson shows it
        assert (binom.sf(least - 1, n, scale * true) >= POWER - 0.01) == enough


def test_the_world_of_a_pool_has_its_strata() -> None:
    """Bands, groups, rows that look alike: the simulated audit draws from the same strata."""
    rng = np.random.default_rng(0)
    score = np.repeat(rng.random(400), 2)
    score[:200] = rng.random(200)
    shown = np.where(np.arange(800) < 200, np.arange(800), 1000 + np.arange(800) // 2)
    pool = apu.Pool(np.arange(800)[:, None], show=shown[:, None])
    audit = apu.Audit(score > 0.6, score=score, groups=np.where(shown % 3 == 0, "a", "b"), gold=[0, 5], recall=0.8)
    world = of_pool(audit, pool)
    simulated, again, truth = AuditSimulation(world, 0.5, (("recall", 0.8),), 0.05, None, 2, None, 50).pool()
    _, strata = audit.strata(pool.draws(audit.hypotheses, 0))
    _, made = simulated.strata(again.draws(simulated.hypotheses, 0))
    assert sorted(zip(made.sizes, made.weights, made.inside, made.means.round(9), strict=True)) == sorted(
        zip(strata.sizes, strata.weights, strata.inside, strata.means.round(9), strict=True)
    )
    assert truth.sum() == sum(world.sides) + 2


def test_a_pool_without_probabilities_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no probabilities"):
        plan(apu.Audit(np.arange(500) < 99, recall=0.9), pool=apu.Pool(np.arange(500.0)))


def test_a_band_with_one_row_joins_another() -> None:
    score = np.append(np.linspace(0, 0.4, 98), [0.8, 0.9])
    pool = apu.Pool(np.arange(100.0)[:, None])
    world = of_pool(apu.Audit(score > 0.5, score=score), pool)
    AuditSimulation(world, 0.5, (("error", 0.3),), 0.05, (0.5, 0.5), 0, None, 50).check()


def test_simulated_audits_end_with_their_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "Parallel", lambda **_: lambda calls: [call[0](*call[1]) for call in calls])
    made = plan(apu.Audit(None, recall=0.6), rate=0.9, prior=0.3, pool=2000, runs=2)
    audit, lower, limit = made.rows[:3]
    world = guessed(0.3, 0.95, 0.9, 2000)
    again = AuditSimulation(world, 0.9, (("recall", 0.6),), 0.05, None, 0, None, 8 * limit.questions)
    trials = [again.trial(number) for number in range(2)]
    assert [trial.bound for trial in trials] == [1.0, 1.0]
    assert audit.questions == round(np.mean([trial.asked for trial in trials]))
    assert "mean of 2 runs; 90% of them took" in audit.note
    assert "recall at least 60%" in str(made)
    assert lower.method == "10 points lower"
    assert "if recall is 85% and precision 80%; mean of 2 runs" in lower.note
    assert lower.questions > audit.questions


def test_what_a_lower_recall_makes_impossible_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AuditSimulation, "trials", lambda self, runs, watch: [Trial(9, 1.0)] * runs)
    lower = plan(apu.Audit(None, recall=0.9), pool=2000, runs=2).rows[1]
    assert (lower.method, lower.questions, lower.kind) == ("10 points lower", None, "limit")
    assert lower.note == "if recall is 85% and precision 80%; no number of questions shows what is not so"


@given(st.floats(0.3, 0.95), st.floats(0.3, 0.95))
def test_a_world_is_shifted_to_another_recall_and_precision(recall: float, precision: float) -> None:
    shifted = WORLD.with_quality(recall, precision)
    assert shifted.value("precision") == pytest.approx(precision, abs=0.01)
    assert shifted.value("recall") == pytest.approx(recall, abs=0.01)
    assert (shifted.sizes, shifted.means) == (WORLD.sizes, WORLD.means)
    richer, poorer = (WORLD.with_quality(0.9, p).positives for p in (0.95, 0.6))
    assert all(more >= less for more, less in zip(richer[:2], poorer[:2], strict=True))


def test_a_plan_for_a_pool_says_on_which_guess_it_rests() -> None:
    score = np.linspace(0.01, 0.99, 1000)
    pool, audit = apu.Pool(np.arange(1000.0)[:, None]), apu.Audit(score > 0.5, score=score, recall=0.5)
    made = plan(audit, pool=pool, runs=0)
    assert "are those that the classifier's probabilities promise; nobody has checked them" in str(made)
    told = plan(audit, pool=pool, runs=0, model_recall=0.6)
    assert told.guess.model_recall == pytest.approx(0.6, abs=0.01)
    assert told.guess.model_precision == pytest.approx(made.guess.model_precision, abs=0.01)
    assert "shifted to this recall and precision" in str(told)
    assert "promise" not in str(plan(apu.Audit(None, recall=0.5), runs=0))


def test_audits_of_a_pool_are_simulated_and_kept(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    monkeypatch.setattr(runs, "Parallel", lambda **_: lambda calls: [call[0](*call[1]) for call in calls])
    score = np.linspace(0.01, 0.99, 1000)
    pool = apu.Pool(np.arange(1000.0)[:, None])
    made = plan(apu.Audit(score > 0.5, score=score, recall=0.5), pool=pool, rate=0.9, runs=2)
    assert made.rows[0].note.startswith("mean of 2 runs")
    assert list(own_cache.rglob("*.json"))


def test_an_error_that_calling_nothing_positive_meets_is_warned_of() -> None:
    easy, hard = (plan(apu.Audit(None, error=error, rate=0.5), runs=0) for error in (0.1, 0.08))
    assert easy.warning == (
        "By this guess only 10% of the items are positive; calling nothing positive would meet error at most 10%, too. "
        "Choose a smaller error."
    )
    assert easy.warning in str(easy)
    assert hard.warning == plan(apu.Audit(None, recall=0.8), runs=0).warning == ""


def halves() -> tuple[apu.Pool, dict[str, Any]]:
    """A pool of two groups, one three times as large, and a score that is right on average in both."""
    score, even = np.linspace(0.001, 0.999, 2000) ** 3, np.arange(2000) % 4 == 0
    return apu.Pool(np.arange(2000.0)[:, None]), {"score": score, "groups": np.where(even, "few", "many")}


def test_a_plan_says_how_many_questions_each_group_takes() -> None:
    """Those of an audit of the group alone, at its part of δ."""
    pool, settings = halves()
    made = plan(apu.Audit(settings["score"] > 0.3, recall=0.6, gold=[0, 4, 5], **settings), pool=pool, runs=0)
    rows = {row.method: row for row in made.rows}
    mine = settings["groups"] == "few"
    mine[[0, 4, 5]] = False
    alone = apu.Audit(settings["score"][mine] > 0.3, score=settings["score"][mine], bands=borders(pool, settings))
    world = of_pool(alone, apu.Pool(np.flatnonzero(mine)[:, None]))
    expected = Formulas(world, 0.5, (0.5, 0.5), 0.05 / 4).limit(Target("recall", 0.6))
    assert rows["group few"].questions == math.ceil(expected)
    assert rows["group few"].note == (
        "of its own questions, for recall at least 60% of it: no method needs fewer on average, in a much larger pool"
    )
    assert rows["group many"].questions > 0.8 * rows["group few"].questions
    assert of_pool(apu.Audit(settings["score"] > 0.3, gold=[0, 4, 5], **settings), pool).gold == (2, 1)


def borders(pool: apu.Pool, settings: dict[str, Any]) -> list[float]:
    """The borders of the bands of the audit of all items."""
    audit = apu.Audit(settings["score"] > 0.3, gold=[0, 4, 5], **settings)
    return audit.strata(pool.draws(audit.hypotheses, 0))[1].borders.tolist()


def test_the_questions_of_a_group_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def trials(self: AuditSimulation, runs: int, watch: Any) -> list[Trial]:
        seen.append(self)
        return [Trial(len(self.world.sizes), 1.0)] * runs

    monkeypatch.setattr(AuditSimulation, "trials", trials)
    pool, settings = halves()
    made = plan(apu.Audit(settings["score"] > 0.3, recall=0.6, gold=[0, 4, 5], **settings), pool=pool, runs=2)
    first, second = seen[-2:]
    assert [row.method for row in made.rows[-2:]] == ["group few", "group many"]
    assert made.rows[-1].kind == "simulated"
    assert (first.gold, second.gold, first.delta, first.engine) == (2, 1, 0.05 / 4, "set")
    assert sum(first.world.sizes) + sum(second.world.sizes) == 1997


def test_groups_that_no_questions_are_enough_for_are_named() -> None:
    pool, settings = halves()
    score = settings["score"]
    groups = np.where(np.arange(2000) >= 1996, "tiny", np.where(score > 0.1, "high", "low"))
    made = plan(apu.Audit(score > 0.3, score=score, error=0.2, rate=0.5, groups=groups), pool=pool, runs=0)
    rows = {row.method: row for row in made.rows}
    assert rows["group tiny"].questions is None
    assert "too few items" in rows["group tiny"].note
    assert rows["group high"].questions is None
    assert "this classifier has error" in rows["group high"].note
    assert rows["group low"].questions > 0


def test_runs_that_did_not_finish_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AuditSimulation, "trials", lambda self, runs, watch: [Trial(9, 1.0), Trial(80, 0.0)])
    row = plan(apu.Audit(None, recall=0.8), runs=2).rows[0]
    assert row.note.startswith("more, as 1 of 2 runs did not get there in")


def test_the_hardest_targets_that_are_certified_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs need 1.2 to 2.1 times the limit: half of them 1.6 times, nine of ten 2 times."""

    def trials(self: AuditSimulation, runs: int, watch: Any) -> list[Trial]:
        if not self.targets:
            return [Trial(self.budget, 0.5 + 0.01 * k) for k in range(runs)]
        limit = Formulas(self.world, self.rate, (0.0, 1.0), self.delta).limit(Target(*self.targets[0]))
        return [Trial(1, float((1.2 + 0.1 * k) * limit <= self.budget)) for k in range(runs)]

    monkeypatch.setattr(AuditSimulation, "trials", trials)
    made = plan(apu.Audit(None), budget=500)
    assert isinstance(made, AuditReach)
    aimed, free = made.rows
    formulas = Formulas(WORLD, 0.5, (0.0, 1.0), 0.05)
    assert aimed.median == formulas.nearest("recall", 0.5 * 500)
    assert aimed.most == aimed.target == formulas.nearest("recall", 0.5 * 500)
    assert (free.median, free.most) == (0.55, 0.51)
    assert "≥ 0.55" in str(made)
    assert made.to_dict()["rows"][1]["target"] is None


def test_the_nearest_target_is_the_hardest_that_the_questions_allow() -> None:
    for kind, step in (("recall", 0.001), ("error", -0.001), ("precision", 0.001)):
        value = FORMULAS.nearest(kind, 800)
        assert value is not None
        assert FORMULAS.limit(Target(kind, value)) <= 800 < FORMULAS.limit(Target(kind, value + step))
    assert FORMULAS.nearest("recall", 1) is None or FORMULAS.limit(Target("recall", 0.001)) <= 1


@pytest.mark.parametrize(
    ("audit", "settings", "said"),
    [
        (apu.Audit(None), {}, "needs a target of the audit"),
        (apu.Audit("found", recall=0.9), {}, "there is no plan for it"),
        (apu.Audit(None, recall=0.9, rate="per expert"), {}, "supposes one reveal rate"),
        (apu.Audit(None, recall=0.9), {"epsilon": 0.1}, "takes no epsilon, got 0.1"),
        (apu.Audit(None, recall=0.9), {"delta": 0.1}, "takes no delta"),
        (apu.Audit(None, recall=0.9, bands=4), {}, "bands divides the items of a pool"),
        (apu.Audit(None, recall=0.9, rate=(0.3, 0.5)), {"rate": 0.7}, "lies from 0.3 to 0.5"),
        (apu.Audit(None, recall=0.9), {"budget": 50, "runs": 0}, "found by simulation"),
        (apu.Audit("p", recall=0.9), {"pool": apu.Pool(np.arange(9.0)), "prior": 0.2}, "prior follows from"),
        (
            apu.Audit(None, recall=0.99, delta=1e-3),
            {"pool": 100, "model_recall": 1.0},
            "No number of questions can certify",
        ),
    ],
)
def test_bad_settings_get_one_sentence(audit: apu.Audit, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        plan(audit, **settings)


def test_a_class_has_no_classifier_to_guess() -> None:
    with pytest.raises(InvalidInput, match="The plan of a class takes no model_recall"):
        plan(apu.Thresholds(), 0.1, model_recall=0.9)  # type: ignore[call-overload]
