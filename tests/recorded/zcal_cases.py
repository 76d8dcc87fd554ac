"""Z-CAL with every class and every form of rate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from recorded.comparing import Kind
from recorded.scenes import Answers, Case, Scene

import activepu as apu

OMEGA = 0.5
DELTA = 0.05
RATES: dict[str, Any] = {"none": None, "half": 0.5, "range": (0.3, 0.8), "each": "per expert", "one": 1.0}
KINDS: dict[str, Kind] = {"finite": "edge", "halfspaces": "edge", "space": "fit"}
"""Weighed in single precision, or with points on an edge: the last digit may decide what is asked."""

rng = np.random.default_rng(3)
LINE, PLANE, FIVE = rng.random((1000, 1)), rng.random((1000, 2)), rng.random((1000, 5))
BITS = rng.integers(0, 2, (1000, 8)).astype(float)
GRID = rng.integers(0, 6, (400, 2)).astype(float)
COINS = rng.random(1000)
FRAME = pd.DataFrame({"age": 100 * PLANE[:, 0], "amount": PLANE[:, 1], "key": [f"k{i}" for i in range(1000)]})
RULES = [lambda X, a=a, b=b: X[:, 0] + a * X[:, 1] >= b for a in (0.5, 1.0, 2.0) for b in np.arange(0.5, 2.5, 0.1)]


def named_pool() -> apu.Pool:
    return apu.Pool(FRAME, features=["age", "amount"], id="key")


def worlds(name: str) -> tuple[apu.HypothesisClass, Any, Any, float]:
    """A class, the rows, their labels, and an ε that some dozens of questions reach."""
    box = (np.abs(PLANE - 0.5) <= 0.35).all(axis=1)
    signed = (PLANE[:, 0] >= 0.3) & (PLANE[:, 1] <= 0.6)
    return {
        "thresholds": (apu.Thresholds(), LINE, LINE[:, 0] >= 0.7, 0.05),
        "below": (apu.Thresholds("age", above=False), named_pool(), FRAME["age"] <= 35, 0.05),
        "intervals": (apu.Intervals(), LINE, np.abs(LINE[:, 0] - 0.4) <= 0.2, 0.1),
        "boxes": (apu.Boxes(), PLANE, box, 0.15),
        "few boxes": (apu.Boxes(), PLANE[:300], box[:300], 0.15),
        "five": (apu.Boxes(), FIVE, (np.abs(FIVE - 0.5) <= 0.4).all(axis=1), 0.15),
        "orthants": (apu.Orthants(signs=[1, -1]), PLANE, signed, 0.1),
        "conjunctions": (apu.Conjunctions(), BITS, (BITS[:, 2] == 1) & (BITS[:, 5] == 1), 0.05),
        "finite": (apu.FiniteClass(RULES), PLANE, RULES[27](PLANE), 0.05),
        "halfspaces": (apu.Halfspaces(), PLANE[:300], PLANE[:300] @ [0.6, 0.8] >= 0.7, 0.25),
        "space": (apu.Halfspaces(), FIVE[:200, :3], FIVE[:200, :3] @ [0.6, 0.8, 0.2] >= 0.7, 0.35),
    }[name]


def zcal(name: str, rate: str = "none", seed: int = 1, at: tuple[int, ...] = (7, 25), **settings: Any) -> Scene:
    """An expert who reveals half of the positives, or all if that is told; or two experts, each with their own rate."""
    H, rows, y, epsilon = worlds(name)
    omega = 1.0 if rate == "one" else OMEGA
    experts: Any = apu.SimulatedExpert(y, omega, seed)
    if rate == "each":
        experts = {"ann": apu.SimulatedExpert(y, 0.8, seed), "bob": apu.SimulatedExpert(y, 0.3, seed + 1)}
    learner = apu.ZCal(H, epsilon, DELTA, rate=RATES[rate], check=0)
    if "positives" in settings:
        settings["positives"] = np.flatnonzero(y)[: settings["positives"]]
    table = FRAME[["age", "amount"]] if name == "below" else rows
    return Scene(learner, rows, experts, at, {"seed": seed, **settings}, H if name == "finite" else None, table)


def mistaken(name: str, rate: Any, wrong: float, **settings: Any) -> Scene:
    """Now and then an item is revealed that is not positive."""
    H, rows, y, epsilon = worlds(name)
    expert = Answers(COINS[: len(rows)] < np.where(y, OMEGA, wrong / 2))
    learner = apu.ZCal(H, epsilon, DELTA, rate=rate, false_reveal=wrong, check=0)
    return Scene(learner, rows, expert, (7, 25), settings, H if name == "finite" else None)


def skipping() -> Scene:
    """A third of the questions is skipped."""
    H, rows, y, epsilon = worlds("boxes")
    answers = np.where(COINS < 0.33, -1, y & (COINS < 0.67))
    return Scene(apu.ZCal(H, epsilon, DELTA, rate=0.5, check=0), rows, Answers(answers), settings={"batch": 2})


def alike(H: apu.HypothesisClass, column: Any, rate: Any, **settings: Any) -> Scene:
    """Many rows are equal, and share a coin."""
    rows = GRID[:, column]
    y = (rows >= 2).all(axis=1) & (rows <= 4).all(axis=1) if rows.shape[1] > 1 else rows[:, 0] >= 3
    return Scene(
        apu.ZCal(H, 0.05, DELTA, rate=rate, check=0), rows, apu.SimulatedExpert(y, OMEGA, 3), settings=settings
    )


def alike_rules(rate: Any) -> Scene:
    """Rules that differ on few kinds of rows."""
    H = apu.FiniteClass([lambda X, a=a, b=b: (X[:, 0] >= a) & (X[:, 1] >= b) for a in range(5) for b in range(5)])
    expert = apu.SimulatedExpert((GRID >= 2).all(axis=1), OMEGA, 3)
    return Scene(apu.ZCal(H, 0.02, DELTA, rate=rate, check=0), GRID, expert, again=H)


def crowd(name: str, experts: int, **settings: Any) -> Scene:
    """Many experts, each with a rate of their own."""
    H, rows, y, epsilon = worlds(name)
    team = {f"expert {k}": apu.SimulatedExpert(y, 0.3 + 0.6 * k / experts, k) for k in range(experts)}
    return Scene(apu.ZCal(H, epsilon, DELTA, rate="per expert", check=0), rows, team, (9, 50), settings)


class Waking:
    """An expert who at first says yes only in the middle: what they reveal later frees silences from their corners."""

    def __init__(self, rows: Any, after: int) -> None:
        self.rows, self.after, self.asked = rows, after, 0

    def answer(self, items: Any, rows: Any) -> Any:
        self.asked += len(items)
        known = 0.4 if self.asked > self.after else 0.3
        return (np.abs(self.rows[items] - 0.5) < known).all(axis=1) & (COINS[items] < 0.6)


def waking(rows: Any, after: int, rate: Any, **settings: Any) -> Scene:
    expert = Waking(rows, after)
    experts = {"ann": expert, "bob": expert} if rate == "per expert" else expert
    return Scene(apu.ZCal(apu.Boxes(), 0.1, DELTA, rate=rate, check=0), rows, experts, (30, 65), settings)


def large(rate: Any, n: int, dim: int = 2, **settings: Any) -> Scene:
    """More rows, or more columns, than are looked at one by one."""
    rows = np.random.default_rng(8).random((n, dim))
    y = ((rows[:, :2] > [0.3, 0.2]) & (rows[:, :2] < [0.8, 0.8])).all(axis=1)
    return Scene(
        apu.ZCal(apu.Boxes(), 0.1, DELTA, rate=rate, check=0), rows, apu.SimulatedExpert(y, OMEGA), settings=settings
    )


def shown_apart() -> Scene:
    """Rows with equal features look different to the expert."""
    frame = pd.DataFrame({"x": GRID[:, 0], "note": np.arange(len(GRID)) // 3})
    pool = apu.Pool(frame, features=["x"], show=["x", "note"])
    expert = apu.SimulatedExpert(GRID[:, 0] >= 3, OMEGA, 1)
    return Scene(apu.ZCal(apu.Thresholds("x"), 0.05, DELTA, check=0), pool, expert, table=frame[["x"]])


def endless(H: apu.HypothesisClass, dim: int, rate: Any, epsilon: float, **settings: Any) -> Scene:
    sampler = apu.Sampler(lambda n, rng: rng.random((n, dim)), dim)
    expert = apu.SimulatedExpert(lambda X: (X >= 0.3).all(axis=1) & (X <= 0.95).all(axis=1), OMEGA, 2)
    return Scene(
        apu.ZCal(H, epsilon, DELTA, rate=rate, check=0), sampler, expert, (7, 25), settings, table=PLANE[:, :dim]
    )


def dice() -> Scene:
    """An endless pool that draws the same rows again and again."""
    sampler = apu.Sampler(lambda n, rng: rng.integers(0, 40, (n, 1)), 1)
    expert = apu.SimulatedExpert(lambda X: X[:, 0] >= 25, 1.0, 2)
    return Scene(
        apu.ZCal(apu.Thresholds(), 0.2, DELTA, rate=1.0, check=0), sampler, expert, table=np.arange(40.0)[:, None]
    )


def scored() -> Scene:
    """Where to cut a score."""
    H = apu.Thresholds(lambda X: X[:, 0] + X[:, 1])
    expert = apu.SimulatedExpert(PLANE.sum(axis=1) >= 1.2, OMEGA, 4)
    return Scene(apu.ZCal(H, 0.05, DELTA, rate=(0.2, 1.0), check=0), PLANE, expert, again=H)


WANTED = {
    "thresholds": "none half range each one",
    "below": "none",
    "intervals": "none half range each one",
    "boxes": "none half range each one",
    "five": "none half each",
    "orthants": "none half range each",
    "conjunctions": "none half range each",
    "finite": "none half range each one",
    "halfspaces": "none half range each one",
    "space": "none half each",
}
LIMITS = {"boxes": 120, "five": 45, "halfspaces": 24, "space": 12}
SPECIAL: dict[str, Callable[[], Scene]] = {
    "boxes, batch of 3": partial(zcal, "boxes", "none", batch=3, budget=60),
    "boxes, batch of 3, half": partial(zcal, "boxes", "half", batch=3),
    "thresholds, batch of 3": partial(zcal, "thresholds", "none", batch=3),
    "intervals, batch of 3, each": partial(zcal, "intervals", "each", batch=3, budget=45),
    "finite, batch of 3": partial(zcal, "finite", "range", batch=3),
    "halfspaces, batch of 3": partial(zcal, "halfspaces", "half", batch=3, budget=24),
    "few boxes": partial(zcal, "few boxes", "none", budget=60),
    "few boxes, half": partial(zcal, "few boxes", "half", seed=5),
    "boxes, positives": partial(zcal, "boxes", "none", positives=3, budget=50),
    "boxes, positives, half": partial(zcal, "boxes", "half", positives=3, batch=2),
    "finite, positives": partial(zcal, "finite", "none", positives=2),
    "halfspaces, positives": partial(zcal, "halfspaces", "each", positives=2, budget=16),
    "finite, mistaken": partial(mistaken, "finite", None, 0.04),
    "finite, mistaken, half": partial(mistaken, "finite", 0.5, 0.04, batch=3),
    "finite, mistaken, each": partial(mistaken, "finite", "per expert", 0.04),
    "halfspaces, mistaken": partial(mistaken, "halfspaces", None, 0.04, budget=16),
    "halfspaces, mistaken, half": partial(mistaken, "halfspaces", 0.5, 0.04, budget=16),
    "space, mistaken": partial(mistaken, "space", (0.3, 0.8), 0.04, budget=10),
    "boxes, skips": skipping,
    "alike, thresholds": partial(alike, apu.Thresholds(), [0], None),
    "alike, boxes": partial(alike, apu.Boxes(), [0, 1], 0.5, batch=2),
    "alike, orthants": partial(alike, apu.Orthants(signs=[-1, 1]), [0, 1], (0.3, 0.8)),
    "alike, thresholds, each": partial(alike, apu.Thresholds(), [0], "per expert"),
    "alike, boxes, each": partial(alike, apu.Boxes(), [0, 1], "per expert"),
    "finite, alike": partial(alike_rules, None),
    "finite, alike, range": partial(alike_rules, (0.3, 0.8)),
    "shown apart": shown_apart,
    "crowd, thresholds": partial(crowd, "thresholds", 12, batch=4),
    "crowd, few boxes": partial(crowd, "few boxes", 3, budget=160),
    "waking": partial(waking, PLANE, 40, None, budget=66),
    "waking, half": partial(waking, PLANE, 25, 0.5),
    "waking, range": partial(waking, PLANE, 40, (0.3, 0.8), budget=66),
    "waking, each": partial(waking, PLANE, 70, "per expert"),
    "waking, five, each": partial(waking, FIVE, 70, "per expert", budget=85),
    "large": partial(large, None, 20_000, budget=30),
    "large, wide": partial(large, None, 3_000, 12, budget=20),
    "large, wide, half": partial(large, 0.5, 3_000, 12, budget=20),
    "large, half": partial(large, 0.5, 80_000, budget=40),
    "endless thresholds": partial(endless, apu.Thresholds(), 1, None, 0.2, budget=40),
    "endless boxes, half": partial(endless, apu.Boxes(), 2, 0.5, 0.4, budget=40),
    "endless boxes, positives": partial(endless, apu.Boxes(), 2, None, 0.5, positives=[[0.4, 0.5]], budget=30),
    "dice": dice,
    "score": scored,
}


def kind_of(name: str) -> Kind:
    return next((kind for word, kind in KINDS.items() if name.startswith(word)), "steady")


def cases() -> dict[str, Case]:
    found = {}
    for name, rates in WANTED.items():
        limit = {"budget": LIMITS[name]} if name in LIMITS else {}
        for rate in rates.split():
            found[f"zcal {name}, {rate}"] = Case(partial(zcal, name, rate, **limit), kind_of(name))
    for name, make in SPECIAL.items():
        found[f"zcal {name}"] = Case(make, kind_of(name))
    return found
