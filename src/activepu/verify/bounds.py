"""The bounds of a confidence set, recomputed plainly.

    {(A, ω) : Σ_k ln Λ_k(A_k, ω) + r_g ln ω + (g − r_g) ln(1 − ω) ≥ ln(δ Q)},
    Λ_k(A, ω) = Σ_j C(s, j) (A)_{r+j} (N − A)_{s−j} / (N)_n · ω^r (1 − ω)^j          (n asked, r revealed, s = n − r)

Every ln Λ_k is computed term by term, at every A in small strata, and joined by straight lines. For fixed ω and
coefficients c, the largest Σ c_k A_k is the least value over μ ≥ 0 of

    Σ_k max_A (c_k A + μ ln Λ_k(A, ω)) − μ ln(δ Q) + μ ln(gold)            (Lagrange; ln Λ_k is concave),

found by golden section over ln μ with a scan over all A. A recall below ρ is possible if the largest
Σ (ρ − 1[f = 1]) A is not negative.

Chords lie below a concave function, and a grid of rates leaves rates out: both make this set too *small*. The audit
errs the other way, towards a set that is too large. So its bounds may be wider than these and must never be tighter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln, xlogy

from activepu.verify.evidence import Answers, Evidence

SET_SHARE = 0.2
"""The part of δ that is left for the set where one target is bet on."""
GROUPED = 0.5
"""The part of δ for the statements about groups, divided evenly among them."""
STRENGTHS, MIXTURE, SAME, LEAST = (600.0, 60.0, 6.0), (0.4, 0.3, 0.2, 0.1), 0.93, 0.05
RATES = (0.95, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08)
"""The constants of Q, as published in docs/audit.md and fixed before any audit."""
EVERY = 500
"""A stratum with at most so many items is computed at every count, a larger one at about so many."""
GRID = 48
"""How many reveal rates are tried, where the rate is not known."""

STEPS = 2**17
"""A recall is found to one part in so many, by halving."""

Floats = NDArray[np.float64]


def log_q(evidence: Evidence, asked: Any, revealed: Any) -> Floats:
    """Return ln Q of the answers in the lot: Beta-binomials mixed over rates and strengths.

    `asked` and `revealed` are counts by stratum; several sets of them at once, one a row, give one number each.
    """
    rates = np.array([evidence.low] if evidence.low == evidence.high else RATES)
    r = np.asarray(revealed, np.float64)[..., None, None, :]
    s = np.asarray(asked, np.float64)[..., None, None, :] - r  # … × rates × strengths × strata
    share = rates[:, None, None] * evidence.means
    strength = np.array(STRENGTHS)[:, None]
    yes, no = np.maximum(strength * share, LEAST), np.maximum(strength * (1 - share), LEAST)
    of_model = betaln(yes + r, no + s) - betaln(yes, no)
    of_none = np.broadcast_to(betaln(0.5 + r, 0.5 + s) - betaln(0.5, 0.5), (*of_model.shape[:-2], 1, r.shape[-1]))
    parts = np.concatenate([of_model, of_none], axis=-2)
    found = []
    for i, weight in enumerate(MIXTURE):
        mixed = np.array([(1 - SAME) * v + (SAME if j == i else 0.0) for j, v in enumerate(MIXTURE)])
        in_each = _log_sum(np.moveaxis(parts, -2, -1) + np.log(mixed))
        found.append(in_each.sum(axis=-1) + math.log(weight / len(rates)))
    return _log_sum(np.concatenate(found, axis=-1))


def log_likelihood(size: int, asked: int, revealed: int, positives: Floats, rates: Floats) -> Floats:
    """Return ln Λ at each rate and number of positives, the sum over all j."""
    N, n, r, s = size, asked, revealed, asked - revealed
    A, j = positives[:, None], np.arange(0.0, s + 1)[None, :]
    possible = (A - r - j >= 0) & (N - A - s + j >= 0)
    falling = gammaln(A + 1) - gammaln(np.maximum(A - r - j, 0) + 1)
    falling += gammaln(N - A + 1) - gammaln(np.maximum(N - A - s + j, 0) + 1)
    choose = gammaln(s + 1) - gammaln(j + 1) - gammaln(s - j + 1)
    terms = np.where(possible, choose + falling, -np.inf)
    found = np.stack([_log_sum(terms + xlogy(j, 1 - rate)) for rate in rates])
    return np.asarray(found + xlogy(r, rates)[:, None] - gammaln(N + 1) + gammaln(N - n + 1))


def _log_sum(terms: Floats) -> Floats:
    """Return ln Σ e^term over the last axis."""
    top = np.maximum(terms.max(axis=-1, keepdims=True), -1e300)
    with np.errstate(divide="ignore"):
        return np.asarray(top[..., 0] + np.log(np.exp(terms - top).sum(axis=-1)))


def tried(size: int, asked: int, revealed: int, least: int) -> Floats:
    """Return the counts at which ln Λ is computed."""
    low = max(least, revealed)
    if size - low <= EVERY:
        return np.arange(low, size + 1.0)
    even = np.linspace(low, size, EVERY // 4)
    angles = np.linspace(math.asin(math.sqrt(low / size)), math.pi / 2, EVERY)  # denser where shares are small
    return np.unique(
        np.round(np.concatenate([even, size * np.sin(angles) ** 2, np.arange(low, low + 40.0)])).clip(low, size)
    )


@dataclass(frozen=True)
class PlainSet:
    """ln Λ of each stratum (rates × counts), and how far below 0 their sum may fall at each rate."""

    rates: Floats
    positives: list[Floats]
    logs: list[Floats]
    floors: Floats
    weights: Floats

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which of the rates are in the set."""
        return np.asarray(sum(part.max(axis=1) for part in self.logs) >= self.floors)

    @property
    def room(self) -> float:
        """How far the likelihood may fall at the best rate, in nats; below 0 the set is empty."""
        return float((sum(part.max(axis=1) for part in self.logs) - self.floors).max())

    @cached_property
    def _together(self) -> tuple[Floats, Floats]:
        """All strata in one array (strata × rates × counts), the shorter ones filled up with impossible counts.

        A count that fits at no rate, even with the likeliest counts of all other strata, is left out. The next one on
        either side of the others stays, because the Lagrangian joins counts by lines.
        """
        tops = np.array([part.max(axis=1) for part in self.logs])
        room = self.floors - tops.sum(axis=0)
        kept = []
        for part, top in zip(self.logs, tops, strict=True):
            fits = np.flatnonzero((part >= (room + top)[:, None])[self.possible].any(axis=0))
            first, last = (int(fits[0]), int(fits[-1])) if len(fits) else (0, 0)
            kept.append(slice(max(first - 1, 0), last + 2))
        positives = [A[near] for A, near in zip(self.positives, kept, strict=True)]
        longest = max(len(A) for A in positives)
        counts = [np.pad(A, (0, longest - len(A)))[None] for A in positives]
        logs = [part[:, near] for part, near in zip(self.logs, kept, strict=True)]
        filled = [np.pad(part, ((0, 0), (0, longest - part.shape[1])), constant_values=-np.inf) for part in logs]
        return np.stack(counts), np.stack(filled)

    def largest(self, coefficients: Floats) -> float:
        """Return the largest Σ c_k A_k in the set; −inf if the set is empty."""
        among = np.flatnonzero(self.possible)
        some = self._largest(coefficients, among[:: math.isqrt(len(among)) or 1]).max(initial=-math.inf)
        return float(self._largest(coefficients, among, some).max(initial=some))

    def _largest(self, coefficients: Floats, among: NDArray[np.intp], least: float = -math.inf) -> Floats:
        """Return the largest Σ c_k A_k at each of these rates, all of them possible; −inf where it is below `least`.

        Every value of the dual is an upper bound, so that a rate with one below `least` is left out at once.
        """
        counts, every = self._together
        logs, floors, at = every[:, among], self.floors[among], np.arange(len(among))
        gains = (coefficients * self.weights)[:, None, None] * counts

        def dual(log_mu: Floats) -> Floats:
            mu = np.exp(log_mu)
            return np.asarray((gains + mu[:, None] * logs).max(axis=2).sum(axis=0) - mu * floors)

        low, high = np.full(len(floors), -14.0), np.full(len(floors), 18.0)
        golden = (math.sqrt(5) - 1) / 2
        a, b = high - golden * (high - low), low + golden * (high - low)
        at_a, at_b = dual(a), dual(b)
        for _ in range(30):
            open_ = np.minimum(at_a, at_b) >= least
            if not open_.all():
                logs, floors, at = logs[:, open_], floors[open_], at[open_]
                low, high, a, b, at_a, at_b = (each[open_] for each in (low, high, a, b, at_a, at_b))
            left = at_a < at_b
            low, high = np.where(left, low, a), np.where(left, b, high)
            kept, at_kept = np.where(left, a, b), np.where(left, at_a, at_b)
            fresh = low + high - kept
            at_fresh = dual(fresh)
            a, b = np.where(left, fresh, kept), np.where(left, kept, fresh)
            at_a, at_b = np.where(left, at_fresh, at_kept), np.where(left, at_kept, at_fresh)
        found = np.full(len(among), -math.inf)
        found[at] = np.minimum(at_a, at_b)
        return found

    def recall(self, inside: NDArray[np.bool_], found: int = 0) -> tuple[float, float]:
        """Return the least and the largest recall, by halving; `found` further positives are in hand."""
        if inside.all():
            return 1.0, 1.0

        inner = inside.astype(np.float64)
        least = self._first(lambda rho: rho - inner, lambda rho: found * (1 - rho))
        return least, 1 - self._first(lambda rho: inner - (1 - rho), lambda rho: -found * rho)

    def _first(self, coefficients: Callable[[float], Floats], limit: Callable[[float], float]) -> float:
        """Return the least number in [0, 1] from which on Σ c_k A_k ≥ v is possible, or 1e-5 more, by halving.

        First at some rates only. Of the others those count where it is possible earlier, which one step tells.
        """
        low, high, every = 0, STEPS, np.flatnonzero(self.possible)

        def where(at: int, among: NDArray[np.intp]) -> NDArray[np.intp]:
            v = limit(at / STEPS)
            return among[self._largest(coefficients(at / STEPS), among, v) >= v]

        for some in (every[:: math.isqrt(len(every)) or 1], every):
            if not len(among := where(high - 1, some)):
                continue
            low, high = 0, high - 1
            while high - low > 1:
                middle = (low + high) // 2
                fits = where(middle, among)
                low, high = (low, middle) if len(fits) else (middle, high)
                among = fits if len(fits) else among  # at the other rates it is possible only later
        return high / STEPS

    def rate(self, expert: int | None = None) -> tuple[float, float]:
        """Return the lowest and the highest rate of the grid that is in the set; of one expert, if each has one."""
        kept = self.rates[self.possible] if expert is None else self.rates[self.possible][:, expert]
        return (float(kept.min()), float(kept.max())) if kept.size else (0.0, 1.0)


