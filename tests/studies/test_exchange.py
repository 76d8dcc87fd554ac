"""Answers in and out."""

import csv
import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.scenes import X, says, zcal

import activepu as apu
from activepu.errors import InvalidInput
from activepu.studies import label_studio
from activepu.studies.answer_tables import bare, neutral
from activepu.studies.exchange import entries, export_answers, import_answers

STRANGE = ["=k0", " +k1", "'=k2", "007", "a,b;c", 'say "hi"', "\tk", "two\nlines", "NA", "＝k"]
"""Keys that spreadsheets, separators and guesses of types could spoil."""


@pytest.fixture
def table():
    keys = [STRANGE[k] if k < len(STRANGE) else f"k{k}" for k in range(400)]
    return apu.Pool(pd.DataFrame({"key": keys, "a": X[:400, 0], "b": X[:400, 1]}), features=["a", "b"], id="key")


@pytest.fixture
def study(tmp_path, table):
    """Yes, can't tell and skips, by three experts; the strange keys are among the items."""
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", table, zcal()) as made:
        made.record([(item, says(item), "=bob") for item in range(len(STRANGE))])
        for k in range(12):
            for expert in ("ann", "=bob", "eve@example.org"):
                (q,) = made.ask(expert)
                if (k, expert) in ((3, "ann"), (5, "=bob"), (5, "eve@example.org")):
                    made.skip(q.token)
                else:
                    made.tell(q.token, says(q.item))
        made.undo("ann")
        yield made


@pytest.fixture
def fresh(tmp_path, table):
    with apu.Study.create(f"sqlite:///{tmp_path}/t.db", "t", table, zcal()) as made:
        yield made


def said(study):
    return sorted((entry.id, entry.expert, entry.answer) for entry in entries(study))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_answers_and_skips_go_out_and_come_back(study, fresh, tmp_path, suffix):
    file = tmp_path / f"out.{suffix}"
    there = said(study)
    assert {answer for _, _, answer in there} == {"yes", "can't tell", "skip"}
    assert export_answers(study, file) == len(there)
    assert import_answers(fresh, file) == len(there)
    assert said(fresh) == there
    assert import_answers(fresh, file) == 0
    assert said(fresh) == there
    assert fresh.status().revealed == study.status().revealed


def test_cells_are_text_for_spreadsheets(study, tmp_path):
    export_answers(study, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.lstrip()[:1] in tuple("=+@＝") or cell[:1] in ("\t", "\r", "\n")]
    assert {row["expert"] for row in rows} == {"ann", "'=bob", "eve@example.org"}
    assert '"\'=k0"' in (tmp_path / "out.csv").read_text()


@given(st.text(alphabet="'=+-@\t\r\n\0 ＝a1", max_size=6))
def test_neutral_text_never_begins_a_formula_and_comes_back(text):
    written = neutral(text)
    assert not written.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝"))
    assert bare(written) == text


def test_parquet_holds_the_keys_as_they_are(study, tmp_path):
    export_answers(study, tmp_path / "out.parquet")
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert set(STRANGE) <= set(found["id"])
    assert "=bob" in found["expert"]


def test_label_studio_can_import_the_tasks(study, tmp_path):
    export_answers(study, tmp_path / "out.json")
    tasks = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    annotations = [annotation for task in tasks for annotation in task["annotations"]]
    assert len(tasks) == len({task["data"]["item_id"] for task in tasks}) < len(annotations)
    assert {a["was_cancelled"] for a in annotations if a["result"] == []} == {True}
    assert all(a["ground_truth"] is False for a in annotations)
    assert {a["completed_by"]["email"] for a in annotations if "completed_by" in a} == {"eve@example.org"}
    assert {"a", "b", "key"} <= tasks[0]["data"].keys()
    interface = ET.fromstring(label_studio.CONFIG)
    (text,), (choices,) = interface.findall("Text"), interface.findall("Choices")
    assert text.get("value")[1:] in tasks[0]["data"]
    for part in (part for a in annotations for part in a["result"]):
        assert (part["from_name"], part["to_name"]) == (choices.get("name"), text.get("name"))
        assert part["value"]["choices"][0] in {choice.get("value") for choice in choices}


