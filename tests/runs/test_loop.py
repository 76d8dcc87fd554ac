"""The loop around the driver: budgets, batches, skips, Ctrl-C and progress."""

import numpy as np
import pytest
from runs.recorder import Recorder, number_pool

from activepu.experts import CallbackExpert, SimulatedExpert
from activepu.hypotheses import Thresholds
from activepu.records import StopReason
from activepu.run import MOST_SKIPS, estimate_rate, learn


@pytest.mark.parametrize("batch", [1, 3, 7])
def test_the_budget_is_kept_and_said(batch):
    asked = []

    def answer(rows):
        asked.append(len(rows))
        return np.zeros(len(rows), bool)

    result = learn(Recorder(), number_pool(), CallbackExpert(answer), budget=10, batch=batch)
    assert result.n_queries == sum(asked) == 10
    assert max(asked) == batch
    assert result.stop_reason == StopReason.BUDGET


def test_a_budget_that_is_never_reached_says_nothing():
    result = learn(Recorder(enough=4), number_pool(), SimulatedExpert(np.zeros(50, bool)), budget=10)
    assert result.n_queries == 4
    assert result.stop_reason == StopReason.RUNNING  # what the recorder itself reports


def test_ctrl_c_ends_with_what_is_known():
    answered = []

    def answer(rows):
        if len(answered) == 6:
            raise KeyboardInterrupt
        answered.append(1)
        return [True]

    result = learn(Recorder(), number_pool(), CallbackExpert(answer))
    assert result.stop_reason == StopReason.INTERRUPTED
    assert result.n_queries == result.n_revealed == 6
    assert result.predict(np.array(result.history["item"], float)).all()


def test_an_expert_who_only_skips_is_given_up():
    result = learn(Recorder(), number_pool(), CallbackExpert(lambda rows: np.full(len(rows), -1)), batch=10)
    assert result.n_queries == 0
    assert f"skipped {MOST_SKIPS:d} questions in a row" in result.stop_reason


def test_a_skipping_expert_is_asked_again_and_skips_cost_no_budget():
    turn = iter(range(10**6))
    expert = CallbackExpert(lambda rows: [-1] if next(turn) % 3 else [0])
    result = learn(Recorder(), number_pool(20), expert, budget=20)
    assert sorted(result.history["item"]) == list(range(20))


def test_progress_may_be_a_function_or_a_line(capsys):
    lines = []
    expert = SimulatedExpert(np.ones(50, bool), 1.0)
    learn(Recorder(), number_pool(), expert, budget=3, progress=lambda run: lines.append(run.progress_line()))
    assert lines[-1] == "3 questions, 3 revealed, 25.0% undecided (random)"
    learn(Recorder(), number_pool(), expert, budget=3, progress=True)
    assert "3 questions" in capsys.readouterr().out


def test_estimate_rate_bounds_the_rate():
    X = np.random.default_rng(0).random(4000)
    bounds = estimate_rate(Thresholds(), X, SimulatedExpert(X > 0.5, 0.6), delta=0.1)
    assert bounds.low < 0.6 < bounds.high
    assert bounds.high / bounds.low < 8
    assert bounds.confidence == 0.9
    nothing = estimate_rate(Thresholds(), X, SimulatedExpert(X > 0.5, 0.6), delta=0.1, budget=2)
    assert (nothing.low, nothing.high) == (0.0, 1.0)
