"""The program as a whole: help, version, errors."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from activepu.cli import app, main

COMMANDS = ("demo", "learn", "score", "audit", "verify", "plan")
runner = CliRunner(env={"COLUMNS": "100"})


def test_help_lists_every_command_and_a_first_example():
    shown = runner.invoke(app, ["--help"])
    assert shown.exit_code == 0
    assert {command.callback.__name__ for command in app.registered_commands} == set(COMMANDS)
    for command in COMMANDS:
        assert f"│ {command} " in shown.output
    assert "activepu learn table.csv" in shown.output


def test_the_readme_and_the_help_promise_the_demo_in_the_same_time():
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    promised = re.search(r"a table and a picture,? in (.*)", readme)[1]
    assert f"a table and a picture in {promised}." in runner.invoke(app, ["--help"]).output


@pytest.mark.parametrize("command", [("learn",), ("study", "create")], ids=" ".join)
def test_no_option_is_without_effect(command):
    assert "ithout effect" not in runner.invoke(app, [*command, "--help"]).output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    shown = runner.invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert shown.output.count(f"activepu {command} ") >= 2  # the usage line and an example


def test_without_a_command_the_help_is_shown():
    assert "activepu demo" in runner.invoke(app, []).output


def test_version():
    assert runner.invoke(app, ["--version"]).output == f"activepu {metadata.version('activepu')}\n"


def test_the_entry_point_shows_an_error_as_one_sentence_without_a_traceback():
    program = "from activepu.cli import main; main()"
    arguments = ["plan", "--class", "circles"]
    run = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("There is no class 'circles'; the classes are thresholds, intervals, boxes")
    assert run.stderr.count("\n") == 1


def test_errors_are_red_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31m" in runner.invoke(app, ["plan", "--class", "circles"]).stderr


def test_an_unexpected_exception_keeps_its_traceback(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a bug")

    monkeypatch.setattr("activepu.planning.plan", broken)
    monkeypatch.setattr(sys, "argv", ["activepu", "plan", "--class", "thresholds"])
    with pytest.raises(RuntimeError, match="a bug"):
        main()


def test_it_also_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "activepu", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("activepu ")
