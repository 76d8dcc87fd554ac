"""The alarm: do the answers about known positives contradict "each positive is equally likely to be confirmed"?

Known positives are divided into cells c, by their group, by the band of their score, or by the expert who was asked. Of
n_c that were asked in cell c, r_c were confirmed; n and r are the sums. For one way to divide them

    E = Π_c B(r_c + ½, n_c − r_c + ½) / B(½, ½)  /  max_ω ω^r (1 − ω)^{n−r}:

Jeffreys' mixture for each cell by itself, over the best common rate. If all are confirmed at one rate ω, the first
factor over ω^r (1 − ω)^{n−r} is a martingale that begins at 1, and E is never above it. So is the mean of several such
E. By Ville's inequality, the mean ever reaches 1/δ with probability at most δ. Then the alarm fires, and it stays on.

Ville, *Étude critique de la notion de collectif*, 1939. Turner, Ly and Grünwald, "Generic e-variables for exact
sequential k-sample tests that allow for optional stopping", 2024.

A second e-value compares all known positives with a range of rates that was told: B(r + ½, n − r + ½) / B(½, ½) over
the largest ω^r (1 − ω)^{n−r} in the range. With a rate in that range it is at most a martingale that begins at 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, xlogy

from activepu.audit.groups import Groups

PHRASES = {"group": "in group {}", "band": "{}", "expert": "shown to {}"}
"""The ways to divide known positives, and how a cell is called in a sentence."""
NAMED = 4
"""With more cells than this a sentence names only the one with the lowest and the one with the highest rate."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Known:
    """An answer about a known positive: gold, or an item that another expert revealed.

    `cells` are its group, band and expert, by the names of `PHRASES`. They must be fixed before the answer comes.
    """

    cells: Mapping[str, str]
    revealed: bool


@dataclass(frozen=True)
class Cells:
    """The cells of every row of a pool: its group, if there are groups, and the band of its score."""

    groups: Groups | None = None
    scores: Floats | None = None
    borders: Floats | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """By what known positives are divided."""
        return ("band", "expert") if self.groups is None else ("group", "band", "expert")

    def of(self, row: int, expert: Hashable = None) -> dict[str, str]:
        """Return the cells of a row that is shown to an expert."""
        found = {"band": self._band(row), "expert": "the expert" if expert is None else str(expert)}
        return found if self.groups is None else found | {"group": self.groups.of(row)}

    def _band(self, row: int) -> str:
        if self.scores is None or self.borders is None:
            return "anywhere"
        band, last = int(np.searchsorted(self.borders, self.scores[row], side="right")), len(self.borders)
        edges = [f"{border:.3g}" for border in self.borders]
        if 0 < band < last:
            return f"with a score from {edges[band - 1]} to {edges[band]}"
        return (
            f"with a score below {edges[0]}"
            if band < last
            else f"with a score from {edges[-1]} on"
            if last
            else "anywhere"
        )


@dataclass(frozen=True)
class Alarm:
    """What the answers about known positives say against one common rate.

    Attributes
    ----------
    log_e : float
        ln of the largest mean of e-values so far: by chance alone, e is ever reached with probability at most 1/e.
    rates : tuple of (str, int, int)
        Each cell of the division that tells most: its phrase, how many were asked and how many confirmed.
    """

    log_e: float = 0.0
    rates: tuple[tuple[str, int, int], ...] = ()

    def fires(self, delta: float) -> bool:
        """Whether one common rate is contradicted, at this level."""
        return self.log_e >= -math.log(delta)

    def __str__(self) -> str:
        """The rates in half a sentence; of many cells the lowest and the highest."""
        told = sorted(self.rates, key=lambda cell: cell[2] / cell[1])
        told = told if len(told) <= NAMED else [told[0], told[-1]]
        first, *others = [f"{cell} was confirmed in {shown:,} of {asked:,} cases" for cell, asked, shown in told]
        return ", ".join([f"gold {first}", *(each.replace(" was confirmed", "") for each in others)])


