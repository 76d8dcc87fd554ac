"""Files as other programs write them: each is read as what it is, or refused in one sentence."""

from __future__ import annotations

import gzip
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.errors import InvalidInput
from activepu.pools import Pool
from activepu.pools.read import read_file, separator_in

PLACES = "place,amount\nCafé Zürich,1.5\nÅrhus,2.5\n"
AS_WRITTEN = [{"place": "Café Zürich", "amount": 1.5}, {"place": "Århus", "amount": 2.5}]


def written(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]
)
def test_a_file_in_any_usual_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    assert read_file(written(tmp_path, PLACES.encode(encoding))).to_pylist() == AS_WRITTEN


def test_letters_beyond_latin_1_that_windows_writes_are_read(tmp_path: Path) -> None:
    content = "price €,größe\n3 €,klein\n".encode("cp1252")
    assert read_file(written(tmp_path, content)).to_pylist() == [{"price €": "3 €", "größe": "klein"}]
    no_letter_of_windows = b"a,b\n\x81,\xe9\n"
    assert read_file(written(tmp_path, no_letter_of_windows)).to_pylist() == [{"a": "\x81", "b": "é"}]


def test_a_file_in_utf_8_with_one_wrong_byte_is_refused_with_its_line(tmp_path: Path) -> None:
    content = "\n".join(["a,b", *["größe,é"] * 30, "k1,x"]).encode() + b"\xff\n"
    with pytest.raises(InvalidInput, match=r"UTF-8 but for 1 byte\(s\), the first in line 32; correct that line"):
        read_file(written(tmp_path, content))


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_separator_is_recognised(tmp_path: Path, sign: str) -> None:
    rows = [["key", "note", "p"], ["k1", f'"one{sign} two, three; or\nfour"', "1"], ["k2", "", "0"]]
    table = read_file(written(tmp_path, "".join(f"{sign.join(row)}\n" for row in rows).encode()))
    assert table.column_names == rows[0]
    assert table["note"].to_pylist() == [f"one{sign} two, three; or\nfour", ""]


@given(
    st.sampled_from(",;\t|"),
    st.integers(2, 5),
    st.lists(st.lists(st.sampled_from(["a b", "1,5", "x;y", "p|q", "7", ""]), min_size=5, max_size=5), max_size=8),
)
def test_any_file_whose_values_are_quoted_where_needed_is_told_apart(sign: str, n: int, cells: list[list[str]]) -> None:
    frame = pd.DataFrame([row[:n] for row in cells], columns=[f"c{k}" for k in range(n)])
    assert separator_in(frame.to_csv(sep=sign, index=False, quoting=1 if sign != "," else 0)) == sign


def test_decimal_commas_are_numbers_where_commas_separate_nothing(tmp_path: Path) -> None:
    table = read_file(written(tmp_path, b"amount;hour;list\n12,50;3;1,2,3\n;4;5,6,7\n-3,25;5;8,9,1\n"))
    assert table["amount"].to_pylist() == [12.5, None, -3.25]
    assert table["hour"].to_pylist() == [3, 4, 5]
    assert pa.types.is_string(table["list"].type)
    points = read_file(written(tmp_path, b"a;b;c\n1.5;2.5;1,5\n2.5;3.5;2,5\n"))  # commas would unmake two numbers
    assert [str(kind) for kind in points.schema.types] == ["double", "double", "string"]


def test_whole_numbers_beyond_64_bits_keep_their_digits(tmp_path: Path) -> None:
    keys = [123456789012345678901234, 123456789012345678901235]
    content = f"key,x\n{keys[0]},1\n{keys[1]},2\n".encode()
    for table in (written(tmp_path, content), pd.DataFrame({"key": keys, "x": [1, 2]})):
        pool = Pool(table, id="key")
        assert [int(key) for key in pool.ids] == keys
        assert not Pool(table, features=["x"], show=["key"]).has_repeated_rows
        with pytest.raises(InvalidInput, match="'key' holds string, not numbers"):
            Pool(table)
    assert read_file(written(tmp_path, b"x\n1e300\n2.5\n"))["x"].to_pylist() == [1e300, 2.5]


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, gzip.compress(PLACES.encode()), "t.csv.gz")).to_pylist() == AS_WRITTEN


REFUSED = {
    "nothing": (b"", "t.csv", "is empty; its first line must name the columns"),
    "blank lines": (b"\n \n", "t.csv", "is empty"),
    "a picture": (bytes(range(256)) * 8, "t.csv", "zero bytes, so that it is no text"),
    "uneven rows": (b"a,b\n1,2\n1,2,3\n", "t.csv", "Expected 2 columns, got 3"),
    "repeated names": (b"a,a\n1,2\n", "t.csv", r"unique, got \['a', 'a'\]"),
    "no items": (b"a,b\n", "t.csv", "0 rows"),
    "no Parquet": (b"PAR1 or not", "t.parquet", "could not be read as a table"),
    "another kind": (b"{}", "t.json", r"must end in \.csv, \.tsv, \.parquet or \.xlsx"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(tmp_path: Path, case: str) -> None:
    content, name, says = REFUSED[case]
    with pytest.raises(InvalidInput, match=says) as refused:
        Pool(written(tmp_path, content, name), raw=True)
    assert "\n" not in str(refused.value)


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pa, "input_stream", refuse)
    with pytest.raises(InvalidInput, match=r"t\.csv' cannot be read \(Permission denied\); ask for the right"):
        read_file(written(tmp_path, b"a\n1\n"))


def test_without_the_package_for_excel_the_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.xlsx"
    with zipfile.ZipFile(file, "w") as packed:  # as far as pandas looks before it asks for openpyxl
        packed.writestr("xl/workbook.xml", "")
    for missing in ("openpyxl", "pandas"):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, missing, None)
            with pytest.raises(InvalidInput, match="pandas and openpyxl are needed; run pip install"):
                read_file(file)


def test_the_first_sheet_of_an_excel_file_is_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = pd.DataFrame({"key": ["a", "b"], "amount": [1.5, np.nan], "mixed": ["x", 3]})
    monkeypatch.setattr(pd, "read_excel", lambda path: sheet)
    table = read_file(written(tmp_path, b"", "t.xlsx"))
    assert table["amount"].to_pylist() == [1.5, None]
    assert re.fullmatch("str 'x'|x", table["mixed"].to_pylist()[0])
