"""How often does one question cross a border between two packages of activepu on its way through the code?

    python benchmarks/walk.py [--answers 30] [--calls]

A package is what comes first after `activepu`: `learners`, `likelihood`, `run`, …; a module at the top, such as
`records` or `checks`, is a package of its own. A crossing is one call whose caller and callee are both functions of
activepu, in different packages. Whatever Python calls counts: properties, constructors, comparisons, hashes, and each
time that a generator goes on. What goes through foreign code (a sort that calls back, a cached property) does not, nor
does the first call from outside.

The scenario is the README's: 20,000 rows uniform in the square, boxes, ε = .1 and δ = .05, an expert who reveals half
of the positives; with the rate unknown, and known. A question is followed at the start, when nothing was revealed yet,
and after `--answers` answers. "open" is an `ask` while another question is open; an answer is a ★ or a reveal. A study
folds an answer with the next `ask`: "fresh" follows an answer, "again" another `ask`, with nothing to fold.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import activepu as apu

rng = np.random.default_rng(0)
X = rng.random((20_000, 2))
FRAUD = ((X > [0.3, 0.2]) & (X < [0.8, 0.8])).all(axis=1)
EXPERT = apu.SimulatedExpert(FRAUD, rate=0.5)
RATES = {"rate unknown": None, "rate known": 0.5}
PATIENCE = 200
"""Questions within which both answers are met."""


class Walk:
    """What was called from where while something was done."""

    def __init__(self) -> None:
        self.crossings: Counter[tuple[str, str]] = Counter()
        self.entered: set[str] = set()

    def follow(self, do: Callable[[], Any]) -> Any:
        sys.setprofile(self._called)
        try:
            return do()
        finally:
            sys.setprofile(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call" or (to := package(frame)) is None:
            return
        self.entered.add(to)
        start = package(frame.f_back)
        if start is not None and start != to:
            self.crossings[name(frame.f_back), name(frame)] += 1


def package(frame: FrameType | None) -> str | None:
    """The package whose code runs in this frame; None if it is not activepu's."""
    module = "" if frame is None else frame.f_globals.get("__name__", "")
    parts = module.split(".")
    return None if parts[0] != "activepu" else parts[1] if len(parts) > 1 else "activepu"


def name(frame: FrameType | None) -> str:
    assert frame is not None
    where = frame.f_globals["__name__"].removeprefix("activepu.")
    return f"{where}.{getattr(frame.f_code, 'co_qualname', frame.f_code.co_name)}"


def answer(item: int) -> bool:
    return bool(EXPERT.answer(np.array([item]), None)[0])


def learner(rate: float | None) -> apu.ZCal:
    return apu.ZCal(apu.Boxes(), epsilon=0.1, delta=0.05, rate=rate, check=0)


def by_hand(rate: float | None, answers: int) -> Iterator[tuple[str, Walk]]:
    run, walks = apu.Run(learner(rate), X), {}
    while run.n_answered < answers:
        for question in run.ask():
            run.tell(question, answer(question.item))
    walk = walks["ask"] = Walk()
    (first,) = walk.follow(run.ask)
    walk = walks["ask, open"] = Walk()
    put = [first, *walk.follow(run.ask)]
    while put and len(walks) < 4 and len(run.questions) < answers + PATIENCE:
        for question in put:
            told, walk = answer(question.item), Walk()
            walk.follow(lambda question=question, told=told: run.tell(question, told))
            walks.setdefault("tell, reveal" if told else "tell, ★", walk)
        put = run.ask()
    return iter(sorted(walks.items()))


def in_a_study(rate: float | None, answers: int) -> Iterator[tuple[str, Walk]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        apu.Study.create(f"sqlite:///{Path(folder) / 'study.db'}", "walk", apu.Pool(X), learner(rate)) as study,
    ):
        for _ in range(answers):
            for question in study.ask("ann"):
                study.tell(question.token, answer(question.item))
        for what in ("Study.ask, fresh", "Study.ask, again"):
            walk = Walk()
            walk.follow(lambda: study.ask("ann"))
            yield what, walk


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=30)
    parser.add_argument("--calls", action="store_true", help="list the calls that cross a border")
    options = parser.parse_args()
    for rate, known in RATES.items():
        for answers in (1, options.answers):
            when = f"{rate}, after {answers} answer{'s' * (answers > 1)}"
            print(f"{when:<34}{'crossings':>9}   packages")
            for what, walk in (*by_hand(known, answers), *in_a_study(known, answers)):
                entered = sorted(walk.entered)
                print(f"  {what:<32}{walk.crossings.total():>9}   {len(entered):>2}: {' '.join(entered)}")
                for (caller, callee), n in walk.crossings.most_common() if options.calls else ():
                    print(f"{n:>8}  {caller} -> {callee}")
            print()


if __name__ == "__main__":
    main()
