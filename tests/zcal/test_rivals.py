"""The geometry of rivals, against looking at every point."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import activepu as apu
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces import version_space
from activepu.zcal.bets import restarted
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.rates import Rates
from activepu.zcal.reference import Reference
from activepu.zcal.rivals.grown import Grown
from activepu.zcal.rivals.known_rate import KnownRateRivals
from activepu.zcal.sides import sides_of

CLASSES = [apu.Boxes(dim=3), apu.Orthants(dim=3), apu.Intervals()]


def scene(H: apu.HypothesisClass, seed: int) -> tuple[Box, list[np.ndarray], np.ndarray]:
    """A closure of some points, corners of rivals, a reference; on a grid, so that many values are equal."""
    rng = np.random.default_rng(seed)
    dim = 1 if isinstance(H, apu.Intervals) else 3
    closure = H.closure(rng.integers(4, 8, (2, dim)) / 12)
    return closure, [rng.integers(0, 13, (150, dim)) / 12 for _ in range(2)], rng.integers(0, 13, (100, dim)) / 12


def members(closure: Box, corners: list[np.ndarray]) -> list[Box]:
    return [closure.grow(np.stack(some)) for some in zip(*corners, strict=True)]


@pytest.mark.parametrize("H", CLASSES, ids=repr)
@pytest.mark.parametrize("seed", range(10))
def test_rivals_are_the_members_that_hold_more_than_is_spared(H: apu.HypothesisClass, seed: int) -> None:
    closure, corners, reference = scene(H, seed)
    grown = Grown(closure, corners, Reference(reference), spare=0.2)
    more = [h.contains(reference) & ~closure.contains(reference) for h in members(closure, corners)]
    spare = min(0.2, 0.8 * more[0].mean())
    far = [k for k, one in enumerate(more) if one.mean() > spare]
    assert 0 < len(far) < len(more)
    assert grown.share == pytest.approx(len(far) / len(more))
    kept = [members(closure, corners)[k] for k in far]
    assert grown.low.tolist() == [h.low.tolist() for h in kept]

    z = np.random.default_rng([seed, 1]).integers(0, 13, (40, reference.shape[1])) / 12
    held = np.array([h.contains(z) for h in kept])
    assert (grown.holds(z) == held).all()
    single = closure.beyond(z).sum(axis=1) == 1
    assert (grown.holds_beyond_one_side(z) == (held & single)).all()

    left = [[(more[k] & ~closure.grow(x[None]).contains(reference)).mean() > spare for x in z] for k in far]
    assert (grown.far_after(z) == np.array(left)).all()


@pytest.mark.parametrize("H", CLASSES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_what_a_silence_would_leave_missing_is_what_it_leaves(H, seed, monkeypatch):
    """But for the bets that would begin with it."""
    rng = np.random.default_rng(seed)
    dim = 1 if isinstance(H, apu.Intervals) else 3
    H, points = H.bind(dim), rng.random((200, dim))
    labels = ((points > 0.3) & (points < 0.9)).all(axis=1)
    stand = KnownRateSet(version_space(H), points, Rates(0.5, 0.5), 0.05, sides_of(H, points))
    for item in rng.permutation(200)[:80]:
        stand.fold(points[[item]], bool(labels[item] and rng.random() < 0.5), 0.5)
    assert max(len(cuts.share) for cuts in stand.evidence.cuts) > 3
    monkeypatch.setattr(restarted, "TUNING", replace(restarted.TUNING, restart=0.0))
    corners, reference = [points[rng.choice(stand.undecided, 30)] for _ in range(2)], Reference(points)
    closure = stand.evidence.closure
    grown = Grown(closure, corners, reference, 0.0)
    rivals, ends = KnownRateRivals(grown, stand.evidence, stand.enough, 1.0), [grown.low, grown.high]
    z = points[rng.choice(stand.undecided, 20)]
    for x, missing in zip(z, rivals.silent(z, np.full(20, 0.5), 0).T, strict=True):
        after = copy.deepcopy(stand)
        after.fold(x[None], False, 0.5)
        same = Grown(closure, ends, reference, -1.0)
        np.testing.assert_allclose(KnownRateRivals(same, after.evidence, after.enough, 1.0).missing, missing, atol=1e-6)
