"""`--json` on every command: one document on standard output, nothing else, with the keys that the page names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.scenes import AUDIT, LEARN, MODEL, write_tables
from typer.testing import CliRunner

from activepu.cli import app, study
from activepu.cli.audits import in_the_terminal
from activepu.errors import StudyDamaged

runner = CliRunner()
STUDY = ("study", "create", "table.csv", "--columns", "amount,age", "--id", "account")
PREPARED = {
    "score": [(*LEARN, *MODEL, "--save", "r.json")],
    "verify": [(*AUDIT, "--expert-column", "fraud", "--save", "a.json")],
    "study import": [STUDY, ("study", "label", "table", "--expert", "ann"), ("study", "export", "table", "a.csv")],
    "study leave": [STUDY, ("study", "label", "table", "--expert", "ann")],
}
CALLS = {
    "demo": ("demo", "--quick"),
    "learn": (*LEARN, *MODEL),
    "score": ("score", "new.csv", "--result", "r.json", "-o", "scored.csv"),
    "audit": (*AUDIT, "--expert-column", "fraud"),
    "verify": ("verify", "a.json"),
    "plan": ("plan", "--class", "thresholds", "--runs", "0"),
    "study create": STUDY,
    "study label": ("study", "label", "table", "--expert", "ann"),
    "study status": ("study", "status", "table"),
    "study result": ("study", "result", "table"),
    "study list": ("study", "list"),
    "study export": ("study", "export", "table", "out.csv"),
    "study import": ("study", "import", "table", "a.csv"),
    "study release": ("study", "release", "table", "ann"),
    "study leave": ("study", "leave", "table", "ann"),
    "study check": ("study", "check", "table"),
    "study repair": ("study", "repair", "table"),
    "study delete": ("study", "delete", "table"),
}
KEYS = "y\nq\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tables()


def documented() -> dict[str, set[str]]:
    """The keys of each command, as the page lists them."""
    page = (Path(__file__).parents[2] / "docs" / "shell.md").read_text(encoding="utf-8").split("## JSON")[1]
    lines = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    told = {name.strip().strip("`"): cell for name, cell in lines}
    found = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in told.items()}
    for name, cell in told.items():
        found[name] |= found["a result"] if "those of a result" in cell else set()
        found[name] |= found["a status"] if "those of a status" in cell else set()
    return {name: keys for name, keys in found.items() if not name.startswith("a ") and name != "command"}


def test_every_command_is_called_here_and_is_on_the_page():
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    commands |= {f"study {command.name}" for command in study.app.registered_commands}
    assert commands == set(CALLS) == set(documented())


@pytest.mark.parametrize("name", [name for name in CALLS if name != "demo"])
def test_a_command_prints_one_document_and_nothing_else(name):
    before = PREPARED.get(name, [STUDY] if name.startswith("study") and name != "study create" else [])
    for words in before:
        assert runner.invoke(app, list(words), input=KEYS).exit_code == 0
    typed = "table\n" if name == "study delete" else KEYS
    shown = runner.invoke(app, [*CALLS[name], "--json"], input=typed)
    assert shown.exit_code == 0, shown.output
    assert set(json.loads(shown.stdout)) == documented()[name]


@pytest.mark.slow
def test_the_demo_prints_one_document_too():
    shown = runner.invoke(app, [*CALLS["demo"], "--json"])
    assert set(json.loads(shown.stdout)) == documented()["demo"]


def test_the_document_says_what_the_words_say():
    words, data = (runner.invoke(app, [*LEARN, *MODEL, *more]).stdout for more in ((), ("--json",)))
    said = json.loads(data)
    assert f"{said['questions']} questions, {said['revealed']} revealed." in words
    assert f"{100 * said['truth']['recall']:.3g}% of the positives" in words
    assert in_the_terminal(said["certificate"]["sentence"]) in words  # with options in place of arguments
    assert said["items"] is None


def test_a_refusal_leaves_standard_output_empty():
    for words in (["study", "status", "none"], ["learn", "table.csv", "--expert-column", "none"]):
        shown = runner.invoke(app, [*words, "--json"])
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert shown.stderr.count("\n") == 1


def test_a_document_has_the_exit_code_of_the_words(monkeypatch):
    def damaged(*_):
        raise StudyDamaged("Event 1 is damaged.")

    runner.invoke(app, list(STUDY))
    monkeypatch.setattr("activepu.verify.verify", lambda *_: [])
    assert runner.invoke(app, ["verify", "none.json", "--json"]).exit_code == 0
    monkeypatch.setattr("activepu.studies.integrity.check", damaged)
    assert runner.invoke(app, ["study", "check", "table", "--json"]).exit_code == 2
