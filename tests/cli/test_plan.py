"""`activepu plan`."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app
from activepu.planning import runs
from activepu.planning.audits.simulate import AuditSimulation
from activepu.planning.runs import Trial
from activepu.planning.simulate import Simulation

runner = CliRunner(env={"COLUMNS": "100"})


@pytest.mark.parametrize(
    ("hypotheses", "arguments"),
    [(apu.Boxes(2), ["--class", "boxes", "--dim", "2"]), (apu.Thresholds(), ["--class", "thresholds"])],
)
def test_every_row_of_the_plan_is_shown_with_its_questions(hypotheses, arguments):
    shown = runner.invoke(app, ["plan", *arguments, "--prior", "0.3", "--epsilon", "0.1", "--runs", "0"])
    assert shown.exit_code == 0
    plan = apu.plan(hypotheses, 0.1, 0.05, rate=0.5, prior=0.3, runs=0)
    lines = [line.split() for line in shown.output.splitlines()]
    for row in plan.rows:
        expected = [*row.method.split(), apu.planning.readable(row.questions)]
        assert any(line[: len(expected)] == expected for line in lines), row


@pytest.fixture
def one_simulation(monkeypatch):
    """Runs that took as many questions as their number, and certified a hundredth of it."""
    trials = [Trial(10, 0.01), Trial(20, 0.02), Trial(30, 0.03)]
    monkeypatch.setattr(Simulation, "trials", lambda self, n, watch: trials)


def test_zcal_is_simulated_and_said_to_be(one_simulation):
    shown = runner.invoke(app, ["plan", "--class", "thresholds", "--epsilon", "0.05", "--runs", "3"])
    words = " ".join(shown.output.split())
    assert "ZCal 20 – simulated mean of 3 runs; 90% of them took at most 30" in words
    assert "ZCal, rate known 20 – simulated" in words
    assert "Simulated, not a guarantee: runs on 20,000 rows" in words


def test_a_budget_is_answered_with_errors(one_simulation):
    shown = runner.invoke(app, ["plan", "--class", "boxes", "--dim", "2", "--budget", "200", "--runs", "3"])
    assert shown.exit_code == 0, shown.stderr
    words = " ".join(shown.output.split())
    assert "Boxes(dim=2): the error that 200 questions certify with confidence 0.95" in words
    assert "ZCal ≤ 0.02 ≤ 0.03 simulated" in words
    assert "Simulated, not a guarantee" in words
    assert "proved bound" not in words


def test_on_a_terminal_a_bar_counts_the_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(runs, "Parallel", lambda **_: lambda calls: [(0, Trial(7, 0.04)) for _ in calls])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("FORCE_COLOR", "1")
    arguments = ["plan", "--class", "thresholds", "--runs", "1"]
    assert "simulating ZCal" in runner.invoke(app, arguments).stderr
    monkeypatch.delenv("FORCE_COLOR")
    assert runner.invoke(app, arguments).stderr == ""


def test_an_audit_is_planned_with_its_limit_and_its_runs(monkeypatch):
    trials = [Trial(900, 1.0), Trial(1100, 1.0)]
    monkeypatch.setattr(AuditSimulation, "trials", lambda self, n, watch: trials)
    shown = runner.invoke(app, ["plan", "--audit", "--recall", "0.9", "--rate", "0.5", "--prior", "0.1"])
    assert shown.exit_code == 0, shown.stderr
    words = " ".join(shown.output.split())
    assert "Audit: recall at least 90% with confidence 0.95. Guess: 20,000 items, 10% of them positive" in words
    assert "Audit 1,000 simulated mean of 2 runs; 90% of them took 900 to 1,100" in words
    assert "limit 2,035 limit no method needs fewer" in words
    assert "Expect hundreds of questions, not tens" in words


def test_a_budget_of_an_audit_is_answered_with_what_it_certifies(monkeypatch):
    trials = [Trial(300, 0.8), Trial(300, 0.7)]
    monkeypatch.setattr(AuditSimulation, "trials", lambda self, n, watch: trials)
    arguments = [
        "plan",
        "--audit",
        "--budget",
        "300",
        "--known-rate",
        "0.4,0.6",
        "--model-precision",
        "0.8",
        "--runs",
        "2",
    ]
    shown = runner.invoke(app, arguments)
    assert shown.exit_code == 0, shown.stderr
    words = " ".join(shown.output.split())
    assert "Audit: what 300 questions certify" in words
    assert "recall, no target ≥ 0.8 ≥ 0.7 simulated" in words
    assert "error, no target ≤ 0.7 ≤ 0.8 simulated" in words
    assert "knows that this rate lies from 0.4 to 0.6" in words


def test_theta_adds_rows():
    arguments = ["plan", "--class", "halfspaces", "--dim", "2", "--runs", "0"]
    assert "KnownPrior" not in runner.invoke(app, arguments).output
    assert "KnownPrior" in runner.invoke(app, [*arguments, "--theta", "3"]).output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--class", "boxes"], "add --dim 2"),
        (["--class", "thresholds", "--dim", "3"], "leave --dim out"),
        (["--class", "boxes", "--dim", "0"], "dim must be at least 1, got 0"),
        (["--class", "thresholds", "--epsilon", "2"], "epsilon must lie strictly between 0 and 1, got 2.0"),
        (["--class", "thresholds", "--rate", "0"], "rate must lie in (0, 1], got 0.0"),
        (["--class", "thresholds", "--theta", "0.5"], "theta must be at least 1"),
        (["--class", "thresholds", "--budget", "0"], "budget must be at least 1, got 0"),
        (
            ["--class", "thresholds", "--budget", "9", "--epsilon", "0.1"],
            "--epsilon does not go with --budget, got 0.1",
        ),
        (["--class", "thresholds", "--budget", "9", "--theta", "3"], "--theta does not go with --budget, got 3"),
        (["--class", "thresholds", "--budget", "9", "--runs", "0"], "found by simulation, got runs=0"),
        (["--audit", "--recall", "0.9", "--epsilon", "0.1"], "--epsilon is for learning a rule"),
        (["--class", "thresholds", "--recall", "0.9"], "--recall is for an audit; add --audit"),
        (["--audit"], "plan needs a target of the audit"),
        (["--audit", "--recall", "2"], "recall must lie"),
        (["--class", "circles"], "There is no class 'circles'"),
    ],
)
def test_bad_input_gives_one_sentence(arguments, sentence):
    shown = runner.invoke(app, ["plan", *arguments])
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
