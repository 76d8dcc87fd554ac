"""Tables that a command writes: whole or not at all, and without a cell that a spreadsheet would compute."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from activepu.cli import values
from activepu.errors import InvalidInput
from activepu.files import whole
from activepu.studies.answer_tables import neutral

ENDINGS = (".csv", ".tsv", ".parquet")
NO_NUMBER = r"[^0-9A-Za-z+\-. ]"
"""A sign that is in no number as programs write it, such as a decimal comma."""
AT_A_TIME = 50_000
"""Rows that are written at a time."""


def check(option: str, file: Path) -> None:
    """Refuse a file that cannot be such a table, before any work is done."""
    if file.suffix.lower() not in ENDINGS:
        raise InvalidInput(f"{option} must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, got {str(file)!r}.")
    values.check_writable(file)


def write(file: Path, table: pa.Table, spelled: Mapping[str, pa.ChunkedArray] | None = None) -> None:
    """Write a table to a file that ends in .csv, .tsv or .parquet.

    `spelled` has columns as text, in the spelling of the file that they were read from, which a CSV file gets.
    """
    with whole(file) as partial:
        if file.suffix.lower() == ".parquet":
            pyarrow.parquet.write_table(table, partial)
            return
        sign = "\t" if file.suffix.lower() == ".tsv" else ","
        columns = [_cells(table.column(name), (spelled or {}).get(name)) for name in table.column_names]
        with partial.open("w", encoding="utf-8", newline="") as stream:
            stream.write(sign.join(_quoted(name) for name in table.column_names) + "\n")
            for start in range(0, len(table), AT_A_TIME):
                parts = [column.slice(start, AT_A_TIME).combine_chunks() for column in columns]
                lines = pc.binary_join_element_wise(*parts, sign)
                stream.write("\n".join([*lines.to_pylist(), ""]))


def spelled(file: Path, table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Return the columns of a CSV file once more, as they are spelled there: 007 stays 007.

    Nothing for files of other kinds, and for a file that cannot be read so that it has the columns of the table.
    """
    names = table.column_names
    if file.suffix.lower() not in (".csv", ".tsv", ".txt", ".gz") or len(set(names)) < len(names):
        return {}
    as_text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    for encoding, sign in product(("utf-8", "utf-16", "cp1252", "latin-1"), (",", ";", "\t", "|")):
        try:
            with pa.input_stream(str(file)) as stream:
                reading = pyarrow.csv.ReadOptions(encoding=encoding)
                parsing = pyarrow.csv.ParseOptions(delimiter=sign, newlines_in_values=True)
                found = pyarrow.csv.read_csv(stream, reading, parsing, as_text)
        except (pa.ArrowException, UnicodeError):
            continue
        if found.column_names == names and len(found) == len(table):
            return dict(zip(names, found.columns, strict=True))
    return {}


def _cells(column: pa.ChunkedArray, spelled: pa.ChunkedArray | None) -> pa.ChunkedArray:
    """Return the cells of a column as a CSV file has them: text between quotes, and all else as it is."""
    kind = column.type
    if _is_number(kind):
        plain = spelled is not None and not pc.any(pc.match_substring_regex(spelled, NO_NUMBER)).as_py()
        return pc.fill_null(spelled if plain else column.cast(pa.string()), "")
    if spelled is None:
        spelled = pa.chunked_array([pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())])
    found = spelled.unique().to_pylist()  # of texts that repeat, each is looked at once
    if len(found) < len(spelled) // 2:
        coded = spelled.combine_chunks().dictionary_encode()
        cells = pa.array([_quoted(text) for text in coded.dictionary.to_pylist()], pa.string())
        return pc.fill_null(pa.chunked_array([cells.take(coded.indices)]), "")
    return pa.chunked_array([pa.array([_quoted(text) for text in spelled.to_pylist()], pa.string())])


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _quoted(text: str | None) -> str:
    """Return a text between double quotes; one that a spreadsheet may take for a formula with a quote in front."""
    return "" if text is None else '"' + str(neutral(text)).replace('"', '""') + '"'
