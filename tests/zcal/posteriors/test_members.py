"""The posterior of any class: exact where the members are listed, and honest about a sample that misses the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zcal.posteriors.brute import RATES, fold, predictions, questions

import activepu as apu
from activepu.zcal.posteriors.members import DOUBT, MemberPosterior
from activepu.zcal.rates import Rates


class Rule(apu.Hypothesis):
    """A row of labels, on items that are their own numbers."""

    def __init__(self, hypotheses, row):
        self.hypotheses, self.row = hypotheses, row

    def contains(self, points):
        return self.row[points[:, 0].astype(int)]

    def to_dict(self):
        return {"row": self.row.tolist()}


class Rules(apu.HypothesisClass):
    """Rules that are listed, or drawn from a list."""

    name = "rules"
    vc_dimension = 2

    def __init__(self, labels, listed=True):
        super().__init__(1)
        self.rules, self.listed = [Rule(self, row) for row in np.unique(labels, axis=0)], listed

    def members(self):
        return self.rules if self.listed else None

    def sample(self, points, containing, n, rng):
        if self.listed:
            return super().sample(points, containing, n, rng)
        fit = [rule for rule in self.rules if rule.contains(containing).all()]
        return [fit[k] for k in rng.integers(len(fit), size=n)] if fit else []

    def log_growth(self, n):
        return n * np.log(2)

    def hypothesis_from_dict(self, data):
        return Rule(self, np.array(data["row"]))


@st.composite
def cases(draw):
    n = draw(st.integers(1, 5))
    labels = np.random.default_rng(draw(st.integers(0, 10**6))).random((draw(st.integers(1, 20)), n)) < 0.6
    return labels, draw(questions(n))


@given(cases(), RATES, st.integers(0, 3))
def test_the_members_are_weighed_as_the_sum_over_all_of_them(case, rates, expert):
    labels, answers = case
    points, H = np.arange(labels.shape[1], dtype=float)[:, None], Rules(labels)
    labels = np.array([rule.row for rule in H.rules])
    held = [item for item, revealed, _ in answers if revealed]
    if not labels[:, held].all(axis=1).any():
        return
    made = fold(MemberPosterior(H, rates, points, points[:0], 0), points, answers)
    means, _ = made._means(points, expert)
    for got, want in zip(means, predictions(labels, np.ones(len(labels)), answers, rates, expert), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-4)


@given(cases(), RATES)
def test_supposing_silence_is_folding_it_and_changes_nothing(case, rates):
    labels, answers = case
    points, H = np.arange(labels.shape[1], dtype=float)[:, None], Rules(np.vstack([labels, labels | True]))
    made = fold(MemberPosterior(H, rates, points, points[:0], 0), points, answers)
    before = made.predict(points)
    supposed = made.supposing_silence(points[:1], [1])._means(points, 0)[0]
    assert np.array_equal(made.predict(points).q, before.q)
    made.fold(points[:1], False, 1)
    np.testing.assert_allclose(made._means(points, 0)[0], supposed, atol=1e-9)


@pytest.mark.parametrize("listed", [True, False])
def test_predictions_stay_between_0_and_1_when_no_member_fits(listed):
    labels = np.eye(4, dtype=bool)
    points, H = np.arange(4.0)[:, None], Rules(labels, listed)
    made = MemberPosterior(H, Rates.parse(0.5), points, points[:0], 0)
    for item in range(4):
        made.fold(points[[item]], True)
        q = made.predict(points).q
        assert np.all((q > 0) & (q < 1))


def test_trust_in_members_that_are_wrong_is_lost_and_found_again():
    labels = np.array([[True, False], [False, False]])
    points, H = np.arange(2.0)[:, None], Rules(labels, listed=False)
    made = MemberPosterior(H, Rates.parse(0.5), points, points[:0], 0)
    for _ in range(12):  # no member holds item 1, which is revealed again and again
        made._learn_trust(points[[1]], True, 0)
    assert made._trust == pytest.approx(DOUBT)
    for _ in range(40):
        made._learn_trust(points[[1]], False, 0)
    assert made._trust == pytest.approx(1 - DOUBT)
