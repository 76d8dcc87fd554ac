"""`activepu study` from making one to its result."""

from pathlib import Path

import pytest
from studies.scenes import X, Y
from typer.testing import CliRunner

import activepu as apu
from activepu.cli.app import app


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["name,a,b", *(f"n{k},{a},{b}" for k, (a, b) in enumerate(X[:400]))]
    Path("t.csv").write_text("\n".join(lines))


def call(*words, keys=""):
    return CliRunner().invoke(app, ["study", *words], input=keys)


def made():
    found = call("create", "t.csv", "--class", "boxes", "--columns", "a,b", "--id", "name", "--epsilon", "0.1")
    assert found.exit_code == 0, found.output
    return found


def test_a_study_from_making_it_to_its_result():
    assert "Made the study 't' of 400 items" in made().output
    found = call("label", "t", "--expert", "ann", keys="y\nn\ns\nn\nu\nn\nx\nq\n")
    assert found.exit_code == 0, found.output
    assert "error at most" in found.output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert study.status().answered == 3
        assert study.status().skipped == 1
    assert "ann: 3 answers" in call("status", "t").output
    assert "With 95% confidence" in call("result", "t", "--save", "r.json").output
    assert apu.load_result("r.json").n_queries == 3
    assert call("list").output == "t\n"
    assert "Wrote 4 entries" in call("export", "t", "out.csv").output
    assert "Took in 0 new answers" in call("import", "t", "out.csv").output


def test_the_end_of_input_and_ctrl_c_lose_nothing(monkeypatch):
    from activepu.cli import labeller

    made()
    assert call("label", "t", "--expert", "ann", keys="y\n").exit_code == 0
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        keys = iter(["n", "y"])

        def read(prompt):
            for key in keys:
                return key
            raise KeyboardInterrupt

        assert labeller.label(study, "ann", read) == 2
        held = study.open("ann")
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert study.status().answered == 3
        assert study.open("ann") == held or study.open("ann")[0].token == held[0].token


def test_labelling_ends_with_a_certificate():
    from activepu.cli import labeller

    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        seen = []

        def read(prompt):
            seen.append(study.open("ann")[0].item)
            return "y" if Y[seen[-1]] and seen[-1] % 5 else "n"

        assert labeller.label(study, "ann", read) == len(seen)
        assert study.status().finished


def test_mistakes_get_one_sentence():
    assert "no study 'x'" in call("status", "x").output
    assert call("status", "x").exit_code == 2
    made()
    again = call("create", "t.csv", "--columns", "a,b", "--id", "name")
    assert again.exit_code == 2
    assert "already" in again.output
    assert "sqlite:///file.db" in call("list", "--db", "mysql://x").output
