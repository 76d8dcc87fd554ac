"""`activepu verify` on files that `activepu audit` saved."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import activepu as apu
from activepu.audit import report
from activepu.cli import app

ROWS = 200
runner = CliRunner()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A table, and the saved dry run of an audit of its predictions."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    score = rng.random(ROWS).round(4)
    y = rng.random(ROWS) < score**2
    columns = {"key": [f"k{row}" for row in range(ROWS)], "s": score, "p": (score > 0.5).astype(int), "y": y}
    pyarrow.csv.write_csv(pa.table(columns), "t.csv")
    words = ["--predictions", "p", "--score", "s", "--expert-column", "y", "--recall", "0.5", "--save", "a.json"]
    shown = runner.invoke(app, ["audit", "t.csv", *words])
    assert shown.exit_code == 0, shown.output


def verified(*words):
    return runner.invoke(app, ["verify", "a.json", *words])


def test_a_saved_dry_run_is_verified_line_by_line():
    shown = verified("--table", "t.csv")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert all(line.startswith("ok: ") for line in lines[:-1])
    assert lines[-1] == "Verified."
    assert "ok: the strata are those of 'p' and 's' in the table." in lines
    assert any(line.startswith("ok: the lot of seed 0 gives all") for line in lines)
    assert "No file can show that the answers are the expert's" in shown.stderr


def test_without_the_table_it_says_that_the_strata_were_not_checked():
    shown = verified()
    assert shown.exit_code == 0
    assert "not checked: the strata: pass the table" in shown.stdout


def test_a_tampered_file_ends_with_code_1():
    data = json.loads(Path("a.json").read_text())
    data["findings"]["statements"][0]["low"] = 0.9
    Path("a.json").write_text(json.dumps(data))
    shown = verified()
    assert shown.exit_code == 1
    assert "WRONG: recall: stated 0.9000" in shown.stdout
    assert shown.stdout.splitlines()[-1].startswith("Not verified: 3 of ")  # with what rests on it


@pytest.mark.parametrize("old", ["p", "s"])
def test_a_table_with_other_predictions_or_scores_is_caught(old):
    table = pyarrow.csv.read_csv("t.csv")
    values = table[old].to_numpy()
    changed = table.set_column(table.column_names.index(old), old, [pa.array(1 - values)])
    pyarrow.csv.write_csv(changed, "other.csv")
    shown = verified("--table", "other.csv")
    assert shown.exit_code == 1
    assert "WRONG: the strata are those of 'p' and 's' in the table" in shown.stdout


def test_mean_probabilities_that_are_not_those_of_the_table_are_caught():
    data = json.loads(Path("a.json").read_text())
    data["findings"]["evidence"]["means"][0] += 0.01
    Path("a.json").write_text(json.dumps(data))
    assert "WRONG: the mean probabilities, which enter Q, are those of 's'" in verified("--table", "t.csv").stdout


def test_a_large_audit_is_redrawn_from_a_packed_list_of_its_items(monkeypatch):
    """Rows that look alike, gold and groups included: the file holds the stratum of each row."""
    monkeypatch.setattr(report, "LISTED", 10)
    table = pyarrow.csv.read_csv("t.csv").drop_columns(["key"])
    group = pa.array(np.arange(ROWS) % 2)
    pyarrow.csv.write_csv(pa.concat_tables([table.append_column("g", group)] * 2), "twice.csv")
    audit = apu.Audit("p", score="s", groups="g", gold=[int(np.flatnonzero(table["y"].to_numpy())[0])])
    run = apu.Run(audit, "twice.csv", seed=4)
    for question in run.ask(20):
        run.tell(question, question.row["y"])
    run.result().save("a.json")
    data = json.loads(Path("a.json").read_text())
    assert isinstance(data["findings"]["evidence"]["items"], str)
    shown = verified("--table", "twice.csv")
    assert shown.exit_code == 0, shown.output
    assert "ok: the strata are those of 'p' and 's' in the table." in shown.stdout
    for broken, told in (("AAAA", "lacks some of the evidence"), (other_items(data), "WRONG: the lot of seed 4")):
        data["findings"]["evidence"]["items"] = broken
        Path("a.json").write_text(json.dumps(data))
        shown = verified()
        assert shown.exit_code > 0
        assert told in shown.output


def other_items(data):
    """The packed strata, with two unasked rows of the first two strata exchanged."""
    evidence = data["findings"]["evidence"]
    codes = np.frombuffer(zlib.decompress(base64.b64decode(evidence["items"])), "<i4").copy()
    asked = {draw[0] for draw in evidence["draws"]}
    first, second = ([row for row in np.flatnonzero(codes == k) if row not in asked][-1] for k in (0, 1))
    codes[first], codes[second] = 1, 0
    return base64.b64encode(zlib.compress(codes.tobytes())).decode()


def test_a_file_that_is_no_audit_is_refused_in_one_sentence():
    Path("a.json").write_text("{}")
    shown = verified()
    assert shown.exit_code == 2
    assert "is not a result that Result.save wrote." in shown.stderr
