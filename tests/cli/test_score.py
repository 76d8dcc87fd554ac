"""`activepu score`: what a saved result says beside the rows of another table."""

from __future__ import annotations

import csv
import stat
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from cli.scenes import AUDIT, LEARN, MODEL, write_tables
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app, kept

runner = CliRunner(env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Results of a model, a rule and an audit."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_tables()
        rule = ("--class", "boxes", "--features", "amount,age", "--budget", "40")
        calls = ((*LEARN, *MODEL), (*LEARN, *rule), (*AUDIT, "--expert-column", "fraud"))
        for name, words in zip(("model", "rule", "audit"), calls, strict=True):
            assert runner.invoke(app, [*words, "--save", f"{name}.json"]).exit_code == 0
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tables()


def score(result, *words, file="new.csv", out="scored.csv"):
    return runner.invoke(app, ["score", file, "--result", str(result), "-o", out, *words])


def rows():
    with open("scored.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_model_writes_its_probability_beside_every_row(learned):
    shown = score(learned / "model.json")
    assert shown.exit_code == 0, shown.output
    table = pyarrow.csv.read_csv("new.csv")
    saved = kept.load(learned / "model.json", [])
    expected = saved.predict_proba(table.select(["amount", "age"]).to_pandas())[:, 1]
    found = rows()
    assert np.array_equal([float(row["p_positive"]) for row in found], expected)
    assert [row["predicted"] for row in found] == [str(int(p >= 0.5)) for p in expected]
    assert f"Of 50 rows: {(expected >= 0.5).sum()} positive" in shown.stdout


def test_the_other_cells_stay_as_they_are_spelled_and_no_formula_is_computed(learned):
    assert score(learned / "model.json").exit_code == 0
    with open("new.csv", newline="", encoding="utf-8") as file:
        before = list(csv.DictReader(file))
    assert before[7]["account"] == "0007"
    for row, old in zip(rows(), before, strict=True):
        assert [row[name] for name in ("account", "amount", "age")] == [
            old[name] for name in ("account", "amount", "age")
        ]
        assert row["note"] == "'=1+1"


def test_a_rule_writes_its_decisions(learned):
    assert score(learned / "rule.json", file="table.csv").exit_code == 0
    result = apu.load_result(learned / "rule.json")
    X = pyarrow.csv.read_csv("table.csv").select(["amount", "age"]).to_pandas()
    decided = result.predict(X, abstain=True)
    assert {-1, 1} <= set(decided.tolist())
    words = {1: "1", 0: "0", -1: "undecided"}
    assert [row["decision"] for row in rows()] == [words[k] for k in decided.tolist()]
    assert [row["predicted"] for row in rows()] == [str(int(p)) for p in result.predict(X)]


def test_letters_and_separators_within_cells_survive(learned):
    Path("new.csv").write_text(
        'account,amount,age,note\n007,0.25,0.5,Caf\u00e9\n008,0.75,0.5,"a,""b"\n', encoding="utf-8"
    )
    assert score(learned / "model.json").exit_code == 0
    assert [(row["account"], row["note"]) for row in rows()] == [("007", "Caf\u00e9"), ("008", 'a,"b')]


def test_parquet_in_and_out(learned):
    pyarrow.parquet.write_table(pyarrow.csv.read_csv("new.csv"), "new.parquet")
    assert score(learned / "model.json", file="new.parquet", out="scored.parquet").exit_code == 0
    assert pyarrow.parquet.read_table("scored.parquet").column_names[-2:] == ["p_positive", "predicted"]
    assert score(learned / "model.json", file="new.parquet").exit_code == 0
    assert rows()[0]["note"] == "'=1+1"


def test_a_file_that_is_replaced_keeps_its_mode_and_stays_if_nothing_can_be_written(learned, monkeypatch):
    Path("scored.csv").write_text("old")
    Path("scored.csv").chmod(0o640)
    assert score(learned / "model.json").exit_code == 0
    assert stat.S_IMODE(Path("scored.csv").stat().st_mode) == 0o640
    before = Path("scored.csv").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("activepu.cli.tables.pc.binary_join_element_wise", full)
    shown = score(learned / "model.json")
    assert (shown.exit_code, shown.stderr.count("\n")) == (2, 1)
    assert "cannot be written (No space left on device)" in shown.stderr
    assert Path("scored.csv").read_bytes() == before
    assert not list(Path().glob(".*partial"))


def refused(sentence, *words, **how):
    shown = score(*words, **how)
    assert shown.exit_code == 2, shown.output
    assert sentence in shown.stderr
    assert (shown.stdout, shown.stderr.count("\n")) == ("", 1)


def test_what_cannot_score_is_refused_in_a_sentence(learned, monkeypatch):
    refused("is of an audit of a classifier", learned / "audit.json")
    refused("There is no file 'none.json'", "none.json")
    refused("is not a result that Result.save wrote", "new.csv")
    refused("--out must end in .csv, .tsv or .parquet, got 'a.txt'", learned / "rule.json", out="a.txt")
    refused("there is no folder 'none'", learned / "rule.json", out="none/a.csv")
    Path("r.json").write_bytes((learned / "model.json").read_bytes())
    refused("is of a model, and there is no file 'r.skops' with it", "r.json")
    Path("r.skops").write_text("damaged")
    refused("The model in 'r.skops' cannot be read", "r.json")
    Path("other.csv").write_text("account,amount\n1,0.5\n")
    refused("has no column 'age', which the result was learned with", learned / "model.json", file="other.csv")
    assert score(learned / "model.json").exit_code == 0
    refused("has a column 'p_positive' already; add --prefix new_", learned / "model.json", file="scored.csv")
    monkeypatch.setattr(kept, "TRUSTED", ("sklearn.",))
    refused("uses code that is neither activepu's nor scikit-learn's: activepu.", learned / "model.json")


def test_a_prefix_keeps_columns_apart(learned):
    assert score(learned / "model.json").exit_code == 0
    assert score(learned / "model.json", "--prefix", "new_", file="scored.csv").exit_code == 0
    assert list(rows()[0])[-2:] == ["new_p_positive", "new_predicted"]
