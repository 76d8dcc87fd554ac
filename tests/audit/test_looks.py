"""Looks at an audit with a rate per expert: few sets are computed in whole, and no bound is other than with all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import activepu as apu
from activepu.audit import joint_likelihood
from activepu.audit.joint_likelihood import Seen, log_likelihood
from activepu.audit.per_expert import PerExpertSet
from activepu.audit.report import Audited


def audited(seed: int, **targets: float) -> apu.Result:
    rng = np.random.default_rng(seed)
    score = rng.random(2_000)
    truth = rng.random(2_000) < score**3
    team: dict[Any, Any] = {
        name: apu.SimulatedExpert(truth, rate=rate, seed=seed) for name, rate in (("ann", 0.9), ("bob", 0.5))
    }
    audit = apu.Audit(score > 0.6, score=score, rate="per expert", **targets)
    return apu.learn(audit, score, team, seed=seed, budget=200, batch=10)


@pytest.mark.parametrize(("seed", "targets"), [(0, {"recall": 0.8}), (1, {"recall": 0.55, "error": 0.35})])
def test_most_looks_need_no_whole_set(monkeypatch: pytest.MonkeyPatch, seed: int, targets: dict[str, float]) -> None:
    whole = []
    divide = PerExpertSet._divide

    def spied(*given: Any) -> None:
        whole.append(given)
        divide(*given)

    monkeypatch.setattr(PerExpertSet, "_divide", spied)
    few, made = audited(seed, **targets), len(whole)
    monkeypatch.setattr(Audited, "at_rates", lambda self, what, rates: (1.0, 0.0))  # nothing is known beforehand
    every = audited(seed, **targets)
    assert made <= 0.6 * (len(whole) - made)
    assert (few.n_queries, few.stop_reason) == (every.n_queries, every.stop_reason)
    for one, other in zip(few.statements(), every.statements(), strict=True):
        assert one.what == other.what
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_a_binomial_is_computed_once_for_all_corners(monkeypatch: pytest.MonkeyPatch) -> None:
    convolved, rows = joint_likelihood._convolved, []

    def spied(a: Any, b: Any, of_b: Any) -> Any:
        rows.append((len(a), len(b)))
        return convolved(a, b, of_b)

    monkeypatch.setattr(joint_likelihood, "_convolved", spied)
    each = np.linspace(0.1, 0.9, 6)
    rates = np.stack(np.meshgrid(each, each, each), axis=-1).reshape(-1, 3)
    log_likelihood(Seen(100, (9, 8, 7), (1, 2, 3)), np.arange(6.0, 101), rates)
    assert rows == [(6, 6), (36, 6), (216, 6)]
