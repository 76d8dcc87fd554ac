"""`activepu learn` on files, with the simulated expert."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app

runner = CliRunner(env={"COLUMNS": "200"})
ROWS = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A box on (a, b), as CSV and Parquet, with a key, a text column and a column with a third value."""
    folder = tmp_path_factory.mktemp("tables")
    X = np.random.default_rng(3).random((ROWS, 2))
    y = ((X >= (0.2, 0.3)) & (X <= (0.7, 0.9))).all(axis=1)
    columns = {
        "key": [f"k{row}" for row in range(ROWS)],
        "a": X[:, 0],
        "b": X[:, 1],
        "note": ["text"] * ROWS,
        "y": y.astype(int),
        "truth": y,
        "grade": np.arange(ROWS) % 3,
    }
    table = pa.table(columns)
    pyarrow.csv.write_csv(table, folder / "table.csv")
    pyarrow.parquet.write_table(table, folder / "table.parquet")
    pyarrow.csv.write_csv(table.slice(0, 20), folder / "short.csv")
    return folder


def learn(file, *arguments):
    return runner.invoke(app, ["learn", str(file), *arguments])


BOX = ("--class", "boxes", "--features", "a,b", "--prior", "0.3", "--epsilon", "0.2", "--delta", "0.2")


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
@pytest.mark.parametrize("column", ["y", "truth"])
def test_it_prints_the_rule_the_certificate_the_counts_and_the_measured_error(folder, name, column):
    shown = learn(folder / name, "--expert-column", column, *BOX)
    assert shown.exit_code == 0, shown.stderr
    facts = dict(line.split(maxsplit=1) for line in shown.stdout.splitlines() if not line.startswith(" "))
    assert "<= a <=" in facts["rule"]
    assert "With 80% confidence, at most 20% of all future items" in shown.stdout
    assert "certified to be at most epsilon" in facts["stopped"]
    assert "measured" in shown.stdout
    counted = [int(word.replace(",", "")) for word in facts["items"].split() if word[0].isdigit()]
    assert sum(counted) == ROWS


def test_csv_and_parquet_give_the_same_answer(folder):
    outputs = {learn(folder / f"table.{kind}", "--expert-column", "y", *BOX).stdout for kind in ("csv", "parquet")}
    assert len(outputs) == 1


def test_it_agrees_with_the_library(folder):
    shown = learn(folder / "table.csv", "--expert-column", "y", *BOX, "--rate", "0.7", "--seed", "5")
    table = pyarrow.csv.read_csv(folder / "table.csv")
    pool = apu.Pool(table, features=["a", "b"], show=["key", "a", "b", "note", "truth", "grade"])
    expert = apu.SimulatedExpert(pool.column("y"), rate=0.7, seed=5)
    result = apu.learn(apu.KnownPrior(apu.Boxes(), 0.2, 0.2, prior=0.3), pool, expert, seed=5)
    assert f"Positive if {result.hypothesis}." in shown.stdout
    assert f"{result.n_queries} asked, {result.n_revealed} revealed" in shown.stdout


def test_features_default_to_every_numeric_column_but_the_key_and_the_truth(folder, tmp_path):
    save = tmp_path / "result.json"
    table = pyarrow.csv.read_csv(folder / "table.csv").drop_columns(["truth", "grade"])
    pyarrow.csv.write_csv(table, tmp_path / "table.csv")
    shown = learn(
        tmp_path / "table.csv", "--expert-column", "y", "--prior", "0.3", "--budget", "5", "--save", str(save)
    )
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(save.read_text())["hypotheses"]["names"] == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--learner", "passive", "--budget", "40"], "The budget of questions is used up"),
        (["--learner", "passive", "--prior", "0.2", "--epsilon", "0.2", "--budget", "1"], "certified to be at most"),
        (["--learner", "cal", "--epsilon", "0.1"], "certified to be at most epsilon"),
        (["--learner", "reveal-rate"], "reveal rate"),
        (["--learner", "unknown-prior", "--epsilon", "0.5", "--delta", "0.5"], "positives"),
        (["--learner", "zcal", "--budget", "10"], "The budget of questions is used up"),
    ],
)
def test_the_other_learners_run(folder, arguments, said):
    shown = learn(folder / "table.csv", "--expert-column", "y", "--features", "a,b", *arguments)
    assert shown.exit_code == 0, shown.stderr
    assert said in shown.stdout