def rung_of(evidence: Evidence, what: str) -> str:
    """Return the rung on which statements about a quantity stand."""
    if what.endswith("confirmable recall"):
        return "0"
    narrowed = evidence.low > 0 or evidence.high < 1 or evidence.purity is not None or evidence.gold_items
    if what == "recall" or not (narrowed or evidence.overlap):
        return "1"
    if not narrowed:
        return "2o"
    return "2g" if evidence.gold_items else "2p" if evidence.purity is not None else "2"


def level(evidence: Evidence) -> float:
    """Return the part of δ that a set may spend."""
    if evidence.groups is not None:
        return evidence.delta * (1 - GROUPED if evidence.group is None else GROUPED / len(evidence.names()))
    return evidence.delta * (SET_SHARE if evidence.engine == "bet" else 1.0)


def plain_set(evidence: Evidence, answers: Answers, rung: str) -> PlainSet:
    """Return the set of a rung after some answers."""
    floor = math.log(level(evidence)) + float(log_q(evidence, answers.asked, answers.revealed))
    known = rung not in ("0", "1")
    asked, shown = answers.gold if known else (0, 0)
    floor += float(betaln(shown + 0.5, asked - shown + 0.5) - betaln(0.5, 0.5))
    low, high = (evidence.low, evidence.high) if known else (0.0, 1.0)
    if rung == "0":
        rates = np.ones(1)
    elif low == high:
        rates = np.array([low])
    else:
        revealed = sum(answers.revealed) + shown
        low = max(low, min(high, math.exp(floor / revealed) if revealed else 1e-3))  # Λ ≤ ω^r
        rates = np.unique(np.append(np.geomspace(low, high, GRID // 2), np.linspace(low, high, GRID // 2)))
    floors = floor - xlogy(shown, rates) - xlogy(asked - shown, 1 - rates)
    least = least_positives(evidence, known)
    positives = [tried(*each) for each in zip(evidence.sizes, answers.asked, answers.revealed, least, strict=True)]
    logs = [
        log_likelihood(N, n, r, A, rates)
        for N, n, r, A in zip(evidence.sizes, answers.asked, answers.revealed, positives, strict=True)
    ]
    return PlainSet(rates, positives, logs, floors, evidence.weights)


def least_positives(evidence: Evidence, known: bool) -> list[int]:
    """Return the fewest positives of each stratum, by the purity of the top band if the rung knows it."""
    if not known or evidence.purity is None:
        return [0] * len(evidence.sizes)
    top = evidence.bands == evidence.top
    return [math.ceil(evidence.purity * N) if is_top else 0 for N, is_top in zip(evidence.sizes, top, strict=True)]


def quantity(
    found: PlainSet, what: str, inside: NDArray[np.bool_], rows: int, called: int, confirmed: int = 0
) -> tuple[float, float]:
    """Return bounds on a quantity over the set; (0, 1) where the set is empty, so that nothing is stated."""
    if not found.possible.any():
        return 0.0, 1.0
    if what == "rate":
        return found.rate()
    if what.endswith("recall"):
        return found.recall(inside, confirmed if what.startswith("overall") else 0)
    if what == "precision":
        if not called:
            return 1.0, 1.0
        c, start, by = inside.astype(np.float64), 0.0, float(called)
    elif what == "prior":
        c, start, by = np.ones(len(inside)), 0.0, float(rows)
    else:
        c, start, by = np.where(inside, -1.0, 1.0), float(called), float(rows)
    return max(0.0, (start - found.largest(-c)) / by), min(1.0, (start + found.largest(c)) / by)
