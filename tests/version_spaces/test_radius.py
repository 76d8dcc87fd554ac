"""The ball around V against every member of small classes."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import Brute, constraints, problems

from activepu.hypotheses.closed import ClosedClass
from activepu.version_spaces import radius
from activepu.version_spaces.base import VersionSpace
from activepu.version_spaces.closed import ClosedVersionSpace
from activepu.version_spaces.radius import Ball, ball


@st.composite
def constrained(draw: st.DrawFn) -> tuple[ClosedVersionSpace, Brute, ClosedClass]:
    """A closed version space that is not empty, and the oracle's."""
    hypotheses, brute, _ = draw(problems())
    X = hypotheses.encode(brute.points)
    V = ClosedVersionSpace(hypotheses)
    for kind, items, *rest in draw(constraints(len(X))):
        if kind == "require":
            V, smaller = V.require(X[items]), (brute.require, (items,))
        elif kind == "distance":
            continue
        else:
            limit, weights, _ = rest
            V = V.cap_mass(X[items], limit, None if weights is None else np.array(weights, np.int64))
            smaller = (brute.cap, (items, limit, weights))
        before = brute.alive.copy()
        smaller[0](*smaller[1])
        if brute.empty:
            V, brute.alive = ClosedVersionSpace(hypotheses), np.ones_like(before)
    return V, brute, hypotheses


def true_radius(labels: Any, center: Any) -> int:
    return int((labels != center).sum(axis=1).max())


def assert_true(V: VersionSpace, found: Ball, undecided: Any, labels: Any, enough: int | None) -> None:
    """The radius holds for the centre, the witness is where it is said to be, and `enough` was decided."""
    assert V.allows(found.center)
    farthest = true_radius(labels, found.center.contains(undecided))
    assert farthest <= found.radius <= len(undecided)
    assert found.witness is not None
    assert V.allows(found.witness)
    away = int((found.witness.contains(undecided) != found.center.contains(undecided)).sum())
    if found.exact:
        assert found.radius == farthest == away
    elif enough is None:
        raise AssertionError("a full search of a small class is exact")
    else:
        assert away > enough or found.radius <= enough


@settings(max_examples=600)
@given(drawn=constrained(), enough=st.one_of(st.none(), st.integers(0, 6)), sample=st.sampled_from([1, 3, 4096]))
def test_closed_balls_hold_every_dichotomy(drawn: Any, enough: int | None, sample: int) -> None:
    V, brute, hypotheses = drawn
    X = hypotheses.encode(brute.points)
    split = V.disagrees(X)
    labels = brute.labels[brute.alive][:, split]
    with patch.object(radius, "SAMPLE", sample):
        found = ball(V, X[split], enough)
        assert_true(V, found, X[split], labels, enough)
        assert_true(V, ball(V, X[split], enough, near=found), X[split], labels, enough)
