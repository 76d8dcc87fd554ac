"""What it costs to import many answers, to load their study again, and to export them.

    python benchmarks/imports.py [--answers 10000,1000000] [--databases sqlite,postgresql] [--endings csv,parquet]

Each line is a process of its own: seconds of the processor and of the clock, microseconds an answer, how many megabytes
the process grew beyond the pool, and its peak. What the study itself needs is in all of them, as *load* shows, so that
an import grows by that and by what it needs besides. *bare* writes the same rows, three an answer, by the driver's own
`executemany` in one transaction. The learner is a `PassivePU`, which hardly does more than count. A PostgreSQL server
is started for this (package `pgserver`); its own time and memory are not counted.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import multiprocessing
import resource
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import activepu as apu
from activepu.studies.exchange import export_answers, import_answers

CONTEXT = multiprocessing.get_context("spawn")
TABLES = (
    "CREATE TABLE bare_events (study INTEGER, number INTEGER, kind TEXT, sequence INTEGER, item BIGINT, expert TEXT, "
    "answer INTEGER, note TEXT, at DOUBLE PRECISION, hash TEXT, PRIMARY KEY (study, number))",
    "CREATE TABLE bare_questions (sequence INTEGER, study INTEGER, item BIGINT, state TEXT, answer INTEGER, "
    "expert TEXT, token TEXT, expires DOUBLE PRECISION, shown INTEGER, PRIMARY KEY (sequence, study))",
)
NOTE = '{"phase": "recorded", "position": -1, "prediction": 0.4312345678901234, "drawn": 0}'


def pool(answers: int) -> apu.Pool:
    return apu.Pool(np.random.default_rng(0).random((max(answers, 20_000), 2)))


def learner() -> apu.Learner:
    return apu.PassivePU(apu.Boxes(), 0.001, 0.05, prior=0.9)


def write(file: Path, answers: int) -> None:
    """Write answers about items in a random order, with their numbers."""
    rng = np.random.default_rng(1)
    items = rng.permutation(max(answers, 20_000))[:answers]
    said = pa.array(["can't tell", "yes"]).take(pa.array((rng.random(answers) < 0.3).astype(np.int64)))
    columns = {"item": items, "expert": pa.array(["ann"] * answers), "answer": said, "number": np.arange(answers)}
    table = pa.table(columns)
    (pyarrow.csv.write_csv if file.suffix == ".csv" else pyarrow.parquet.write_table)(table, file)


def import_(url: str, file: str, answers: int) -> None:
    with apu.Study.create(url, "s", pool(answers), learner()) as study:
        found = import_answers(study, file)
        assert found == answers, found


def load(url: str, file: str, answers: int) -> None:
    with apu.Study.load(url, "s", pool(answers)) as study:
        assert study.status().answered == answers


def export(url: str, file: str, answers: int) -> None:
    with apu.Study.load(url, "s", pool(answers)) as study:
        assert export_answers(study, Path(file).with_stem("out")) == answers


def bare(url: str, file: str, answers: int) -> None:
    """Write as many rows as an import does, of the same size."""
    events = (
        (1, k, ("ask", "answer")[k % 2], k // 2, k, "ann", k % 2, NOTE if k % 2 else None, 0.0, "0" * 64)
        for k in range(2 * answers)
    )
    questions = ((k, 1, k, "answered", 1, "ann", f"{k}-{'t' * 22}", 0.0, 1) for k in range(answers))
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        mark = "?"
    else:
        import psycopg

        connection, mark = psycopg.connect(url), "%s"
    cursor = connection.cursor()
    for table in TABLES:
        cursor.execute(table)
    if mark == "?":
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("BEGIN IMMEDIATE")
    cursor.executemany(f"INSERT INTO bare_events VALUES ({', '.join([mark] * 10)})", events)
    cursor.executemany(f"INSERT INTO bare_questions VALUES ({', '.join([mark] * 9)})", questions)
    connection.commit()
    connection.close()


WHAT: dict[str, Callable[[str, str, int], None]] = {"bare": bare, "import": import_, "load": load, "export": export}


def measured(what: str, url: str, file: str, answers: int, done: Any) -> None:
    warnings.simplefilter("ignore")
    pool(answers).coins.sum()
    start, wall = time.process_time(), time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    WHAT[what](url, file, answers)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done.put((time.process_time() - start, time.perf_counter() - wall, (peak - before) / 1024, peak / 1024))


@contextmanager
def database(kind: str, folder: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder}/study.db"
        return
    import pgserver

    server = pgserver.get_server(Path(folder) / "server")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", default="10000,100000,1000000")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--endings", default="csv,parquet")
    given = parser.parse_args()
    print("database    file      answers  what      cpu s    wall s  µs/answer  more MB  peak MB")
    for kind in given.databases.split(","):
        for ending in given.endings.split(","):
            for answers in map(int, given.answers.split(",")):
                with tempfile.TemporaryDirectory() as folder, database(kind, folder) as url:
                    file = Path(folder) / f"answers.{ending}"
                    write(file, answers)
                    for what in WHAT:
                        done = CONTEXT.SimpleQueue()
                        place = url.replace("study.db", "bare.db") if what == "bare" else url
                        one = CONTEXT.Process(target=measured, args=(what, place, str(file), answers, done))
                        one.start()
                        one.join()
                        cpu, wall, more, peak = done.get()
                        print(
                            f"{kind:<11} {ending:<8} {answers:>8}  {what:<7} {cpu:>7.1f} {wall:>9.1f} "
                            f"{1e6 * cpu / answers:>10.1f} {more:>8.0f} {peak:>8.0f}",
                            flush=True,
                        )


if __name__ == "__main__":
    main()
