"""Tables with rare positives for `rare.py`: three that are made, and real ones from which positives were taken out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

Table = tuple[NDArray[np.float64], NDArray[np.bool_]]

ROWS, NEW_ROWS = 5_000, 10_000
"""Rows of a pool, or twice as many where positives are rarest; and rows of the same kind that only judge."""
FEWEST = 15
"""A real set is used where this many positives are left in its pool."""


def rarest(score: NDArray[np.float64], share: float) -> NDArray[np.bool_]:
    """Marks the rows with the largest scores: exactly this share of them."""
    y = np.zeros(len(score), bool)
    y[np.argsort(-score, kind="stable")[: round(share * len(score))]] = True
    return y


def payments(n: int, share: float, rng: np.random.Generator, fixed: np.random.Generator) -> Table:
    """Amount, hour, country, merchant, age with gaps: fraud is large, at night, abroad, or in gift cards."""
    amount, hour = rng.lognormal(3.5, 1.0, n), rng.integers(0, 24, n)
    country = rng.choice(12, n, p=np.r_[0.6, np.full(11, 0.4 / 11)])
    merchant, age = rng.choice(10, n), rng.integers(18, 90, n).astype(float)
    risky, cards = fixed.permutation(np.arange(1, 12))[:3], fixed.integers(10)
    night = (hour < 6) | (hour == 23)
    abroad = np.log(amount) - 4.0 + 2.0 * night + 2.0 * np.isin(country, risky)
    gifts = 4.5 * (merchant == cards) + (age - 70) / 10 - abs(np.log(amount) - 4.5)
    y = rarest(np.maximum(abroad, gifts) + 0.7 * rng.normal(size=n), share)
    age[rng.random(n) < 0.1] = -1.0
    return np.column_stack([np.log(amount), hour, np.eye(12)[country], np.eye(10)[merchant], age]), y


def clumps(n: int, share: float, rng: np.random.Generator, fixed: np.random.Generator) -> Table:
    """Three tight clumps of positives of unequal size, within a mixture of ten wide clouds."""
    dim, clouds = 10, 10
    centres, shapes = fixed.normal(0, 2, (clouds, dim)), fixed.normal(0, 0.6, (clouds, dim, dim))
    places = centres[:3] + 1.5 * fixed.normal(size=(3, dim))
    m = round(share * n)
    own = rng.choice(clouds, n)
    X = centres[own] + np.einsum("nij,nj->ni", shapes[own], rng.normal(size=(n, dim)))
    X[:m] = places[rng.choice(3, m, p=[0.5, 0.3, 0.2])] + 0.5 * rng.normal(size=(m, dim))
    order = rng.permutation(n)
    return X[order], (np.arange(n) < m)[order]


def overlap(n: int, share: float, rng: np.random.Generator, fixed: np.random.Generator) -> Table:
    """Heavy tails; positives are those with the largest noisy score, so that the classes overlap."""
    X = rng.standard_t(5, (n, 8))
    w = fixed.normal(size=3)
    score = X[:, :3] @ (w / np.linalg.norm(w)) + 0.5 * X[:, 3] * X[:, 4] + 0.7 * rng.normal(size=n)
    return X, rarest(score, share)


MADE: dict[str, Callable[..., Table]] = {"payments": payments, "clumps": clumps, "overlap": overlap}
REAL = ("thyroid", "shuttle", "pendigits", "pageblocks", "cardio")


def thinned(X: NDArray[np.float64], y: NDArray[np.bool_], share: float, rng: np.random.Generator) -> Table:
    """The same table without most of its positives, so that this share of the rows is positive, of at most 5,000."""
    negative, positive = (rng.permutation(np.flatnonzero(y == label)) for label in (False, True))
    negative = negative[: round((1 - share) * ROWS)]
    positive = positive[: round(len(negative) * share / (1 - share))]
    rows = rng.permutation(np.concatenate([negative, positive]))
    return X[rows], y[rows]


def world(name: str, share: float, seed: int, folder: str | None) -> tuple[Table, Table]:
    """The pool, and rows that only judge."""
    rng = np.random.default_rng([seed, 1])
    if name in MADE:
        sizes = (ROWS if share > 0.005 else 2 * ROWS, NEW_ROWS)
        pool, new = (MADE[name](n, share, rng, np.random.default_rng([seed, 2])) for n in sizes)
        return pool, new
    arrays = np.load(Path(folder or ".") / f"{name}.npz")
    X, y = arrays["X"], arrays["y"] == 1
    parts = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    pool, new = (thinned(parts[k], parts[k + 2], share, rng) for k in (0, 1))
    return pool, new


def shares(name: str, folder: str | None) -> tuple[float, ...]:
    """The shares of positives for which the table has enough of them."""
    if name in MADE:
        return (0.002, 0.015, 0.05)
    y = np.load(Path(folder or ".") / f"{name}.npz")["y"] == 1
    negatives = min(0.6 * (~y).sum(), ROWS)
    return tuple(s for s in (0.002, 0.015, 0.05) if s <= y.mean() and negatives * s / (1 - s) >= FEWEST)
