"""A file in which one bit is wrong is the same study, or it is refused in one sentence."""

from collections import Counter

import numpy as np
from studies.flips import busy, flipped, loaded, state
from studies.scenes import pool, zcal

import activepu as apu

FLIPS = 200


def test_a_flipped_bit_never_makes_another_study(tmp_path):
    file, copy, found, rng = tmp_path / "s.db", tmp_path / "t.db", Counter(), np.random.default_rng(0)
    with apu.Study.create(f"sqlite:///{file}", "s", pool(), zcal()) as study:
        busy(study)
        before = state(study)
    for _ in range(FLIPS):
        place = flipped(file, copy, rng)
        now, sentence = loaded(copy)
        found["refused" if sentence else "the same"] += 1
        if sentence:
            assert "\n" not in sentence, place
            assert sentence.endswith("."), place
        else:
            assert now == before, place
    assert found["refused"] > FLIPS / 3
    assert found["the same"] > 0
