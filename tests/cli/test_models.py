"""Models in the shell: learned from, scored with, and kept in studies by their names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.scenes import LEARN, MODEL, write_tables
from sklearn.ensemble import ExtraTreesClassifier
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app

runner = CliRunner(env={"COLUMNS": "200"})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tables()


def call(*words, keys=""):
    return runner.invoke(app, list(words), input=keys)


AUDITED = ("--audit", "--recall", "0.1", "--questions", "40", "--delta", "0.2")


def test_it_agrees_with_the_library():
    name = "sklearn.ensemble.ExtraTreesClassifier"
    truth = [int(line.split(",")[4]) for line in Path("table.csv").read_text().splitlines()[1:]]
    known = truth.index(1)
    more = ("--strategy", "likely-positive", "--positives", str(known), "--batch", "20", "--budget", "40")
    found = call(*LEARN, "--model", name, "--features", "amount,age", *more, "--rate", "0.7", "--seed", "3", "--json")
    assert found.exit_code == 0, found.output
    shown = ["account", "amount", "age", "note", "flagged", "score"]
    pool = apu.Pool("table.csv", features=["amount", "age"], id="account", show=shown, raw=True)
    expert = apu.SimulatedExpert(pool.column("fraud").astype(bool), rate=0.7, seed=3)
    learner = apu.ModelLearner(ExtraTreesClassifier(), strategy="likely positive")
    result = apu.learn(learner, pool, expert, [known], seed=3, budget=40, batch=20)
    said = json.loads(found.stdout)
    assert (said["questions"], said["revealed"]) == (result.n_queries, result.n_revealed)
    assert said["truth"]["error"] == (result.predict(pool.features()) != expert.y).mean()


def test_a_model_is_audited_on_the_rest():
    found = call(*LEARN, "--model", "naive-bayes", "--features", "score", "--budget", "150", *AUDITED)
    assert found.exit_code == 0, found.output
    assert "With 80% confidence" in found.stdout
    assert "true recall" in found.stdout


def test_items_and_the_model_are_written():
    found = call(*LEARN, *MODEL, "--save", "r.json", "--items", "items.tsv")
    assert found.exit_code == 0, found.output
    assert Path("r.skops").is_file()
    assert Path("items.tsv").read_text().splitlines()[0].replace('"', "").split("\t") == [
        "item", "id", "p_positive", "predicted", "expert"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--model", "forrest"], "There is no model 'forrest'; did you mean forest?"),
        (["--model", "RandomForestClasifier"], "did you mean sklearn.ensemble.RandomForestClassifier"),
        (["--model", "sklearn.no.such.Thing"], "There is no model 'sklearn.no.such.Thing'; take one of forest, "),
        (["--model", "os.path.join"], "There is no model 'os.path.join'"),
        (["--model", "sklearn.linear_model.Ridge"], "is a regressor"),
        (["--model", "sklearn.ensemble.VotingClassifier"], "cannot be made without settings"),
        (["--model", "forest", "--epsilon", "0.1"], "--epsilon is for a class of rules, and a --model learns without"),
        (["--model", "forest", "--class", "boxes"], "--class is for a class of rules"),
        (["--model", "forest", "--strategy", "best"], "--strategy must be one of"),
        (["--model", "forest", "--recall", "0.8"], "--recall is for an audit of the --model; add --audit"),
        (["--model", "forest", "--audit"], "--audit needs a target: add --recall 0.8"),
        (["--model", "forest", "--known-rate", "0.3,0.8"], "A model takes one reveal rate, got --known-rate 0.3,0.8"),
        (["--model", "forest", "--batch", "0"], "batch must be"),
        (["--model", "forest", "--features", "amount,fraud"], "cannot be a feature as well"),
        (["--strategy", "margin"], "--strategy is for a model; add --model forest"),
        (["--delta", "0.95"], "pass 0.05 for a confidence of 0.95"),
        (["--features", "none", "--expert-column", "wrong"], "There is no column 'wrong'"),
    ],
)
def test_bad_input_gives_one_sentence(words, sentence):
    shown = call(*LEARN, *words)
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.stdout == ""


def test_a_study_with_a_model_is_opened_again_without_it():
    made = call(
        "study", "create", "table.csv", "--model", "naive-bayes", "--columns", "amount,age", "--strategy", "margin"
    )
    assert made.exit_code == 0, made.output
    assert call("study", "label", "table", "--expert", "ann", keys="y\nn\nn\nq\n").exit_code == 0
    shown = call("study", "result", "table", "--save", "r.json")
    assert "3 questions, 1 revealed" in shown.output
    assert Path("r.skops").is_file()
    assert "ModelLearner, GaussianNB" in call("study", "list").output
    with apu.Study.load("sqlite:///activepu.db", "table") as study:
        assert repr(study.learner.estimator) == "GaussianNB()"
        assert study.learner.strategy.name == "margin"
        assert study.status().answered == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--model", "forest", "--gold", "1"], "is for an audit"),
        (
            ["--model", "forest", "--audit", "--recall", "0.8", "--gold", "1"],
            "here the --model is audited; leave it out",
        ),
        (["--model", "forest", "--rate", "per expert"], "A model assumes one reveal rate"),
        (["--model", "forest", "--delta", "0.1"], "--delta is for an audit"),
        (["--questions", "10"], "--questions is for a model"),
    ],
)
def test_a_study_refuses_what_does_not_go_together(words, sentence):
    shown = call("study", "create", "table.csv", *words)
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert not Path("activepu.db").exists()