def annotated(key, *annotations):
    return {"id": 7, "data": {"item_id": key}, "annotations": annotations, "predictions": [chose("yes", 9)]}


def chose(word, by, **more):
    part = {"from_name": "answer", "to_name": "text", "type": "choices", "value": {"choices": [word]}}
    return {"result": [part], "was_cancelled": False, "completed_by": by, **more}


def test_what_label_studio_exports_is_understood(fresh, tmp_path):
    comment = {"from_name": "note", "to_name": "text", "type": "textarea", "value": {"text": ["hm"]}}
    two = chose("can't tell", 2, created_at="2026-01-02")
    two["result"].insert(0, comment)
    tasks = [
        annotated("k20", two, {"result": [], "was_cancelled": True, "completed_by": 1, "created_at": "2026-01-01"}),
        annotated("k21", chose("yes", {"id": 3, "email": "eve@example.org"}, ground_truth=True)),
        annotated("k22", {"result": [], "was_cancelled": False, "completed_by": 1}),
        annotated("k23"),
        annotated("k24", chose("Yes", None)),
    ]
    (tmp_path / "x.json").write_text(json.dumps(tasks))
    import_answers(fresh, tmp_path / "x.json", expert="somebody", names={"1": "ann"})
    assert said(fresh) == [
        ("k20", "2", "can't tell"),
        ("k20", "ann", "skip"),
        ("k21", "eve@example.org", "yes"),
        ("k24", "somebody", "yes"),
    ]


def test_a_table_of_ones_own_may_be_short(fresh, tmp_path):
    (tmp_path / "x.csv").write_text("\ufeffanswer;item\nYES;30\n0;31\n", encoding="utf-8")
    assert import_answers(fresh, tmp_path / "x.csv", expert="ann") == 2
    assert said(fresh) == [("k30", "ann", "yes"), ("k31", "ann", "can't tell")]


def test_an_answer_that_was_edited_is_left_out_and_said_so(fresh, tmp_path):
    (tmp_path / "x.csv").write_text("number,item,answer\n0,30,yes\n1,31,can't tell\n2,32,skip\n", "utf-8")
    assert import_answers(fresh, tmp_path / "x.csv", expert="ann") == 3
    (tmp_path / "y.csv").write_text("number,item,answer\n0,30,can't tell\n1,31,can't tell\n2,32,yes\n", "utf-8")
    with pytest.warns(UserWarning, match=r"1 answer\(s\) in 'y.csv' differ .* item 'k30'. The earlier answer"):
        assert import_answers(fresh, tmp_path / "y.csv", expert="bob") == 1
    assert ("k30", "ann", "yes") in said(fresh)


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("x.csv", "id,answer\nk20,yes\nk21,no\n", "Entry 2, about 'k21', has the answer 'no'"),
        ("x.csv", "id,answer\nk20,yes\nnobody,yes\n", "Entry 2 is about 'nobody'"),
        ("x.csv", "item,answer\n20,yes\n400,yes\n", "'400'; items are row numbers from 0 to 399"),
        ("x.csv", "item,answer\n20,yes\n21\n", "fewer cells"),
        ("x.csv", "id,said\nk20,yes\n", "columns id .* has id, said"),
        ("x.csv", "", "has none"),
        ("x.csv", "id,answer,expert\nk20,yes,ann\nk21,yes,\x07\n", "The expert of entry 2 must be a name"),
        ("x.parquet", "id,answer", "as Parquet"),
        ("x.json", "{}", "not a list"),
        ("x.json", "[", "not JSON"),
        ("x.json", "[1]", "Entry 1 .* not a Label Studio task"),
        ("x.json", '[{"item_id": "k20", "answer": "yes"}]', "not as JSON-MIN"),
        ("x.json", json.dumps([annotated("k20", chose("yes", 1)), annotated("k21", chose("no", 1))]), "Entry 2"),
        ("x.xml", "", "choose one of these endings"),
        ("missing.csv", None, "There is no file"),
    ],
)
def test_files_that_are_something_else_are_refused_whole(fresh, tmp_path, name, text, match):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInput, match=match) as refused:
        import_answers(fresh, tmp_path / name)
    assert "\n" not in str(refused.value)
    assert said(fresh) == []


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_an_export_that_fails_leaves_the_file_as_it_was(study, tmp_path, monkeypatch, suffix):
    file = tmp_path / f"out.{suffix}"
    file.write_text("before")
    there = sorted(tmp_path.iterdir())

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(InvalidInput, match=r"cannot be written \(No space left"):
            export_answers(study, file)
    assert file.read_text() == "before"
    assert sorted(tmp_path.iterdir()) == there
    with file.open() as old:
        export_answers(study, file)
        assert old.read() == "before"
    with pytest.raises(InvalidInput, match="no folder"):
        export_answers(study, tmp_path / "nowhere" / file.name)


