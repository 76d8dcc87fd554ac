"""What an audit says before its first question, and which rows it takes gold, groups and earlier runs to mean."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from audit.world import CALLED, EXPERT, SCORE, TRUTH, N, X, audit
from typer.testing import CliRunner

import activepu as apu
from activepu.audit import reachable
from activepu.audit.classifiers import OTHER_ROWS, SAME_ROWS
from activepu.audit.groups import read as read_groups
from activepu.audit.targets import Target
from activepu.cli.app import app
from activepu.errors import InvalidInput
from activepu.verify import verify

KEYS = [f"k{row}" for row in range(N)]
TABLE = pd.DataFrame({"key": KEYS, "s": SCORE, "p": CALLED.astype(int), "y": TRUTH.astype(int)})
GOLD = np.flatnonzero(TRUTH)[:20]


def said(**settings: Any) -> str:
    """What a run warns of before its first question."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        apu.Run(audit(**settings), X)
    return " ".join(str(warning.message) for warning in told)


@pytest.mark.parametrize("target", [{"error": 0.05}, {"precision": 0.9}])
def test_a_target_that_takes_a_rate_is_announced(target: dict[str, float]) -> None:
    told = said(**target)
    assert told.startswith("Nothing is known about the reveal rate, so ")
    assert "The rate would be bounded by gold=…, rate=(low, high) or purity=…." in told
    assert said(**target, recall=0.5) == told
    for known in ({"rate": (0.5, 0.7)}, {"gold": GOLD}, {"purity": 0.5}, {"rate": "per expert"}):
        assert said(**target, **known) == ""
    assert said(recall=0.9) == said() == ""
    assert "reveal rate" not in said(error=0.6)


def test_an_error_that_calling_nothing_positive_meets_is_announced() -> None:
    """Half of the items are positive by the score, which counts as probabilities where it lies from 0 to 1."""
    told = "only 49.9% of the items are positive; calling nothing positive would meet error at most 60%, too."
    assert said(error=0.6, rate=0.6) == f"By the classifier's probabilities {told} Choose a smaller error."
    assert said(error=0.4, rate=0.6) == ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apu.Run(apu.Audit(CALLED, score=10 * SCORE, error=0.6, rate=0.6), X)  # a score, and no probabilities


def test_what_is_announced_is_what_the_rate_allows() -> None:
    told = said(precision=0.9)
    assert "only if the expert confirms at least 90% of the positives: in the best case precision at least 9" in told
    assert "and precision at least 50% if they confirmed half." in told
    share = CALLED.mean()
    told = said(error=0.1)
    assert f"and error at most {50 * share:.4g}% if they confirmed half." in told
    assert float(re.search(r"confirms at least ([\d.]+)%", told)[1]) == pytest.approx(100 * (1 - 0.1 / share), abs=0.1)


@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_no_audit_certifies_more_than_is_announced(rate: float) -> None:
    """Every item is asked, and exactly what is called positive is."""
    n, called = 400, np.arange(400) < 100
    expert = apu.SimulatedExpert(called, rate=rate)
    found = apu.learn(apu.Audit(called), np.arange(float(n))[:, None], expert, budget=n, batch=50)
    told = reachable.unidentified(Target("error", 0.01), 100, n, 0.05)
    everything, half = (float(value) / 100 for value in re.findall(r"error at most ([\d.]+)%", told)[1:])
    revealed = found.n_revealed / 100
    assert found.error.high >= (half if rate == 0.5 else everything) * (1 - revealed) / (1 - rate or 1) - 1e-9
    assert found.precision.low <= revealed + 1e-9


def test_a_study_announces_it_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    with pytest.warns(UserWarning, match="Nothing is known about the reveal rate"):
        apu.Study.create(url, "s", apu.Pool(X), audit(precision=0.9)).close()
    with apu.Study.load(url, "s", apu.Pool(X), audit(precision=0.9)) as study:
        assert study.ask("ann")


def test_the_terminal_announces_it_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "10000")
    TABLE.to_csv("t.csv", index=False)
    wanted = ("--predictions", "p", "--precision", "0.9")
    for command in (
        ("audit", "t.csv", *wanted, "--expert-column", "y", "--budget", "20"),
        ("audit", "t.csv", *wanted),
        ("study", "create", "t.csv", "--audit", *wanted),
    ):
        shown = CliRunner().invoke(app, command)
        assert shown.stderr.count("Nothing is known about the reveal rate, so precision at least 90%") == 1, (
            shown.stderr
        )
        assert "bounded by --gold, --known-rate or --purity." in shown.stderr