def test_only_zcal_checks_its_class(folder):
    shown = learn(folder / "table.csv", "--expert-column", "y", "--features", "a,b", "--learner", "cal", "--check", "5")
    assert shown.exit_code != 0
    assert "--check is for the learner zcal, but the learner is cal" in shown.stderr


def test_without_a_prior_it_is_zcal(folder):
    arguments = ["--expert-column", "y", "--features", "a,b", "--epsilon", "0.3", "--seed", "3", "--check", "7"]
    table = pyarrow.csv.read_csv(folder / "table.csv")
    pool = apu.Pool(table, features=["a", "b"], show=["key", "a", "b", "note", "truth", "grade"])
    expert = apu.SimulatedExpert(pool.column("y"), rate=0.7, seed=3)
    rates = set()
    for told, rate in ([], None), (["--known-rate", "0.7"], 0.7), (["--known-rate", "0.5,0.9"], (0.5, 0.9)):
        shown = learn(folder / "table.csv", *arguments, "--rate", "0.7", *told)
        assert shown.exit_code == 0, shown.stderr
        result = apu.learn(apu.ZCal(apu.Boxes(), 0.3, 0.05, rate=rate, check=7), pool, expert, seed=3)
        assert f"Positive if {result.hypothesis}." in shown.stdout
        assert f"{result.n_queries} asked, {result.n_revealed} revealed; 7 of them check the class" in shown.stdout
        assert "of the items of this pool are misclassified" in shown.stdout
        assert f"{result.rate}" in shown.stdout
        assert f"{result.prior} (share of all)" in shown.stdout
        assert ("population" in shown.stdout) == (result.population.error_bound < 1)
        rates.add(result.rate)
    assert len(rates) == 3


def test_a_threshold_takes_the_column_to_cut(folder, tmp_path):
    x = np.random.default_rng(0).random(2000)
    pyarrow.csv.write_csv(pa.table({"x": x, "z": 1 - x, "y": (x <= 0.3).astype(int)}), tmp_path / "line.csv")
    arguments = ["--expert-column", "y", "--class", "thresholds", "--prior", "0.3", "--epsilon", "0.2"]
    above = learn(tmp_path / "line.csv", *arguments, "--column", "z")
    below = learn(tmp_path / "line.csv", *arguments, "--column", "x", "--below")
    assert "Positive if z >= 0." in above.stdout
    assert "Positive if x <= 0." in below.stdout


def test_a_certificate_that_fails_on_the_table_is_called_false(folder, tmp_path):
    x = np.random.default_rng(0).random(2000)
    pyarrow.csv.write_csv(pa.table({"x": x, "y": ((x > 0.3) & (x < 0.7)).astype(int)}), tmp_path / "middle.csv")
    arguments = ["--expert-column", "y", "--prior", "0.42", "--epsilon", "0.1", "--class"]
    false = learn(tmp_path / "middle.csv", *arguments, "thresholds")
    assert "The certificate fails on this table" in " ".join(false.stdout.split())
    true = learn(tmp_path / "middle.csv", *arguments, "intervals")
    assert "fails" not in true.stdout


def test_the_result_and_the_items_are_written(folder, tmp_path):
    save, items = tmp_path / "result.json", tmp_path / "items.csv"
    shown = learn(
        folder / "table.csv", "--expert-column", "y", *BOX, "--id", "key", "--save", str(save), "--items", str(items)
    )
    assert shown.exit_code == 0, shown.stderr
    result = apu.load_result(save)
    written = pyarrow.csv.read_csv(items).to_pydict()
    assert written["item"] == list(range(ROWS))
    assert written["id"] == [f"k{row}" for row in range(ROWS)]
    for kind in ("positive", "undecided", "negative"):
        assert np.flatnonzero(np.array(written["decided"]) == kind).tolist() == result.items(kind).tolist()
    answers = dict(zip(result.history["item"], result.history["answer"], strict=True))
    expected = [{1: "revealed", 0: "silent", None: "not asked"}[answers.get(row)] for row in range(ROWS)]
    assert written["expert"] == expected


def test_items_can_be_parquet(folder, tmp_path):
    items = tmp_path / "items.parquet"
    learn(folder / "table.csv", "--expert-column", "y", *BOX, "--items", str(items))
    assert pyarrow.parquet.read_table(items)["item"].to_pylist() == list(range(ROWS))