def test_an_empty_study_goes_out_and_comes_back(fresh, tmp_path):
    for suffix in ("csv", "parquet", "json"):
        assert export_answers(fresh, tmp_path / f"out.{suffix}") == 0
        assert import_answers(fresh, tmp_path / f"out.{suffix}") == 0


@pytest.mark.parametrize("keys", [np.arange(400) * 2.5, pd.date_range("2026-01-01", periods=400), -np.arange(400)])
def test_keys_of_every_type_come_back(tmp_path, keys):
    pool = apu.Pool(pd.DataFrame({"key": keys, "a": X[:400, 0], "b": X[:400, 1]}), features=["a", "b"], id="key")
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool, zcal()) as study:
        study.record([(item, says(item), "ann") for item in range(5)])
        for suffix in ("csv", "parquet", "json"):
            export_answers(study, tmp_path / f"out.{suffix}")
            with apu.Study.create(f"sqlite:///{tmp_path}/s.db", suffix, pool, zcal()) as other:
                assert import_answers(other, tmp_path / f"out.{suffix}") == 5
                assert said(other) == said(study)


def test_the_page_shows_the_interface():
    page = Path(__file__).parents[2] / "docs" / "studies.md"
    assert label_studio.CONFIG in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", ["id,answer,number", "id,answer"])
def test_the_order_in_which_a_file_was_sorted_does_not_matter(tmp_path, columns):
    """A file that is sorted by its answers must not make a certificate false."""
    lines = [
        ",".join([str(item), "yes" if says(item) else "can't tell", str(item)][: columns.count(",") + 1])
        for item in range(60)
    ]
    states = []
    for k, key in enumerate((None, lambda line: "yes" in line, lambda line: "yes" not in line)):
        ordered = lines if key is None else sorted(lines, key=key)
        (tmp_path / "x.csv").write_text("\n".join([columns, *ordered]))
        with apu.Study.create(
            f"sqlite:///{tmp_path}/o{k}.db", "s", apu.Pool(X[:400]), zcal(rate=0.6), deadline=None
        ) as study:
            assert import_answers(study, tmp_path / "x.csv") == 60
            states.append(([q.item for q in study.run().questions], study.result().certificate))
    assert states[0] == states[1] == states[2]
    if "number" in columns:
        assert states[0][0] == list(range(60))
    else:
        assert states[0][0] != list(range(60))


@pytest.mark.parametrize("answer", ["0.7", "-0.5", "inf"])
def test_scores_are_no_answers(study, tmp_path, answer):
    pyarrow.parquet.write_table(pyarrow.table({"item": [1], "answer": [float(answer)]}), tmp_path / "x.parquet")
    with pytest.raises(InvalidInput, match="has the answer"):
        import_answers(study, tmp_path / "x.parquet")