def asked_gold(gold: Any, **pool: Any) -> list[int]:
    """The rows that count as gold."""
    table = apu.Pool(TABLE, features=["s"], **pool) if pool else X
    run = apu.Run(audit(gold=gold), table)
    return sorted(run.result().findings.evidence["gold_items"])


def test_gold_may_be_a_mask_or_keys() -> None:
    mask = np.isin(np.arange(N), GOLD)
    rows = GOLD.tolist()
    assert asked_gold(rows) == asked_gold(mask) == asked_gold(pd.Series(mask)) == asked_gold(mask.tolist()) == rows
    keys = TABLE["key"][mask]
    assert asked_gold(keys, id="key") == asked_gold(list(keys), id="key") == asked_gold(rows, id="key") == rows


def test_positives_are_named_like_gold() -> None:
    mask = np.isin(np.arange(N), GOLD)
    pool = apu.Pool(TABLE, features=["s"], id="key")
    learner = apu.ZCal(apu.Thresholds(), 0.1, 0.1)
    given = [pool.draws(learner.hypotheses, 0, named).given_coins for named in (GOLD, mask, TABLE["key"][mask])]
    assert given[0] == given[1] == given[2]


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ([0.5, 2], r"gold must be row numbers \(whole numbers from 0 on\), a mask .*, got 0\.5"),
        ([3.0], "gold must be row numbers"),
        ([-1], "gold must be row numbers, which begin with 0, got -1"),
        ([N], f"gold must be row numbers from 0 to {N - 1}, got {N}"),
        (np.ones(9, bool), r"gold as a mask must have one boolean per row of the pool \(1,500\), got 9"),
        (["k1"], r"gold has the key 'k1', but the pool has no column of keys; name it, Pool\(…, id=…\), or pass row"),
        ({1, 2}, r"gold must be row numbers .* got \{1, 2\}"),
        ([[1, 2]], "gold must be row numbers"),
        ([None], "gold must be row numbers"),
    ],
)
def test_other_gold_gets_one_sentence(gold: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        asked_gold(gold)


def test_keys_that_the_pool_does_not_have() -> None:
    with pytest.raises(InvalidInput, match="gold has the key 'k9999', which is not in the id column of the pool"):
        asked_gold(["k1", "k9999"], id="key")
    with pytest.raises(
        InvalidInput, match=r"the rows of your own keys are np.flatnonzero\(np.isin\(pool.ids, keys\)\)"
    ):
        asked_gold([5000], id="key")


def test_a_study_keeps_gold_and_positives_that_were_keys(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    url, pool = f"sqlite:///{tmp_path}/s.db", apu.Pool(tmp_path / "t.csv", features=["p", "s"], id="key")
    learner = apu.Audit("p", score="s", gold=TABLE["key"][GOLD[:5]])
    given = GOLD[10:12]
    with apu.Study.create(url, "s", pool, learner, positives=TABLE["key"][given]) as made:
        before = made.result().findings.evidence
    with apu.Study.load(url, "s") as study:
        assert study.result().findings.evidence == before
        assert sorted(before["gold_items"]) == GOLD[:5].tolist()
        assert study.settings["positives"] == given.tolist()


def pattern(*values: Any) -> list[Any]:
    return [values[row % len(values)] for row in range(N)]


GAPS: dict[str, tuple[Any, set[str]]] = {
    "text": (pattern("a", "b", None), {"a", "b", "(missing)"}),
    "empty": (pattern("a", "", "b"), {"a", "b", "(missing)"}),
    "whole": (pattern(1, 2, None), {"1", "2", "(missing)"}),
    "nullable": (pd.array(pattern(1, 2, None), dtype="Int64"), {"1", "2", "(missing)"}),
    "real": (pattern(1.5, float("nan")), {"1.5", "(missing)"}),
    "yes": (pattern(True, False, None), {"True", "False", "(missing)"}),
    "category": (pd.Categorical(pattern("x", "y", None)), {"x", "y", "(missing)"}),
    "day": (pd.to_datetime(pattern("2024-01-01", None)), {"2024-01-01", "(missing)"}),
}


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("name", GAPS)
def test_gaps_are_a_group_of_their_own(name: str, kind: str, tmp_path: Path) -> None:
    values, names = GAPS[name]
    table: Any = TABLE.assign(side=values)
    if kind == "csv":
        table.to_csv(file := tmp_path / "t.csv", index=False)
    elif kind == "parquet":
        table.to_parquet(file := tmp_path / "t.parquet")
    pool = apu.Pool(table if kind == "frame" else file, features=["p", "s"], id="key", show=["key", "side"])
    groups = read_groups("side", pool)
    assert groups is not None
    assert {each.partition("T0")[0] for each in groups.names} == names
    gaps = pd.isna(table["side"]) | (table["side"].astype(object) == "")
    assert [groups.of(row) == "(missing)" for row in range(12)] == gaps[:12].tolist()


@pytest.mark.parametrize("values", [["a", float("nan")], ["a", None], [1.0, None], ["a", " "]])
def test_gaps_among_values_that_are_passed(values: list[Any]) -> None:
    groups = read_groups(pattern(*values), apu.Pool(X))
    assert groups is not None
    assert set(groups.names) == {str(values[0]).removesuffix(".0"), "(missing)"}


@pytest.mark.parametrize("name", ["empty", "whole"])
def test_gaps_in_statements_alarm_and_study(name: str, tmp_path: Path) -> None:
    TABLE.assign(side=GAPS[name][0]).to_csv(tmp_path / "t.csv", index=False)
    pool = apu.Pool(tmp_path / "t.csv", features=["p", "s"], id="key", show=["key", "side"])
    learner = apu.Audit("p", score="s", groups="side", gold=GOLD)
    missing = read_groups("side", pool).of  # type: ignore[union-attr]
    positive = TRUTH & np.array([missing(row) != "(missing)" for row in range(N)])
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool, learner) as study:
        for _ in range(10):
            for question in study.ask("ann", n=10):
                study.tell(question, bool(positive[question.item]))
        assert study.status().answered == 100
        result = study.result()
    assert "Recall in group (missing): " in str(result.statements())
    assert "in group (missing) was confirmed in 0 of" in result.certificate.doubt
    result.save(tmp_path / "r.json")
    assert all(check.ok is not False for check in verify(tmp_path / "r.json", tmp_path / "t.csv"))


@pytest.fixture(scope="module")
def earlier() -> apu.Result:
    return apu.learn(apu.ZCal(apu.Boxes(), 0.2, 0.1), TABLE[["s", "p"]], EXPERT, budget=15)


def rests_on(result: apu.Result, table: Any) -> tuple[set[str], int]:
    """What is supposed about an earlier run, and how many items are audited."""
    found = apu.Run(apu.Audit(result), table).result()
    return {SAME_ROWS, OTHER_ROWS} & set(found.statements()[0].assumptions), sum(found.findings.evidence["sizes"])


def test_a_result_of_the_same_pool_leaves_out_what_was_asked(earlier: apu.Result, tmp_path: Path) -> None:
    earlier.save(tmp_path / "r.json")
    left = N - len(set(earlier.history["item"]))
    for result in (earlier, apu.load_result(tmp_path / "r.json")):
        assert rests_on(result, TABLE[["s", "p"]]) == (set(), left)


def test_a_result_of_another_pool_of_the_same_size_leaves_out_nothing(earlier: apu.Result, tmp_path: Path) -> None:
    earlier.save(tmp_path / "r.json")
    other = TABLE[["s", "p"]].iloc[::-1]
    for result in (earlier, apu.load_result(tmp_path / "r.json")):
        assert rests_on(result, other) == ({OTHER_ROWS}, N)


def test_a_file_without_a_digest_is_supposed_to_be_of_this_pool(earlier: apu.Result, tmp_path: Path) -> None:
    earlier.save(path := tmp_path / "r.json")
    data = json.loads(path.read_text())
    del data["pool"]
    path.write_text(json.dumps(data))
    assert rests_on(apu.load_result(path), TABLE[["s", "p"]])[0] == {SAME_ROWS}


def test_of_what_was_found_another_pool_counts_for_nothing(tmp_path: Path) -> None:
    first = apu.learn(apu.Audit("found", recall=0.9, score=SCORE), X, EXPERT, budget=30)
    second = apu.learn(apu.Audit("found", recall=0.9, score=first), X, EXPERT, budget=10)
    for pool, asked, supposed in ((X, 40, set()), (X[::-1], 0, {OTHER_ROWS})):
        found = apu.Run(apu.Audit("found", recall=0.9, score=second), pool).result()
        assert len(found.findings.evidence["asked_before"]) == asked
        assert {OTHER_ROWS} & set(found.statements()[0].assumptions) == supposed
