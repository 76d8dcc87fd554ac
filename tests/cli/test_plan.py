"""`activepu plan`."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app

runner = CliRunner(env={"COLUMNS": "100"})


@pytest.mark.parametrize(
    ("hypotheses", "arguments"),
    [(apu.Boxes(2), ["--class", "boxes", "--dim", "2"]), (apu.Thresholds(), ["--class", "thresholds"])],
)
def test_every_row_of_the_plan_is_shown_with_its_questions(hypotheses, arguments):
    shown = runner.invoke(app, ["plan", *arguments, "--prior", "0.3", "--epsilon", "0.1"])
    assert shown.exit_code == 0
    plan = apu.plan(hypotheses, 0.1, 0.05, rate=0.5, prior=0.3)
    lines = [line.split() for line in shown.output.splitlines()]
    for row in plan.rows:
        expected = [*row.method.split(), apu.planning.readable(row.questions)]
        assert any(line[: len(expected)] == expected for line in lines), row


def test_theta_adds_rows():
    arguments = ["plan", "--class", "halfspaces", "--dim", "2"]
    assert "KnownPrior" not in runner.invoke(app, arguments).output
    assert "KnownPrior" in runner.invoke(app, [*arguments, "--theta", "3"]).output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--class", "boxes"], "add --dim 2"),
        (["--class", "boxes", "--dim", "0"], "dim must be at least 1, got 0"),
        (["--class", "thresholds", "--epsilon", "2"], "epsilon must lie strictly between 0 and 1, got 2.0"),
        (["--class", "thresholds", "--rate", "0"], "rate must lie in (0, 1], got 0.0"),
        (["--class", "thresholds", "--theta", "0.5"], "theta must be at least 1"),
        (["--class", "circles"], "There is no class 'circles'"),
    ],
)
def test_bad_input_gives_one_sentence(arguments, sentence):
    shown = runner.invoke(app, ["plan", *arguments])
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
