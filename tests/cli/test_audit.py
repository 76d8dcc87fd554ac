"""`activepu audit` on files with the simulated expert, and `activepu study create --audit`."""

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
from activepu.cli.findings import exact, percent

ROWS = 800
RNG = np.random.default_rng(5)
SCORE = (RNG.random(ROWS) ** 2).round(3)
TRUTH = RNG.random(ROWS) < SCORE**2
CALLED = SCORE >= 0.4
TRUE = {
    "recall": (TRUTH & CALLED).sum() / TRUTH.sum(),
    "error": (TRUTH != CALLED).mean(),
    "precision": TRUTH[CALLED].mean(),
    "share of positives": TRUTH.mean(),
}
runner = CliRunner(env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A table with a key, a score, its predictions, a group and the truth; no cut of the score is right."""
    monkeypatch.chdir(tmp_path)
    columns = {
        "key": [f"k{row}" for row in range(ROWS)],
        "side": ["left", "right"] * (ROWS // 2),
        "s": SCORE,
        "p": CALLED.astype(int),
        "said": CALLED,
        "y": TRUTH.astype(int),
    }
    pyarrow.csv.write_csv(pa.table(columns), "t.csv")


def audit(*words):
    return runner.invoke(app, ["audit", "t.csv", *words])


def lines(shown):
    """The lines of the first table, by their name."""
    found = [re.split(r"\s{2,}", line.strip()) for line in shown.stdout.split("\n\n")[1].splitlines()]
    return {name: dict(zip(found[0], cells, strict=True)) for name, *cells in found[2:]}


DRY = ("--predictions", "p", "--score", "s", "--id", "key", "--expert-column", "y", "--seed", "2")


def test_a_dry_run_prints_the_certificate_the_statements_the_curve_and_the_truth():
    shown = audit(*DRY, "--recall", "0.6", "--rate", "0.7")
    assert shown.exit_code == 0, shown.stderr
    assert re.match(r"With 95% confidence the classifier finds at least [67]\d(\.\d)?% of the positives", shown.stdout)
    found = lines(shown)
    assert list(found) == [
        "recall", "confirmable recall", "error", "precision", "share of positives", "reveal rate"
    ]  # fmt: skip
    assert list(found["recall"]) == ["at least", "at most", "true", "confidence", "rung", "holds if"]
    for name, true in TRUE.items():
        assert found[name]["true"] == f"{100 * true:.1f}%"
    assert found["reveal rate"]["true"] == "70.0%"
    assert (found["recall"]["confidence"], found["recall"]["rung"], found["recall"]["holds if"]) == ("95%", "1", "abc")
    assert "\nb each positive is equally likely to be confirmed, whatever it is" in shown.stdout
    assert "--gold, --known-rate or --purity would tell more." in " ".join(shown.stdout.split())
    cut = re.search(rf"\n([\d.]+) +{CALLED.sum()} +([\d.]+)% ", shown.stdout)
    assert cut is not None
    assert SCORE[~CALLED].max() < float(cut[1]) <= SCORE[CALLED].min()
    assert "Cuts are bounded by the confidence set alone, which has a fifth of δ because" in shown.stdout
    assert float(cut[2]) <= float(found["recall"]["at least"].rstrip("%"))  # by the set; a bet may show more
    assert re.search(rf"\nall +{ROWS} +100.0%", shown.stdout)
    assert "\nstopped    Every target is certified." in shown.stdout
    assert re.search(r"\nquestions  \d+ asked, \d+ revealed", shown.stdout)
    assert "warning" not in shown.stdout


def test_it_agrees_with_the_library_and_saves_the_result():
    told = ("--rate", "0.7", "--known-rate", "0.6,0.8", "--error", "0.3", "--groups", "side", "--budget", "300")
    shown = audit(*DRY, *told, "--save", "r.json")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stderr == "Wrote the result to r.json.\n"
    pool = apu.Pool("t.csv", features=["p", "s"], id="key", show=["key", "side", "said"])
    learner = apu.Audit("p", score="s", error=0.3, rate=(0.6, 0.8), groups="side")
    expert = apu.SimulatedExpert(pool.column("y"), rate=0.7, seed=2)
    result = apu.learn(learner, pool, expert, seed=2, budget=300)
    assert shown.stdout.startswith(f"{result.certificate}\n")
    assert f"{result.n_queries} asked, {result.n_revealed} revealed" in shown.stdout
    saved = apu.load_result("r.json")
    assert saved.statements() == result.statements()
    assert saved.curve() == result.curve()


def test_a_cut_of_the_score_takes_the_place_of_predictions():
    budget = ("--id", "key", "--show", "key", "--expert-column", "y", "--budget", "40")
    by_cut = audit("--score", "s", "--cut", "0.4", *budget)
    assert by_cut.exit_code == 0, by_cut.stderr
    assert by_cut.stdout == audit("--predictions", "p", "--score", "s", *budget).stdout
    assert by_cut.stdout == audit("--predictions", "said", "--score", "s", *budget).stdout


def test_without_a_score_there_is_no_curve():
    shown = audit("--predictions", "p", "--expert-column", "y", "--budget", "20")
    assert shown.exit_code == 0, shown.stderr
    assert "called" not in shown.stdout.split("\n\n", 1)[1]


def test_gold_tells_the_rate_and_is_not_audited():
    gold = [f"k{row}" for row in np.flatnonzero(TRUTH)[:30]]
    Path("gold.txt").write_text("\n".join(gold))
    one, other = (audit(*DRY, "--gold", text, "--budget", "150") for text in ("gold.txt", ",".join(gold)))
    assert one.exit_code == 0, one.stderr
    assert one.stdout == other.stdout
    assert lines(one)["error"]["rung"] == "2g"
    rest = np.ones(ROWS, bool)
    rest[np.flatnonzero(TRUTH)[:30]] = False
    assert lines(one)["share of positives"]["true"] == f"{100 * TRUTH[rest].mean():.1f}%"
    assert re.search(rf"\nall +{ROWS - 30} ", one.stdout)


def test_no_line_is_wider_than_a_terminal():
    Path("gold.txt").write_text("\n".join(f"k{row}" for row in np.flatnonzero(TRUTH)[:30]))
    known = ("--gold", "gold.txt", "--purity", "0.5", "--known-rate", "0.2,0.9", "--bands", "8")
    shown = audit(*DRY, *known, "--budget", "100")
    assert shown.exit_code == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines()[1:])) <= 80  # the certificate is broken on a terminal only


def test_a_truth_outside_the_bounds_is_pointed_out():
    shown = audit(*DRY, "--rate", "0.2", "--known-rate", "0.95", "--budget", "300")
    said = " ".join(shown.stdout.split())
    assert "warning The truth lies outside the bounds (" in said
    assert "look at --known-rate" in said


def test_without_the_truth_it_says_how_to_ask_experts_and_that_works():
    Path("gold keys.txt").write_text("k1\nk2\n")
    words = ("--predictions", "p", "--score", "s", "--recall", "0.6", "--known-rate", "0.4,0.8", "--delta", "0.1")
    more = ("--gold", "gold keys.txt", "--bands", "4", "--groups", "side", "--id", "key", "--show", "key,side,y")
    shown = audit(*words, *more, "--seed", "3", "--budget", "50")
    assert shown.exit_code == 2
    assert shown.stdout == ""
    assert shown.stderr.count("\n") == 1
    assert "ask real experts in a study: activepu study create t.csv --audit" in shown.stderr
    command = shlex.split(shown.stderr.partition("in a study: ")[2])
    made = runner.invoke(app, command[1:])
    assert made.exit_code == 0, made.output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        learner = study.learner
        assert (learner.classifier, learner.score, learner.recall, learner.delta) == ("p", "s", 0.6, 0.1)
        assert (tuple(learner.rate), learner.gold.tolist(), learner.groups, learner.bands) == (
            (0.4, 0.8),
            [1, 2],
            "side",
            4,
        )
        assert study.settings["seed"] == 3
        assert list(study.ask("ann")[0].row) == ["key", "side", "y"]


def created(*words):
    found = call("create", "t.csv", "--audit", "--score", "s", *words)
    assert found.exit_code == 0, found.output
    return found


def test_an_audit_is_a_study_from_making_it_to_its_result():
    created("--predictions", "p", "--id", "key", "--recall", "0.3")
    shown = call("label", "t", "--expert", "ann", keys="y\nn\ns\nn\nu\nn\nq\n")
    assert shown.exit_code == 0, shown.output
    assert "no recall is certified yet (aim 30%)" in shown.output
    assert "error" not in shown.output
    assert "t: 3 answered, 1 revealed" in shown.output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        while questions := study.ask("ann"):
            study.tell(questions[0], bool(TRUTH[questions[0].item]))
        asked = study.status().answered
        assert study.status().finished
    status = call("status", "t").output
    assert re.match(rf"t: {asked} answered, \d+ revealed, 0 open; recall at least [34]\d\S*% \(aim 30%\); fin", status)
    assert f"\nann: {asked} answers\n" in status
    assert re.search(r"\nrecall +[34]\d\.\d%", status)
    assert "undecided" not in status
    result = call("result", "t", "--save", "r.json").output
    assert result.startswith("With 95% confidence the classifier finds at least")
    assert "\nd items were skipped whatever they are" in result
    assert "precision\nfrom " in result
    assert f"questions  {asked} asked" in result
    assert apu.load_result("r.json").recall.low >= 0.3
    ended = call("label", "t", "--expert", "bob", keys="").output
    assert "All that is certified: activepu study result t" in ended
    assert call("list").output.splitlines()[1].split()[-2:] == ["–", "Audit"]
    assert f"Wrote {asked + 1} entries" in call("export", "t", "out.csv").output
    assert call("import", "t", "out.csv").output == "Took in 0 new entries.\n"


def test_experts_do_not_see_what_the_classifier_says():
    created("--predictions", "p", "--groups", "side", "--name", "a")
    created("--cut", "0.4", "--name", "b")
    created("--cut", "0.4", "--name", "c", "--show", "s,p,key")
    seen = {"a": ["key", "side", "said", "y"], "b": ["key", "side", "p", "said", "y"], "c": ["s", "p", "key"]}
    for name, columns in seen.items():
        with apu.Study.load("sqlite:///activepu.db", name) as study:
            assert list(study.ask("ann")[0].row) == columns


def test_a_status_names_every_target():
    created("--cut", "0.4", "--recall", "0.6", "--error", "0.3", "--known-rate", "1")
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        for _ in range(60):
            question = study.ask("ann")[0]
            study.tell(question, bool(TRUTH[question.item]))
    said = call("status", "t").output
    assert re.search(r"; recall at least \S+% \(aim 60%\), error at most \S+% \(aim 30%\)\n", said)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "add --predictions COLUMN, or --score COLUMN --cut 0.5"),
        (["--score", "s"], "add --predictions COLUMN, or --cut 0.5, to call positive what has at least this score"),
        (["--cut", "0.5"], "--cut needs the column with the score as well: --score COLUMN"),
        (["--predictions", "p", "--score", "s", "--cut", "0.5"], "both say what is called positive"),
        (["--predictions", "none"], "There is no column 'none'; the table has key, side, s, p, said, y"),
        (["--predictions", "side"], "must hold only true and false (or 1 and 0), got 'left'"),
        (["--predictions", "p", "--score", "side"], "of --score must hold numbers, got 'left'"),
        (["--predictions", "p", "--groups", "none"], "There is no column 'none'"),
        (["--predictions", "p", "--recall", "2"], "recall must lie in [0, 1], got 2.0"),
        (
            ["--predictions", "p", "--known-rate", "often"],
            "takes a number, two with a comma between them, or 'per expert'",
        ),
        (["--predictions", "p", "--gold", "k1"], "--gold names 'k1', which is not a row number"),
        (["--predictions", "p", "--bands", "4"], "needs a score to make bands of; add --score, or leave --bands out"),
        (["--predictions", "p", "--show", "side"], "show a column in which they differ: --show A,B"),
        (["--predictions", "p", "--expert-column", "p"], "holds the answers and cannot be audited itself"),
        (["--predictions", "p", "--expert-column", "y", "--show", "y"], "cannot be shown as well"),
        (["--predictions", "p", "--expert-column", "s"], "must hold only true and false"),
        (["--predictions", "p", "--expert-column", "y"], "add --recall, --error or --precision, or a --budget"),
        (
            ["--predictions", "p", "--expert-column", "y", "--recall", "0.9", "--save", "no/r"],
            "there is no folder 'no'",
        ),
    ],
)
def test_bad_input_gives_one_sentence(words, sentence):
    if "--expert-column" in words and "s" in words:
        words = [*words, "--budget", "5"]
    shown = audit(*words)
    assert shown.exit_code == 2
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.stdout == ""


def test_a_table_with_nothing_to_show_is_refused():
    pyarrow.csv.write_csv(pa.table({"s": SCORE, "y": TRUTH.astype(int)}), "t.csv")
    words = ("--score", "s", "--cut", "0.4", "--expert-column", "y", "--budget", "5")
    assert "Nothing is left to show to the expert: s would bias the answers" in audit(*words).stderr
    assert audit(*words, "--show", "s").exit_code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--audit", "--predictions", "p", "--epsilon", "0.05"], "--epsilon is for learning a rule, and an audit"),
        (["--audit", "--predictions", "p", "--class", "boxes"], "--class is for learning a rule, and an audit"),
        (["--audit", "--predictions", "p", "--features", "s"], "--columns is for learning a rule, and an audit"),
        (["--audit", "--predictions", "p", "--rate", "each"], "takes a number, two with a comma"),
        (["--predictions", "p"], "--predictions is for an audit; add --audit, or leave it out."),
        (["--columns", "s", "--recall", "0.9"], "--recall is for an audit; add --audit, or leave it out."),
    ],
)
def test_rules_and_audits_keep_their_options_apart(words, sentence):
    found = call("create", "t.csv", *words)
    assert found.exit_code == 2
    assert sentence in found.output
    assert found.output.count("\n") == 1
    assert not Path("activepu.db").exists()


def test_a_long_list_of_keys_is_no_file_name():
    keys = ",".join(f"k{row}" for row in range(100))
    assert call("create", "t.csv", "--columns", "s", "--id", "key", "--positives", keys).exit_code == 0


def test_bounds_are_rounded_to_the_safe_side_and_scores_not_at_all():
    assert [percent(0.9009), percent(0.9), percent(0.0003), percent(1.0)] == ["90.0%", "90.0%", "–", "100.0%"]
    assert [percent(0.0001, up=True), percent(0.3, up=True), percent(0.9999, up=True)] == ["0.1%", "30.0%", "–"]
    for score in (0.1 + 0.2, 1 / 3, 3.0, 0.25):
        assert float(exact(score)) == score
    assert exact(0.25) == "0.25"
