"""What a reveal rate for each of many experts costs Z-CAL: time and memory, beside one rate for all.

    python benchmarks/many_experts.py [--answers 20000] [--experts 4,100,1500] [--chosen 400]

"Recorded": each answer is put and told to a `Run` (`put`, `tell`), about items in the order of the pool, by experts
drawn at random. "Chosen": the run chooses its questions (`ask`), as many as `--chosen`, fewer if it ends before. Times
are those of the processor: seconds for all answers, microseconds an answer, and the seconds of the result, as `study
status` makes one. The ratio, by answer, is to a run with one unknown rate and the same experts, in the same process,
right before. Memory is what the run holds at its end (tracemalloc, in a second pass), less that of one rate, for each
expert.
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import time
import tracemalloc
from typing import Any, NamedTuple

import numpy as np

import activepu as apu

RULES = 1000


class World(NamedTuple):
    """A class, the pool, and the truth about its rows."""

    hypotheses: apu.HypothesisClass
    rows: np.ndarray
    truth: np.ndarray


class Cost(NamedTuple):
    """Answers, seconds for all of them, seconds for the result, and the bytes held at the end."""

    answers: int
    seconds: float
    result: float
    held: int


def worlds(n: int) -> dict[str, World]:
    rng = np.random.default_rng(0)
    line, plane = rng.random((n, 1)), rng.random((n, 2))
    rules = apu.FiniteClass([lambda X, at=at: X[:, 0] > at for at in np.linspace(0, 1, RULES)])
    return {
        "thresholds": World(apu.Thresholds(), line, line[:, 0] > 0.6),
        "boxes": World(apu.Boxes(), plane, ((plane > 0.2) & (plane < 0.8)).all(axis=1)),
        f"{RULES} rules": World(rules, line, line[:, 0] > 0.6),
    }


def cost(world: World, experts: int, answers: int, rate: Any, chosen: bool, memory: bool = False) -> Cost:
    rng = np.random.default_rng(1)
    rates, who = rng.uniform(0.3, 0.9, experts), rng.integers(experts, size=answers)
    coins = rng.random(len(world.rows))
    if memory:
        tracemalloc.start()
    run = apu.Run(apu.ZCal(world.hypotheses, 0.05, 0.05, rate=rate, check=0), world.rows)
    start = time.process_time()
    for number, expert in enumerate(who.tolist()):
        put = run.ask(1, f"expert {expert}") if chosen else [run.put(number, f"expert {expert}")]
        for question in put:
            run.tell(question, bool(world.truth[question.item] and coins[question.item] < rates[expert]))
        if not put:
            break
    told = time.process_time()
    run.result()
    end = time.process_time()
    held = tracemalloc.get_traced_memory()[0] if memory else 0
    tracemalloc.stop()
    return Cost(run.n_answered, told - start, end - told, held)


def show(name: str, world: World, experts: int, answers: int, chosen: bool) -> None:
    one = cost(world, experts, answers, None, chosen)
    each = cost(world, experts, answers, "per expert", chosen)
    by_answer = each.seconds / each.answers / (one.seconds / one.answers)
    held = "" if chosen else f"{bytes_per_expert(world, experts, answers):>14,.0f}"
    print(
        f"{name:<12}{experts:>8,}{each.answers:>9,}{each.seconds:>10.2f}{1e6 * each.seconds / each.answers:>11,.0f}"
        f"{by_answer:>9.1f}{each.result:>10.2f}{held}",
        flush=True,
    )


def bytes_per_expert(world: World, experts: int, answers: int) -> float:
    one, each = (cost(world, experts, answers, rate, False, memory=True).held for rate in (None, "per expert"))
    return (each - one) / experts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--experts", default="4,100,1500")
    parser.add_argument("--chosen", type=int, default=400)
    chosen = parser.parse_args()
    crowds = [int(number) for number in chosen.experts.split(",")]
    for asked, answers in ((False, chosen.answers), (True, chosen.chosen)):
        print(f"{'chosen' if asked else 'recorded'}:")
        titles = (
            f"{'class':<12}{'experts':>8}{'answers':>9}{'seconds':>10}{'µs/answer':>11}{'ratio':>9}{'result s':>10}"
        )
        print(titles if asked else titles + f"{'bytes/expert':>14}")
        for name, world in worlds(answers + answers // 2 + 2000).items():
            for experts in crowds:
                show(name, world, experts, answers, asked)


if __name__ == "__main__":
    main()