def alarm(answers: Sequence[Known], kinds: Sequence[str], per_expert: bool = False) -> Alarm:
    """Return the alarm after these answers, in the order in which they were asked.

    Parameters
    ----------
    answers : sequence of Known
        All answers about known positives.
    kinds : sequence of str
        By what they are divided, of the names in `PHRASES`; fixed before the first answer.
    per_expert : bool
        Whether each expert has a rate of their own. Then the answers of each are divided by themselves: the product of
        the experts' e-values is one, too.

    Examples
    --------
    >>> from activepu.audit.alarm import Known, alarm
    >>> easy = [Known({"group": "a"}, True)] * 18 + [Known({"group": "a"}, False)] * 2
    >>> hard = [Known({"group": "b"}, True)] * 5 + [Known({"group": "b"}, False)] * 15
    >>> found = alarm(easy + hard, ["group"])
    >>> found.fires(delta=0.05), str(found)
    (True, 'gold in group b was confirmed in 5 of 20 cases, in group a in 18 of 20 cases')
    """
    kinds = [kind for kind in kinds if kind != "expert" or not per_expert]
    if not answers or not kinds:
        return Alarm()
    revealed = np.array([answer.revealed for answer in answers], np.float64)
    divided = [np.array([answer.cells[kind] for answer in answers]) for kind in kinds]
    whose = np.array([answer.cells["expert"] if per_expert else "" for answer in answers])
    each = np.array([products(cells, revealed, whose) for cells in divided])
    mean = logsumexp(each, axis=0) - math.log(len(kinds))
    tells = int(each[:, -1].argmax())
    names, cell = np.unique(divided[tells], return_inverse=True)
    asked, shown = np.bincount(cell), np.bincount(cell, revealed).astype(int)
    phrases = [PHRASES[kinds[tells]].format(name) for name in names]
    return Alarm(float(max(0.0, mean.max())), tuple(zip(phrases, asked.tolist(), shown.tolist(), strict=True)))


@dataclass(frozen=True)
class Against:
    """What known positives say against a range of rates: ln of the largest e-value so far, and the counts."""

    log_e: float
    asked: int
    confirmed: int

    def fires(self, delta: float) -> bool:
        """Whether the range is contradicted, at this level."""
        return self.log_e >= -math.log(delta)


def against_range(answers: Sequence[Known], low: float, high: float) -> Against:
    """Return what the answers about known positives say against a rate between `low` and `high`.

    Examples
    --------
    >>> from activepu.audit.alarm import Known, against_range
    >>> answers = [Known({}, k < 5) for k in range(20)]
    >>> against_range(answers, 0.8, 0.9).fires(delta=0.05), against_range(answers, 0.2, 0.9).fires(delta=0.05)
    (True, False)
    """
    revealed = np.array([answer.revealed for answer in answers], np.float64)
    n, r = np.arange(1.0, len(answers) + 1), np.cumsum(revealed)
    nearest = np.clip(r / n, low, high)
    jeffreys = betaln(r + 0.5, n - r + 0.5) - betaln(0.5, 0.5)
    with np.errstate(divide="ignore"):  # a rate of 1 allows no silence: the e-value is infinite
        logs = jeffreys - xlogy(r, nearest) - xlogy(n - r, 1 - nearest)
    return Against(float(max(0.0, logs.max(initial=0.0))), len(answers), int(revealed.sum()))


def products(cells: NDArray[np.str_], revealed: Floats, whose: NDArray[np.str_]) -> Floats:
    """Return ln of the product of the experts' E after each answer."""
    steps = np.empty(len(cells))
    for expert in np.unique(whose):
        at = whose == expert
        steps[at] = np.diff(log_e_values(cells[at], revealed[at]), prepend=0.0)
    return np.cumsum(steps)


def log_e_values(cells: NDArray[np.str_], revealed: Floats) -> Floats:
    """Return ln E after each answer. Jeffreys' mixture predicts a reveal with probability (r_c + ½) / (n_c + 1)."""
    n, r = np.arange(1.0, len(cells) + 1), np.cumsum(revealed)
    share = np.empty(len(cells))
    for cell in np.unique(cells):
        at = cells == cell
        share[at] = (np.cumsum(revealed[at]) - revealed[at] + 0.5) / np.arange(1.0, at.sum() + 1)
    jeffreys = np.cumsum(np.log(np.where(revealed > 0, share, 1 - share)))
    return np.asarray(jeffreys - xlogy(r, r / n) - xlogy(n - r, 1 - r / n))
