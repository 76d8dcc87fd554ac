"""Answers as CSV and Parquet, with the columns of an `Entry`.

A CSV file may be opened in a spreadsheet, which computes cells that look like formulas. As OWASP advises, text is
written between double quotes, and text that a spreadsheet may take for a formula gets a quote in front. Reading removes
that one quote. Text that already had quotes before a formula gets one more, so that nothing is lost.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from activepu.errors import InvalidInput
from activepu.studies.collected import BATCH
from activepu.studies.entries import Entry, Reader

COLUMNS = [field.name for field in fields(Entry)]
READ = ("id", "answer", "expert", "item", "number")
"""The columns that an import looks at."""
FORMULA = re.compile(r"'*(?:[\s\0]*[=+\-@＝＋－＠]|[\t\r\n\0])")
"""The beginning of a text that a spreadsheet may compute; white space and quotes may come first."""


def write_csv(file: Path, found: Iterable[Entry]) -> int:
    """Write one line per entry; return how many there are."""
    n = 0
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(COLUMNS)
        for entry in found:
            writer.writerow([neutral(getattr(entry, name)) for name in COLUMNS])
            n += 1
    return n


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


def read_table(file: Path, reader: Reader) -> None:
    """Take the entries of a CSV or Parquet file. It must have the columns id (or item) and answer."""
    rows = _csv_rows(file) if file.suffix.lower() in (".csv", ".tsv") else _parquet_rows(file)
    for line, (key, said, who, item, number) in enumerate(rows, start=1):
        reader.take(line, key, said, who, item, number)


def _csv_rows(file: Path) -> Iterator[list[Any]]:
    """Yield what the columns `READ` say, as text, so that a key 007 stays 007."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            head = stream.readline()
            stream.seek(0)
            separator = max(",;\t", key=head.count)
            rows = csv.reader(stream, delimiter=separator, strict=True)
            names = next(rows, [])
            _check_columns(file, names)
            places = [names.index(name) if name in names else None for name in READ]
            for line, row in enumerate((row for row in rows if row), start=1):
                if len(row) != len(names):
                    raise InvalidInput(
                        f"Entry {line} of {str(file)!r} has more or fewer cells than the first line; correct the file."
                    )
                yield [None if place is None else bare(row[place]) for place in places]
    except UnicodeDecodeError:
        raise InvalidInput(f"{str(file)!r} is not UTF-8 text; save it as CSV UTF-8.") from None
    except csv.Error as error:
        raise InvalidInput(f"{str(file)!r} could not be read as CSV ({error}); correct the file.") from None


def _parquet_rows(file: Path) -> Iterator[tuple[Any, ...]]:
    """Yield what the columns `READ` say, batch by batch."""
    try:
        with pyarrow.parquet.ParquetFile(file) as table:
            names = table.schema_arrow.names
            _check_columns(file, names)
            for batch in table.iter_batches(BATCH, columns=[name for name in READ if name in names]):
                found = batch.to_pydict()
                nothing = [None] * batch.num_rows
                yield from zip(*(found.get(name, nothing) for name in READ), strict=True)
    except pa.ArrowInvalid as error:
        raise InvalidInput(
            f"{str(file)!r} could not be read as Parquet ({str(error)[:200]}); write it again."
        ) from None


def _check_columns(file: Path, names: Any) -> None:
    twice = [name for name in READ if list(names).count(name) > 1]
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
