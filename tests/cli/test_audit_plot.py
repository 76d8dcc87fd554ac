"""`--plot` of `activepu audit` and of `activepu study result`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from cli.calls import call
from typer.testing import CliRunner

from activepu.cli import app

DRY = ("--predictions", "p", "--score", "s", "--expert-column", "y", "--budget", "30")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A table with a key, a score, its predictions and the truth."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    score = rng.random(400).round(3)
    columns = {"key": np.arange(400), "s": score, "p": score > 0.6, "y": rng.random(400) < score**2}
    pyarrow.csv.write_csv(pa.table(columns), "t.csv")


def audit(*words):
    return CliRunner().invoke(app, ["audit", "t.csv", *words])


def test_a_dry_run_is_drawn_with_its_truth():
    assert "Drew it in a.svg." in audit(*DRY, "--plot", "a.svg").stderr
    assert "recall, truth" in Path("a.svg").read_text(encoding="utf-8")


def test_the_result_of_a_study_is_drawn():
    call("create", "t.csv", "--audit", "--predictions", "p", "--score", "s", "--id", "key")
    assert "Drew it in b.png." in call("result", "t", "--plot", "b.png").stderr
    assert Path("b.png").read_bytes().startswith(b"\x89PNG")


def test_a_study_of_a_rule_is_refused():
    call("create", "t.csv", "--class", "thresholds", "--column", "s", "--epsilon", "0.2")
    assert "this study learns a rule" in call("result", "t", "--plot", "b.png").stderr


@pytest.mark.parametrize(("file", "sentence"), [("a.gif", ".svg, .png or .pdf"), ("no/a.png", "there is no folder")])
def test_a_picture_that_cannot_be_written_is_refused_first(file, sentence):
    assert sentence in audit(*DRY, "--plot", file).stderr
