"""Checking the class: questions by lot among items that are decided, and the evidence of the answers against the class.

Z-CAL never needs to ask about a decided item, so nothing that it asks can show that a decision is wrong. A class that
does not hold the truth may therefore be certified: items inside the closure are not asked, and a tiny reveal rate
explains any silence. So some decided items are asked by lot. If the truth ℓ is in the class and was not excluded,

- a certain negative is revealed with a probability in [0, η], η = `false_reveal`: with η = 0, never;
- a certain positive is revealed with probability ω, one and the same for all (or one per expert). ω ∈ Ω, the bounds
  that the confidence set had when the checks began, which lie within what was told.

**The evidence.** Divide the certain positives into cells, before the first check. Of the checks in cell c, r_c were
revealed and s_c were not. With B(r, s) = ∫ p^r (1 − p)^s dp over the arcsine law,

    e = Π_c B(r_c, s_c) / sup_{ω ∈ Ω} ω^r (1 − ω)^s,      r = Σ r_c,  s = Σ s_c.

One cell tests the rate that was told or found by the search, which prefers items near the reveals: false positives
lower the rate of the lot. Cells by a column test that the rate is the same everywhere. The same ratio with Ω = [0, η]
tests certain negatives. With a rate per expert both parts are products over the experts. Several such ratios are
averaged, with fixed weights.

**Why it is right.** An item that is asked for the first time has a coin that no earlier answer depends on. Whether it
is certain, and its cell, follow from answers to earlier questions. So under ℓ and the true ω each factor of
Π_c B(r_c, s_c) / ω^r (1 − ω)^s, given the past, has mean 1: it is a martingale that starts at 1, and e never exceeds
it while ω ∈ Ω. Nor does an average of such ratios. By Ville's inequality P(e ≥ 5/δ at any time, ω ∈ Ω) ≤ δ/5, however
the items were chosen and whenever one looks. With probability ≥ 1 − 4δ/5 ℓ stays in V and ω in its bounds. So an alarm
on a true class, for any reason, has probability ≤ δ.

An alarm raises `AssumptionsViolated`. A mark on the certificate would be weaker: programs read `error_bound`, and it
would be the bound of a refuted claim. A reveal of a certain negative leaves no hypothesis, and that raises already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import HypothesisClass, Points
from activepu.hypotheses.finite import unpack
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED
from activepu.zcal.rates import Floats, Rates

DEFAULT = 40
"""At ω = 0.5 so many show with 90% probability that 11% of the decided items are missed positives."""
SHARE = 5
"""One part in this many of δ pays for the alarm."""
PARTS = (2, 4)
"""The number of cells in the groupings by a column: halves and quarters."""
SAMPLE = 512
"""Certain positives whose quantiles make the cells."""
RULES = 16
"""The most rules of a finite class that make groupings."""
ANY = Rates()


def level(delta: float, checks: int) -> float:
    """Return what the confidence set may use of δ."""
    return delta if checks == 0 else delta * (SHARE - 1) / SHARE


def log_evidence(revealed: Floats, silent: Floats, nulls: Sequence[Rates]) -> float:
    """Return ln e; the counts are (groups, cells), each group with a rate of its own, possible by its null."""
    top = float(ANY.log_mean(revealed, silent).sum())
    counts = zip(nulls, revealed.sum(axis=1), silent.sum(axis=1), strict=True)
    return top - sum(float(null.log_likelihood(r, s)) for null, r, s in counts)


class Cells:
    """Groupings of points, fixed beforehand: halves and quarters of every column by the quantiles of `points`.

    The columns of a finite class are its rules: those that divide the points most evenly.
    """

    def __init__(self, points: Points) -> None:
        points = points[:: -(-len(points) // SAMPLE)] if len(points) else points
        self._columns: NDArray[np.intp] | slice = slice(None)
        self._packed = points.dtype == np.uint64
        if self._packed and len(points):
            uneven = np.abs(unpack(points).mean(axis=0) - 0.5)
            self._columns = np.argsort(uneven, kind="stable")[:RULES]
        made = [
            (axis, np.quantile(column, np.arange(1, parts) / parts))
            for axis, column in enumerate(self._plain(points).T if len(points) else ())
            for parts in PARTS
        ]
        plain = self._plain(points)
        self._borders = [(axis, at) for axis, at in made if len(np.unique(np.searchsorted(at, plain[:, axis]))) > 1]

    def __len__(self) -> int:
        return len(self._borders)

    def of(self, x: Points) -> list[int]:
        """Return the cell of one point in each grouping."""
        plain = self._plain(x)[0]
        return [int(np.searchsorted(borders, plain[axis])) for axis, borders in self._borders]

    def _plain(self, points: Points) -> Floats:
        plain = unpack(points) if self._packed else points
        return np.asarray(plain[:, self._columns], np.float64)


class Answer(NamedTuple):
    """The answer to a check of a certain positive: the expert's group, the cell in each grouping, the reveal."""

    group: int
    cells: list[int]
    revealed: bool


