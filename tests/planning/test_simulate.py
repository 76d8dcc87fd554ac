"""The rows of a plan that are simulated: their worlds, their runs, and the search for what a budget reaches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.optimize import linprog

import activepu as apu
from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses import BY_NAME
from activepu.planning import Reach, formulas, plan, planner, runs, simulate
from activepu.planning.runs import Trial, watching
from activepu.planning.simulate import WORLDS, Simulation, simulated_class

SMALL = {"runs": 3, "pool": 2000}


def simulation(**settings):
    basic = {"name": "thresholds", "dim": 1, "epsilon": 0.1, "delta": 0.1, "rate": 0.5, "prior": 0.3, "known": True}
    return Simulation(**(basic | {"budget": 500, "pool": 2000} | settings))


@pytest.mark.parametrize("cls", WORLDS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("prior", [0.05, 0.3])
def test_the_truth_has_the_prior_for_its_mass_and_is_in_the_class(cls, prior):
    dim = 1 if cls.name in ("thresholds", "intervals") else 3
    X, y = WORLDS[cls](dim, prior, 20_000, np.random.default_rng(0))
    assert y.mean() == pytest.approx(prior, abs=0.01)
    H = cls().bind(dim)
    points = H.encode(X)
    if cls is apu.Halfspaces:
        signed = np.where(y, -1, 1)[:500, None] * np.column_stack([X, np.ones(len(X))])[:500]
        assert linprog(np.zeros(dim + 1), signed, -np.ones(500), bounds=(None, None)).success  # y·(w·x − b) ≥ 1
    else:
        smallest = apu.version_space(H).require(points[y]).smallest(points[:0])
        assert (smallest.contains(points) == y).all()


def test_a_simulated_run_is_the_run_that_a_user_would_make():
    run = simulation()
    X, y = WORLDS[apu.Thresholds](1, 0.3, 2000, np.random.default_rng([1, 2]))
    learner = apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=0.5, check=0)
    result = apu.learn(learner, X, apu.SimulatedExpert(y, 0.5, seed=2), seed=2)
    assert run.trial(2) == Trial(result.n_queries, result.certificate.error_bound)
    assert run.trial(2).bound <= 0.1


def test_rows_that_are_alike_have_coins_of_their_own():
    trial = simulation(name="conjunctions", dim=2, budget=2000).trial(0)
    assert trial.asked > 4  # 0/1 features in two columns: four kinds of rows
    assert trial.bound <= 0.1


def test_a_run_without_a_hypothesis_left_certifies_nothing(monkeypatch):
    def lost(*_, **__):
        raise AssumptionsViolated("No hypothesis is left.")

    monkeypatch.setattr(simulate, "learn", lost)
    assert simulation(budget=77).trial(0) == Trial(77, 1.0)


def test_an_interrupted_run_is_no_run(monkeypatch):
    def tired(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(apu.SimulatedExpert, "answer", tired)
    with pytest.raises(KeyboardInterrupt):
        simulation().trial(0)


def test_a_plan_has_a_row_for_each_of_what_is_known_of_the_rate():
    made = plan(apu.Thresholds(), 0.1, 0.1, rate=0.5, prior=0.3, **SMALL)
    unknown, known = made.rows[:2]
    assert (unknown.method, known.method) == ("ZCal", "ZCal, rate known")
    trials = [simulation(budget=20 * 18).trial(number) for number in range(3)]
    assert known.questions == round(np.mean([trial.asked for trial in trials]))
    assert known.most == max(trial.asked for trial in trials)
    assert known.questions < unknown.questions
    assert unknown.kind == known.kind == "simulated"
    assert f"mean of 3 runs; 90% of them took at most {known.most}" in known.note
    assert "Simulated, not a guarantee: runs on 2,000 rows" in str(made)
    assert made.rows[2:] == plan(apu.Thresholds(), 0.1, 0.1, rate=0.5, prior=0.3, runs=0).rows


def test_the_same_plan_is_made_once(monkeypatch):
    arguments = {"epsilon": 0.2, "delta": 0.2, "prior": 0.3, **SMALL}
    first = plan(apu.Thresholds(), **arguments)
    monkeypatch.setattr(Simulation, "trial", None)
    monkeypatch.setattr(runs, "Parallel", None)
    assert plan(apu.Thresholds("score", above=False), **arguments).rows[:2] == first.rows[:2]


def test_runs_that_did_not_finish_are_told(monkeypatch):
    monkeypatch.setattr(planner, "PATIENCE", 1)
    monkeypatch.setattr(formulas, "least", lambda setting: 12)
    monkeypatch.setattr(Simulation, "trials", lambda self, runs, watch: [Trial(9, 0.3), Trial(9, 0.4), Trial(7, 0.1)])
    made = plan(apu.Thresholds(), 0.1, 0.1, **SMALL)
    assert made.rows[0].note == "more, as 2 of 3 runs did not get there in 12 questions"


def test_without_a_world_nothing_is_simulated():
    class Newcomer(apu.Boxes):
        pass

    assert simulated_class(Newcomer(2)) is None
    rules = apu.FiniteClass([lambda X: X[:, 0] > 0])
    made = plan(rules, 0.1, 0.1)
    assert all(row.kind != "simulated" for row in made.rows)
    assert "Simulated" not in str(made)
    with pytest.raises(InvalidInput, match="found by simulation"):
        plan(rules, budget=20)


def test_every_class_with_a_world_can_be_named():
    assert {cls.name for cls in WORLDS} == set(BY_NAME) - {"finite"}


@pytest.mark.parametrize("arguments", [{}, {"epsilon": 0.1, "budget": 20}])
def test_either_the_error_or_the_budget_is_asked_for(arguments):
    with pytest.raises(InvalidInput, match="either epsilon or budget"):
        plan(apu.Thresholds(), **arguments)


@pytest.mark.parametrize(
    ("arguments", "name"), [({"budget": 0}, "budget"), ({"epsilon": 0.1, "runs": -1}, "runs"), ({"pool": 3}, "pool")]
)
def test_bad_settings_are_named(arguments, name):
    with pytest.raises(InvalidInput, match=name):
        plan(apu.Thresholds(), **({"budget": 20} if "epsilon" not in arguments else {}) | arguments)


def test_what_a_budget_reaches_is_what_its_runs_certify():
    made = plan(apu.Thresholds(), delta=0.1, rate=0.5, prior=0.3, budget=15, **SMALL)
    assert isinstance(made, Reach)
    for row in made.rows:
        again = simulation(epsilon=row.target, budget=15, known=row.method != "ZCal")
        bounds = sorted(again.trial(number).bound for number in range(3))
        assert (row.median, row.most) == (bounds[1], bounds[2])
        assert row.note == f"3 runs that aimed at epsilon = {row.target:.2g}"
        assert f"≤ {row.most:.2g}" in str(made)
    assert made.rows[1].most < made.rows[0].most
    assert "the error that 15 questions certify with confidence 0.9" in str(made)


@pytest.mark.parametrize("reachable", [0.3, 0.04, 0.002])
def test_the_search_finds_the_error_that_can_be_reached(reachable, monkeypatch):
    """Runs that reach a target take a + b ln(1/ε) questions; a target beyond reach certifies less than one within."""

    def trials(self, runs, watch):
        asked = self.budget * (0.3 + 0.7 * np.log(1 / self.epsilon) / np.log(1 / reachable))
        if asked <= self.budget:
            return [Trial(round(asked), self.epsilon)] * runs
        return [Trial(self.budget, min(1.0, reachable**1.5 / self.epsilon**0.5))] * runs

    monkeypatch.setattr(Simulation, "trials", trials)
    made = plan(apu.Thresholds(), prior=0.5, budget=1000, runs=2)
    assert reachable <= made.rows[0].most <= 1.6 * reachable
    assert made.rows[0].median == made.rows[0].most


def test_a_target_is_chosen_by_what_most_runs_certify(monkeypatch):
    """One run in three is slow: it reaches 0.2, the others 0.02, and all certify 1 if they aim at less."""

    def trials(self, runs, watch):
        asked = [100 * np.log(1 / self.epsilon) / np.log(1 / (0.2 if k % 3 == 0 else 0.02)) for k in range(runs)]
        return [Trial(round(n), self.epsilon) if n <= 100 else Trial(100, 1.0) for n in asked]

    monkeypatch.setattr(Simulation, "trials", trials)
    row = plan(apu.Thresholds(), budget=100).rows[0]
    assert 0.2 <= row.target == row.most <= 0.5


def test_more_runs_go_on_where_fewer_ended(monkeypatch):
    monkeypatch.setattr(runs, "Parallel", lambda **_: lambda calls: [call[0](*call[1]) for call in calls])
    made = []
    monkeypatch.setattr(Simulation, "trial", lambda self, number: made.append(number) or Trial(number, 0.1))
    with watching(False, "ZCal") as watch:
        for n in (2, 5, 3):
            assert [trial.asked for trial in simulation().trials(n, watch)] == list(range(n))
    assert made == [0, 1, 2, 3, 4]


def test_an_interrupt_keeps_the_runs_that_are_done_and_says_so(monkeypatch):
    def interrupted(calls):
        yield 0, Trial(7, 0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "Parallel", lambda **_: interrupted)
    made = plan(apu.Thresholds(), 0.1, 0.1)
    assert made.rows[0].questions == 7
    assert made.rows[0].note.endswith("; interrupted before all 10 were done")
    assert made.rows[1].kind != "simulated"
    assert plan(apu.Thresholds(), budget=20).rows == ()


def test_a_bound_that_says_nothing_is_called_nothing(monkeypatch):
    monkeypatch.setattr(Simulation, "trials", lambda self, runs, watch: [Trial(5, 1.0)] * runs)
    assert "nothing" in str(plan(apu.Thresholds(), budget=5))


SCRIPT = """
import activepu as apu
from activepu.planning import runs

