"""Tables from files: CSV as other programs write it, Parquet, and Excel where pandas can read it.

A CSV file does not say how it is written. Its first lines tell what separates the values, its bytes how the letters are
encoded: UTF-8, UTF-16, or else Windows-1252, which is Latin-1 with more letters. With a separator other than the comma,
numbers may have a decimal comma.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from activepu.errors import InvalidInput
from activepu.pools.arrow import arrow_of

SEPARATORS = (",", ";", "\t", "|")
"""What may separate the values of a file; of two that fit equally well, the first."""
HEAD, LINES = 1 << 16, 20
"""How many bytes, and of these how many lines, are looked at to tell the separator and the encoding."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The bytes with which a file may say how it is encoded."""
MOSTLY = 10
"""A file with this many times as many letters in UTF-8 as bytes that are not is UTF-8, and damaged."""
BEYOND = 2.0**63
"""Whole numbers from here on do not fit 64 bits."""
EXCEL = {".xlsx": "openpyxl", ".xlsm": "openpyxl", ".xls": "xlrd", ".ods": "odfpy"}
"""Sheets, and the package that pandas reads them with."""
CSV = (".csv", ".tsv", ".txt")


def read_file(path: Path) -> pa.Table:
    """Read a CSV, Parquet or Excel file; refuse one that cannot be read, in one sentence.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from activepu.pools.read import read_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "export.csv")
    ...     _ = file.write_bytes("Händler;Betrag\\nCafé;12,50\\n".encode("cp1252"))
    ...     read_file(file).to_pylist()
    [{'Händler': 'Café', 'Betrag': 12.5}]
    """
    if path.is_dir():
        raise InvalidInput(f"A pool is read from a file, got the folder {str(path)!r}; add the name of the file.")
    if not path.is_file():
        raise InvalidInput(
            f"There is no file {str(path)!r}; check the path (relative ones start in {str(Path.cwd())!r})."
        )
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    try:
        if suffix in (".parquet", ".pq"):
            return pyarrow.parquet.read_table(path)
        if suffix in EXCEL:
            return _excel(path)
        if suffix in CSV:
            return _csv(path)
    except pa.ArrowException as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise InvalidInput(f"The file {str(path)!r} could not be read as a table: {said}.") from None
    except OSError as error:
        raise InvalidInput(
            f"The file {str(path)!r} cannot be read ({error.strerror or error}); ask for the right to read it."
        ) from None
    raise InvalidInput(f"A pool file must end in .csv, .tsv, .parquet or .xlsx, got {str(path)!r}.")


def _excel(path: Path) -> pa.Table:
    """Return the first sheet, read by pandas and the package that it needs for this kind of file."""
    try:
        import pandas

        return arrow_of(pandas.read_excel(path))
    except ImportError:
        package = EXCEL[path.suffix.lower()]
        raise InvalidInput(
            f"To read {str(path)!r}, pandas and {package} are needed; run pip install pandas {package}, or save the "
            "sheet as CSV."
        ) from None
    except OSError:
        raise
    except Exception as error:  # of whichever package reads it
        said = str(error).partition("\n")[0].rstrip(".")
        raise InvalidInput(f"The file {str(path)!r} could not be read as a table: {said}.") from None


def _csv(path: Path) -> pa.Table:
    with _opened(path) as stream:
        head = stream.read(HEAD)
    if not head.strip():
        raise InvalidInput(
            f"The file {str(path)!r} is empty; its first line must name the columns, and each further line is an item."
        )
    encoding = next((name for mark, name in MARKS if head.startswith(mark)), _unmarked(head))
    if encoding is None:
        raise InvalidInput(
            f"The file {str(path)!r} holds zero bytes, so that it is no text; is it a file of another kind? Save it as "
            "CSV in UTF-8."
        )
    separator = "\t" if path.suffix.lower() == ".tsv" else separator_in(head.decode(encoding, errors="replace"))
    try:
        table = _parsed(path, encoding, separator)
        foreign = any(pa.types.is_binary(column.type) for column in table.columns)  # the bytes are no letters in UTF-8
    except UnicodeDecodeError:
        table, foreign = None, True
    if foreign:
        _check_not_damaged(path)
        encoding = "cp1252" if _decodes(path, "cp1252") else "latin-1"
        table = _parsed(path, encoding, separator)
    assert table is not None
    if separator != "," and _decimal_commas(table):
        other = _parsed(path, encoding, separator, decimal=",")
        return other if _texts(other) < _texts(table) else table
    if texts := {name: pa.string() for name in _beyond_64_bits(table)}:
        return _parsed(path, encoding, separator, texts=texts)
    return table


