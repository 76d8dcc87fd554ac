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


class Rings(apu.BoxLike):
    name, two_sided, fixed_dim, vc_dimension = "rings around", True, 1, 2

    def __init__(self, place=0.5):
        super().__init__()
        self.place = place

    def encode(self, X):
        return np.linalg.norm(super().encode(X) - self.place, axis=1)[:, None]

    def log_growth(self, n):
        return 2 * np.log(n + 1)


@pytest.mark.parametrize(
    ("passed", "difference"),
    [
        (Rings(0.4), "settings of rings around = {'place': 0.5}, but the learner that was passed has {'place': 0.4};"),
        (apu.Boxes(), "hypotheses = rings around, but the learner that was passed has boxes;"),
    ],
    ids=["another setting", "another class"],
)
def test_another_class_is_refused_in_words(tmp_path, passed, difference):
    url = f"sqlite:///{tmp_path}/s.db"
    apu.Study.create(url, "s", pool(), apu.ZCal(Rings(), 0.1, 0.1, check=0)).close()
    for again in ({"hypotheses": passed}, {"learner": apu.ZCal(passed, 0.1, 0.1, check=0)}):
        with pytest.raises(apu.StudyDiffers) as refused:
            apu.Study.load(url, "s", pool(), **again)
        assert str(refused.value).startswith(f"The study was made with {difference}")
    with pytest.raises(apu.InvalidInput, match=r"Study\.load\(…, hypotheses=…\)"):
        apu.Study.load(url, "s", pool())
    apu.Study.load(url, "s", pool(), hypotheses=Rings()).close()
