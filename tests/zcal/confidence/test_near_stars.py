"""Which limits of a rate per expert are kept, against every hypothesis of a small pool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from version_spaces.brute import problems
from zcal.confidence.following import follow
from zcal.confidence.oracle import PER_EXPERT, SOME, Oracle, answers, deltas
from zcal.making import confidence_set

from activepu.hypotheses import Boxes, Thresholds
from activepu.version_spaces import version_space
from activepu.zcal.confidence import rate_per_expert
from activepu.zcal.rates import Rates

OWN = Rates(per_expert=True)


@pytest.fixture(scope="module")
def choosy():
    """Every limit must be worth keeping, the first as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_per_expert, "TUNING", replace(rate_per_expert.TUNING, first_limits=0))
        yield


@pytest.mark.usefixtures("choosy")
@settings(max_examples=SOME)
@given(data=st.data())
def test_what_is_left_out_only_ever_keeps_more_and_no_star_that_the_newest_answer_excludes(data):
    hypotheses, brute, signs = data.draw(problems())
    points = hypotheses.encode(brute.points)
    form, delta = data.draw(st.sampled_from(PER_EXPERT)), data.draw(deltas)
    oracle = Oracle(brute.labels, form, delta)
    stand = confidence_set(version_space(hypotheses), points, form.rates, float(delta))
    members = brute.closures(hypotheses, signs)
    allowed = np.ones(len(members), bool)
    for item, revealed, q, expert in data.draw(answers(len(points), experts=2)):
        oracle = oracle.after(item, revealed, q, expert)
        if not oracle.alive.any():
            break
        stand.fold(points[[item]], revealed, float(q), expert)
        V = stand.version_space
        before, allowed = allowed, np.array([V.allows(h) for h in members])
        assert not np.any(oracle.alive & ~allowed)
        assert not np.any(allowed & ~before)
        verdicts = np.where(V.certain(points), 1, np.where(V.possible(points), -1, 0))
        np.testing.assert_array_equal(stand.status, verdicts)
        near = np.flatnonzero(V.possible(stand.stars) & ~V.certain(stand.stars))
        np.testing.assert_array_equal(stand._near.rows, near)
        for z in stand.stars[near]:
            inside = V.closure.grow(z[None]).contains(stand.stars)
            silent = np.bincount(stand.star_groups[inside], minlength=len(stand.revealed))
            assert form.rates.log_likelihood(stand.revealed, silent).sum() >= stand._floor - 1e-9


@pytest.mark.usefixtures("choosy")
@settings(max_examples=SOME)
@given(data=st.data())
def test_on_a_single_side_nothing_is_lost(data):
    hypotheses, brute, signs = data.draw(problems())
    assume(isinstance(hypotheses, type(Thresholds().bind(1))))
    points = hypotheses.encode(brute.points)
    form, delta = data.draw(st.sampled_from(PER_EXPERT)), data.draw(deltas)
    stand = confidence_set(version_space(hypotheses), points, form.rates, float(delta))
    told = data.draw(answers(len(points), experts=2))
    follow(stand, Oracle(brute.labels, form, delta), points, told, brute.closures(hypotheses, signs))


def run_of(stand, points, n, seed):
    """n answers of three experts that were foreseen well, most of them near the truth's border."""
    rng = np.random.default_rng(seed)
    for t in range(n):
        x = rng.uniform(0.1, 0.9, 2) if t % 4 else rng.uniform(0.35, 0.65, 2)
        inside = bool(np.all(np.abs(x - 0.5) <= 0.25))
        stand.fold(x[None], inside and rng.random() < 0.6, 0.6 if inside else 0.01, t % 3)
    return stand


@pytest.mark.parametrize("seed", range(3))
def test_after_hundreds_of_answers_few_limits_are_kept_and_they_decide_nearly_all(seed, monkeypatch):
    points = np.random.default_rng(100 + seed).random((3000, 2))
    some = run_of(confidence_set(version_space(Boxes(2)), points, OWN, 0.05), points, 400, seed)
    monkeypatch.setattr(rate_per_expert, "TUNING", replace(rate_per_expert.TUNING, first_limits=10**6))
    all_of_them = run_of(confidence_set(version_space(Boxes(2)), points, OWN, 0.05), points, 400, seed)
    assert len(all_of_them._stages) > 300
    assert len(some._stages) < 150
    assert np.all((some.status == all_of_them.status) | (some.status == -1))
    assert all_of_them.n_undecided <= some.n_undecided <= 1.05 * all_of_them.n_undecided


def test_which_limits_are_kept_is_known_from_the_answers_alone():
    """A reserved sample must not have a say in what is decided about it."""
    pools = np.random.default_rng(0).random((500, 2)), np.full((1, 2), 0.5)
    stages = [run_of(confidence_set(version_space(Boxes(2)), pool, OWN, 0.05), pool, 300, 1)._stages for pool in pools]
    assert len(stages[0]) > rate_per_expert.TUNING.first_limits
    assert [stage.limit for stage in stages[0]] == [stage.limit for stage in stages[1]]