def test_an_interrupt_ends_with_what_is_known(folder, monkeypatch):
    answer = apu.SimulatedExpert.answer
    asked = []

    def tired(self, items, rows):
        asked.append(items)
        if len(asked) == 10:
            raise KeyboardInterrupt
        return answer(self, items, rows)

    monkeypatch.setattr(apu.SimulatedExpert, "answer", tired)
    shown = learn(folder / "table.csv", "--expert-column", "y", *BOX)
    assert shown.exit_code == 130
    assert "9 asked" in shown.stdout
    assert "interrupted" in shown.stdout


@pytest.mark.parametrize(
    ("file", "arguments", "sentence"),
    [
        ("none.csv", ["--expert-column", "y"], "There is no file"),
        ("table.csv", ["--expert-column", "z"], "There is no column 'z'; the table has key, a, b"),
        ("table.csv", ["--expert-column", "y", "--features", "a,c"], "There is no column 'c'"),
        ("table.csv", ["--expert-column", "y", "--features", " , "], "--features takes names separated by commas"),
        ("table.csv", ["--expert-column", "y", "--features", "a,y"], "cannot be a feature as well"),
        ("table.csv", ["--expert-column", "y", "--features", "a,note"], "not numbers"),
        ("table.csv", ["--expert-column", "grade"], "must hold only true and false (or 1 and 0), got 2"),
        ("table.csv", ["--expert-column", "note"], "must hold only true and false (or 1 and 0), got 'text'"),
        ("table.csv", ["--expert-column", "y", "--epsilon", "2"], "epsilon must lie strictly between 0 and 1"),
        ("table.csv", ["--expert-column", "y", "--prior", "30"], "prior must lie in (0, 1], got 30.0"),
        ("table.csv", ["--expert-column", "y", "--prior", "0.3", "--rate", "0"], "rate must lie in (0, 1], got 0.0"),
        ("table.csv", ["--expert-column", "y", "--prior", "0.3", "--budget", "0"], "budget must be at least 1, got 0"),
        ("table.csv", ["--expert-column", "y", "--prior", "0.3", "--seed", "-1"], "seed must be at least 0, got -1"),
        ("table.csv", ["--expert-column", "y", "--class", "circles"], "There is no class 'circles'"),
        ("table.csv", ["--expert-column", "y", "--learner", "unknown-prior"], "UnknownPrior plans with at least"),
        ("table.csv", ["--expert-column", "y", "--class", "boxes", "--below"], "are for thresholds"),
        ("table.csv", ["--expert-column", "y", "--class", "thresholds", "--prior", "0.3"], "need one number per item"),
        ("table.csv", ["--expert-column", "y", "--learner", "known-prior"], "known-prior needs --prior"),
        ("table.csv", ["--expert-column", "y", "--known-rate", "often"], "takes a number, or two with a comma"),
        ("table.csv", ["--expert-column", "y", "--known-rate", "1,2,3"], "takes a number, or two with a comma"),
        ("table.csv", ["--expert-column", "y", "--known-rate", "0.9,0.2"], "needs low <= high"),
        ("table.csv", ["--expert-column", "y", "--prior", "0.3", "--known-rate", "0.5"], "is for the learner zcal"),
        ("table.csv", ["--expert-column", "y", "--learner", "best"], "There is no learner 'best'"),
        ("table.csv", ["--expert-column", "y", "--learner", "cal", "--rate", "0.5"], "needs --rate 1, got 0.5"),
        ("table.csv", ["--expert-column", "y", "--save", "nowhere/r.json"], "there is no folder 'nowhere'"),
        ("table.csv", ["--expert-column", "y", "--save", "."], "'.' is a folder"),
        ("table.csv", ["--expert-column", "y", "--items", "items.txt"], "must end in .csv, .tsv or .parquet"),
        ("short.csv", ["--expert-column", "y", "--prior", "0.3"], "the pool has 20; it supports epsilon"),
    ],
)
def test_bad_input_gives_one_sentence(folder, file, arguments, sentence):
    shown = learn(folder / file, *arguments)
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.stdout == ""


def test_a_missing_option_is_named(folder):
    shown = learn(folder / "table.csv")
    assert shown.exit_code == 2
    assert "--expert-column" in shown.stderr
