"""The probability of the answers in one stratum, as a function of how many positives it holds.

A stratum has N items, A of them positive. Items are asked in uniformly random order, and each positive is revealed with
probability ω. Of the n that were asked, r were revealed and s = n − r were not; j of these s are silent positives:

    Λ(A, ω) = Σ_j C(s, j) · (A)_{r+j} (N − A)_{s−j} / (N)_n · ω^r (1 − ω)^j          ((x)_m the falling factorial)

is the probability of the answers in the order in which they came. ln Λ is concave in A, for every N and ω. For ω = 1 it
is the hypergeometric probability: the same formula then speaks of the *confirmable* items, whatever ω is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

ROUNDING = 1e-6
"""What is added to a computed ln Λ, so that rounding never excludes a count: 1e-15 · ln(10⁷!) is 1.5e-7."""
STEP = 0.4
"""The distance of two counts at which ln Λ is computed, in standard deviations of the share of reveals."""
REACH = 9.0
"""How far from the share seen ln Λ is computed so densely, in standard deviations; further out it matters little."""
SMALLEST = 1e-17
"""Where the terms of Λ are this small beside the largest one, the rest is left out."""
EVERY = 400
"""A stratum with at most so many items is computed at every count."""
CHARGED = 0.01
"""Where drawing without replacement can raise ln Λ by less than this, the binomial form is used and this is added."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """What was seen of one stratum: its size N, how many were asked (n) and how many of these were revealed (r)."""

    size: int
    asked: int = 0
    revealed: int = 0

    @property
    def silent(self) -> int:
        """How many were asked and not revealed."""
        return self.asked - self.revealed

    def after(self, revealed: bool) -> Counts:
        """Return the counts after one more answer."""
        return Counts(self.size, self.asked + 1, self.revealed + revealed)


def log_likelihood(counts: Counts, positives: Floats, rates: Floats) -> Floats:
    """Return ln Λ(A, ω), without approximation.

    The terms are added up from the largest one outwards, each from the one before it, until they no longer matter: they
    are log-concave in j, so that those left out add less than 1e-13 of the sum.

    Parameters
    ----------
    counts : Counts
        The answers in the stratum.
    positives : array
        Numbers of positives A, integers from 0 to N.
    rates : array
        Reveal rates ω in (0, 1], of a shape that can be broadcast against `positives`.
    """
    N, n, r, s = counts.size, counts.asked, counts.revealed, counts.silent
    shape = np.broadcast_shapes(np.shape(positives), np.shape(rates))
    every, of_rate = (np.ravel(a) for a in np.broadcast_arrays(np.asarray(positives, np.float64), rates))
    found = np.full(len(every), -np.inf)
    least, most = np.maximum(0.0, s - (N - every)), np.minimum(s, every - r)
    possible = least <= most
    A, q = every[possible], 1 - of_rate[possible]
    j = np.clip(_largest_term(counts, A, q), least[possible], most[possible])
    terms = xlogy(j, q) - gammaln(j + 1) - gammaln(s - j + 1) + gammaln(A + 1) + gammaln(N - A + 1)
    terms -= gammaln(A - r - j + 1) + gammaln(N - A - s + j + 1)
    found[possible] = terms + np.log(_relative_sum(counts, A, q, j)) + xlogy(r, 1 - q)
    return np.asarray((found + float(gammaln(s + 1) - gammaln(N + 1) + gammaln(N - n + 1))).reshape(shape))


def _largest_term(counts: Counts, A: Floats, q: Floats) -> Floats:
    """Return the j of the largest term of Λ; q = 1 − ω.

    Two neighbouring terms are equal where (s − j)(A − r − j) q = (j + 1)(N − A − s + j + 1), a quadratic equation.
    """
    s, B, C = counts.silent, A - counts.revealed, counts.size - A - counts.silent
    b, c = C + 2 + q * (s + B), C + 1 - q * s * B
    root = np.sqrt(np.maximum(b * b - 4 * (1 - q) * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        j = np.where(b > 0, -2 * c / (b + root), (root - b) / (2 * (1 - q)))
    return np.asarray(np.floor(np.nan_to_num(j)))


def _relative_sum(counts: Counts, A: Floats, q: Floats, j: Floats) -> Floats:
    """Return the sum of all terms of Λ over the one at j, which is the largest or next to it."""
    s, B, C, total = counts.silent, A - counts.revealed, counts.size - A - counts.silent, np.ones(len(A))
    for side in (1, -1):
        term, i = np.ones(len(A)), j + (side - 1) / 2  # from i to i + 1, or back
        while term.max(initial=0.0) > SMALLEST:
            rising, falling = (s - i) * (B - i) * q, (i + 1) * (C + i + 1)
            over, under = (rising, falling)[::side]
            term *= np.divide(over, under, out=np.zeros(len(A)), where=under > 0)
            total += term
            i += side
    return total


def binomial_charge(counts: Counts) -> float:
    """Return −ln(1 − (n − 1)/N), by which the exact ln Λ can exceed the binomial one.

    With J positives among the n that were asked, the two differ by the factor (A)_J (N − A)_{n−J} / (N)_n over
    A^J (N − A)^{n−J} / N^n. Its logarithm is the sum of ln(1 − u) over u = 0, 1/A, …, (J − 1)/A and over u = 0,
    1/(N − A), …, (n − J − 1)/(N − A), less that over u = 0, 1/N, …, (n − 1)/N. At most Nt + 2 of the first are at most
    t, so that the m-th smallest of them is at least (m − 2)/N, and all but ln(1 − 0) − ln(1 − (n − 1)/N) cancels.
    """
    return float(-np.log1p(-max(counts.asked - 1, 0) / counts.size))


@dataclass(frozen=True)
class Envelope:
    """A concave, piecewise linear upper bound of ln Λ(·, ω) on the whole range of A, for several ω at once.

    Attributes
    ----------
    positives : array, shape (rates, points)
        The corners, from the fewest to the most positives that are possible.
    values : array, shape (rates, points)
        The bound at the corners.
    """

    positives: Floats
    values: Floats


def envelope(counts: Counts, rates: Floats) -> Envelope:
    """Return the upper bound of ln Λ for each rate; the rates are all below 1, or only 1.

    The line through the values at A and A + 1 bounds a concave function at all integers. The envelope is the lowest of
    such lines.
    """
    rates = np.asarray(rates, np.float64)[:, None]
    most = counts.size - counts.silent if rates[0] == 1 else counts.size
    if not counts.asked:
        return Envelope(np.tile([0.0, most], (len(rates), 1)), np.zeros((len(rates), 2)))
    if most - counts.revealed < EVERY:
        every = np.broadcast_to(np.arange(counts.revealed, most + 1.0), (len(rates), most - counts.revealed + 1))
        return Envelope(every, _values(counts, every, rates))
    grid = _grid(counts, rates, most)
    noise = 4e-16 * float(gammaln(counts.size + 1))  # what a slope may lack by rounding
    return under_lines(grid, _values(counts, grid, rates), _values(counts, grid + 1, rates) + noise)


def _values(counts: Counts, positives: Floats, rates: Floats) -> Floats:
    """Return ln Λ, or the binomial form and what it may lack, where that is little."""
    charge = binomial_charge(counts)
    if charge > CHARGED:
        return log_likelihood(counts, positives, rates) + ROUNDING
    share = rates * positives / counts.size
    return xlogy(counts.revealed, share) + xlogy(counts.silent, 1 - share) + charge + ROUNDING


def _grid(counts: Counts, rates: Floats, most: int) -> Floats:
    """Return counts A for each rate, dense around the share of reveals that was seen, in rising order."""
    N, n, low, last = counts.size, counts.asked, counts.revealed, most - 1
    far = np.linspace(0, np.pi / 2, 13)
    near = np.arange(-REACH, REACH + STEP / 2, STEP) / (2 * np.sqrt(n + 1))
    seen = np.arcsin(np.sqrt((low + 0.5) / (n + 1)))
    angles = np.sort(np.concatenate([far, (seen + near).clip(0, np.pi / 2)]))
    spread = np.round(N * np.sin(angles) ** 2 / rates)
    ends = np.broadcast_to([low, last], (len(rates), 2))
    return np.sort(np.concatenate([spread.clip(low, last), ends], axis=1), axis=1)


def under_lines(grid: Floats, at: Floats, beside: Floats) -> Envelope:
    """Return the lowest of the lines through (A, `at`) and (A + 1, `beside`): its ends and its corners."""
    slope, left, right = beside - at, grid[:, :-1], grid[:, 1:]
    falls = slope[:, :-1] - slope[:, 1:]
    straight = falls <= 1e-12
    meet = at[:, 1:] - at[:, :-1] + slope[:, :-1] * left - slope[:, 1:] * right
    corner = np.where(straight, right, meet / np.where(straight, 1.0, falls)).clip(left, right + 1)
    height = at[:, :-1] + slope[:, :-1] * (corner - left)
    return Envelope(
        np.concatenate([grid[:, :1], corner, grid[:, -1:] + 1], axis=1),
        np.concatenate([at[:, :1], height, beside[:, -1:]], axis=1),
    )