class Check:
    """The lot of one run, and what its answers say against the class.

    Parameters
    ----------
    wanted : int
        How many decided items to ask.
    delta : float
        The δ of the run, of which the alarm takes a fifth.
    rates : Rates
        Ω, the reveal rates that are possible.
    false_reveal : float
        η, the highest rate at which certain negatives are revealed.
    hypotheses : HypothesisClass
        The class that is checked, for the message.
    proved : bool
        Whether decisions are proved. Where V is only sampled, a reveal of a certain negative may leave hypotheses, and
        the confidence set judges that; `surprises` counts such reveals.
    seed : int
        The randomness of the lot.
    """

    def __init__(
        self,
        wanted: int,
        delta: float,
        rates: Rates,
        false_reveal: float,
        hypotheses: HypothesisClass,
        proved: bool,
        seed: int,
    ) -> None:
        self.wanted, self.answered, self.surprises = wanted, 0, 0
        self.rates, self.false_reveal = rates, false_reveal
        self.log_needed = math.log(SHARE / delta)
        self._hypotheses, self._proved, self._seed = hypotheses, proved, seed
        self._open: set[int] = set()
        self._cells: Cells | None = None
        self._nulls: list[Rates] = []
        self._inside: list[Answer] = []
        self._outside = [0, 0]

    @property
    def told(self) -> bool:
        """Whether anything is known about the reveal rate, so that false positives alone can contradict it."""
        return not self.rates.is_any

    @property
    def done(self) -> bool:
        """Whether all checks are answered."""
        return self.answered >= self.wanted

    def draw(self, status: NDArray[np.int8], barred: NDArray[np.bool_]) -> int | None:
        """Return a row, each with the same probability among the decided ones that are not barred; None to end."""
        if self.answered + len(self._open) >= self.wanted:
            return None
        rows = np.flatnonzero((status != UNDECIDED) & ~barred)
        if len(rows) == 0:
            return None
        rng = np.random.default_rng([self._seed, SHARE, int(np.count_nonzero(barred))])
        return int(rng.choice(rows))

    def put(self, item: int) -> None:
        """Note that this item is asked as a check."""
        self._open.add(item)

    @property
    def begun(self) -> bool:
        """Whether the cells and the possible rates are fixed."""
        return self._cells is not None

    def begin(self, positives: Points, bounds: Sequence[tuple[float, float]]) -> None:
        """Fix the cells, from the certain positives, and the possible rates of each group; before the first answer."""
        self._cells = Cells(positives)
        self._nulls = [Rates(low, high) for low, high in bounds] if self._proved else []

    def fold(self, item: int, x: Points, status: int, group: int, revealed: bool) -> None:
        """Take in the answer to a check.

        `status` follows from earlier answers. After an `undo` it may be undecided: such an answer says nothing here.
        """
        assert self._cells is not None
        self._open.discard(item)
        self.answered += 1
        if status == POSITIVE:
            self._inside.append(Answer(group, self._cells.of(x), revealed))
        elif status == NEGATIVE:
            self._outside[revealed] += 1
            if revealed and not self.false_reveal:
                self.surprises += 1
                if self._proved:
                    raise self._contradiction(
                        f"item {item} was revealed, although none of the {self._hypotheses.plural} that fit the other "
                        "answers contains it"
                    )
        if status != UNDECIDED and self.log_e >= self.log_needed:
            raise self._contradiction(self._told_by_rates())

    @property
    def share_of_one_cell(self) -> float:
        """The weight of the test with one cell: nothing if any rate is possible."""
        if all(null.is_any for null in [*self._nulls, self.rates]):
            return 0.0
        return (0.5 if self.false_reveal else 1.0) * (0.5 if self._cells else 1.0)

    @property
    def log_e(self) -> float:
        """ln of the evidence against the class: the weighted average of all tests."""
        tests = [(math.log(weight), self._log_rate(k)) for k, weight in self._weights().items()]
        if self.false_reveal:
            silent, revealed = np.array(self._outside, np.float64).reshape(2, 1, 1)
            tests.append((math.log(0.5), log_evidence(revealed, silent, [Rates(0.0, self.false_reveal)])))
        return float(logsumexp([log_weight + log_e for log_weight, log_e in tests])) if tests else 0.0

    def _weights(self) -> dict[int, float]:
        """Return the weight of each grouping; number −1 has one cell."""
        groupings, one = len(self._cells or ()), self.share_of_one_cell
        rest = (0.5 if self.false_reveal else 1.0) - one
        return ({-1: one} if one else {}) | {k: rest / groupings for k in range(groupings)}

    def _log_rate(self, grouping: int) -> float:
        """Return ln e of one grouping."""
        if not self._inside:
            return 0.0
        groups = 1 + max(answer.group for answer in self._inside)
        counts = np.zeros((2, groups, max(PARTS)))
        for answer in self._inside:
            counts[int(answer.revealed), answer.group, answer.cells[grouping] if grouping >= 0 else 0] += 1
        nulls = self._nulls[:groups] + [self.rates] * (groups - len(self._nulls))
        return log_evidence(counts[1], counts[0], nulls)

    def _told_by_rates(self) -> str:
        plural, r = self._hypotheses.plural, sum(answer.revealed for answer in self._inside)
        said = (
            f"of {len(self._inside)} checks inside all {plural} that fit the answers, {r} were revealed, which no "
            "reveal rate explains that is the same for all items and fits the other answers"
        )
        if self.false_reveal:
            said += f"; of {sum(self._outside)} outside all of them, {self._outside[1]} were"
        return said

    def _contradiction(self, why: str) -> AssumptionsViolated:
        return AssumptionsViolated(
            f"The answers contradict the assumption that the truth is one of the {self._hypotheses.plural}: {why}. "
            "Use a richer class, or certify a classifier with activepu.Audit, which assumes nothing about the truth."
        )
