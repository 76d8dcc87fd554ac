"""The shell takes a class by its dotted name, from the folder in which it is called, and never from a database."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from activepu.cli.app import app

HERE = Path(__file__).parent


def call(*words, keys=""):
    return CliRunner().invoke(app, list(words), input=keys)


def said(found):
    return " ".join(found.output.split())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A user's folder: a table, and a class of their own."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(HERE / "prefixes.py", tmp_path / "codes_of_ours.py")
    (tmp_path / "wrong.py").write_text("number = 3\n")
    digits = np.random.default_rng(0).integers(0, 4, (600, 4))
    table = pd.DataFrame(digits, columns=list("abcd")).assign(number=np.arange(600), fraud=digits[:, 0] == 2)
    table.to_csv("t.csv", index=False)
    yield
    for name in ("codes_of_ours", "wrong"):
        sys.modules.pop(name, None)


OWN = ("--class", "codes_of_ours.Prefixes")


def test_learn_takes_it():
    options = ("--features", "a,b,c,d", "--expert-column", "fraud", "--rate", "0.7", "--epsilon", "0.1")
    found = call("learn", "t.csv", *OWN, *options)
    assert found.exit_code == 0, found.output
    assert "the code begins with 2" in found.output


def test_a_study_takes_it_again_whenever_it_is_opened():
    found = call("study", "create", "t.csv", *OWN, "--columns", "a,b,c,d")
    assert found.exit_code == 0, found.output
    assert "--class codes_of_ours.Prefixes" in found.output.replace("\n", " ")
    found = call("study", "label", "t", *OWN, "--expert", "ann", keys="n\nn\nq\n")
    assert found.exit_code == 0, found.output
    assert "ann: 2 answers" in call("study", "status", "t", *OWN).output
    assert "2 questions, 0 revealed" in call("study", "result", "t", *OWN).output
    assert "name the class again with --class" in said(call("study", "result", "t"))
    assert "The study was made with hypotheses" in said(call("study", "result", "t", "--class", "activepu.Boxes"))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("prefixes", "There is no class 'prefixes'"),
        ("no_such_module.Prefixes", "cannot be imported"),
        ("codes_of_ours.Suffixes", "cannot be imported"),
        ("wrong.number", "is no hypothesis class but 3"),
        ("activepu.ClosedClass", "define every abstract method"),
    ],
)
def test_a_name_that_will_not_do_is_refused_in_a_sentence(name, sentence):
    refused = call("learn", "t.csv", "--class", name, "--features", "a,b,c,d", "--expert-column", "fraud")
    assert refused.exit_code == 2
    assert sentence in said(refused)


def test_a_plan_asks_for_the_dimension_only_where_the_class_has_none():
    Path("sized.py").write_text(
        "from codes_of_ours import Prefixes\n\n"
        "class Five(Prefixes):\n    def __init__(self):\n        super().__init__(dim=5)\n\n"
        "class Fixed(Prefixes):\n    fixed_dim = 1\n"
    )
    for words in (("sized.Five",), ("sized.Fixed",), ("sized.Fixed", "--dim", "5"), (OWN[1], "--dim", "5")):
        found = call("plan", "--class", *words, "--runs", "0")
        assert found.exit_code == 0, found.output
        assert "UnknownPrior" in found.output
    assert "add --dim" in said(call("plan", *OWN, "--runs", "0"))
    assert "made for 5 column(s)" in said(call("plan", "--class", "sized.Five", "--dim", "4", "--runs", "0"))
    sys.modules.pop("sized")
