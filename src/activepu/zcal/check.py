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
lower the rate of the lot. Cells by a column, and by the distance to the nearest reveal, test that the rate is the same
everywhere. The same ratio with Ω = [0, η] tests certain negatives. With a rate per expert both parts are products
over the experts. Several such ratios are averaged, with fixed weights.

**Why it is right.** An item that is asked for the first time has a coin that no earlier answer depends on. Whether it
is certain, and its cell, follow from answers to earlier questions. So under ℓ and the true ω each factor of
Π_c B(r_c, s_c) / ω^r (1 − ω)^s, given the past, has mean 1: it is a martingale that starts at 1, and e never exceeds
it while ω ∈ Ω. Nor does an average of such ratios. By Ville's inequality P(e ≥ 5/δ at any time, ω ∈ Ω) ≤ δ/5, however
the items were chosen and whenever one looks. With probability ≥ 1 − 4δ/5 ℓ stays in V and ω in its bounds. So an alarm
on a true class, for any reason, has probability ≤ δ.

**The lot.** Which items may be drawn is fixed before the first check: those that are decided then, were not asked and
are not known beforehand, one of each set of items that look the same to the expert. (`violations` says what a lot among
these shows.) Certain positives and certain negatives are drawn in turn, so that neither kind is forgotten where it is
rare. If nothing is known about the rate, false positives show only as a contrast. Then of a few certain positives drawn
by lot the one nearest to a reveal is asked, next time the farthest.

An alarm raises `AssumptionsViolated`. A mark on the certificate would be weaker: programs read `error_bound`, and it
would be the bound of a refuted claim. A reveal of a certain negative leaves no hypothesis, and that raises already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, logsumexp

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import HypothesisClass, Points
from activepu.hypotheses.finite import unpack
from activepu.theory import binomial
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED
from activepu.zcal.rates import Floats, Rates

KNOWN, UNKNOWN = 40, 100
"""How many items are checked by default, if the rate is known and if not (docs/zcal.md)."""
TRIED = 8
"""Of so many certain positives the nearest to a reveal, or the farthest, is asked if the rate is unknown."""
SHARE = 5
"""One part in this many of δ pays for the alarm."""
PARTS = (2, 4)
"""The number of cells in the groupings by a column: halves and quarters."""
SAMPLE = 512
"""Certain positives whose quantiles make the cells."""
RULES = 16
"""The most rules of a finite class that make groupings."""
ANY = Rates()


