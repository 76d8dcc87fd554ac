import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zcal.making import posterior
from zcal.posteriors.brute import RATES, close, fold, predictions, questions

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import FiniteClass
from activepu.zcal.rates import Rates


def lists(labels):
    """The class whose member m is row m of `labels`, on items that are their own numbers; ∅ comes last."""
    rules = [lambda X, row=row: row[X[:, 0].astype(int)] for row in labels]
    H = FiniteClass(rules).bind(1)
    return H, H.encode(np.arange(labels.shape[1], dtype=float)[:, None])


@st.composite
def cases(draw):
    n = draw(st.integers(1, 5))
    seed = draw(st.integers(0, 10**6))
    labels = np.random.default_rng(seed).random((draw(st.sampled_from([1, 5, 64, 70])), n)) < 0.6
    return labels, draw(questions(n))


@given(cases(), RATES, st.integers(0, 3), st.sampled_from([0.0, 0.05, 0.3]), st.integers(0, 1))
def test_equals_the_sum_over_all_members(case, rates, expert, eta, known):
    labels, answers = case
    H, points = lists(labels)
    labels = np.vstack([labels, np.zeros(labels.shape[1], bool)])
    required = list(range(known)) + [item for item, revealed, _ in answers if revealed and eta == 0]
    prior = labels[:, list(range(known))].all(axis=1)
    if not labels[:, required].all(axis=1).any():
        with pytest.raises(AssumptionsViolated, match="richer"):
            fold(posterior(H, rates, points, points[:known], 0, eta), points, answers)
        return
    made = fold(posterior(H, rates, points, points[:known], 0, eta), points, answers)
    close(made.predict(points, expert), predictions(labels, prior, answers, rates, expert, eta))


@given(cases(), RATES, st.sampled_from([0.0, 0.1]))
def test_supposing_silence_is_folding_it_and_leaves_the_original(case, rates, eta):
    labels, answers = case
    H, points = lists(labels)
    stars = [(item, False, expert) for item, _, expert in answers]
    made = posterior(H, rates, points, points[:0], 0, eta)
    before = made.predict(points, 2)
    supposed = made.supposing_silence(points[[s[0] for s in stars]], [s[2] for s in stars]).predict(points, 2)
    after = made.predict(points, 2)
    close(after, (before.p, before.q, before.noise), 0)
    folded = fold(made, points, stars).predict(points, 2)
    close(folded, (supposed.p, supposed.q, supposed.noise), 1e-12)


def test_blocks_of_points_give_the_same(monkeypatch):
    labels = np.random.default_rng(0).random((100, 40)) < 0.5
    H, points = lists(labels)
    made = fold(posterior(H, Rates(), points, points[:0], 0), points, [(3, False, 0), (4, True, 0)])
    whole = made.predict(points)
    monkeypatch.setattr("activepu.zcal.posteriors.finite.BLOCK_BITS", 300)
    close(made.predict(points), (whole.p, whole.q, whole.noise), 1e-6)
