"""What stands in a finite class, against the likelihood and the bets of every member in fractions."""

from __future__ import annotations

import copy
import math
from contextlib import suppress
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zcal.confidence.following import follow
from zcal.confidence.oracle import HALF, KNOWN, PER_EXPERT, SOME, UNKNOWN, Form, Oracle, answers, deltas
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import FiniteClass
from activepu.hypotheses.finite import unpack
from activepu.version_spaces import version_space
from activepu.zcal.confidence.finite import FiniteSet
from activepu.zcal.rates import NODES
from activepu.zcal.rivals.likely import Answers, MemberRivals
from activepu.zcal.tuning import TUNING

WRONG = [Fraction(0), Fraction(1, 20), Fraction(1, 5), HALF, Fraction(1)]


def log_likelihoods(stand: FiniteSet) -> np.ndarray:
    """ln L of every member, ∅ the last; −∞ for those that are excluded."""
    return np.where(stand._alive, stand._parts.total(), -np.inf)


def finite(table):
    """A class whose member k labels item i by table[k][i]; ∅ is added."""
    rows = np.asarray(table, bool)
    return FiniteClass([lambda X, row=row: row[X[:, 0].astype(int)] for row in rows]).bind(1)


def mean(form: Form, r: int, s: int) -> Fraction:
    """Of ω^r (1 − ω)^s: by factorials where ω is anything, else over the nodes."""
    if (form.low, form.high) == (0, 1):
        tops = math.factorial(2 * r) * math.factorial(2 * s)
        return Fraction(tops, 4 ** (r + s) * math.factorial(r) * math.factorial(s) * math.factorial(r + s))
    if form.low == form.high:
        return form.low**r * (1 - form.low) ** s
    low, high = math.asin(math.sqrt(form.low)), math.asin(math.sqrt(form.high))
    rates = [math.sin(low + (high - low) * (k + 0.5) / NODES) ** 2 for k in range(NODES)]
    return Fraction(math.fsum(rate**r * (1 - rate) ** s for rate in rates) / NODES)


class Betting(Oracle):
    """Every member has a floor of its own: δ times the sum over the moments at which a bet begins, term by term."""

    def __init__(self, *args):
        super().__init__(*args)
        self.delta, self.foreseen, self.own = self.floor, [], [[Fraction(1)] * len(self.labels)]

    def numerator(self, h):
        t, first, pace = len(self.foreseen), Fraction(TUNING.member_share), Fraction(TUNING.member_restart)
        begins = [first, *((1 - first) * pace * (1 - pace) ** (s - 1) for s in range(1, t + 1))]
        bets = sum(w * self.own[s][h] * math.prod(self.foreseen[s:]) for s, w in enumerate(begins))
        return bets + (1 - sum(begins)) * self.own[t][h]

    def mean(self, h):
        pairs = zip(self.inside[:, :, h].T.tolist(), self.total.T.tolist(), strict=True)
        return math.prod(
            mean(self.form, r, s) * mean(self.wrong, revealed - r, silent - s) for (s, r), (silent, revealed) in pairs
        )

    def after(self, item, revealed, q, expert):
        now, members = self.counting(item, revealed, expert), range(len(self.labels))
        now.foreseen = [*self.foreseen, q if revealed else 1 - q]
        now.own = [*self.own, [now.mean(h) for h in members]]
        floors = [self.delta * now.numerator(h) for h in members]
        now.alive = self.alive & np.array([now.likelihood(h) >= floors[h] for h in members])
        stood = np.flatnonzero(now.alive).tolist()
        now.floor = max((floors[h] for h in stood), default=None)
        evidence = [
            {(*now.inside[:, g, h].tolist(), float(now.likelihood(h, g) / floors[h])) for h in stood}
            for g in range(self.groups)
        ]
        now.history = [*self.history, (1.0, evidence)]
        return now


@st.composite
def worlds(draw):
    n, members = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    table = draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=members, max_size=members))
    H = finite(table)
    points = H.encode(np.arange(n)[:, None])
    return H, points, np.vstack([np.array(table, bool), np.zeros((1, n), bool)])


