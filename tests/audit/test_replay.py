"""A study is replayed where plans come out otherwise: by another last digit, or by another version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import activepu as apu
from activepu.audit import rest, state
from activepu.errors import InvalidInput
from activepu.records import Note
from activepu.verify import verify

RNG = np.random.default_rng(8)
SCORE = RNG.random(900)
TRUTH = RNG.random(900) < SCORE**4
X = np.column_stack([SCORE, RNG.random(900)])
Floats = NDArray[np.float64]


def audit() -> apu.Audit:
    return apu.Audit(SCORE > 0.5, score=SCORE, recall=0.6)


def search() -> apu.Audit:
    return apu.Audit("found", score=SCORE, recall=0.8, delta=0.1, bands=3)


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[Callable[[], apu.Audit]], str]:
    """Make a study of some answers."""

    def make(learner: Callable[[], apu.Audit], answers: int = 150) -> str:
        url = f"sqlite:///{tmp_path}/study.db"
        with apu.Study.create(url, "study", X, learner(), seed=3) as study:
            for _ in range(answers // 5):
                for question in study.ask("ann", n=5):
                    study.tell(question.token, bool(TRUTH[question.item]))
        return url

    return make


def _elsewhere(patch: pytest.MonkeyPatch, change: Callable[[Floats], Floats]) -> None:
    """Change the weights of every plan."""
    plan = state.with_floor
    patch.setattr(state, "with_floor", lambda *given: change(plan(*given)))


def _digits(weights: Floats) -> Floats:
    return weights * (1 + 1e-9 * np.cos(np.arange(len(weights))))


def _turned(weights: Floats) -> Floats:
    return weights[::-1].copy()


@pytest.mark.parametrize(("change", "stands"), [(_digits, True), (_turned, False)])
def test_a_study_is_replayed_where_plans_differ(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Floats], Floats], stands: bool
) -> None:
    url = saved(audit)
    before = apu.Study.load(url, "study", pool=X, learner=audit()).result()
    assert before.findings.evidence["bet"]["won"]
    _elsewhere(monkeypatch, change)
    with apu.Study.load(url, "study", pool=X, learner=audit()) as study:
        after = study.result()
        assert after.history == before.history
        after.save(tmp_path / "audit.json")
        assert [line for line in verify(tmp_path / "audit.json") if line.ok is False] == []
        assert after.findings.evidence["bet"]["won"] is stands
        assert (after.recall.low >= 0.6) is stands
        assert study.ask("ann") or stands
    differ = len(after.findings.evidence["recorded"])
    assert (differ == 0) is stands
    lines = [str(line) for line in verify(tmp_path / "audit.json")]
    assert any(f"the strata of {differ} draws are those that were recorded" in line for line in lines) is (differ > 0)


def test_a_border_that_falls_on_the_other_side_costs_nothing(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights are the same, and only the draw between two strata comes out otherwise: the bet stands."""
    url = saved(audit)
    draw, calls = state.State._stratum, iter(range(10**6))

    def flipped(self: state.State, weights: Floats) -> int:
        k = draw(self, weights)
        open_ = np.flatnonzero(weights)
        return int(open_[0] if next(calls) % 40 == 7 and k != open_[0] else k)

    monkeypatch.setattr(state.State, "_stratum", flipped)
    result = apu.Study.load(url, "study", pool=X, learner=audit()).result()
    assert result.findings.evidence["bet"]["won"]
    assert result.recall.low >= 0.6


def test_a_bet_on_draws_with_other_weights_is_caught(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = saved(audit)
    _elsewhere(monkeypatch, _turned)
    monkeypatch.setattr("activepu.audit.bet.Bet.end", lambda bet: None)
    monkeypatch.setattr("activepu.audit.bet.Bet.won", lambda bet, delta: True)
    apu.Study.load(url, "study", pool=X, learner=audit()).result().save(tmp_path / "audit.json")
    assert any("it is void" in str(line) for line in verify(tmp_path / "audit.json") if line.ok is False)


@pytest.fixture
def other_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan another depth, and draw from another band."""
    monkeypatch.setattr(rest, "cheapest_depth", lambda *given: 7)
    monkeypatch.setattr(rest.Rest, "_band", lambda self: int(np.flatnonzero(self._left)[-1]))


def test_a_search_is_replayed_where_plans_differ(saved: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    url = saved(search, 600)
    before = apu.Study.load(url, "study", pool=X, learner=search()).result()
    assert {"rank", "lot"} == set(before.history["phase"])
    request.getfixturevalue("other_depths")
    after = apu.Study.load(url, "study", pool=X, learner=search()).result()
    assert after.history == before.history
    assert after.missing == before.missing
    after.save(tmp_path / "found.json")
    assert all(line.ok for line in verify(tmp_path / "found.json"))


@pytest.mark.parametrize("learner", [audit, lambda: apu.Audit("found")], ids=["audit", "search"])
def test_an_item_that_is_not_the_next_of_its_stratum_is_refused(learner: Callable[[], apu.Audit]) -> None:
    run = apu.Run(learner(), X, seed=3)
    put = []
    while len(put) < 60:
        for question in run.ask(5):
            run.tell(question, bool(TRUTH[question.item]))
            put.append(question)
    lot = [question for question in put if question.note.phase == "lot"]
    again = apu.Run(learner(), X, seed=3)
    for question in put[: lot[-1].number]:
        again.tell(again.recall(question.item, question.note), bool(TRUTH[question.item]))
    for item in [lot[0].item + 1, lot[1].item + 1]:
        if item not in {question.item for question in put}:
            with pytest.raises(InvalidInput, match=r"but the lot gave|which the lot did not give"):
                again.recall(item, Note("lot", -1, lot[-1].note.prediction))


def test_nothing_is_bet_on_a_draw_without_a_recorded_weight_if_another_stratum_is_drawn_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [question] = apu.Run(audit(), X, seed=3).ask()
    same, other = apu.Run(audit(), X, seed=3), apu.Run(audit(), X, seed=3)
    same.tell(same.recall(question.item, Note("lot", -1)), True)
    assert not same.result().findings.evidence["recorded"]
    drawn = state.State._stratum
    monkeypatch.setattr(state.State, "_stratum", lambda self, weights: 1 - min(1, drawn(self, weights)))
    other.tell(other.recall(question.item, Note("lot", -1)), True)
    assert other.result().findings.evidence["recorded"] == [[0, 0.0]]
