"""What stands in a finite class, against the likelihood of every member in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from likelihood.following import follow
from likelihood.oracle import HALF, KNOWN, PER_EXPERT, SOME, UNKNOWN, Oracle, answers, deltas

from activepu.hypotheses import FiniteClass
from activepu.likelihood import standing
from activepu.likelihood.finite import FiniteStanding
from activepu.version_spaces import version_space

WRONG = [Fraction(0), Fraction(1, 20), Fraction(1, 5), HALF, Fraction(1)]


def finite(table):
    """A class whose member k labels item i by table[k][i]; ∅ is added."""
    rows = np.asarray(table, bool)
    return FiniteClass([lambda X, row=row: row[X[:, 0].astype(int)] for row in rows]).bind(1)


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
    oracle = Oracle(labels, form, delta, wrong)
    known = data.draw(st.lists(st.integers(0, len(points) - 1), max_size=1))
    oracle.require(known)
    if not oracle.alive.any():
        return
    V = version_space(H).require(points[known])
    stand = standing(V, points, form.rates, float(delta), float(wrong))
    assert isinstance(stand, FiniteStanding)

    def check(oracle):
        alive, log = oracle.alive, stand.log_likelihoods
        assert np.all(log[~alive] == -np.inf)
        np.testing.assert_allclose(
            log[alive], [np.log(float(oracle.likelihood(h))) for h in np.flatnonzero(alive)], atol=1e-12
        )
        inside = [stand.rates.log_likelihood(r, s) for s, r in zip(*oracle.inside, strict=True)]
        np.testing.assert_allclose((np.sum(inside, axis=0) + stand.outside)[alive], log[alive], atol=1e-12)
        np.testing.assert_array_equal(stand.silent, oracle.inside[0, : len(stand.silent)])

    members = [H.member(index) for index in range(H.size)]
    follow(stand, oracle, points, data.draw(answers(len(points), experts=2)), members, check)
