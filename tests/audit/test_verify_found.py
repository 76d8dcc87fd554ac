"""A saved `Audit("found")` is verified, and what was changed in it is caught."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import activepu as apu
from activepu.verify import verify

RNG = np.random.default_rng(3)
SCORE = RNG.random(250)
TRUTH = RNG.random(250) < SCORE**5
X = np.column_stack([SCORE, RNG.random(250)])
ALIKE = np.repeat(np.arange(90), RNG.integers(1, 4, 90))


def _skipping(run: apu.Run, expert: apu.SimulatedExpert) -> apu.Result:
    while not run.finished and run.n_answered < 120:
        for question in run.ask(6):
            skip = question.number % 7 == 2
            run.tell(question, apu.SKIP if skip else bool(expert.answer(np.array([question.item]), None)[0]))
        left = [i for i in range(250) if i not in {q.item for q in run.questions}]
        run.record(left[0], bool(expert.answer(np.array(left[:1]), None)[0]))
    skipped = [question.item for question in run.questions if question.answer is apu.SKIP]
    for item in skipped[1:6]:  # answered after all
        run.record(item, bool(expert.answer(np.array([item]), None)[0]))
    assert run.result().findings.evidence["moments"][1] > 100
    return run.result()


def _results() -> dict[str, apu.Result]:
    expert = apu.SimulatedExpert(TRUTH, rate=0.8, seed=1)
    audit = apu.Audit("found", score=SCORE, recall=0.8, delta=0.1)
    alike = apu.SimulatedExpert(TRUTH[ALIKE], rate=0.8, seed=1)
    return {
        "plain": apu.learn(audit, X, expert),
        "in bands": apu.learn(apu.Audit("found", score=SCORE, recall=0.8, bands=3), X, expert, budget=150),
        "alike": apu.learn(apu.Audit("found", score=SCORE[ALIKE], recall=0.7), X[ALIKE], alike, budget=60),
        "given": apu.learn(apu.Audit("found", recall=0.8), X, expert, positives=np.flatnonzero(TRUTH)[:5], budget=150),
        "skips": _skipping(apu.Run(apu.Audit("found", recall=0.8), X, seed=2), expert),
        "skips in bands": _skipping(apu.Run(apu.Audit("found", score=SCORE, recall=0.8, bands=3), X, seed=2), expert),
        "nothing": apu.Run(audit, X).result(),
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found = {}
    for name, result in _results().items():
        path = tmp_path_factory.mktemp("found") / "audit.json"
        result.save(path)
        found[name] = path.read_text()
    return found


@pytest.fixture
def fails(saved: dict[str, str], tmp_path: Path) -> Callable[[str, Callable[[dict[str, Any]], None]], list[str]]:
    def check(name: str, change: Callable[[dict[str, Any]], None]) -> list[str]:
        data = json.loads(saved[name])
        change(data)
        (tmp_path / "audit.json").write_text(json.dumps(data))
        return [str(line) for line in verify(tmp_path / "audit.json") if line.ok is False]

    return check


@pytest.mark.parametrize("name", ["plain", "in bands", "alike", "given", "skips", "skips in bands", "nothing"])
def test_a_saved_search_is_verified(name: str, fails: Any) -> None:
    assert fails(name, lambda data: None) == []


@pytest.mark.parametrize("name", ["plain", "in bands", "alike", "given", "skips", "skips in bands"])
def test_a_tightened_bound_is_caught(name: str, fails: Any) -> None:
    def tighten(data: dict[str, Any]) -> None:
        evidence = data["findings"]["evidence"]
        assert evidence["missing"][1] > 0
        evidence["confirmable"][1] -= 3
        evidence["missing"][1] -= 3

    assert any("at most" in line for line in fails(name, tighten))


def test_a_claim_beyond_the_statement_is_caught(fails: Any) -> None:
    def claim(data: dict[str, Any]) -> None:
        data["certificate"]["claim"] = data["certificate"]["claim"].replace("at least 8", "at least 9")

    def state(data: dict[str, Any]) -> None:
        data["findings"]["statements"][0]["low"] += 0.02

    assert any("certificate" in line for line in fails("plain", claim))
    assert any("recall" in line for line in fails("plain", state))


def test_a_changed_question_answer_or_seed_is_caught(fails: Any) -> None:
    def other_seed(data: dict[str, Any]) -> None:
        data["findings"]["evidence"]["seed"] += 1

    def flipped(data: dict[str, Any]) -> None:
        data["findings"]["evidence"]["answers"][3][1] = not data["findings"]["evidence"]["answers"][3][1]

    def silenced(data: dict[str, Any]) -> None:
        """A reveal that is left out everywhere no longer fits what is in hand."""
        k = data["history"]["answer"].index(1)
        data["history"]["answer"][k] = 0
        data["findings"]["evidence"]["answers"][k][1] = False

    def more_found(data: dict[str, Any]) -> None:
        data["findings"]["evidence"]["before"] += 5

    for change in (other_seed, flipped, silenced, more_found):
        assert fails("plain", change), change.__name__
