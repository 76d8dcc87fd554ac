"""The learners of the population's error: the sharp ones, CAL, and the printed algorithms with small constants."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from recorded.comparing import Kind
from recorded.scenes import Case, Scene
from recorded.statements import Record, bounds

import activepu as apu
from activepu import paper

OMEGA, DELTA = 0.5, 0.1

rng = np.random.default_rng(11)
LINE, PLANE, SPACE = rng.random((12_000, 1)), rng.random((12_000, 2)), rng.random((12_000, 3))
BITS = rng.integers(0, 2, (12_000, 6)).astype(float)
GRID = rng.integers(0, 12, (3000, 2)).astype(float)
GAPS = np.linspace(0, 0.7, 29)
OUTSIDE = [lambda X, a=a: (X[:, 0] < a) | (X[:, 0] > a + 0.3) for a in GAPS]
AROUND = [lambda X, a=a: np.abs(X[:, 0] - a) <= 0.2 for a in np.linspace(0.1, 0.9, 17)]


def worlds(name: str, n: int) -> tuple[apu.HypothesisClass, Any, Any]:
    """A class, n rows and their labels."""
    box = ((PLANE >= [0.2, 0.25]) & (PLANE <= [0.75, 0.8])).all(axis=1)
    H, rows, y = {
        "thresholds": (apu.Thresholds(), LINE, LINE[:, 0] >= 0.7),
        "intervals": (apu.Intervals(), LINE, np.abs(LINE[:, 0] - 0.45) <= 0.15),
        "boxes": (apu.Boxes(), PLANE, box),
        "orthants": (apu.Orthants(signs=[1, -1]), PLANE, (PLANE[:, 0] >= 0.4) & (PLANE[:, 1] <= 0.5)),
        "conjunctions": (apu.Conjunctions(), BITS, (BITS[:, 1] == 1) & (BITS[:, 4] == 1)),
        "alike": (apu.Boxes(), GRID, ((GRID >= 3) & (GRID <= 8)).all(axis=1)),
        "finite": (apu.FiniteClass(OUTSIDE), LINE, OUTSIDE[12](LINE)),
        "around": (apu.FiniteClass(AROUND), LINE, AROUND[8](LINE)),
        "halfspaces": (apu.Halfspaces(), PLANE, PLANE @ [0.6, 0.8] >= 0.85),
        "rare": (apu.Halfspaces(), SPACE, SPACE @ [0.6, 0.5, 0.6] >= 1.35),
        "space": (apu.Halfspaces(), SPACE, SPACE @ [0.6, 0.5, 0.6] >= 1.0),
    }[name]
    return H, rows[:n], y[:n]


def pool_scene(Learner: Any, name: str, n: int, *more: Any, at: tuple[int, ...] = (9, 40), **settings: Any) -> Scene:
    H, rows, y = worlds(name, n)
    omega = 1.0 if Learner is apu.Cal else OMEGA
    again = H if isinstance(H, apu.FiniteClass) else None
    if isinstance(settings.get("positives"), int):
        settings["positives"] = np.flatnonzero(y)[: settings["positives"]]
    return Scene(Learner(H, *more), rows, apu.SimulatedExpert(y, omega, 1), at, {"seed": 1, **settings}, again)


def endless_scene(learner: apu.Learner, name: str, rate: float = OMEGA, seed: int = 1, **settings: Any) -> Scene:
    """The same worlds, drawn from for ever."""
    dim = 2 if name in ("boxes", "corner") else 1
    label = {
        "thresholds": lambda X: X[:, 0] >= 0.7,
        "intervals": lambda X: np.abs(X[:, 0] - 0.45) <= 0.15,
        "boxes": lambda X: ((X >= [0.2, 0.25]) & (X <= [0.75, 0.8])).all(axis=1),
        "around": AROUND[8],
        "gap": lambda X: (X[:, 0] < 0.35) | (X[:, 0] > 0.65),
        "corner": lambda X: X @ [0.6, 0.8] >= 0.8,
    }[name]
    sampler = apu.Sampler(lambda n, rng: rng.random((n, dim)), dim)
    again = learner.hypotheses if isinstance(learner.hypotheses, apu.FiniteClass) else None
    table = PLANE[:500, :dim]
    return Scene(
        learner, sampler, apu.SimulatedExpert(label, rate, seed), (9, 60), {"seed": seed, **settings}, again, table
    )


def rate_of(name: str, n: int, budget: int | None = None) -> Record:
    H, rows, y = worlds(name, n)
    return {"rate": bounds(apu.estimate_rate(H, rows, apu.SimulatedExpert(y, OMEGA, 2), DELTA, budget=budget, seed=2))}


def printed_rate(name: str, **settings: Any) -> Record:
    H, _, _ = worlds(name, 10)
    scene = endless_scene(apu.RevealRate(H, DELTA), name)
    return {"rate": bounds(paper.estimate_rate(H, scene.pool, scene.expert, DELTA, seed=2, **settings))}


SMALL = paper.Constants(M1=0.5, M2=0.5, M3=200, scale=0.05)
WANTED: dict[str, Any] = {
    "known prior, thresholds": partial(pool_scene, apu.KnownPrior, "thresholds", 4000, 0.1, DELTA, 0.31),
    "known prior, intervals": partial(pool_scene, apu.KnownPrior, "intervals", 4000, 0.1, DELTA, 0.32, batch=3),
    "known prior, boxes": partial(pool_scene, apu.KnownPrior, "boxes", 8000, 0.1, DELTA, 0.32),
    "known prior, orthants": partial(pool_scene, apu.KnownPrior, "orthants", 6000, 0.1, DELTA, 0.31, positives=1),
    "known prior, contradicted": partial(
        pool_scene, apu.KnownPrior, "orthants", 6000, 0.1, DELTA, 0.31, positives=[15]
    ),
    "known prior, conjunctions": partial(pool_scene, apu.KnownPrior, "conjunctions", 4000, 0.1, DELTA, 0.27),
    "known prior, alike": partial(pool_scene, apu.KnownPrior, "alike", 3000, 0.1, DELTA, 0.27),
    "known prior, finite": partial(pool_scene, apu.KnownPrior, "finite", 4000, 0.1, DELTA, 0.71),
    "known prior, halfspaces": partial(pool_scene, apu.KnownPrior, "halfspaces", 3000, 0.15, DELTA, 0.32),
    "known prior, space": partial(pool_scene, apu.KnownPrior, "space", 400, 0.5, DELTA, 0.33, budget=4, at=(2,)),
    "known prior, too small": partial(pool_scene, apu.KnownPrior, "boxes", 8000, 0.05, DELTA, 0.15),
    "unknown prior, thresholds": partial(pool_scene, apu.UnknownPrior, "thresholds", 12_000, 0.1, DELTA),
    "unknown prior, boxes": partial(pool_scene, apu.UnknownPrior, "boxes", 12_000, 0.15, DELTA, batch=3),
    "unknown prior, finite": partial(pool_scene, apu.UnknownPrior, "finite", 12_000, 0.15, DELTA),
    "known prior, rare, space": partial(pool_scene, apu.KnownPrior, "rare", 500, 0.3, DELTA, 0.05, budget=4, at=(2,)),
    "unknown prior, halfspaces": partial(pool_scene, apu.UnknownPrior, "halfspaces", 12_000, 0.3, DELTA, budget=60),
    "passive, thresholds": partial(pool_scene, apu.PassivePU, "thresholds", 3000, 0.1, DELTA),
    "passive, boxes": partial(pool_scene, apu.PassivePU, "boxes", 6000, 0.1, DELTA, 0.32),
    "passive, boxes, nothing known": partial(pool_scene, apu.PassivePU, "boxes", 6000, 0.1, DELTA, batch=5),
    "passive, finite": partial(pool_scene, apu.PassivePU, "finite", 12_000, 0.2, DELTA, budget=120),
    "passive, halfspaces": partial(pool_scene, apu.PassivePU, "halfspaces", 12_000, 0.3, DELTA, 0.35, budget=60),
    "cal, thresholds": partial(pool_scene, apu.Cal, "thresholds", 1000, 0.05, DELTA),
    "cal, boxes": partial(pool_scene, apu.Cal, "boxes", 2000, 0.1, DELTA, batch=4),
    "cal, finite": partial(pool_scene, apu.Cal, "finite", 1000, 0.1, DELTA),
    "cal, halfspaces": partial(pool_scene, apu.Cal, "halfspaces", 1000, 0.2, DELTA),
    "reveal rate, boxes": partial(pool_scene, apu.RevealRate, "boxes", 6000, DELTA, at=(9, 60)),
    "reveal rate, intervals": partial(pool_scene, apu.RevealRate, "intervals", 6000, DELTA, at=(9, 60), batch=4),
    "reveal rate, halfspaces": partial(pool_scene, apu.RevealRate, "halfspaces", 6000, DELTA, at=(9, 60), budget=100),
    "estimate rate, thresholds": partial(rate_of, "thresholds", 6000),
    "estimate rate, boxes": partial(rate_of, "boxes", 6000),
    "estimate rate, conjunctions": partial(rate_of, "conjunctions", 6000, 30),
    "estimate rate, finite": partial(rate_of, "finite", 6000),
    "estimate rate, around": partial(rate_of, "around", 6000),
    "printed rate, thresholds": partial(printed_rate, "thresholds"),
    "printed rate, around": partial(printed_rate, "around", constants=paper.Constants(M1=0.5, M2=0.5)),
}


def printed() -> dict[str, Any]:
    theta = {"thresholds": 2, "intervals": 4, "boxes": 8}
    found: dict[str, Any] = {}
    for name, epsilon, scale in [("thresholds", 0.1, 1e-3), ("intervals", 0.2, 5e-4), ("boxes", 0.4, 1e-4)]:
        H = worlds(name, 10)[0]
        learner = paper.KnownPrior(H, epsilon, DELTA, 0.31, theta[name], paper.Constants(scale=scale))
        found[f"printed known prior, {name}"] = partial(endless_scene, learner, name)
        rated = paper.EstRate(H, DELTA, analysis="theta")
        found[f"theta rate, {name}"] = partial(endless_scene, rated, name, seed=2, batch=16)
    line, around = apu.Thresholds(), apu.FiniteClass(AROUND)
    small = paper.UnknownPrior(line, 0.1, DELTA, 2, SMALL)
    found["printed unknown prior, thresholds"] = partial(endless_scene, small, "thresholds", batch=256)
    known = paper.KnownPrior(line, 0.1, DELTA, 0.31, 2, analysis="theta")
    found["theta known prior, thresholds"] = partial(endless_scene, known, "thresholds")
    known = paper.KnownPrior(around, 0.2, DELTA, 0.41, 5, paper.Constants(scale=1e-3))
    found["printed known prior, around"] = partial(endless_scene, known, "around")
    unknown = paper.UnknownPrior(line, 0.1, DELTA, 2, paper.Constants(scale=0.05), analysis="theta")
    found["theta unknown prior, thresholds"] = partial(endless_scene, unknown, "thresholds", batch=64, budget=1200)
    unknown = paper.UnknownPrior(around, 0.1, DELTA, 5, paper.Constants(scale=0.05), analysis="theta")
    found["theta unknown prior, around"] = partial(endless_scene, unknown, "around", batch=64, budget=1200)
    found["known prior, endless boxes"] = partial(endless_scene, apu.KnownPrior(apu.Boxes(), 0.2, DELTA, 0.31), "boxes")
    gaps = [lambda X, a=a: (X[:, 0] < a) | (X[:, 0] > a + 0.3) for a in np.linspace(0, 0.7, 201)]
    unknown = apu.UnknownPrior(apu.FiniteClass(gaps), 0.03, DELTA)
    found["unknown prior, endless"] = partial(endless_scene, unknown, "gap")
    ball = paper.EstRate(apu.Halfspaces(), DELTA, paper.Constants(M1=0.05, M2=0.05, scale=0.1))
    found["printed rate, plane, halfspaces"] = partial(endless_scene, ball, "corner", batch=16, budget=100)
    return found


def kind_of(name: str) -> Kind:
    return "fit" if name.endswith(", space") else "edge" if name.endswith(", halfspaces") else "steady"


def cases() -> dict[str, Case]:
    return {name: Case(make, kind_of(name)) for name, make in (WANTED | printed()).items()}
