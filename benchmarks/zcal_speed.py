"""How long does one question of Z-CAL take over a million items of R¹⁰, and how much memory?

    python benchmarks/zcal_speed.py [--items 1000000] [--dim 10] [--questions 150] [--rate known|unknown] [--profile]

The scenario: items uniform in the cube, the truth a box of mass .3, an expert who reveals a positive with probability
.5, ε = .05. One question is `ask` and `tell` together; those answered with ★ and those revealed are told apart, since a
reveal moves the closure and a ★ does not. Beside it, on the same items in a process of its own: margin sampling by
scikit-activeml (`pip install -e ".[bench]"`) with a logistic regression on the labels so far, and the floor, one pass
of NumPy that compares one column of as many items as are undecided.

Seconds are those of the clock, which a busy machine makes longer; so the processor's own are given too ("cpu"). All use
one thread: on a busy machine the threads of a small matrix product wait for each other longer than it takes.
Memory is the growth of the process's largest resident set from the moment when the data are there; a run over few items
comes first, so that what Python imports and prepares only once counts neither for time nor for memory.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import cProfile
import multiprocessing
import pstats
import resource
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import activepu as apu

OMEGA, EPSILON, DELTA = 0.5, 0.05, 0.05
BLOCK = 25
RIVAL_QUESTIONS = 15
AFTER_STAR_MS, AFTER_REVEAL_MS, EXTRA_MB = 30, 300, 400
"""What is aimed at."""

Points = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass
class Times:
    """Seconds and answers by question, the undecided share after it; `setup` is the time until the first can be put."""

    setup: float
    seconds: Points
    cpu: Points
    revealed: Labels
    undecided: Points
    extra_mb: float


def world(items: int, dim: int) -> tuple[Points, Labels]:
    rng = np.random.default_rng(7)
    points, side = rng.random((items, dim)), 0.3 ** (1 / dim)
    low = rng.random(dim) * (1 - side)
    truth = np.ones(items, bool)
    for axis in range(dim):
        truth &= (points[:, axis] >= low[axis]) & (points[:, axis] <= low[axis] + side)
    return points, truth


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def ask_and_tell(points: Points, truth: Labels, questions: int, rate: float | None) -> Times:
    expert = apu.SimulatedExpert(truth, rate=OMEGA, seed=1)
    before, start = peak_mb(), time.perf_counter()
    run = apu.Run(apu.ZCal(apu.Boxes(), EPSILON, DELTA, rate=rate, check=0), points, seed=1)
    setup = time.perf_counter() - start
    clocks, revealed, undecided = [], [], []
    while len(clocks) < questions and not run.finished:
        start = now()
        put = run.ask(1)
        asked = now()
        if not put:
            break
        answer = bool(expert.answer(np.array([put[0].item]), points[[put[0].item]])[0])
        told = now()
        run.tell(put[0], answer)
        clocks.append(now() - told + asked - start)
        revealed.append(answer)
        undecided.append(run.history["undecided"][-1])
    return Times(setup, *np.array(clocks).T, np.array(revealed, bool), np.array(undecided), peak_mb() - before)


def now() -> Points:
    """By the clock, and by the processor."""
    return np.array([time.perf_counter(), time.process_time()])


def zcal(items: int, dim: int, questions: int, rate: float | None, profile: bool) -> Times:
    ask_and_tell(*world(5_000, dim), 40, rate)
    points, truth = world(items, dim)
    if not profile:
        return ask_and_tell(points, truth, questions, rate)
    profiler = cProfile.Profile()
    times = profiler.runcall(ask_and_tell, points, truth, questions, rate)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    return times


def margin_sampling(items: int, dim: int) -> Times | None:
    """A question here: fit, query; all labels are true ones, so no difference between the answers."""
    try:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling
    except ImportError:
        return None
    from sklearn.linear_model import LogisticRegression

    def ask(points: Points, truth: Labels, questions: int) -> Times:
        start = time.perf_counter()
        y = np.full(len(points), np.nan)
        some = np.concatenate([np.flatnonzero(truth)[:20], np.flatnonzero(~truth)[:20]])
        y[some] = truth[some]
        strategy = UncertaintySampling(method="margin_sampling", random_state=0)
        model = SklearnClassifier(LogisticRegression(), classes=[0, 1], random_state=0)
        before, setup, clocks = peak_mb(), time.perf_counter() - start, []
        for _ in range(questions):
            asking = now()
            item = strategy.query(X=points, y=y, clf=model)[0]
            clocks.append(now() - asking)
            y[item] = truth[item]
        return Times(setup, *np.array(clocks).T, np.zeros(questions, bool), np.ones(questions), peak_mb() - before)

    ask(*world(5_000, dim), 2)
    return ask(*world(items, dim), RIVAL_QUESTIONS)


def alone(work: Any, *arguments: Any) -> Any:
    """In a new process, whose largest resident set is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def floor_seconds(items: int, dim: int, undecided: float) -> float:
    """One column of the items that are undecided, compared once: the best of ten."""
    column = np.ascontiguousarray(world(items, dim)[0][: max(1, round(undecided * items)), 0])
    best = np.inf
    for _ in range(10):
        start = time.perf_counter()
        np.count_nonzero(column >= 0.5)
        best = min(best, time.perf_counter() - start)
    return best


