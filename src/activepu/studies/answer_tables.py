"""Answers as CSV and Parquet, with the columns of an `Entry`.

A CSV file may be opened in a spreadsheet, which computes cells that look like formulas. As OWASP advises, text is
written between double quotes, and text that a spreadsheet may take for a formula gets a quote in front. Reading removes
that one quote. Text that already had quotes before a formula gets one more, so that nothing is lost.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from activepu.errors import InvalidInput
from activepu.studies.entries import Entry, Reader

COLUMNS = [field.name for field in fields(Entry)]
FORMULA = re.compile(r"'*(?:[\s\0]*[=+\-@＝＋－＠]|[\t\r\n\0])")
"""The beginning of a text that a spreadsheet may compute; white space and quotes may come first."""


def write_csv(file: Path, found: list[Entry]) -> None:
    """Write one line per entry."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(COLUMNS)
        writer.writerows([neutral(getattr(entry, name)) for name in COLUMNS] for entry in found)


def write_parquet(file: Path, found: list[Entry]) -> None:
    """Write one row per entry."""
    kinds = dict.fromkeys(COLUMNS, pa.string()) | {"item": pa.int64(), "number": pa.int64(), "prediction": pa.float64()}
    columns = {
        name: pa.array([getattr(entry, name) for entry in found], kinds[name]) for name in COLUMNS if name != "id"
    }
    keys = [entry.id for entry in found]
    plain = keys if len({type(key) for key in keys}) == 1 else [str(key) for key in keys]
    columns["id"] = pa.array(plain, None if plain else pa.string())
    pyarrow.parquet.write_table(pa.table({name: columns[name] for name in COLUMNS}), file)


def read_table(file: Path, reader: Reader) -> list[Entry]:
    """Return the entries of a CSV or Parquet file. It must have the columns id (or item) and answer."""
    rows = _csv_rows(file) if file.suffix.lower() in (".csv", ".tsv") else _parquet_rows(file)
    found = []
    for line, row in enumerate(rows, start=1):
        number = row.get("number")
        found.append(reader.entry(line, row.get("id"), row.get("answer"), row.get("expert"), row.get("item"), number))
    return found


def _csv_rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield rows with every cell as text, so that a key 007 stays 007."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            head = stream.readline()
            stream.seek(0)
            separator = max(",;\t", key=head.count)
            rows = csv.DictReader(stream, delimiter=separator, strict=True)
            _check_columns(file, rows.fieldnames or ())
            for line, row in enumerate(rows, start=1):
                if None in row or None in row.values():
                    raise InvalidInput(
                        f"Entry {line} of {str(file)!r} has more or fewer cells than the first line; correct the file."
                    )
                yield {name: bare(value) for name, value in row.items()}
    except UnicodeDecodeError:
        raise InvalidInput(f"{str(file)!r} is not UTF-8 text; save it as CSV UTF-8.") from None
    except csv.Error as error:
        raise InvalidInput(f"{str(file)!r} could not be read as CSV ({error}); correct the file.") from None


def _parquet_rows(file: Path) -> list[dict[str, Any]]:
    try:
        table = pyarrow.parquet.read_table(file)
    except pa.ArrowInvalid as error:
        raise InvalidInput(
            f"{str(file)!r} could not be read as Parquet ({str(error)[:200]}); write it again."
        ) from None
    _check_columns(file, table.column_names)
    return list(table.to_pylist())


def _check_columns(file: Path, names: Any) -> None:
    twice = [name for name in ("id", "item", "answer", "expert", "number") if list(names).count(name) > 1]
    if twice:
        raise InvalidInput(f"{str(file)!r} has two columns {twice[0]!r}; remove one.")
    if "answer" not in names or not {"id", "item"} & set(names):
        raise InvalidInput(
            f"A table of answers has the columns id (or item) and answer, and optionally expert; "
            f"{str(file)!r} has {', '.join(map(str, names))[:200] or 'none'}: rename them."
        )


def neutral(value: Any) -> Any:
    """Return a value with a quote in front if it is text that a spreadsheet would take for a formula."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def bare(value: str) -> str:
    """Return the text without that quote."""
    return value[1:] if value.startswith("'") and FORMULA.match(value) else value