def default(rates: Rates) -> int:
    """Return how many items are checked unless the user says otherwise."""
    return KNOWN if rates.known else UNKNOWN


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

    The last column is the distance to the nearest of the `reveals`, as the sum over the columns of the share of the
    points in between. It has half of the weight. The columns of a finite class are its rules: those that divide the
    points most evenly.
    """

    def __init__(self, points: Points, reveals: Points) -> None:
        points, reveals = _some(points), _some(reveals)
        self._columns: NDArray[np.intp] | slice = slice(None)
        self._packed = points.dtype == np.uint64
        if self._packed and len(points):
            uneven = np.abs(unpack(points).mean(axis=0) - 0.5)
            self._columns = np.argsort(uneven, kind="stable")[:RULES]
        self._sorted = np.sort(self._plain(points), axis=0)
        self._reveals = self._ranks(self._plain(reveals)) if len(points) else np.empty((0, 0))
        columns = self._all(points) if len(points) else np.empty((0, 0))
        made = [
            (axis, np.quantile(column, np.arange(1, parts) / parts))
            for axis, column in enumerate(columns.T)
            for parts in PARTS
        ]
        self._borders = [(axis, at) for axis, at in made if len(np.unique(np.searchsorted(at, columns[:, axis]))) > 1]
        last = np.array([axis == self._sorted.shape[1] for axis, _ in self._borders], bool)
        self.weights: Floats = np.where(last, 1 / max(1, last.sum()), 1 / max(1, (~last).sum()))
        self.weights /= max(1.0, self.weights.sum())

    def __len__(self) -> int:
        return len(self._borders)

    def of(self, x: Points) -> list[int]:
        """Return the cell of one point in each grouping."""
        values = self._all(x)[0] if self._borders else np.empty(0)
        return [int(np.searchsorted(borders, values[axis])) for axis, borders in self._borders]

    def distances(self, points: Points) -> Floats:
        """Return the distance of each point to the nearest reveal; 0 if there is none."""
        if not len(self._reveals):
            return np.zeros(len(points))
        ranks = self._ranks(self._plain(points))
        return np.asarray(np.abs(ranks[:, None] - self._reveals).sum(axis=-1).min(axis=1))

    def _all(self, points: Points) -> Floats:
        return np.column_stack([self._plain(points), self.distances(points)])

    def _ranks(self, plain: Floats) -> Floats:
        return np.column_stack(
            [np.searchsorted(column, x) / len(column) for column, x in zip(self._sorted.T, plain.T, strict=True)]
        )

    def _plain(self, points: Points) -> Floats:
        plain = unpack(points) if self._packed else points
        return np.asarray(plain[:, self._columns], np.float64)


def _some(points: Points) -> Points:
    """Return at most `SAMPLE` of the points, evenly spread."""
    return points[:: -(-len(points) // SAMPLE)] if len(points) else points


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
        self.timed_out = 0
        """How many checks were not answered in time."""
        self.rates, self.false_reveal = rates, false_reveal
        self.log_needed = math.log(SHARE / delta)
        self._hypotheses, self._proved, self._seed = hypotheses, proved, seed
        self.lot: dict[int, NDArray[np.intp]] = {}
        """The rows that may be drawn: the certain positives, and the certain negatives."""
        self._open: set[int] = set()
        self._cells: Cells | None = None
        self._nulls: list[Rates] = []
        self._inside: list[Answer] = []
        self._outside = [0, 0]
        self._experts: set[int] = set()

    @property
    def told(self) -> bool:
        """Whether anything is known about the reveal rate, so that false positives alone can contradict it."""
        return not self.rates.is_any

    @property
    def done(self) -> bool:
        """Whether all checks are answered."""
        return self.answered >= self.wanted

    @property
    def fixed(self) -> bool:
        """Whether the items among which checks are drawn are fixed."""
        return bool(self.lot)

    def fix(self, positives: NDArray[np.intp], negatives: NDArray[np.intp]) -> None:
        """Fix the rows that may be drawn, before the first check is drawn."""
        self.lot = {POSITIVE: positives, NEGATIVE: negatives}

    @property
    def planned(self) -> tuple[int, int]:
        """How many certain positives and certain negatives are checked if all checks are answered."""
        positives, negatives = len(self.lot[POSITIVE]), len(self.lot[NEGATIVE])
        inside = min(positives, max(-(-self.wanted // 2), self.wanted - negatives))
        return inside, min(negatives, self.wanted - inside)

    def draw(self, points: Points, barred: NDArray[np.bool_]) -> int | None:
        """Return a row of the lot that is not barred, a certain positive and a negative in turn; None to end."""
        number = self.answered + len(self._open)
        if number >= self.wanted:
            return None
        turns = (POSITIVE, NEGATIVE) if number % 2 == 0 else (NEGATIVE, POSITIVE)
        for kind in turns:
            rows = self.lot[kind][~barred[self.lot[kind]]]
            if len(rows):
                rng = np.random.default_rng([self._seed, SHARE, int(np.count_nonzero(barred))])
                return self._one_of(rows, points, kind, number, rng)
        return None

    def _one_of(self, rows: NDArray[np.intp], points: Points, kind: int, number: int, rng: np.random.Generator) -> int:
        if kind == NEGATIVE or self.told or self._cells is None or not len(self._cells):
            return int(rng.choice(rows))
        some = rng.choice(rows, min(TRIED, len(rows)), replace=False)
        far = self._cells.distances(points[some])
        return int(some[np.argmin(far) if number % 4 < 2 else np.argmax(far)])

    def put(self, item: int) -> None:
        """Note that this item is asked as a check."""
        self._open.add(item)

    def withdraw(self, item: int) -> None:
        """Note that this item was not answered in time, so that another one is asked in its place."""
        self.timed_out += item in self._open
        self._open.discard(item)

    @property
    def begun(self) -> bool:
        """Whether the cells and the possible rates are fixed."""
        return self._cells is not None

    def begin(self, positives: Points, reveals: Points, bounds: Sequence[tuple[float, float]]) -> None:
        """Fix the cells, from certain positives and reveals, and the possible rates; before the first answer."""
        self._cells = Cells(positives, reveals)
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
            self._experts.add(group)
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
    def inside(self) -> tuple[int, int]:
        """The number of certain positives that were checked, and how many of them were revealed."""
        return len(self._inside), sum(answer.revealed for answer in self._inside)

    @property
    def outside(self) -> int:
        """The number of certain negatives that were checked."""
        return sum(self._outside)

    @property
    def chance_of_silence(self) -> float:
        """The chance of so few reveals among the checks of certain positives, at the lowest rates that are possible.

        On a true class with ω in its bounds P(chance ≤ p) ≤ p, after a number of checks that was fixed beforehand. Of
        several experts it is the smallest chance, times their number.
        """
        counts: dict[int, list[bool]] = {}
        for answer in self._inside:
            counts.setdefault(answer.group, []).append(answer.revealed)
        chances = [float(bdtr(sum(told), len(told), self._null(group).low)) for group, told in counts.items()]
        return min([1.0, *(len(chances) * chance for chance in chances)])

    def _null(self, group: int) -> Rates:
        """Return the rates that are possible for an expert."""
        return self._nulls[group] if group < len(self._nulls) else self.rates

    def lowest_rate(self, alpha: float) -> float:
        """Return a lower bound on ω, of several experts who checked certain negatives on the lowest, at level α.

        It rests neither on the class nor on the search. An item that is no positive is revealed at a rate of η at most,
        a positive at ω. So of n checks of certain positives, whatever they are, stochastically no more are revealed
        than of n coins of the rate max(ω, η), and Clopper and Pearson's bound holds for that. What was
        told counts if it is higher. Of several experts each has a share of α; who answers must not depend on answers.
        """
        if self.rates.known:
            return self.rates.low
        lowest = 1.0
        for group in self._experts or {0}:
            answers = [answer.revealed for answer in self._inside if answer.group == group]
            found = binomial.lower(sum(answers), len(answers), alpha / max(1, len(self._experts)))
            lowest = min(lowest, max(self.rates.low, found if found > self.false_reveal else 0.0))
        return lowest

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
        one = self.share_of_one_cell
        rest = (0.5 if self.false_reveal else 1.0) - one
        weights = self._cells.weights if self._cells else ()
        return ({-1: one} if one else {}) | {k: rest * float(weight) for k, weight in enumerate(weights)}

    def _log_rate(self, grouping: int) -> float:
        """Return ln e of one grouping."""
        if not self._inside:
            return 0.0
        groups = 1 + max(answer.group for answer in self._inside)
        counts = np.zeros((2, groups, max(PARTS)))
        for answer in self._inside:
            counts[int(answer.revealed), answer.group, answer.cells[grouping] if grouping >= 0 else 0] += 1
        return log_evidence(counts[1], counts[0], [self._null(group) for group in range(groups)])

    def _told_by_rates(self) -> str:
        plural, (n, r) = self._hypotheses.plural, self.inside
        said = (
            f"of {n} checks inside all {plural} that fit the answers, {r} were revealed, which no "
            "reveal rate explains that is the same for all items and fits the other answers"
        )
        if self.false_reveal:
            said += f"; of {self.outside} outside all of them, {self._outside[1]} were"
        return said

    def _contradiction(self, why: str) -> AssumptionsViolated:
        return AssumptionsViolated(
            f"The answers contradict the assumption that the truth is one of the {self._hypotheses.plural}: {why}. "
            "Use a richer class, or certify a classifier with activepu.Audit, which assumes nothing about the truth."
        )
