"""What a study costs beside the database itself: questions and answers against bare commits to the same SQLite file.

    python benchmarks/studies.py [--items 100000] [--answers 2000] [--processes 8]

A bare commit is one row inserted in a transaction of its own with full synchronisation (write-ahead log), through
Python's sqlite3 alone. Answers are synchronised fully too; a lease is committed without waiting for the disk. Both are
measured in one run, by turns. The queue of open questions is filled beforehand, as it is when an expert has left; what
the learner takes to choose them and to fold the answers is shown apart. Last, how long a study of many answers takes to
load, in seconds of the processor and beside a `PassivePU`, which hardly does more than read them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import activepu as apu

TURN = 50
"""Answers, or bare commits, in a row."""
LOADED = {
    "PassivePU": apu.PassivePU(apu.Boxes(), 0.001, 0.05),
    "ZCal": apu.ZCal(apu.Boxes(), 0.001, 0.05, check=0),
    "ZCal, rate known": apu.ZCal(apu.Boxes(), 0.001, 0.05, rate=0.5, check=0),
}


def bare_commits(file: Path) -> Callable[[], None]:
    connection = sqlite3.connect(file, isolation_level=None, timeout=60)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, value TEXT)")

    def commit() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO bare (value) VALUES (?)", ("one row of some length, like an event",))
        connection.execute("COMMIT")

    return commit


def asks_and_answers(study: apu.Study, expert: str) -> Callable[[], None]:
    def both() -> None:
        (question,) = study.ask(expert)
        study.tell(question.token, False)

    return both


def seconds(do: Callable[[], None], n: int) -> list[float]:
    found = []
    for _ in range(n):
        start = time.perf_counter()
        do()
        found.append(time.perf_counter() - start)
    return found


def by_turns(doings: list[Callable[[], None]], n: int) -> list[list[float]]:
    """The seconds of each, measured in turns so that a slow moment of the disk meets all."""
    found: list[list[float]] = [[] for _ in doings]
    for _ in range(n // TURN):
        for do, times in zip(doings, found, strict=True):
            times += seconds(do, TURN)
    return found


def worker(file: Path, table: Any, what: str, expert: str, n: int, barrier: Any, done: Any) -> None:
    if what == "bare":
        do = bare_commits(file)
    else:
        do = asks_and_answers(apu.Study.load(f"sqlite:///{file}", "study", apu.Pool(table)), expert)
    barrier.wait()
    start = time.time()
    seconds(do, n)
    done.put((start, time.time()))


def together(file: Path, table: Any, what: str, processes: int, n: int) -> float:
    """How many a second, by several processes at once."""
    context = multiprocessing.get_context("spawn")
    barrier, done = context.Barrier(processes), context.Queue()
    running = [
        context.Process(target=worker, args=(file, table, what, f"expert {k}", n // processes, barrier, done))
        for k in range(processes)
    ]
    for process in running:
        process.start()
    spans = [done.get() for _ in running]
    for process in running:
        process.join()
    return n // processes * processes / (max(end for _, end in spans) - min(start for start, _ in spans))


def filled(study: apu.Study, n: int) -> float:
    """Puts n questions that nobody holds; the seconds that it took."""
    start = time.perf_counter()
    study.ask("somebody who left", n)
    study.leave("somebody who left")
    return time.perf_counter() - start


def load(file: Path, learner: apu.Learner, n: int) -> float:
    """Seconds of the processor until a study of n answers is loaded and its result is there."""
    x = np.random.default_rng(0).random((3 * n, 2))
    revealed = ((x > 0.2) & (x < 0.8)).all(axis=1) & (np.arange(len(x)) % 2 == 0)
    with apu.Study.create(f"sqlite:///{file}", "study", apu.Pool(x), learner) as study:
        study.record([(item, bool(revealed[item]), "ann") for item in range(n)])
    start = time.process_time()
    with apu.Study.load(f"sqlite:///{file}", "study", apu.Pool(x)) as study:
        study.result()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=2_000)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--folder", help="where the file is made: another disk than that of temporary files")
    options = parser.parse_args()
    table = np.random.default_rng(0).random((options.items, 4))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        file = Path(folder) / "study.db"
        learner = apu.PassivePU(apu.Boxes(), 0.001, 0.05)
        with apu.Study.create(f"sqlite:///{file}", "study", apu.Pool(table), learner) as study:
            chosen = filled(study, 2 * options.answers + 100)
            ours, bare = by_turns([asks_and_answers(study, "ann"), bare_commits(file)], options.answers)
            start = time.perf_counter()
            study.run()
            folded = time.perf_counter() - start
        one, floor = statistics.median(ours), statistics.median(bare)
        print(f"pool of {options.items:,} items, {options.answers:,} answers, the queue of open questions filled")
        print(f"one process   ask and answer {1e6 * one:7.0f} µs   bare commit {1e6 * floor:6.0f} µs   (medians)")
        print(f"              ask and answer together cost {one / floor:.2f} commits; the aim is at most 3")
        rates = [together(file, table, what, options.processes, options.answers) for what in ("bare", "study", "bare")]
        commits, answers = statistics.mean(rates[::2]), rates[1]
        print(
            f"{options.processes} processes   {answers:7.0f} answers/s, each asked for   {commits:6.0f} bare commits/s"
        )
        print(f"              answers at {answers / commits:.2f} of the bare rate; the aim is at least 0.4")
        print(
            f"the learner   {1e6 * chosen / (2 * options.answers + 100):.0f} µs a question to choose and record, ",
            end="",
        )
        print(f"{1e6 * folded / options.answers:.0f} µs an answer to fold")
        print(f"to load {5 * options.answers:,} answers")
        loads = {name: load(Path(folder) / f"{name}.db", one, 5 * options.answers) for name, one in LOADED.items()}
        for name, took in loads.items():
            print(f"              {name:17} {took:5.1f} s of a core, {took / loads['PassivePU']:5.1f} × PassivePU")


if __name__ == "__main__":
    main()
