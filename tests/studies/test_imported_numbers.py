"""Numbers in imported files are written in the digits 0 to 9; anything else is refused, with its place in the file."""

import json

import pandas as pd
import pytest
from studies.scenes import pool, zcal

import activepu as apu
from activepu.errors import InvalidInput
from activepu.studies.exchange import entries, import_answers

WRONG = [
    "1e3",
    "1e0",
    "٣",
    "３",
    "1_0",
    "0x10",
    "+3",
    "-3",
    "3.5",
    "3,0",
    "three",
    "0b1",
    "inf",
    "nan",
    "1" * 5000,
    "\t3",
]
RIGHT = {"7": 7, " 7 ": 7, "7.0": 7, "007": 7}


@pytest.fixture
def study(tmp_path):
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal()) as made:
        yield made


def csv(tmp_path, head, *lines):
    (tmp_path / "a.csv").write_text("\n".join([head, *lines]) + "\n")
    return tmp_path / "a.csv"


@pytest.mark.parametrize("said", WRONG)
def test_numbers_that_are_written_otherwise_are_refused(study, tmp_path, said):
    quoted = f'"{said}"'
    for head, line in (
        ("item,answer", f"{quoted},yes"),
        ("id,answer", f"{quoted},yes"),
        ("item,answer,number", f"4,yes,{quoted}"),
    ):
        first = "3,yes,0" if "number" in head else "3,yes"
        with pytest.raises(InvalidInput, match=r"^Entry 2 (has|is about) the (number|item) ") as caught:
            import_answers(study, csv(tmp_path, head, first, line))
        assert len(str(caught.value)) < 250
    assert study.status().answered == 0


@pytest.mark.parametrize("said", ["1e0", "１", "1.5", "2", "yes!", "no", "01", "0x1", "TRUE1", "+1"])
def test_answers_that_are_written_otherwise_are_refused(study, tmp_path, said):
    with pytest.raises(InvalidInput, match=r"^Entry 2, about"):
        import_answers(study, csv(tmp_path, "item,answer", "3,yes", f"4,{said}"))
    assert study.status().answered == 0


@pytest.mark.parametrize("said", RIGHT)
def test_spaces_zeros_and_the_ending_of_spreadsheets_are_read(study, tmp_path, said):
    assert import_answers(study, csv(tmp_path, "item,answer,number", f"{said}, Yes ,{said}")) == 1
    assert [entry.item for entry in entries(study)] == [RIGHT[said]]


@pytest.mark.parametrize("said", [7, 7.0])
def test_numbers_of_parquet_are_read(study, tmp_path, said):
    pd.DataFrame({"item": [said], "answer": [1.0], "number": [said]}).to_parquet(tmp_path / "a.parquet")
    assert import_answers(study, tmp_path / "a.parquet") == 1


@pytest.mark.parametrize("said", [7.5, True, 1e300, -1.0, "1e1"])
def test_other_values_of_parquet_are_refused(study, tmp_path, said):
    pd.DataFrame({"item": [said], "answer": ["yes"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=r"^Entry 1 is about the item"):
        import_answers(study, tmp_path / "a.parquet")


@pytest.mark.parametrize("said", ["1e1", "٣", True, 1.5, [1], {"a": 1}])
def test_the_order_of_tasks_is_a_number_too(study, tmp_path, said):
    choice = [{"type": "choices", "from_name": "answer", "value": {"choices": ["yes"]}}]
    task = {"data": {"item_id": 3, "asked": said}, "annotations": [{"result": choice}]}
    (tmp_path / "a.json").write_text(json.dumps([task]))
    with pytest.raises(InvalidInput, match=r"^Entry 1 has the number"):
        import_answers(study, tmp_path / "a.json")
