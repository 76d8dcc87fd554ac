"""What stands in intersection-closed classes, against every hypothesis of a small pool."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from likelihood.following import follow
from likelihood.oracle import KNOWN, PER_EXPERT, SOME, UNKNOWN, Oracle, answers, deltas
from version_spaces.brute import problems

from activepu.likelihood import standing
from activepu.likelihood.closed import ClosedStanding
from activepu.version_spaces import from_dict, version_space


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
    stand = standing(V, points, form.rates, float(delta))
    assert isinstance(stand, ClosedStanding)

    def check(_):
        V = stand.version_space
        for same in (V.compact(), from_dict(hypotheses, json.loads(json.dumps(V.to_dict())))):
            np.testing.assert_array_equal(same.possible(points), V.possible(points))
            np.testing.assert_array_equal(same.certain(points), V.certain(points))

    members = brute.closures(hypotheses, signs)
    follow(stand, oracle, points, data.draw(answers(len(points), experts=2)), members, check)