@pytest.mark.parametrize("forms", [KNOWN, UNKNOWN, PER_EXPERT], ids=["known", "unknown", "per expert"])
@settings(max_examples=SOME)
@given(data=st.data())
def test_it_is_what_all_members_say(forms, data):
    H, points, labels = data.draw(worlds())
    form, delta, wrong = data.draw(st.sampled_from(forms)), data.draw(deltas), data.draw(st.sampled_from(WRONG))
    oracle = Betting(labels, form, delta, wrong)
    known = data.draw(st.lists(st.integers(0, len(points) - 1), max_size=1))
    oracle.require(known)
    if not oracle.alive.any():
        return
    V = version_space(H).require(points[known])
    stand = confidence_set(V, points, form.rates, float(delta), float(wrong))
    assert isinstance(stand, FiniteSet)

    def check(oracle):
        alive, log = oracle.alive, log_likelihoods(stand)
        assert np.all(log[~alive] == -np.inf)
        np.testing.assert_allclose(
            log[alive], [np.log(float(oracle.likelihood(h))) for h in np.flatnonzero(alive)], atol=1e-12
        )
        inside = [stand.rates.log_likelihood(r, s) for s, r in zip(*oracle.inside, strict=True)]
        np.testing.assert_allclose((np.sum(inside, axis=0) + stand.outside)[alive], log[alive], atol=1e-12)
        np.testing.assert_array_equal(stand.silent, oracle.inside[0, : len(stand.silent)])

    members = [H.member(index) for index in range(H.size)]
    follow(stand, oracle, points, data.draw(answers(len(points), experts=2)), members, check)


@settings(max_examples=SOME)
@given(data=st.data())
def test_what_is_supposed_and_what_rivals_expect_is_what_folding_makes_of_it(data):
    """The floors after some silences, and what is missing against each member after one more answer of either kind."""
    H, points, labels = data.draw(worlds())
    form = data.draw(st.sampled_from([*KNOWN[:2], UNKNOWN[0], PER_EXPERT[0]]))
    wrong = data.draw(st.sampled_from([0.0, 0.1]))
    now = confidence_set(version_space(H), points, form.rates, 0.05, wrong)
    for item, revealed, q, expert in data.draw(answers(len(points), experts=2)):
        with suppress(AssumptionsViolated):
            now.fold(points[[item]], revealed, float(q), expert)
    open_still = data.draw(st.lists(st.tuples(st.integers(0, len(points) - 1), st.integers(0, 2)), max_size=2))
    then = copy.deepcopy(now)
    try:
        for item, expert in open_still:
            then.fold(points[[item]], False, 0.3, expert)
    except AssumptionsViolated:
        return
    items, experts = [item for item, _ in open_still], [e if form.per_expert else 0 for _, e in open_still]
    supposed = now.supposing(points[items], np.array(experts, np.intp), np.full(len(items), np.log(0.7)))
    np.testing.assert_allclose(supposed.log_floor, then.floors.log_floor, rtol=1e-12)

    live = np.flatnonzero(log_likelihoods(then) > -np.inf)
    told = Answers(then.rates, list(then.found[:, live]), then.stars, then.star_groups, then.floors.of(live))
    contains = lambda some: unpack(some).T[live].astype(bool)  # noqa: E731
    scene: Any = SimpleNamespace(candidates=SimpleNamespace(reference=points), probability=labels[0].astype(float))
    rivals = MemberRivals(contains, told, then.outside[live], scene, 0.1, 1.0, wrong)
    np.testing.assert_allclose(rivals.missing, (log_likelihoods(then) - then.floors.log_floor)[live], atol=1e-9)
    q = np.full(len(points), 0.3)
    expected = {False: rivals.silent(points, q, 0), True: rivals.revealed(points, q, 0)[0]}
    for revealed, missing in expected.items():
        for item in range(len(points)):
            after = copy.deepcopy(then)
            with suppress(AssumptionsViolated):
                after.fold(points[[item]], revealed, 0.3)
                stands = log_likelihoods(after)[live] > -np.inf
                got = (log_likelihoods(after) - after.floors.log_floor)[live]
                if wrong == 0.0:  # else what lies outside is reckoned with at the rate η, not at its best
                    np.testing.assert_allclose(missing[stands, item], got[stands], atol=1e-9)
                    assert (missing[~stands, item] < 1e-9).all()
