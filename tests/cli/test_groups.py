"""`activepu audit --groups` prints each group's lines, and `activepu verify` checks the column."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app
from activepu.cli.findings import statements

ROWS = 200
SCORE = np.random.default_rng(5).random(ROWS).round(3)
TRUTH, CALLED = np.random.default_rng(6).random(ROWS) < SCORE**2, SCORE >= 0.4
runner = CliRunner(env={"COLUMNS": "80"})


def test_groups_have_their_lines_and_are_verified_with_the_table(tmp_path: Path) -> None:
    table, result = tmp_path / "t.csv", tmp_path / "r.json"
    columns = {"key": range(ROWS), "side": ["left", "right"] * (ROWS // 2), "s": SCORE, "p": CALLED, "y": TRUTH}
    pyarrow.csv.write_csv(pa.table(columns), table)
    words = "--predictions p --score s --id key --expert-column y --groups side --budget 40"
    shown = runner.invoke(app, ["audit", str(table), *words.split(), "--save", str(result)])
    assert shown.exit_code == 0, shown.stderr
    for place, side in enumerate(("left", "right")):
        mine = np.arange(ROWS) % 2 == place
        true = (TRUTH & CALLED & mine).sum() / (TRUTH & mine).sum()
        assert re.search(rf"\nrecall in {side} .* {100 * true:.1f}% ", shown.stdout)
    verified = runner.invoke(app, ["verify", str(result), "--table", str(table)])
    assert "ok: the groups are those of 'side'." in verified.stdout
    table.write_text(table.read_text().replace("left", "up"))
    verified = runner.invoke(app, ["verify", str(result), "--table", str(table)])
    assert re.search(r"WRONG: the groups are those of 'side': row \d+ is not of group left", verified.stdout)


def test_what_gold_contradicts_is_called_doubtful_everywhere(tmp_path: Path) -> None:
    """Gold on the left is always confirmed, gold on the right never."""
    url, names = f"sqlite:///{tmp_path}/study.db", ["left", "right"] * (ROWS // 2)
    left, gold = np.arange(ROWS) % 2 == 0, np.flatnonzero(TRUTH)[::2]
    table = pa.table({"key": range(ROWS), "side": names, "s": SCORE, "p": CALLED})
    pool = apu.Pool(table, features=["s"], id="key")
    study = apu.Study.create(url, "sides", pool, apu.Audit("p", score="s", groups="side", gold=gold))
    for _ in range(8):
        for question in study.ask("ann", n=20):
            study.tell(question.token, bool(TRUTH[question.item] and left[question.item]))
    assert re.search(r"recall at least [\d.]+% \(doubtful\)", str(study.status()))
    study.result().save(tmp_path / "r.json")
    study.close()
    shown = [str(cell) for cell in statements(apu.load_result(tmp_path / "r.json")).columns[0].cells]
    assert shown[:4] == ["recall, doubtful", "confirmable recall", "error, doubtful", "precision, doubtful"]
    assert "recall in left" in shown