def _opened(path: Path) -> Any:
    """Return the bytes of a file, unpacked where its name ends in .gz."""
    return pa.input_stream(str(path))


def _unmarked(head: bytes) -> str | None:
    """Return the encoding of bytes without a mark: UTF-16 where every second byte is zero; None for no text at all."""
    if b"\0" not in head:
        return "utf-8"
    zeros = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2) == 0
    if len(zeros) and zeros.mean(axis=0).max() > 0.5 and zeros.mean(axis=0).min() < 0.1:
        return "utf-16-le" if zeros[:, 1].mean() > 0.5 else "utf-16-be"
    return None


def separator_in(head: str) -> str:
    """Return the sign that occurs equally often in all first lines, outside of quotes; of several the most frequent.

    Examples
    --------
    >>> from activepu.pools.read import separator_in
    >>> separator_in('name;amount\\n"Smith; John";1,5\\n')
    ';'
    """
    lines = re.sub(r'"[^"]*"', "", head).splitlines()
    complete = [line for line in (lines[:-1] if len(lines) > LINES else lines) if line.strip(" \r")][:LINES]
    found = [Counter(line) for line in complete]
    times = {sign: found[0][sign] for sign in SEPARATORS if len({one[sign] for one in found}) == 1} if found else {}
    best = max(times, key=lambda sign: times[sign], default=",")
    if not times.get(best):  # lines of different lengths: the names of the columns tell
        best = max(SEPARATORS, key=lambda sign: found[0][sign]) if found else ","
    return best


def _parsed(path: Path, encoding: str, separator: str, decimal: str = ".", texts: Any = None) -> pa.Table:
    with _opened(path) as stream:
        return pyarrow.csv.read_csv(
            stream,
            pyarrow.csv.ReadOptions(encoding="utf-8" if encoding == "utf-8-sig" else encoding),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(decimal_point=decimal, column_types=texts),
        )


def _decodes(path: Path, encoding: str) -> bool:
    with _opened(path) as stream:
        try:
            stream.read().decode(encoding)
        except UnicodeDecodeError:
            return False
    return True


def _check_not_damaged(path: Path) -> None:
    """Refuse a file that is UTF-8 but for a few bytes: read as anything else, all its other letters would be wrong."""
    with _opened(path) as stream:
        lines = stream.read().decode("utf-8", errors="surrogateescape").split("\n")
    foreign = [sum("\udc80" <= letter <= "\udcff" for letter in line) if not line.isascii() else 0 for line in lines]
    letters = sum(sum(letter > "\x7f" for letter in line) for line in lines if not line.isascii()) - sum(foreign)
    if letters > MOSTLY * sum(foreign):
        where = next(number for number, count in enumerate(foreign, 1) if count)
        raise InvalidInput(
            f"The file {str(path)!r} is UTF-8 but for {sum(foreign):,} byte(s), the first in line {where}; correct "
            "that line, or save the file as UTF-8 again."
        )


def _texts(table: pa.Table) -> int:
    return sum(pa.types.is_string(column.type) for column in table.columns)


def _decimal_commas(table: pa.Table) -> bool:
    """Whether some column of texts holds only numbers with a decimal comma."""
    for column in table.columns:
        if pa.types.is_string(column.type):
            told = pa.compute.match_substring_regex(column, r"^\s*[-+]?\d+(,\d+)?\s*$|^$")
            commas = pa.compute.match_substring(column, ",")
            if pa.compute.all(told).as_py() and pa.compute.any(commas).as_py():
                return True
    return False


def _beyond_64_bits(table: pa.Table) -> list[str]:
    """Return the columns of whole numbers that are too long for 64 bits, and so were read as rounded numbers."""
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) and table.column_names.count(name) == 1:
            values = column.to_numpy()
            values = values[~np.isnan(values)]
            if len(values) and np.isfinite(values).all() and abs(values).max() >= BEYOND:
                found += [name] if (values == np.round(values)).all() else []
    return found
