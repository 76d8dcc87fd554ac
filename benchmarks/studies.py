"""What a study costs: asks and answers against bare commits to the same database, and against a run without any.

    python benchmarks/studies.py [--clients 1,4,16] [--answers 640] [--items 20000] [--databases sqlite,postgresql]

A bare commit is one row inserted in a transaction of its own, synchronised with the disk, through the driver alone. A
bare run is `Run.ask` and `Run.tell` in one process, with the same learner and pool. Every client is a process that asks
for one question and answers it, again and again; each client has an expert of its own. Answers a second are those until
so many are safe; then the clients leave, one by one, and who is left to choose first reads what others have said.

`fast` is Z-CAL on boxes. `slow` is a learner that takes 4 seconds to choose a question. It is chosen by one client
without end, while the others answer questions that were put before: how long does `tell` take then? All is measured in
one run, the bare commits before and after each. A PostgreSQL server is started for this (package `pgserver`).

Last, how long a study of many answers takes to load, in seconds of the processor and beside a `PassivePU`, which hardly
does more than read them.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import multiprocessing
import random
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import activepu as apu
from activepu.pools import Draws
from activepu.records import Ask, Steps

SLOW_SECONDS = 4.0
COMMITS = 200
CONTEXT = multiprocessing.get_context("spawn")
LOADED = {
    "PassivePU": apu.PassivePU(apu.Boxes(), 0.001, 0.05),
    "ZCal": apu.ZCal(apu.Boxes(), 0.001, 0.05, check=0),
    "ZCal, rate known": apu.ZCal(apu.Boxes(), 0.001, 0.05, rate=0.5, check=0),
}


class Slow(apu.PassivePU):
    """A learner that takes its time to choose a question, if `SLOW` is set in the environment."""

    def steps(self, draws: Draws) -> Steps:
        inner = super().steps(draws)
        answer = None
        while True:
            try:
                ask = inner.send(answer)
            except StopIteration as end:
                return end.value
            answer = yield Ask(slowly(ask.items), ask.report, done=ask.done, gauges=ask.gauges, recall=ask.recall)


def slowly(items: Iterator[Any]) -> Iterator[Any]:
    for found in items:
        if "SLOW" in os.environ:
            time.sleep(SLOW_SECONDS)
        yield found


def pool(items: int) -> apu.Pool:
    return apu.Pool(np.random.default_rng(0).random((items, 4)))


def revealed(row: np.ndarray) -> bool:
    return bool(((row > 0.1) & (row < 0.9)).all() and row[0] * 1e6 % 2 < 1)


def fast() -> apu.ZCal:
    return apu.ZCal(apu.Boxes(), 0.001, 0.05, check=0)


def slow() -> Slow:
    return Slow(apu.Boxes(), 0.001, 0.05)


LEARNERS: dict[str, Callable[[], apu.Learner]] = {"fast": fast, "slow": slow}


class Times(NamedTuple):
    """Seconds of every call of one client, when it began, and when each of its answers was safe."""

    asks: list[float]
    tells: list[float]
    start: float
    safe: list[float]


class Signs(NamedTuple):
    """What the processes tell each other: that all are ready, that it is over, their times, and how many answered."""

    ready: Any
    over: Any
    done: Any
    total: Any


def create(url: str, kind: str, items: int, clients: int, n: int) -> None:
    """Make a study; with the slow learner put questions for everyone before, so that nobody waits for it."""
    with apu.Study.create(url, "study", pool(items), LEARNERS[kind]()) as study:
        for k in range(clients if kind == "slow" else 0):
            study.ask(f"expert {k}", n if clients < 4 else n // 4, shown=False)


def client(url: str, kind: str, items: int, expert: str, n: int, pause: float, signs: Signs) -> None:
    """Ask and answer until all clients together have answered n questions; the first answer is for practice."""
    asks, tells, safe = [], [], []
    with apu.Study.load(url, "study", pool(items), LEARNERS[kind]() if kind == "slow" else None) as study:
        answer(study, expert)
        signs.ready.wait()
        start = time.time()
        while signs.total.value < n and (took := answer(study, expert)):
            asks.append(took[0])
            tells.append(took[1])
            safe.append(time.time())
            with signs.total.get_lock():
                signs.total.value += 1
            time.sleep(random.uniform(0, 2 * pause))
        signs.done.put(Times(asks, tells, start, safe))


def answer(study: apu.Study, expert: str) -> tuple[float, float] | None:
    """Ask for a question and answer it; return the seconds that each took."""
    start = time.perf_counter()
    put = study.ask(expert)
    asked = time.perf_counter()
    if not put:
        return None
    study.tell(put[0].token, revealed(np.asarray(put[0].row)))
    return asked - start, time.perf_counter() - asked


def chooser(url: str, items: int, signs: Signs) -> None:
    """Choose questions slowly until the others are done."""
    with apu.Study.load(url, "study", pool(items), slow()) as study:
        study.run()
        os.environ["SLOW"] = "1"
        signs.ready.wait()
        while not signs.over.is_set():
            study.ask("chooser", 1000, shown=False)


def together(url: str, kind: str, items: int, clients: int, n: int, pause: float) -> list[Times]:
    """Let so many clients answer n questions in all; with the slow learner another one chooses all the time."""
    ready = CONTEXT.Barrier(clients + (kind == "slow"))
    signs = Signs(ready, CONTEXT.Event(), CONTEXT.Queue(), CONTEXT.Value("i", 0))
    running = [
        CONTEXT.Process(target=client, args=(url, kind, items, f"expert {k}", n, pause, signs)) for k in range(clients)
    ]
    if kind == "slow":
        running.append(CONTEXT.Process(target=chooser, args=(url, items, signs)))
    for process in running:
        process.start()
    found = [signs.done.get() for _ in range(clients)]
    signs.over.set()
    if kind == "slow":
        running[-1].kill()  # it waits for its learner
    for process in running:
        process.join()
    return found


def bare_run(learner: apu.Learner, items: int, n: int) -> float:
    """Answers a second of a run without a study."""
    run = apu.Run(learner, pool(items))
    start = time.perf_counter()
    for _ in range(n):
        for question in run.ask():
            run.tell(question, revealed(np.asarray(question.row)))
    return n / (time.perf_counter() - start)


def bare_commits(url: str, folder: str) -> list[float]:
    """Seconds of each commit of one row."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None, timeout=60)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        begin, value = "BEGIN IMMEDIATE", "?"
    else:
        import psycopg

        connection = psycopg.connect(url, autocommit=True)
        begin, value = "BEGIN", "%s"
    connection.execute("CREATE TABLE IF NOT EXISTS bare (value TEXT)")
    found = []
    for _ in range(COMMITS):
        start = time.perf_counter()
        connection.execute(begin)
        connection.execute(f"INSERT INTO bare (value) VALUES ({value})", ("one row of some length, like an event",))
        connection.execute("COMMIT")
        found.append(time.perf_counter() - start)
    connection.close()
    return found


