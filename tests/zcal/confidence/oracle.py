"""An oracle for what is possible: each hypothesis of a small pool, its likelihood in exact fractions, by answer."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Self

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from activepu.zcal.rates import Rates

HALF = Fraction(1, 2)
SOME = settings.default.max_examples * 2 // 5
"""Examples of a test that follows many answers each."""


@dataclass(frozen=True)
class Form:
    """What is known of the rate, in fractions."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    per_expert: bool = False

    @property
    def rates(self) -> Rates:
        return Rates(float(self.low), float(self.high), self.per_expert)


KNOWN = [Form(w, w) for w in (HALF, Fraction(1, 5), Fraction(9, 10), Fraction(1))]
UNKNOWN = [Form(), Form(Fraction(1, 5), Fraction(3, 5)), Form(Fraction(1, 3), Fraction(1)), Form(high=HALF)]
PER_EXPERT = [Form(per_expert=True), Form(Fraction(1, 5), Fraction(4, 5), per_expert=True)]


@cache
def best(form: Form, r: int, s: int) -> Fraction:
    """max_ω ω^r (1 − ω)^s."""
    rate = min(max(Fraction(r, max(r + s, 1)), form.low), form.high)
    return Fraction(rate**r * (1 - rate) ** s)


class Oracle:
    """`labels` (members, items): which members stand, and for which rates."""

    def __init__(
        self, labels: NDArray[np.bool_], form: Form, delta: Fraction, wrong: Fraction = Fraction(0), experts: int = 2
    ) -> None:
        self.labels, self.form, self.floor = labels, form, delta
        self.wrong = Form(Fraction(0), wrong)
        self.groups = experts if form.per_expert else 1
        self.inside = np.zeros((2, self.groups, len(labels)), int)
        self.total = np.zeros((2, self.groups), int)
        self.alive = np.ones(len(labels), bool)
        self.history: list[tuple[Any, ...]] = []

    def require(self, items: list[int]) -> None:
        self.alive &= self.labels[:, items].all(axis=1)

    def likelihood(self, h: int, skip: int | None = None) -> Fraction:
        """max over all rates; without the reveal rate of group `skip`."""
        return self._explained(self.inside[:, :, h].tobytes(), skip)

    def _explained(self, counts: bytes, skip: int | None = None) -> Fraction:
        product = Fraction(1)
        inside = np.frombuffer(counts, int).reshape(2, self.groups)
        for g, ((s, r), (silent, revealed)) in enumerate(zip(inside.T.tolist(), self.total.T.tolist(), strict=True)):
            if g != skip:
                product *= best(self.form, r, s)
            product *= best(self.wrong, revealed - r, silent - s)
        return product

    def counting(self, item: int, revealed: bool, expert: int) -> Self:
        """With one more answer counted, and no more."""
        now = copy.copy(self)
        group = expert if self.form.per_expert else 0
        now.inside, now.total = self.inside.copy(), self.total.copy()
        now.inside[int(revealed), group] += self.labels[:, item]
        now.total[int(revealed), group] += 1
        return now

    def after(self, item: int, revealed: bool, q: Fraction, expert: int) -> Oracle:
        """With one more answer."""
        now = self.counting(item, revealed, expert)
        now.floor = self.floor * (q if revealed else 1 - q)
        kinds, kind = np.unique(now.inside.reshape(-1, len(self.labels)), axis=1, return_inverse=True)
        columns = [np.ascontiguousarray(column).tobytes() for column in kinds.T]
        now.alive = self.alive & np.array([now._explained(column) >= now.floor for column in columns])[kind.ravel()]
        stood = [columns[k] for k in np.unique(kind.ravel()[now.alive])]
        evidence = [
            {(*np.frombuffer(c, int).reshape(2, -1)[:, g].tolist(), float(now._explained(c, g))) for c in stood}
            for g in range(self.groups)
        ]
        now.history = [*self.history, (float(now.floor), evidence)]
        return now

    @property
    def status(self) -> NDArray[np.int8]:
        members = self.labels[self.alive]
        return np.where(members.all(axis=0), 1, np.where(members.any(axis=0), -1, 0)).astype(np.int8)

    def allows_rate(self, rate: float, group: int) -> bool:
        """Whether at every time the members that stood had this rate, or one below and one above, each at its best."""

        def reached(floor: float, evidence: set[tuple[int, int, float]], sign: int) -> bool:
            for s, r, rest in evidence:
                peak = min(max(r / max(r + s, 1), float(self.form.low)), float(self.form.high))
                if sign * peak >= sign * rate or rate**r * (1 - rate) ** s * rest >= floor:
                    return True
            return False

        return all(reached(floor, seen[group], sign) for floor, seen in self.history for sign in (-1, 1))


def answers(n: int, experts: int = 1) -> st.SearchStrategy[list[tuple[int, bool, Fraction, int]]]:
    """Items may be asked again. Many predictions come true, so that much falls, and many are the rate itself: ties."""
    good = st.one_of(
        st.tuples(st.just(True), st.sampled_from([Fraction(4, 5), Fraction(99, 100)])),
        st.tuples(st.just(False), st.sampled_from([Fraction(1, 10), Fraction(1, 100)])),
    )
    fair = st.tuples(st.booleans(), st.sampled_from([HALF, HALF, Fraction(1, 5), Fraction(99, 100)]))
    one = st.tuples(st.integers(0, n - 1), st.one_of(good, good, fair), st.integers(0, experts - 1))
    return st.lists(one.map(lambda a: (a[0], *a[1], a[2])), min_size=1, max_size=14)


deltas = st.sampled_from([Fraction(1, 20), Fraction(1, 4), HALF, Fraction(9, 10)])
