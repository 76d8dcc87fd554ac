"""The strata, made again from the columns of the pool's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.experts import binary
from activepu.pools.frames import Frame
from activepu.pools.read import read_file
from activepu.verify.evidence import Evidence

Lines = list[tuple[str, bool | None, str]]


def check(evidence: Evidence, table: str | Path | None) -> Lines:
    """Return what was checked about the strata."""
    if table is None:
        return [("the strata", None, "pass the table to see that its columns give them")]
    frame = Frame(read_file(Path(table)))
    names = evidence.columns
    if names == (None, None):
        raise InvalidInput("This audit took neither predictions nor a score from a column; leave the table out.")
    said = None if names[0] is None else binary(f"the column {names[0]!r}", frame.values(frame.axis(names[0])))
    score = None if names[1] is None else np.asarray(frame.values(frame.axis(names[1])), np.float64)
    rows = len(said) if said is not None else len(score) if score is not None else 0
    if score is None and said is not None:
        score = said.astype(np.float64)  # without a score the predictions are the bands
    assert score is not None
    band = np.searchsorted(evidence.borders, score, side="right")
    lines: Lines = []
    columns = " and ".join(repr(name) for name in names if name is not None)
    wrong = _wrong(evidence, rows, said, band)
    lines.append((f"the strata are those of {columns} in the table", not wrong, wrong))
    if names[1] is not None and said is not None and score.min() >= 0 and score.max() <= 1 and not wrong:
        means = [float(score[members].mean()) for members in evidence.items]
        apart = float(np.abs(np.array(means) - evidence.means).max())
        told = "" if apart < 1e-9 else f"one differs by {apart:.2g}"
        lines.append((f"the mean probabilities, which enter Q, are those of {names[1]!r}", apart < 1e-9, told))
    if evidence.groups is not None and evidence.groups_column is not None and not wrong:
        other = _grouped(evidence, evidence.groups, frame.values(frame.axis(evidence.groups_column)))
        lines.append((f"the groups are those of {evidence.groups_column!r}", not other, other))
    if said is None:
        lines.append(("the predictions", None, "they were not a column"))
    return lines


def _wrong(evidence: Evidence, rows: int, said: NDArray[np.bool_] | None, band: NDArray[np.int64]) -> str:
    """Return the first item that lies in a stratum of another kind."""
    if evidence.rows > rows:
        return f"the audit speaks of {evidence.rows:,} rows, and the table has {rows:,}"
    for k, at in enumerate(evidence.items):
        if at.size and (at.min() < 0 or at.max() >= rows):
            return f"stratum {k} has rows that the table does not have"
        if said is not None and (bad := at[said[at] != evidence.inside[k]]).size:
            return f"the classifier says something else about row {bad[0]} than about its stratum"
        if (bad := at[band[at] != evidence.bands[k]]).size:
            return f"row {bad[0]} has a score of another band"
    return ""


def _grouped(evidence: Evidence, groups: list[str], values: NDArray[np.object_]) -> str:
    """Return the first item or gold item of another group than the file says."""
    said = [*zip(groups, evidence.items, strict=True)]
    said += [(str(g), np.array([i])) for g, i in zip(evidence.gold_groups, evidence.gold_items, strict=True)]
    for name, at in said:
        for row in at:
            if _group(values[row]) != name:
                return f"row {row} is not of group {name}"
    return ""


def _group(value: object) -> str:
    """Return the group of a value of the table: "(missing)" for a gap or an empty text; 3.0 is 3."""
    text = str(value)
    if isinstance(value, str):
        return text if text.strip() else "(missing)"
    if text in ("None", "nan", "NaT", "<NA>"):
        return "(missing)"
    return text[:-2] if isinstance(value, (float, np.floating)) and text.endswith(".0") else text