@contextmanager
def database(kind: str, folder: str) -> Iterator[Callable[[str], str]]:
    """Yield what makes the URL of a new database of this kind."""
    if kind == "sqlite":
        yield lambda name: f"sqlite:///{folder}/{name}.db"
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgserver

        server = pgserver.get_server(Path(folder) / "server")

    def made(name: str) -> str:
        server.psql(f"CREATE DATABASE {name}")
        return server.get_uri(name)

    yield made
    server.cleanup()


def load(file: Path, learner: apu.Learner, n: int) -> float:
    """Seconds of the processor until a study of n answers is loaded and its result is there."""
    x = np.random.default_rng(0).random((3 * n, 2))
    said = ((x > 0.2) & (x < 0.8)).all(axis=1) & (np.arange(len(x)) % 2 == 0)
    with apu.Study.create(f"sqlite:///{file}", "study", apu.Pool(x), learner) as study:
        study.record([(item, bool(said[item]), "ann") for item in range(n)])
    start = time.process_time()
    with apu.Study.load(f"sqlite:///{file}", "study", apu.Pool(x)) as study:
        study.result()
    return time.process_time() - start


def percentiles(times: list[float], unit: float) -> str:
    p50, p99 = np.quantile(times, [0.5, 0.99])
    return f"{1e3 * p50:7.1f} {1e3 * p99:8.1f} ms ({p50 / unit:5.1f} {p99 / unit:7.1f})"


def measure(kind: str, learner: str, clients: int, items: int, n: int, pause: float, run: float) -> None:
    """Print one line: what n answers of so many clients cost."""
    with tempfile.TemporaryDirectory() as folder, database(kind, folder) as new:
        url = new("study")
        # In a process of its own, where the learner has the name that it has for the clients.
        creator = CONTEXT.Process(target=create, args=(url, learner, items, clients, n))
        creator.start()
        creator.join()
        if creator.exitcode:
            raise SystemExit("The study could not be made, for the reason above.")
        before = bare_commits(url, folder)
        found = together(url, learner, items, clients, n, pause if learner == "slow" else 0.0)
        commit = float(np.median(before + bare_commits(url, folder)))
        answers = [len(times.tells) for times in found]
        last = sorted(t for times in found for t in times.safe)[n - 1]
        rate = n / (last - min(times.start for times in found))
        asks = percentiles([t for times in found for t in times.asks], commit)
        tells = percentiles([t for times in found for t in times.tells], commit)
        beside = f"{rate / run:5.2f} of a bare run" if learner == "fast" else ""
        print(
            f"{kind:10} {learner} {clients:3} clients   ask {asks}   tell {tells}   {rate:6.1f} answers/s {beside}   "
            f"{min(answers)} to {max(answers)} a client   bare commit {1e3 * commit:.2f} ms",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20_000, help="the slow learner needs 14,000")
    parser.add_argument("--answers", type=int, default=640)
    parser.add_argument("--pause", type=float, default=0.2, help="mean seconds between two answers (slow learner)")
    parser.add_argument("--clients", default="1,4,16")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--learners", default="fast,slow")
    parser.add_argument("--loaded", type=int, default=10_000, help="answers of the studies that are loaded; 0: none")
    options = parser.parse_args()
    run = bare_run(fast(), options.items, options.answers)
    print(f"a bare run, fast learner: {run:.1f} answers/s; medians and 99% points, in brackets as bare commits")
    for kind in options.databases.split(","):
        for learner in options.learners.split(","):
            for clients in map(int, options.clients.split(",")):
                measure(kind, learner, clients, options.items, options.answers, options.pause, run)
    if options.loaded:
        print(f"to load {options.loaded:,} answers")
        with tempfile.TemporaryDirectory() as folder:
            loads = {name: load(Path(folder) / f"{name}.db", one, options.loaded) for name, one in LOADED.items()}
        for name, took in loads.items():
            print(f"              {name:17} {took:5.1f} s of a core, {took / loads['PassivePU']:5.1f} × PassivePU")


if __name__ == "__main__":
    main()
