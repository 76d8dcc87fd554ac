"""Answers in and out."""

import csv
import json

import numpy as np
import pyarrow.parquet
import pytest
from studies.scenes import X, says, zcal

import activepu as apu
from activepu.errors import InvalidInput
from activepu.studies.exchange import entries, export_answers, export_result, import_answers


@pytest.fixture
def table(tmp_path):
    lines = ["key,a,b", *(f"=k{k},{a},{b}" for k, (a, b) in enumerate(X[:400]))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    return apu.Pool(tmp_path / "t.csv", features=["a", "b"], id="key")


@pytest.fixture
def study(tmp_path, table):
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", table, zcal()) as made:
        for k in range(12):
            for expert in ("ann", "=bob"):
                (q,) = made.ask(expert)
                if k == 3 and expert == "ann":
                    made.skip(q.token)
                else:
                    made.tell(q.token, says(q.item))
        yield made


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_answers_go_out_and_come_back(study, tmp_path, table, suffix):
    file = tmp_path / f"out.{suffix}"
    assert export_answers(study, file) == len(entries(study))
    with apu.Study.create(f"sqlite:///{tmp_path}/t.db", "t", table, zcal()) as other:
        answered = study.status().answered
        assert import_answers(other, file) == answered
        assert import_answers(other, file) == 0
        there = {(e.id, e.expert, e.answer) for e in entries(study) if e.answer != "skip"}
        assert {(e.id, e.expert, e.answer) for e in entries(other)} == there
        assert other.status().revealed == study.status().revealed


def test_what_the_files_look_like(study, tmp_path):
    export_answers(study, tmp_path / "out.csv")
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert all(row["id"].startswith("'=k") for row in rows)
    assert {row["expert"] for row in rows} == {"ann", "'=bob"}
    assert {row["answer"] for row in rows} == {"yes", "can't tell", "skip"}
    export_answers(study, tmp_path / "out.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").num_rows == len(rows)
    export_answers(study, tmp_path / "out.json")
    tasks = json.loads((tmp_path / "out.json").read_text())
    cancelled = [t["annotations"][0] for t in tasks if t["annotations"][0]["was_cancelled"]]
    assert [a["result"] for a in cancelled] == [[]]
    assert all(t["annotations"][0]["ground_truth"] is False for t in tasks)
    assert tasks[0]["data"]["item_id"].startswith("=k")
    assert {"a", "b"} <= tasks[0]["data"].keys()


def test_the_result_goes_out(study, tmp_path):
    export_result(study, tmp_path / "r.json")
    export_result(study, tmp_path / "r.txt")
    loaded = apu.load_result(tmp_path / "r.json")
    assert loaded.certificate == study.result().certificate
    assert np.array_equal(loaded.predict(X), study.result().predict(X))
    assert "With 90% confidence" in (tmp_path / "r.txt").read_text()


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("x.csv", "id,answer\n=k1,no\n", "has the answer 'no'"),
        ("x.csv", "id,answer\nnobody,yes\n", "'nobody'"),
        ("x.csv", "id,said\n1,yes\n", "columns id"),
        ("x.json", "{}", None),
        ("x.json", "[1]", "not Label Studio"),
        ("x.xml", "", "must end in"),
    ],
)
def test_files_that_are_something_else_are_refused_whole(study, tmp_path, name, text, match):
    (tmp_path / name).write_text(text)
    before = study.status().answered
    if match is None:
        assert import_answers(study, tmp_path / name) == 0
    else:
        with pytest.raises(InvalidInput, match=match):
            import_answers(study, tmp_path / name)
    assert study.status().answered == before
