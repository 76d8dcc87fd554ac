"""A saved `Audit("found")`, checked by plain arithmetic.

Of the N items of a band S are confirmable. The factor of a draw by lot, made when M items were in the lot and n of the
band had answers (r revealed, N − n − M skipped), is for a reveal and for silence

    min(1, (S − r)/M),          min(1, 1 − max(0, S − r − skipped)/M).

L(S) multiplies the factors of the lot, and Q = Σ prior(S) Π (S − r)/(N − n) or its complement. A number of confirmable
rows Σ w S is excluded if no S with this sum has Π L ≥ δ Q.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from activepu.verify import lot
from activepu.verify.evidence import items_of

DENSE, RATIO, TRUST, SHAPE = 4096, 1.002, 0.7, 2.0
"""The constants of Q, fixed before any audit."""

Floats = NDArray[np.float64]
Line = tuple[str, bool | None, str]


@dataclass(frozen=True)
class Answer:
    """One answer: its band, how many items were in the lot if it was drawn by lot (else None), and what was said."""

    band: int
    left: int | None
    revealed: bool


class Saved:
    """What the file says; `answers` follow from the lot, which is drawn again here."""

    def __init__(self, data: dict[str, Any]) -> None:
        given = data["findings"]["evidence"]
        self.statement, self.certificate = data["findings"]["statements"][0], data["certificate"]
        self.delta, self.seed = float(given["delta"]), int(given["seed"])
        self.sizes, self.weights = [int(n) for n in given["sizes"]], [int(w) for w in given["weights"]]
        self.expected, self.moments = given["expected"], [int(m) for m in given["moments"]]
        self.total, self.missing = given["confirmable"], [int(m) for m in given["missing"]]
        self.before, self.found = int(given["before"]), given["found"]
        self.put = [(int(item), bool(by_lot)) for item, by_lot in given["put"]]
        self.said = [(int(item), bool(answer)) for item, answer in given["answers"]]
        told, before = data["history"], set(given["asked_before"])  # a run may learn first
        asked = zip(told["item"], told["answer"], told["phase"], strict=True)
        self.history = [(answer, phase) for item, answer, phase in asked if item not in before]
        self.items, self.digest = items_of(given["items"], len(self.sizes)), str(given["digest"])
        self.answers: list[Answer] = []

    def redraw(self) -> str:
        """Draw every question of the lot again, and read the answers; return what is wrong, or ""."""
        band = {int(row): k for k, rows in enumerate(self.items) for row in rows}
        if [len(rows) for rows in self.items] != self.sizes or lot.digest(self.items) != self.digest:
            return "the bands are not those that the file states"
        seed = lot.salted(self.seed, self.digest)
        order = [rows[np.argsort(lot.keys(seed, "lot", rows), kind="stable")].tolist() for rows in self.items]
        at, left, out = [0] * len(order), list(self.sizes), set()
        drawn: dict[int, int | None] = {}
        for item, by_lot in self.put:
            k = band.get(item)
            if k is None:
                return f"item {item} is in no band"
            while by_lot and order[k][at[k]] in out:
                at[k] += 1
            if by_lot and order[k][at[k]] != item:
                return f"item {item} was asked, but the lot gave item {order[k][at[k]]}"
            drawn[item] = left[k] if by_lot else None  # asked again after a skip: not by lot
            left[k] -= item not in out
            out.add(item)
        if len(self.said) != len(self.history) or len(dict(self.said)) != len(self.said):
            return "the answers are not those of the history"
        for (item, answer), (told, phase) in zip(self.said, self.history, strict=True):
            if bool(told) != answer or item not in drawn:
                return f"the answer about item {item} is not that of the history"
            self.answers.append(Answer(band[item], drawn[item] if phase == "lot" else None, answer))
        return ""


def lines(saved: Saved) -> list[Line]:
    """Return what was checked, line by line."""
    wrong = saved.redraw()
    found: list[Line] = [(f"the lot of seed {saved.seed} gives every draw", not wrong, wrong)]
    if wrong:
        return found
    for side, name in ((0, "at least"), (1, "at most")):
        found.append(_bound(saved, side, name))
    revealed = sum(saved.weights[a.band] for a in saved.answers if a.revealed)
    in_hand = saved.before + revealed
    missing = [max(0, int(total) - revealed) for total in saved.total]
    fits = missing == saved.missing and in_hand == len(saved.found)
    found.append((f"{in_hand:,} rows are in hand, at most {missing[1]:,} missing", fits, ""))
    low, high = (in_hand / (in_hand + m) if in_hand + m else 1.0 for m in missing[::-1])
    said = saved.statement
    fits = (
        said["low"] <= low + 1e-9 and said["high"] >= high - 1e-9 and said["what"] == "recall" and said["rung"] == "0"
    )
    fits = fits and abs(said["confidence"] - (1 - saved.delta)) < 1e-9
    found.append(
        ("recall", fits, f"stated {said['low']:.4f} to {said['high']:.4f}, recomputed {low:.4f} to {high:.4f}")
    )
    return [*found, _certificate(saved, low, in_hand, missing[1])]


def _certificate(saved: Saved, low: float, in_hand: int, missing: int) -> Line:
    claim = saved.certificate.get("claim") or ""
    fits = abs(saved.certificate["confidence"] - (1 - saved.delta)) < 1e-9
    if claim:
        numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", claim)
        said = [float(number.replace(",", "")) for number in numbers[:3]]
        fits = fits and said[0] <= 100 * low + 1e-6 and said[1] == in_hand and said[2] == missing
    return "the certificate says what is stated", fits, claim


def _bound(saved: Saved, side: int, name: str) -> Line:
    """Check that no number of confirmable rows beyond the bound was in the set at the moment when it was found."""
    stated = float(saved.total[side])
    what = f"{name} {stated:.0f} rows of those not asked before are confirmable"
    answers = saved.answers[: saved.moments[side]]
    revealed = [sum(a.revealed for a in answers if a.band == k) for k in range(len(saved.sizes))]
    asked = [sum(a.band == k for a in answers) for k in range(len(saved.sizes))]
    possible = [(r, N - n + r) for r, n, N in zip(revealed, asked, saved.sizes, strict=True)]
    ends = [sum(w * end[side] for w, end in zip(saved.weights, possible, strict=True)) for side in (0, 1)]
    if stated == ends[side]:
        return what, True, "it is all that is possible"
    floor = math.log(saved.delta)
    for k in range(len(saved.sizes)):
        floor += _log_q(saved, answers, k)
    if len(saved.sizes) == 1:
        w = saved.weights[0]
        beyond = math.floor(stated / w) + 1 if side else math.ceil(stated / w) - 1
        outer, inner = _log_l(saved, answers, 0, np.array([beyond, beyond - 1 if side else beyond + 1], np.float64))
        return what, bool(outer < floor and outer <= inner), "one more would be excluded" if side else "one less too"
    if max(saved.sizes) > DENSE:
        return what, None, "several bands of more than 4,096 items are not recomputed"
    reach = _reach(saved, answers, possible, floor, 1 if side else -1)
    fits = stated >= math.floor(reach + 1e-6) if side else stated <= math.ceil(-reach - 1e-6)
    return what, fits, f"recomputed {abs(reach):.3f}"


def _log_l(saved: Saved, answers: list[Answer], k: int, S: Floats) -> Floats:
    """Return ln L at some counts, factor by factor."""
    total, n, r = np.zeros(len(S)), 0, 0
    with np.errstate(divide="ignore"):
        for answer in (a for a in answers if a.band == k):
            if answer.left is not None:
                skipped = saved.sizes[k] - n - answer.left
                share = (S - r) / answer.left if answer.revealed else 1 - np.maximum(0, S - r - skipped) / answer.left
                total += np.log(np.clip(share, 0, 1))
            n, r = n + 1, r + answer.revealed
    return total


def _log_q(saved: Saved, answers: list[Answer], k: int) -> float:
    """Return ln Q: the prior, on the counts where it is defined, times the probability of the draws."""
    N, n, r = saved.sizes[k], 0, 0
    S = np.arange(N + 1.0)
    if N > DENSE:
        far = [math.floor(DENSE * RATIO**i) for i in range(math.ceil(math.log(N / DENSE) / math.log(RATIO)) + 1)]
        S = np.array(sorted({*range(DENSE), *(x for x in far if x < N)}), np.float64)
    weight: Floats | None = None
    with np.errstate(divide="ignore"):
        for answer in (a for a in answers if a.band == k):
            if answer.left is not None:
                if weight is None:
                    weight = np.log(_prior(S - r, N - n, float(saved.expected[k])))
                share = np.clip((S - r) / (N - n), 0, 1)
                weight = weight + np.log(share if answer.revealed else 1 - share)
            n, r = n + 1, r + answer.revealed
    return 0.0 if weight is None else float(np.logaddexp.reduce(weight))


def _prior(h: Floats, left: int, expected: float) -> Floats:
    mean, possible = max(expected, 1e-3), (h >= 0) & (h <= left)
    trusted = np.zeros(len(h))
    for i in np.flatnonzero(possible):  # a negative binomial of shape 2: (h + 1) p² (1 − p)^h
        trusted[i] = (h[i] + 1) * (SHAPE / (mean + SHAPE)) ** 2 * (mean / (mean + SHAPE)) ** h[i]
    wide = np.where(possible, 1 / ((h + 1) * (h + 2) + (h < 0)), 0.0)
    mixed = TRUST * trusted + (1 - TRUST) * wide
    return np.asarray(mixed / mixed.sum())


def _reach(saved: Saved, answers: list[Answer], possible: list[tuple[int, int]], floor: float, side: int) -> float:
    """Return the largest side · Σ w S in the set by a Lagrange multiplier: min over μ of Σ max(…) − μ · floor."""
    parts = []
    for k, (low, high) in enumerate(possible):
        S = np.arange(low, high + 1.0)
        parts.append((side * saved.weights[k] * S, _log_l(saved, answers, k, S)))

    def dual(log_mu: float) -> float:
        mu = math.exp(log_mu)
        return sum(float((x + mu * y).max()) for x, y in parts) - mu * floor

    grid = np.linspace(math.log(1e-4), math.log(1e6), 200)
    best = float(grid[int(np.argmin([dual(x) for x in grid]))])
    near = minimize_scalar(dual, bounds=(best - 0.2, best + 0.2), method="bounded", options={"xatol": 1e-10})
    return min(float(near.fun), dual(best))
