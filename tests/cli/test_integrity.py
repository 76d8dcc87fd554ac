"""`activepu study check` and `repair`."""

import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from typer.testing import CliRunner

import activepu as apu
from activepu.cli.app import app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).random((100, 1))
    with apu.Study.create("sqlite:///activepu.db", "s", x, apu.ZCal(apu.Intervals(), 0.1, 0.1)) as study:
        for _ in range(3):
            study.tell(study.ask("ann")[0], True)
    return tmp_path


def run(*words, code=0):
    found = CliRunner().invoke(app, ["study", *words])
    assert found.exit_code == code
    return found.stdout, found.stderr


def execute(statement):
    with closing(sqlite3.connect("activepu.db", isolation_level=None)) as database:
        database.execute(statement)


def test_a_study_that_is_whole_is_one_line_with_its_last_hash(folder):
    said, _ = run("check", "s")
    assert said.startswith("s: 9 events, 3 answers, all whole; the last hash is ")
    assert said.count("\n") == 1
    head = said.split()[-1]
    assert run("check", "s", "--head", head)[0] == said
    assert f"No event has the hash {64 * '0'}" in run("check", "s", "--head", 64 * "0", code=1)[0]
    assert run("repair", "s")[1] == "Nothing is damaged, and nothing was changed.\n"


def test_what_can_be_repaired_is_listed_and_repaired(folder):
    execute("UPDATE activepu_questions SET answer = 0 WHERE sequence < 2")
    damaged, advice = run("check", "s", code=1)
    assert damaged.splitlines() == [f"Question {k} has the answer 0, but 1 by the events." for k in (0, 1)]
    assert "make the rest again with: activepu study repair s" in advice
    assert "activepu study repair s" in run("status", "s", code=2)[1]
    said, end = run("repair", "s")
    assert said == damaged
    assert end == "All of this was repaired.\n"
    assert "all whole" in run("check", "s")[0]


def test_what_cannot_be_repaired_says_what_to_do(folder):
    execute("UPDATE activepu_events SET answer = 0 WHERE number = 3")
    damaged, advice = run("check", "s", code=1)
    assert damaged.startswith("Event 3 (answer of question 0 by 'ann') is not what it was")
    assert advice.startswith("Restore a copy of the database")
    assert "restore a copy of the database" in run("repair", "s", code=2)[1]


def test_a_file_whose_list_of_open_questions_is_wrong_is_noticed(folder):
    """The list is an index, which SQLite believes."""
    execute("PRAGMA writable_schema = ON")
    with apu.Study.load("sqlite:///activepu.db", "s", np.random.default_rng(0).random((100, 1))) as study:
        study.ask("ann")
    with closing(sqlite3.connect("activepu.db", isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        (text,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'activepu_open_questions'").fetchone()
        database.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = ?", (text[: text.index(" WHERE")], "activepu_open_questions")
        )
    damaged, _ = run("check", "s", code=1)
    assert "The file of the database is damaged (" in damaged


def test_a_damaged_file_is_one_sentence_and_is_not_repaired(folder):
    whole = bytearray((folder / "activepu.db").read_bytes())
    whole[20] ^= 255  # the size of what is reserved on each page
    (folder / "activepu.db").write_bytes(whole)
    damaged, advice = run("check", "s", code=1)
    assert re.fullmatch(r"The file of the database is damaged \(\d+ problems, the first: [^\n]+\)\.\n", damaged)
    assert "***" not in damaged
    assert advice.startswith("Restore a copy of the database")
    before = (folder / "activepu.db").read_bytes()
    refused = " ".join(run("repair", "s", code=2)[1].split())
    assert refused.endswith(f"{damaged.strip()[:-1]}; nothing was changed: restore a copy of the database.")
    assert (folder / "activepu.db").read_bytes() == before


def test_a_database_or_study_that_is_not_there_is_not_made(folder):
    assert "no study 't'" in run("check", "t", code=2)[1]
    assert "no database" in run("repair", "s", "--db", "sqlite:///none.db", code=2)[1]
    assert not (folder / "none.db").exists()
