"""What a study was made with is compared when it is loaded."""

import numpy as np
import pytest
from studies.scenes import pool

import activepu as apu
from activepu.models.strategies import Strategy


class Power(Strategy):
    """p(1 − p) to a power; the weights are another setting."""

    name = "power"

    def __init__(self, power, weights=()):
        self._power, self.weights = power, np.asarray(weights, float)

    def utility(self, view):
        return (view.probability * (1 - view.probability)) ** self._power


def test_a_strategy_with_another_setting_is_refused(tmp_path):
    url, weights = f"sqlite:///{tmp_path}/s.db", np.linspace(0, 1, 3000)
    other = weights.copy()
    other[1500] += 1e-12
    apu.Study.create(url, "s", pool(), apu.ModelLearner(strategy=Power(2, weights))).close()
    apu.Study.load(url, "s", pool(), apu.ModelLearner(strategy=Power(2, weights))).close()
    for changed in (Power(3, weights), Power(2, other)):
        with pytest.raises(apu.StudyDiffers, match="strategy"):
            apu.Study.load(url, "s", pool(), apu.ModelLearner(strategy=changed))