def milliseconds(seconds: Points, quantile: float = 0.5) -> float:
    return 1000 * float(np.quantile(seconds, quantile)) if len(seconds) else float("nan")


def show(name: str, times: Times, chosen: Labels, target: float | None = None) -> None:
    seconds, cpu = times.seconds[chosen], milliseconds(times.cpu[chosen])
    median, late = milliseconds(seconds), milliseconds(seconds, 0.95)
    goal = ""
    if target is not None:
        met = "met" if median <= target else "met by the processor's time" if cpu <= target else "MISSED"
        goal = f"   target {target:g} ms: {met}"
    print(f"  {name:<20}{len(seconds):>10}{median:>10.1f}{late:>10.1f}{cpu:>10.1f}{goal}")


def show_blocks(times: Times, items: int, dim: int) -> None:
    print("  as items are decided:  questions   undecided   ★ median   reveal median   reveals   floor (ms)")
    for first in range(0, len(times.seconds), BLOCK):
        block = slice(first, first + BLOCK)
        seconds, revealed = times.seconds[block], times.revealed[block]
        share = float(np.median(times.undecided[block]))
        floor = 1000 * floor_seconds(items, dim, share)
        print(
            f"{first + 1:>28}–{first + len(seconds):<6}{share:>10.1%}{milliseconds(seconds[~revealed]):>11.1f}"
            f"{milliseconds(seconds[revealed]):>16.1f}{revealed.sum():>10}{floor:>13.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--rate", choices=["known", "unknown"], help="both, if not given")
    parser.add_argument("--profile", action="store_true", help="also where the time goes")
    chosen = parser.parse_args()
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"{chosen.items:,} items in R^{chosen.dim}; {chosen.questions} questions; load {busy:.1f} per core before\n")
    rival: Times | None = alone(margin_sampling, chosen.items, chosen.dim)
    for knowledge in [chosen.rate] if chosen.rate else ["unknown", "known"]:
        rate = OMEGA if knowledge == "known" else None
        times: Times = alone(zcal, chosen.items, chosen.dim, chosen.questions, rate, chosen.profile)
        star, revealed, every = ~times.revealed, times.revealed, np.ones(len(times.revealed), bool)
        print(f"{'Z-CAL, ω ' + knowledge:<22}{'questions':>10}{'median':>10}{'p95':>10}{'cpu':>10}   (milliseconds)")
        show("after ★", times, star, AFTER_STAR_MS)
        show("after a reveal", times, revealed, AFTER_REVEAL_MS)
        show("all", times, every)
        met = "met" if times.extra_mb <= EXTRA_MB else "MISSED"
        print(f"  before the first question: {times.setup:.2f} s")
        print(f"  memory beyond the data: {times.extra_mb:.0f} MB   target {EXTRA_MB} MB: {met}")
        if rival is not None:
            ratios = [
                milliseconds(rival.seconds) / milliseconds(times.seconds[some]) for some in (star, revealed, every)
            ]
            print(
                "  margin sampling takes {:.1f}× as long as after ★, {:.1f}× after a reveal, {:.1f}× all".format(
                    *ratios
                )
            )
        show_blocks(times, chosen.items, chosen.dim)
        print()
    if rival is None:
        print("scikit-activeml is not installed, so there is nothing to compare with: pip install -e '.[bench]'")
        return
    print("margin sampling (scikit-activeml)")
    show("all", rival, np.ones(len(rival.seconds), bool))
    print(f"  memory beyond the data: {rival.extra_mb:.0f} MB")


if __name__ == "__main__":
    main()
