"""Algorithm 3: the sizes of its samples, and which of them must be fresh."""

from __future__ import annotations

import math

import numpy as np
import pytest
from worlds import WORLDS

import activepu as apu
from activepu import paper
from activepu.theory import budgets

NESTED = [lambda X, w=w: np.abs(X[:, 0] - 0.5) <= w for w in np.linspace(0.05, 0.5, 40)]


def test_the_number_of_iterations_is_whole_and_not_too_small():
    """U4."""
    for epsilon in (0.3, 0.1, 0.05, 0.011):
        assert budgets.iterations(epsilon) >= 2 * math.log2(6 / epsilon)
        assert budgets.iterations(epsilon) % 2 == 0


def test_lambda_2_grows_with_d_at_theta_one():
    """U5: the printed d ln θ vanishes there, so that no M3 would do."""

    def printed(d: int, theta: float) -> float:
        N = budgets.iterations(0.1)
        return 4.7e6 * theta**2 * (d * math.log(theta) + math.log(N / 0.1))

    d = 10**6
    assert printed(d, 1.0) == printed(1, 1.0)
    needed = budgets.prune_positives(d, 1.0, 0.1, 0.1)
    assert printed(d, 1.0) / 1024 < needed
    assert budgets.prune_questions(d, 1.0, 1.0, 0.1, 0.1) / 1024 > needed


def test_lambda_2_carries_the_logarithm_that_its_proof_uses():
    """U13: printed ln(N/δ), while Claim 3 fails with probability δ/(8N); M3 hides a factor of up to 2.2."""
    N = budgets.iterations(0.9)
    bracket = budgets.prune_questions(1, 1.0, 1.0, 0.9, 0.9, budgets.Constants(M3=1e6)) / 1e6
    assert bracket == pytest.approx(1 + math.log(8 * N / 0.9), abs=1e-5)
    assert bracket > 1.5 * (1 + math.log(N / 0.9))


def test_s1_meets_the_inequality_that_the_printed_one_breaks_for_a_large_m2():
    """U10."""
    d, epsilon, delta = 10, 0.1, 0.1
    constants = paper.Constants(M2=30)

    def deviation(n: int) -> float:
        return constants.M2 * (d * math.log(2 * n / d) + math.log(8 / delta)) / n

    assert deviation(budgets.unknown_prior_unlabeled(d, epsilon, delta, constants)) > epsilon / 3
    learner = paper.UnknownPrior(apu.Boxes(), epsilon, delta, 8, constants)
    assert deviation(learner.sample_rows(apu.Boxes().bind(d // 2), epsilon)) <= epsilon / 3


def test_for_intersection_closed_classes_s1_is_large_enough_to_be_read_again_and_again():
    """U11: η²(|S1|, δ/16) ≤ ε/48, the sizes that the corrected analysis gives."""
    thresholds = paper.UnknownPrior(apu.Thresholds(), 0.1, 0.1, 2).sample_rows(apu.Thresholds().bind(1), 0.1)
    boxes = paper.UnknownPrior(apu.Boxes(), 0.1, 0.1, 8).sample_rows(apu.Boxes().bind(2), 0.1)
    assert 3.3e4 <= thresholds <= 3.5e4
    assert 0.95e5 <= boxes <= 1.05e5


# Which samples are fresh


def test_what_is_certain_is_rarer_on_the_sample_that_made_the_caps_than_in_truth():
    """U11: V = {h : |h ∩ S1| ≤ c} keeps the h that happen to have few points of S1, and ∩V has fewer still."""
    rng = np.random.default_rng(0)
    atoms, n = 4096, 200
    sets = rng.random((60, atoms)) < 0.9
    sets[:, 0] = True  # one known positive, so that ∅ is out
    H = apu.FiniteClass([lambda X, row=row: row[X[:, 0].astype(int)] for row in sets]).bind(1)
    domain = H.encode(np.arange(atoms)[:, None])

    def biases() -> tuple[float, float]:
        S1, T = domain[rng.integers(atoms, size=(2, n))]
        fewest = np.sort([H.member(j).contains(S1).sum() for j in range(60)])
        V = apu.version_space(H).require(domain[:1]).cap_mass(S1, int(fewest[5]))
        truth = V.certain(domain).mean()
        return V.certain(S1).mean() - truth, V.certain(T).mean() - truth

    reused, fresh = np.array([biases() for _ in range(60)]).T
    error = fresh.std() / math.sqrt(len(fresh))
    assert reused.mean() < -8 * error
    assert abs(fresh.mean()) < 4 * error


@pytest.mark.parametrize("closed", [True, False])
def test_b_is_measured_on_a_fresh_sample_unless_the_class_is_intersection_closed(closed, monkeypatch):
    """U11: what `certain` is asked about, iteration by iteration."""
    H = apu.Intervals() if closed else apu.FiniteClass(NESTED)
    learner = paper.UnknownPrior(H, 0.3, 0.2, theta=6, constants=paper.Constants(M1=1, M2=1, M3=20, scale=0.02))
    run = apu.Run(learner, WORLDS["intervals"].sampler, seed=1)
    unlabeled: dict[int, str] = {}
    draw = run._draws.unlabeled

    def spy_draw(n, purpose):
        points = draw(n, purpose)
        unlabeled[id(points)] = purpose
        kept.append(points)
        return points

    kept: list[np.ndarray] = []
    measured: list[int] = []
    space = type(apu.version_space(H.bind(1)))
    certain = space.certain

    def spy_certain(self, points):
        if id(points) in unlabeled:
            measured.append(id(points))
        return certain(self, points)

    monkeypatch.setattr(run._draws, "unlabeled", spy_draw)
    monkeypatch.setattr(space, "certain", spy_certain)
    expert = apu.SimulatedExpert(NESTED[10], 0.5, seed=0)
    while not run.finished:
        for question in run.ask(256):
            run.tell(question, bool(expert.answer(np.array([question.item]), question.row[None])[0]))
    names = [unlabeled[i].split(" of ")[0] for i in measured]
    fresh = [purpose for purpose in unlabeled.values() if "T" in purpose.split()]
    assert len(measured) == len(fresh) >= 2
    if closed:
        assert set(names) == {"the sample S1"}
    else:
        assert set(names) == {"the fresh sample T"}
        assert len(set(measured)) == len(measured)  # never the same T twice
    X = np.linspace(0, 1, 1000)[:, None]
    assert np.mean(run.result().predict(X) != NESTED[10](X)) <= 0.3
