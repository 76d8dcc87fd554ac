"""Records what the present code does, or compares it with what was recorded, to the last digit.

    python tests/recorded/record.py             rewrites runs.jsonl
    python tests/recorded/record.py --compare   runs every case again and prints each difference; exit code 1 if any
    python tests/recorded/record.py --compare boxes "known prior"    only cases whose names hold one of these

Both take `--processes 2`. A change of behaviour that is meant is recorded again, and the commit says why; with names,
only those cases are rewritten. On another machine than the one that recorded, last digits may differ: record there
before you begin, and do not commit that.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorded.cases import CASES, FILE, recorded
from recorded.comparing import differences
from recorded.statements import Record

SHOWN = 12
"""Differences that are printed of one case."""


def record_of(name: str) -> Record:
    """One case as it goes now, as JSON reads it back."""
    try:
        record = CASES[name].record()
    except Exception as error:
        record = {"broken": f"{type(error).__name__}: {error}"}
    return json.loads(json.dumps(record))


def write(records: dict[str, Record]) -> None:
    lines = [json.dumps({"case": name, **records[name]}, ensure_ascii=False) for name in CASES if name in records]
    FILE.write_text("\n".join(lines) + "\n", "utf-8")


def compare(old: dict[str, Record], new: dict[str, Record]) -> int:
    """Prints what differs; how many cases do."""
    changed = 0
    for name, record in new.items():
        found = list(differences(old[name], record)) if name in old else [("", "(not recorded)", "(a new case)")]
        changed += bool(found)
        for path, before, now in found[:SHOWN]:
            print(f"{name}: {path}\n    was {before!r}\n    is  {now!r}")
        if len(found) > SHOWN:
            print(f"{name}: {len(found) - SHOWN} more")
    print(f"{len(new)} cases, {changed} differ")
    return changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of cases")
    parser.add_argument("--compare", action="store_true", help="change no file, print what differs")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    chosen = [name for name in CASES if not options.names or any(part in name for part in options.names)]
    with ProcessPoolExecutor(options.processes) as pool:
        new = dict(zip(chosen, pool.map(record_of, chosen), strict=True))
    if options.compare:
        sys.exit(compare(recorded(), new) > 0)
    if broken := {name: record["broken"] for name, record in new.items() if "broken" in record}:
        sys.exit("\n".join(f"{name}: {why}" for name, why in broken.items()))
    write(recorded() | new)
    print(f"{len(new)} cases, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
