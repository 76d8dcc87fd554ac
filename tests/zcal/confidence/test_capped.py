"""What is possible among halfspaces of the plane, against all dichotomies of a few grid points."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.test_planar import FRAMES, UNIVERSES, dichotomies, placed
from zcal.confidence.following import follow
from zcal.confidence.oracle import KNOWN, SOME, UNKNOWN, Oracle, answers, deltas
from zcal.making import confidence_set

from activepu.hypotheses.halfspaces import Halfspaces
from activepu.version_spaces import version_space


@settings(max_examples=SOME)
@given(data=st.data())
def test_it_is_what_all_dichotomies_say(data):
    sites = data.draw(st.sampled_from(UNIVERSES))
    points = placed(sites, data.draw(st.sampled_from(FRAMES)))
    form, delta = data.draw(st.sampled_from(KNOWN + UNKNOWN)), data.draw(deltas)
    oracle = Oracle(dichotomies(sites), form, delta)
    known = data.draw(st.lists(st.integers(0, len(points) - 1), max_size=2))
    oracle.require(known)
    V = version_space(Halfspaces(2)).require(points[known])
    follow(confidence_set(V, points, form.rates, float(delta)), oracle, points, data.draw(answers(len(points))))
