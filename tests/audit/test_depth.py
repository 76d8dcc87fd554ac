"""How deep a search reads by rank before it draws by lot."""

from __future__ import annotations

import numpy as np
import pytest

from activepu.audit.depth import Decay, cheapest_depth, floor, shares_to_draw, tried_depths


def test_without_hidden_items_the_share_to_draw_is_the_floor() -> None:
    for misses in (0.0, 3.0, 15.0):
        [share] = shares_to_draw(np.log(10), np.zeros(1), np.array([misses]))
        assert floor(0.1, misses) <= share < floor(0.1, misses) + 0.08


def test_more_hidden_items_need_more_draws() -> None:
    shares = shares_to_draw(np.log(10), np.array([0.0, 2.0, 5.0, 9.0, 30.0]), np.full(5, 10.0))
    assert (np.diff(shares) >= 0).all()
    assert shares[0] < shares[3]


def test_the_decay_follows_the_reveals() -> None:
    rich, dry = Decay(1000), Decay(1000)
    for k in range(100):
        rich.note(k % 2 == 0)
        dry.note(k < 50 and k % 2 == 0)
    (many, how), (few, likely) = (decay.after(np.array([0.0, 50.0]), 900.0) for decay in (rich, dry))
    assert how.sum() == pytest.approx(likely.sum()) == pytest.approx(1.0)
    assert (how @ many)[0] > 20
    assert (likely @ few)[0] < 5
    assert (many[:, 1] < many[:, 0]).all()


def test_reads_on_while_much_is_expected_and_draws_when_it_is_not() -> None:
    depths = tried_depths(500)
    much, little = (n * np.exp(-depths / 60)[None, :] for n in (40.0, 0.3))
    assert cheapest_depth(much, np.ones(1), depths, 500, 30, 0.9, 2.6) > 40
    assert cheapest_depth(little, np.ones(1), depths, 500, 60, 0.9, 2.6) == 0
