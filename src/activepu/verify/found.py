"""A saved `Audit("found")`, checked by plain arithmetic.

Of the N items of a band S are confirmable. The factor of a draw by lot, made when M items were in the lot and r of the
band were confirmed, is (S − r)/M for a reveal and 1 − (S − r)/M for silence. L(S) multiplies the factors of the lot,
and Q = Σ prior(S) L(S). A number of confirmable rows Σ w S is excluded if no S with this sum has Π L/Q ≥ δ.

A skipped item may have been confirmable or not. With L¹ and L⁰ for "all of them" and "none", L(S)/Q is at most the
inverse of

    Σ_{S′ ≤ S} prior(S′) L¹(S′)/L¹(S) + Σ_{S′ > S} prior(S′) L⁰(S′)/L⁰(S).

If any item was skipped before the first draw of a band, its prior is the least that it is for any of their answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from activepu.verify import found_printed, lot
from activepu.verify.evidence import PRINTED, items_of

DENSE, RATIO, TRUST, SHAPE = 4096, 1.002, 0.7, 2.0
"""The constants of Q, fixed before any audit."""

Floats = NDArray[np.float64]
Line = tuple[str, bool | None, str]


@dataclass(frozen=True)
class Seen:
    """What was seen of a band at some moment.

    `taken` are its items in the order of asking: how many were in the lot if it was drawn by lot (else None), and the
    answer, or None if it was skipped. `before` says how many had answers, how many were revealed and how many were
    skipped when the prior was fixed: right before the first draw. `careful` says whether any item of any band was
    skipped before that, even if it was answered later.
    """

    taken: list[tuple[int | None, bool | None]]
    before: tuple[int, int, int] | None
    careful: bool = False

    @property
    def revealed(self) -> int:
        """How many were revealed."""
        return sum(answer is True for _, answer in self.taken)

    @property
    def silent(self) -> int:
        """How many were silent."""
        return sum(answer is False for _, answer in self.taken)

    @property
    def skipped(self) -> int:
        """How many have no answer."""
        return sum(answer is None for _, answer in self.taken)


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
        asked = list(zip(told["item"], told["answer"], told["expert"], strict=True))
        self.history = [answer for item, answer, _ in asked if item not in before]
        self.experts = {expert for item, _, expert in asked if item not in before}
        self.answers, self.asked_before = len(asked), before
        self.recall: float | None = given["recall"]
        self.printed: dict[str, Any] = {name: data[name] for name in PRINTED}
        self.split, self.statements = data["findings"].get("split", ""), len(data["findings"]["statements"])
        self.items, self.digest = items_of(given["items"], len(self.sizes)), str(given["digest"])
        self.asking: list[tuple[int, int, int | None]] = []
        """The items in the order of asking, with their band, and how many were in the lot if they were drawn by lot."""

    def redraw(self) -> str:
        """Draw every question of the lot again, and read the answers; return what is wrong, or ""."""
        band = {int(row): k for k, rows in enumerate(self.items) for row in rows}
        if [len(rows) for rows in self.items] != self.sizes or lot.digest(self.items) != self.digest:
            return "the bands are not those that the file states"
        seed = lot.salted(self.seed, self.digest)
        order = [rows[np.argsort(lot.keys(seed, "lot", rows), kind="stable")].tolist() for rows in self.items]
        at, left, out = [0] * len(order), list(self.sizes), set()
        for item, by_lot in self.put:
            k = band.get(item)
            if k is None:
                return f"item {item} is in no band"
            while by_lot and order[k][at[k]] in out:
                at[k] += 1
            if by_lot and order[k][at[k]] != item:
                return f"item {item} was asked, but the lot gave item {order[k][at[k]]}"
            if item not in out:  # else it was skipped, and is asked again
                self.asking.append((item, k, left[k] if by_lot else None))
                left[k] -= 1
                out.add(item)
        if len(self.said) != len(self.history) or len(dict(self.said)) != len(self.said):
            return "the answers are not those of the history"
        for (item, answer), told in zip(self.said, self.history, strict=True):
            if bool(told) != answer or item not in out:
                return f"the answer about item {item} is not that of the history"
        return ""

    def seen(self, answers: int) -> list[Seen]:
        """Return what was seen of every band after so many answers; earlier items without one were skipped by then."""
        number, said = {item: n for n, (item, _, _) in enumerate(self.asking)}, self.said[:answers]
        told, reached = dict(said), max((number[item] + 1 for item, _ in said), default=0)
        found, in_time, up_to = [], set(), 0
        for item, _ in said:
            in_time |= {number[item]} if number[item] >= up_to else set()
            up_to = max(up_to, number[item] + 1)
        for k in range(len(self.sizes)):
            mine = [(item, left) for item, in_band, left in self.asking[:reached] if in_band == k]
            first = next((number[item] for item, left in mine if left is not None), None)
            before, careful = None, False
            if first is not None:
                earlier = said[: next(i for i, (item, _) in enumerate(said) if number[item] >= first)]
                inside = [answer for item, answer in earlier if self.asking[number[item]][1] == k]
                asked = sum(number[item] < first for item, _ in mine)
                before = len(inside), sum(inside), asked - len(inside)
                careful = any(n not in in_time for n in range(first))
            found.append(Seen([(left, told.get(item)) for item, left in mine], before, careful))
        return found


def lines(saved: Saved) -> list[Line]:
    """Return what was checked, line by line."""
    wrong = saved.redraw()
    found: list[Line] = [(f"the lot of seed {saved.seed} gives every draw", not wrong, wrong)]
    if wrong:
        return found
    for side, name in ((0, "at least"), (1, "at most")):
        found.append(_bound(saved, side, name))
    seen = saved.seen(len(saved.said))
    revealed = sum(weight * band.revealed for weight, band in zip(saved.weights, seen, strict=True))
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
    return [*found, *found_printed.lines(saved, [] if fits else ["recall"], in_hand, missing[1])]


def _bound(saved: Saved, side: int, name: str) -> Line:
    """Check that no number of confirmable rows beyond the bound was in the set at the moment when it was found."""
    stated = float(saved.total[side])
    what = f"{name} {stated:.0f} rows of those not asked before are confirmable"
    seen = saved.seen(saved.moments[side])
    possible = [(band.revealed, N - band.silent) for band, N in zip(seen, saved.sizes, strict=True)]
    ends = [sum(w * end[side] for w, end in zip(saved.weights, possible, strict=True)) for side in (0, 1)]
    if stated == ends[side]:
        return what, True, "it is all that is possible"
    floor = math.log(saved.delta)
    if len(saved.sizes) == 1:
        low, high = possible[0]
        at = stated / saved.weights[0]
        beyond = np.arange(math.floor(at) + 1, high + 1.0) if side else np.arange(low, math.ceil(at) - 0.0)
        excluded = len(beyond) > 0 and bool((_log_f(saved, seen[0], 0, beyond) < floor).all())
        return what, excluded, "all others are excluded"
    if max(saved.sizes) > DENSE:
        return what, None, "several bands of more than 4,096 items are not recomputed"
    reach = _reach(saved, seen, possible, floor, 1 if side else -1)
    fits = stated >= math.floor(reach + 1e-6) if side else stated <= math.ceil(-reach - 1e-6)
    return what, fits, f"recomputed {abs(reach):.3f}"


def _log_l(seen: Seen, S: Floats, skipped: bool) -> Floats:
    """Return ln L at some counts, factor by factor, if every skipped item was confirmable, or none."""
    total, r = np.zeros(len(S)), 0
    with np.errstate(divide="ignore"):
        for left, answer in seen.taken:
            confirmable = skipped if answer is None else answer
            if left is not None:
                share = np.clip((S - r) / left, 0, 1)
                total += np.log(share if confirmable else 1 - share)
            r += confirmable
    return total


def _log_f(saved: Saved, seen: Seen, k: int, counts: Floats) -> Floats:
    """Return what ln L/Q is at some counts, or at most where something was skipped."""
    if seen.before is None:
        return np.zeros(len(counts))
    N, (asked, revealed, skipped) = saved.sizes[k], seen.before
    grid = np.arange(N + 1.0)
    if N > DENSE:
        far = [math.floor(DENSE * RATIO**i) for i in range(math.ceil(math.log(N / DENSE) / math.log(RATIO)) + 1)]
        grid = np.array(sorted({*range(DENSE), *(x for x in far if x < N)}), np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if seen.careful:  # the least that the prior is, whichever of the skipped items are confirmable
            h = grid - revealed
            possible = (h >= skipped) & (h <= N - asked - skipped)
            prior = np.log(np.where(possible, (1 - TRUST) / ((h + 1) * (h + 2) + (h < 0)), 0.0))
        else:
            prior = np.log(_prior(grid - revealed, N - asked, float(saved.expected[k])))
        if not seen.skipped:
            return _log_l(seen, counts, False) - float(np.logaddexp.reduce(prior + _log_l(seen, grid, False)))
        least, most = seen.revealed + seen.skipped, N - seen.silent - seen.skipped  # if all were, and if none was
        below = np.logaddexp.accumulate(np.where(grid >= least, prior + _log_l(seen, grid, True), -np.inf))
        above = np.where(grid <= most, prior + _log_l(seen, grid, False), -np.inf)[::-1]
        above = np.append(np.logaddexp.accumulate(above)[::-1], -np.inf)
        at = np.searchsorted(grid, counts, side="right") - 1  # the last of the grid that is no larger
        own = np.where(grid[at] == counts, prior[at], -np.inf)
        first = np.where(counts >= least, below[at] - _log_l(seen, counts, True), own)
        second = np.where(counts > most, -np.inf, above[at + 1] - _log_l(seen, counts, False))
        return np.asarray(-np.logaddexp(first, second))


def _prior(h: Floats, left: int, expected: float) -> Floats:
    mean, possible = max(expected, 1e-3), (h >= 0) & (h <= left)
    trusted = np.zeros(len(h))
    for i in np.flatnonzero(possible):  # a negative binomial of shape 2: (h + 1) p² (1 − p)^h
        trusted[i] = (h[i] + 1) * (SHAPE / (mean + SHAPE)) ** 2 * (mean / (mean + SHAPE)) ** h[i]
    wide = np.where(possible, 1 / ((h + 1) * (h + 2) + (h < 0)), 0.0)
    mixed = TRUST * trusted + (1 - TRUST) * wide
    return np.asarray(mixed / mixed.sum())


def _reach(saved: Saved, seen: list[Seen], possible: list[tuple[int, int]], floor: float, side: int) -> float:
    """Return the largest side · Σ w S in the set by a Lagrange multiplier: min over μ of Σ max(…) − μ · floor."""
    parts = []
    for k, (low, high) in enumerate(possible):
        S = np.arange(low, high + 1.0)
        parts.append((side * saved.weights[k] * S, _log_f(saved, seen[k], k, S)))

    def dual(log_mu: float) -> float:
        mu = math.exp(log_mu)
        return sum(float((x + mu * y).max()) for x, y in parts) - mu * floor

    grid = np.linspace(math.log(1e-4), math.log(1e6), 200)
    best = float(grid[int(np.argmin([dual(x) for x in grid]))])
    near = minimize_scalar(dual, bounds=(best - 0.2, best + 0.2), method="bounded", options={"xatol": 1e-10})
    return min(float(near.fun), dual(best))
