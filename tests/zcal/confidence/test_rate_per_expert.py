"""What is possible in box-like classes with a rate per expert, against every hypothesis of a small pool."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import problems
from zcal.confidence.following import follow
from zcal.confidence.oracle import KNOWN, PER_EXPERT, SOME, UNKNOWN, Oracle, answers, deltas
from zcal.making import confidence_set

from activepu.hypotheses import Boxes
from activepu.version_spaces import from_dict, version_space
from activepu.version_spaces.costs import kept
from activepu.zcal.confidence.rate_per_expert import RatePerExpertSet
from activepu.zcal.rates import Rates


@pytest.mark.parametrize("forms", [KNOWN, UNKNOWN, PER_EXPERT], ids=["known", "unknown", "per expert"])
@settings(max_examples=SOME)
@given(data=st.data())
def test_it_is_what_all_hypotheses_say(forms, data):
    hypotheses, brute, signs = data.draw(problems())
    points = hypotheses.encode(brute.points)
    form, delta = data.draw(st.sampled_from(forms)), data.draw(deltas)
    oracle = Oracle(brute.labels, form, delta)
    known = data.draw(st.lists(st.integers(0, len(points) - 1), max_size=2))
    oracle.require(known)
    V = version_space(hypotheses).require(points[known])
    stand = confidence_set(V, points, form.rates, float(delta))
    assert isinstance(stand, RatePerExpertSet)

    def check(_):
        V = stand.version_space
        for same in (V.compact(), from_dict(hypotheses, json.loads(json.dumps(V.to_dict())))):
            np.testing.assert_array_equal(same.possible(points), V.possible(points))
            np.testing.assert_array_equal(same.certain(points), V.certain(points))

    members = brute.closures(hypotheses, signs)
    follow(stand, oracle, points, data.draw(answers(len(points), experts=2)), members, check)


@pytest.mark.parametrize("rates", [Rates(0.5, 0.5), Rates(), Rates(per_expert=True)], ids=["known", "unknown", "own"])
def test_what_is_kept_from_answer_to_answer_is_what_the_version_space_says(rates):
    """Long runs with fair predictions: more stars than a word has bits, and old caps that bind after late reveals."""
    excluded, undecided = np.array([long_run(rates, np.random.default_rng(seed)) for seed in range(5)]).T
    assert excluded.sum() > 0
    assert undecided.min() < 200


def long_run(rates, rng):
    """How many items a reveal excluded although they met the newest limit, and how many of 300 were undecided last."""
    points = rng.integers(0, 40, (300, 2)).astype(float)
    truth = (np.abs(points - 22) <= 8).all(axis=1)
    stand = confidence_set(version_space(Boxes(2)), points, rates, 0.05)
    found = 0
    for t in range(130):
        inside = rng.random() < (0.9 if t < 5 else 0.3)
        item = int(rng.choice(np.flatnonzero(truth == inside)))
        revealed = bool(inside and rng.random() < 0.4)
        before = stand.status.copy()
        stand.fold(points[[item]], revealed, 0.4 if inside else 0.03, t % 2)
        if not revealed and t % 10:
            continue
        V = stand.version_space
        now = np.where(V.certain(points), 1, np.where(V.possible(points), -1, 0))
        np.testing.assert_array_equal(stand.status, now)
        np.testing.assert_array_equal(stand.undecided, np.flatnonzero(now == -1))
        assert (stand.n_undecided, stand.n_positive) == (np.sum(now == -1), np.sum(now == 1))
        assert np.all((before == -1) | (before == now))
        fallen = points[(before == -1) & (now == 0)]
        if revealed and len(fallen):
            held = np.array([V.closure.grow(x[None]).contains(stand.stars) for x in fallen])
            found += np.count_nonzero(kept(stand._stages[-1:] or stand._stacks[-1][-1:], stand.star_groups, held))
    assert len(stand.stars) > 64
    return found, stand.n_undecided


def test_one_expert_with_a_rate_of_his_own_is_one_rate():
    rng = np.random.default_rng(1)
    points = rng.random((200, 2))
    truth = (np.abs(points - 0.5) <= 0.3).all(axis=1)
    own, shared = (
        confidence_set(version_space(Boxes(2)), points, Rates(per_expert=each), 0.1) for each in (True, False)
    )
    for item in rng.permutation(200)[:80]:
        revealed = bool(truth[item] and rng.random() < 0.7)
        for stand in (own, shared):
            stand.fold(points[[item]], revealed, 0.6 if truth[item] else 0.05)
        np.testing.assert_array_equal(own.status, shared.status)
    assert own.rate_bounds() == shared.rate_bounds()
    assert np.count_nonzero(shared.status == 0) > 50
