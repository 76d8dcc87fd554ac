"""Every recorded case by its name, and what was recorded of it."""

from __future__ import annotations

import json
from pathlib import Path

from recorded import against_cases, by_hand_cases, model_cases, paper_cases, zcal_cases
from recorded.scenes import Case
from recorded.statements import Record

FILE = Path(__file__).with_name("runs.jsonl")
PARTS = zcal_cases, against_cases, by_hand_cases, paper_cases, model_cases
CASES: dict[str, Case] = {name: case for part in PARTS for name, case in part.cases().items()}


def recorded() -> dict[str, Record]:
    """What the file says, by the names of the cases."""
    lines = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
    return {record.pop("case"): record for record in map(json.loads, lines)}
