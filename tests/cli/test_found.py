"""May we stop? `activepu audit --found` and `activepu study create --audit --found`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from cli.calls import call
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import app

ROWS = 300
RNG = np.random.default_rng(5)
SCORE = (RNG.random(ROWS) ** 2).round(3)
TRUTH = RNG.random(ROWS) < SCORE**2
runner = CliRunner(env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with a key, a score, the truth, and predictions in a column that is called found."""
    monkeypatch.chdir(tmp_path)
    columns = {
        "key": [f"k{row}" for row in range(ROWS)],
        "s": SCORE,
        "found": (SCORE >= 0.4).astype(int),
        "y": TRUTH.astype(int),
    }
    pyarrow.csv.write_csv(pa.table(columns), "t.csv")


def audit(*words: str):
    return runner.invoke(app, ["audit", "t.csv", *words])


def test_a_dry_run_prints_what_is_in_hand_and_the_truth_beside_it() -> None:
    words = ("--found", "--score", "s", "--recall", "0.8", "--delta", "0.1", "--rate", "0.7", "--seed", "2")
    shown = audit(*words, "--expert-column", "y", "--save", "r.json")
    assert shown.exit_code == 0, shown.stderr
    result = apu.load_result("r.json")
    confirmable = apu.SimulatedExpert(TRUTH, rate=0.7, seed=2).answer(np.arange(ROWS), None).sum()
    assert 0 < len(result.found) <= confirmable
    assert shown.stdout.startswith(f"{result.certificate}\n")
    true = f"{100 * len(result.found) / confirmable:.1f}%"
    assert re.search(rf"\nrecall +8\d\.\d% +\S+ +{re.escape(true)} +90% +0 ", shown.stdout)
    assert "called" not in shown.stdout
    assert "warning" not in shown.stdout
    pool = apu.Pool("t.csv", features=["s"], show=["key", "found"])
    learner = apu.Audit("found", score="s", recall=0.8, delta=0.1)
    again = apu.learn(learner, pool, apu.SimulatedExpert(TRUTH, rate=0.7, seed=2), seed=2)
    assert again.history["item"] == result.history["item"]


def test_without_a_score_every_question_is_drawn_by_lot() -> None:
    shown = audit("--found", "--expert-column", "y", "--budget", "40", "--save", "r.json")
    assert shown.exit_code == 0, shown.stderr
    assert set(apu.load_result("r.json").history["phase"]) == {"lot"}


def test_without_the_truth_it_says_how_to_ask_experts_and_that_works() -> None:
    shown = audit("--found", "--score", "s", "--recall", "0.95", "--delta", "0.1", "--id", "key", "--show", "key,y")
    assert (shown.exit_code, shown.stdout) == (2, "")
    made = runner.invoke(app, [*shlex.split(shown.stderr.partition("in a study: ")[2])[1:], "--positives", "k3,k9"])
    assert made.exit_code == 0, made.output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        learner = study.learner
        assert (learner.classifier, learner.score, learner.recall, learner.delta) == ("found", "s", 0.95, 0.1)
        assert study.result().found.tolist() == [3, 9]
        assert list(study.ask("ann")[0].row) == ["key", "y"]


def test_answers_from_elsewhere_are_welcome_in_a_study() -> None:
    """Before the first question and between others; they count as read and found, and the run goes on to its end."""
    made = call("create", "t.csv", "--audit", "--found", "--score", "s", "--recall", "0.8", "--id", "key")
    assert made.exit_code == 0, made.output
    for start in (0, 100):
        said = np.where(TRUTH, "yes", "can't tell")[start : start + 40]
        lines = [f"k{row},{answer}" for row, answer in enumerate(said, start)]
        Path("a.csv").write_text("\n".join(["id,answer", *lines]))
        with apu.Study.load("sqlite:///activepu.db", "t") as study:
            for question in study.ask("ann", n=10):
                study.tell(question.token, bool(TRUTH[question.item]))
        known = {q["item"] for q in _entries()}
        taken = call("import", "t", "a.csv", "--expert", "ann").output
        new = len(set(range(start, start + 40)) - known)
        assert taken == f"Took in {new} new entries.\n"
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert set(np.flatnonzero(TRUTH[:40])) <= set(study.result().found)
        while questions := study.ask("ann"):
            study.tell(questions[0].token, bool(TRUTH[questions[0].item]))
        result = study.result()
    assert len(result.found) >= 0.8 * TRUTH.sum()
    assert not any("elsewhere" in assumption for assumption in result.certificate.assumptions)
    shown = call("result", "t", "--save", "r.json").output
    assert f"{len(result.found)} found, at most {result.missing[1]} missing" in shown
    checked = runner.invoke(app, ["verify", "r.json"])
    assert checked.exit_code == 0, checked.output
    assert "Verified." in checked.output
    refused = runner.invoke(app, ["verify", "r.json", "--table", "t.csv"])  # it would not be read
    assert refused.exit_code == 2
    assert "Verified" not in refused.output
    assert "checked without its table" in refused.output


def test_a_refused_rate_is_called_as_it_was_typed() -> None:
    """In a study the option is --rate."""
    refused = call("create", "t.csv", "--audit", "--found", "--score", "s", "--rate", "0.5")
    assert refused.exit_code == 2
    assert "and --rate/--known-rate about a classifier, got '0.5'" in " ".join(refused.output.split())


def _entries() -> list[dict[str, object]]:
    assert call("export", "t", "out.csv").exit_code == 0
    return pyarrow.csv.read_csv("out.csv").to_pylist()


def test_predictions_in_a_column_of_that_name_are_audited() -> None:
    shown = audit("--predictions", "found", "--expert-column", "y", "--budget", "30")
    assert shown.exit_code == 0, shown.stderr
    assert "\nprecision" in shown.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--predictions", "found"], "and --predictions about a classifier, got 'found'; leave one of the two out"),
        (["--cut", "0.5"], "and --cut about a classifier, got 0.5"),
        (["--error", "0.1"], "and --error about a classifier"),
        (["--precision", "0.1"], "and --precision about a classifier"),
        (["--gold", "1,2"], "and --gold about a classifier, got '1,2'"),
        (["--purity", "0.9"], "and --purity about a classifier"),
        (["--groups", "key"], "and --groups about a classifier"),
        (["--known-rate", "0.5"], "--known-rate about a classifier"),
        (["--bands", "3"], "needs a score to make bands of; add --score, or leave --bands out"),
        (["--score", "key"], "of --score must hold numbers"),
        (["--score", "y", "--expert-column", "y"], "holds the answers and cannot be audited itself"),
        (["--expert-column", "y"], "A dry run needs an end: add --recall, or a --budget of questions."),
        (["--plot", "a.png"], "what was found has none; leave --plot out"),
        (["--recall", "1"], "recall must lie between 0 and 1"),
    ],
)
def test_what_does_not_go_with_it_is_refused_in_one_sentence(words: list[str], sentence: str) -> None:
    shown = audit("--found", *words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
    if "--expert-column" not in words and "--plot" not in words:
        made = call("create", "t.csv", "--audit", "--found", *words)
        assert made.exit_code == 2
        assert sentence in made.output
        assert not Path("activepu.db").exists()


def test_it_is_for_audits() -> None:
    assert "--found is for an audit; add --audit" in call("create", "t.csv", "--columns", "s", "--found").output
