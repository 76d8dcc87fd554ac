"""How long does an audit of a million items take: to start, for a question, an answer, and for all bounds?

    python benchmarks/audit_speed.py [--items 1000000] [--settings five,twenty,…] [--answers 50,500,2000]

The scenario: a score uniform in [0, 1], the share of positives .3·score⁴, items called positive from .8 on, an expert
who reveals a positive with probability .5. `bounds` is `run.result()`: all statements, every cut of the score, and the
evidence. Each of the results is taken after one more answer, so that no two are of the same counts. The median of nine
is printed, and beside it the first of all, which also packs the strata for the file. `plan` is the longest question,
for which a new plan was made.

All times are of the processor, in milliseconds; "passes" is the time over that of one pass of NumPy which compares the
score of all items with a number, measured in the same run.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import resource
import time
from typing import Any

import numpy as np

import activepu as apu

RESULTS = 9
BOUNDS_MS, QUESTION_MS = 50, 5
"""What is aimed at for a million items."""


def settings(items: int, truth: np.ndarray) -> dict[str, dict[str, Any]]:
    """What the audits are told, by name."""
    return {
        "five": {},
        "twenty": {"bands": 20},
        "gold": {"gold": np.flatnonzero(truth)[:100].tolist()},
        "groups": {"groups": np.arange(items) % 4},
        "range": {"rate": (0.3, 0.7)},
        "purity": {"purity": 0.05},
        "targets": {"recall": 0.99, "error": 0.01},
        "bet": {"recall": 0.99},
    }


def timed(do: Any, *given: Any) -> tuple[float, Any]:
    """Return the milliseconds that a call takes, and what it returns."""
    start = time.process_time()
    found = do(*given)
    return 1e3 * (time.process_time() - start), found


def one_pass(score: np.ndarray) -> float:
    """The milliseconds of one pass over the pool."""
    return float(np.median([timed(lambda: np.count_nonzero(score > 0.8))[0] for _ in range(21)]))


def measure(name: str, audit: apu.Audit, score: np.ndarray, confirmed: np.ndarray, looks: list[int]) -> None:
    """Print the lines of one audit."""
    start, run = timed(apu.Run, audit, score[:, None])
    unit, questions, answers, first = one_pass(score), [], [], 0.0

    def more(goal: int) -> None:
        while run.n_answered < goal and not run.finished:
            spent, put = timed(run.ask, 1)
            questions.append(spent)
            answers.append(timed(run.tell, put[0], bool(confirmed[put[0].item]))[0])

    for look in looks:
        more(look)
        spent = []
        for _ in range(RESULTS):
            more(run.n_answered + 1)
            spent.append(timed(run.result)[0])
        first = first or spent[0]
        bounds = float(np.median(spent))
        print(
            f"{name:8} {look:6,} {start:8,.0f} {np.mean(questions):9.2f} {max(questions):6.1f} {np.mean(answers):7.2f}"
            f" {max(answers):6.1f} {bounds:8.1f} {first:6.0f} {bounds / unit:8.0f}",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--settings", default="five,twenty,gold,groups,range,purity,targets,bet")
    parser.add_argument("--answers", default="50,500,2000")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    score = rng.random(given.items)
    truth = rng.random(given.items) < 0.3 * score**4
    confirmed = truth & (rng.random(given.items) < 0.5)
    print(f"{given.items:,} items, one pass {one_pass(score):.2f} ms; aims: bounds {BOUNDS_MS}, question {QUESTION_MS}")
    print("audit    answers start  question   plan  answer  worst   bounds  first   passes")
    known = settings(given.items, truth)
    for name in given.settings.split(","):
        audit = apu.Audit(score > 0.8, score=score, **known[name])
        measure(name, audit, score, confirmed, [int(n) for n in given.answers.split(",")])
    print(f"largest resident set: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
