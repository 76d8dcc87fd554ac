"""The level of a cap, T(u), against sorting; the envelope's arcs."""

import numpy as np
import pytest
from version_spaces.brute import heights

from activepu.hypotheses.halfspaces import Frame
from activepu.version_spaces import envelope
from activepu.version_spaces.envelope import Pieces
from activepu.version_spaces.level import Level, units

CLOUDS = {
    "normal": lambda rng: rng.normal(size=(3000, 2)),
    "grid": lambda rng: np.stack(np.meshgrid(np.arange(45.0), np.arange(40.0)), axis=-1).reshape(-1, 2) / 3,
    "line": lambda rng: rng.normal(size=(800, 1)) * [0.3, 0.7] + [5, 0.1],
    "column": lambda rng: np.column_stack([np.zeros(500), rng.permutation(500)]),
    "circle": lambda rng: np.column_stack([np.cos(a := np.arange(1200)), np.sin(a)]),
    "clusters": lambda rng: rng.integers(0, 3, (1500, 2)) + 1e-6 * rng.normal(size=(1500, 2)),
    "site": lambda rng: np.array([[3.0, -2.0]]),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_level_is_the_height_at_which_the_mass_exceeds_the_limit(cloud, weighted):
    rng = np.random.default_rng(3)
    sites = np.unique(CLOUDS[cloud](rng), axis=0)
    weights = rng.integers(1, 5, len(sites)) if weighted else np.ones(len(sites), int)
    frame = Frame.around(sites)
    z = frame.lift(sites)[:, :2]
    angles = np.concatenate([rng.uniform(-np.pi, np.pi, 500), np.arange(-8, 8) * np.pi / 8])
    u = units(angles)
    for share in (0.0, 0.03, 0.3, 0.5, 0.97):
        limit = int(share * (weights.sum() - 1))
        pieces = Pieces(*Level(sites, weights, limit).pieces(frame))
        assert np.abs((pieces.at(angles) * u).sum(axis=1) - heights(z, weights, limit, u)).max() < 1e-9


def test_a_point_that_leaves_at_the_start_of_an_arc_is_not_counted_on_it():
    points = np.array([[0.0, -1], [0, 1], [0, 0]])
    too_narrow, count, *_ = envelope._fewest(points, np.zeros(2), 0.0, np.pi / 4)
    assert (too_narrow, count) == (False, 2)
