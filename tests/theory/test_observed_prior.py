from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

from activepu.hypotheses import Boxes, FiniteClass, Halfspaces, Thresholds
from activepu.theory import PriorLooks, passive_positives, prior_bound, relative_deviation, up

DELTA = 0.02
CLASSES = [Thresholds(), Boxes(3), Halfspaces(2), FiniteClass([lambda X: X[:, 0] > 0] * 30)]


def test_with_the_mass_of_the_closure_the_bound_fails_with_exactly_delta():
    """The closure of K positives of a threshold misses a share M ~ Beta(1, K): the bound is π(1 − M)/(1 − a_K)."""
    prior, K = 0.3, 25
    missed = np.linspace(0, 0.5, 2001)
    false = np.array([prior_bound(Thresholds(), K, prior * (1 - m), 0.05) < prior for m in missed])
    assert beta.sf(missed[false][0], 1, K) == pytest.approx(0.05, rel=0.01)
    assert beta.sf(missed[~false][-1], 1, K) == pytest.approx(0.05, rel=0.01)


@pytest.mark.parametrize("prior", [0.05, 0.3, 0.8])
def test_all_looks_together_fail_with_at_most_delta(prior):
    """The chances of all looks, each an exact double sum over what the closure misses and what T shows, added up."""
    H, epsilon, rows = Thresholds(), 0.1, 400
    looks = PriorLooks(H, passive_positives(H, epsilon, 0, 0.1), epsilon, DELTA)
    levels = (np.arange(2000) + 0.5) / 2000
    total = 0.0
    for K in looks.at:
        missed = beta.ppf(levels, 1, K)  # of equal chance
        false = np.array([looks.bound(K, inside, rows) < prior for inside in range(rows + 1)])
        most = int(np.flatnonzero(false)[-1]) if false.any() else -1
        total += binom.cdf(most, rows, prior * (1 - missed)).mean()
    assert total <= DELTA


@pytest.mark.parametrize("H", CLASSES, ids=repr)
def test_looks_are_fixed_beforehand_and_before_the_positives_that_suffice_for_any_prior(H):
    looks = PriorLooks(H, 500, 0.02, DELTA)
    assert looks.at == sorted(set(looks.at))
    assert 1 <= looks.at[0] < looks.at[-1] < 500
    assert all(later <= 1.5 * look + 1 for look, later in zip(looks.at, looks.at[1:], strict=False))
    assert [looks.after(K) for K in (0, looks.at[0], 500)] == [looks.at[0], looks.at[1], float("inf")]
    for K in looks.at:
        assert looks.bound(K, 5000, 5000) == 1.0
        assert looks.bound(K, 50, 5000) <= looks.bound(K, 500, 5000)
    assert looks.bound(looks.at[-1], 0, 0 if H.intersection_closed else 5000) <= 1.0


def test_general_classes_measure_on_the_sample_that_the_rule_depends_on():
    H = Halfspaces(2)
    looks = PriorLooks(H, 500, 0.02, DELTA)
    mass = up(0.1, relative_deviation(H, 20_000, DELTA / 2))
    share = DELTA / 2 / 10  # ln 50 / ln 1.5 = 9.6 looks
    assert looks.bound(222, 2000, 20_000) == prior_bound(H, 222, mass, share)
    assert looks.rows == 0