advance = runs.Watch.advance

def told(self, runs):
    advance(self, runs)
    print("done:", runs, flush=True)

runs.Watch.advance = told
made = apu.plan(apu.Thresholds(), {arguments}, rate=0.5, prior=0.3, progress=True)
print("asks", made.rows[0].questions, flush=True)
"""
GUARD = 600
"""Seconds after which a test is taken to hang, however slow the machine; what it waits for comes far sooner."""


def test_a_script_needs_no_guard_around_its_main_part(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(arguments="0.2, runs=2, pool=1000"))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=GUARD)
    assert int(done.stdout.split("asks")[1]) > 0


def alive(group):
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_ends_the_simulation_and_leaves_no_process_and_no_cache(tmp_path, own_cache):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(arguments="0.1, runs=1_000_000, pool=1000"))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, script], text=True, start_new_session=True, **pipes)
    try:
        while "done: 1" not in (line := process.stdout.readline()):  # a run is done, so that more are under way
            assert line, process.stderr.read()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=GUARD)
        assert process.returncode == 0, err
        assert "asks" in out
        ends = time.monotonic() + GUARD
        while alive(process.pid):
            assert time.monotonic() < ends
            time.sleep(0.05)
    finally:  # whatever went wrong, nobody else has to share the machine with it
        if alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
    assert not own_cache.exists()
