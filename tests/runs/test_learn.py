"""Whole runs: the same on every backend, and right."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from activepu.experts import SimulatedExpert
from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Intervals, Orthants, Thresholds
from activepu.learners import Cal, KnownPrior, PassivePU, RevealRate, UnknownPrior
from activepu.pools import Pool, Sampler
from activepu.records import StopReason
from activepu.run import learn


def square(X):
    return (np.abs(X - 0.5) < 0.3).all(axis=1)


@pytest.mark.parametrize(
    "learner",
    [
        Cal(Boxes(), 0.1, 0.1),
        KnownPrior(Boxes(), 0.1, 0.1, prior=0.36),
        PassivePU(Boxes(), 0.2, 0.1),
        RevealRate(Boxes(), 0.2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_the_same_seed_gives_the_same_questions_on_any_backend(learner, tmp_path):
    X = np.random.default_rng(0).random((800, 2))
    frame = pd.DataFrame(X, columns=["x0", "x1"])
    arrow = pa.Table.from_pandas(frame)
    frame.to_csv(tmp_path / "t.csv", index=False)
    pyarrow.parquet.write_table(arrow, tmp_path / "t.parquet")
    tables = [X, X.tolist(), frame, arrow, tmp_path / "t.csv", str(tmp_path / "t.parquet"), np.asfortranarray(X)]
    expert = SimulatedExpert(square, 0.9, seed=3)
    first, *others = [learn(learner, table, expert, seed=5, budget=120) for table in tables]
    assert first.n_queries > 10
    for other in others:
        assert other.history == first.history
        assert str(other) == str(first)
        for kind in ("positive", "negative", "undecided"):
            assert np.array_equal(other.items(kind), first.items(kind))
    assert learn(learner, X, expert, seed=6, budget=120).history["item"] != first.history["item"]


def table_with_twins(kind, tmp_path):
    X = np.random.default_rng(0).integers(0, 6, (300, 2)).astype(float)
    if kind == "array":
        return X
    frame = pd.DataFrame(X.astype(int), columns=["x0", "x1"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame if kind == "frame" else tmp_path / "t.csv"


def test_twins_are_the_same_on_any_backend(tmp_path):
    learner = RevealRate(Boxes(), 0.3)
    expert = SimulatedExpert(lambda X: (X > 1).all(axis=1), 0.9)
    runs = [learn(learner, table_with_twins(kind, tmp_path), expert) for kind in ("array", "frame", "csv")]
    assert runs[0].history == runs[1].history == runs[2].history
    assert runs[0].n_queries <= 36


PROBLEMS = {
    "thresholds": (Thresholds(), 1, lambda X: X[:, 0] > 0.7, 0.3),
    "intervals": (Intervals(), 1, lambda X: np.abs(X[:, 0] - 0.5) < 0.2, 0.4),
    "boxes": (Boxes(), 2, square, 0.36),
    "orthants": (Orthants(signs=[1, -1]), 2, lambda X: (X[:, 0] > 0.4) & (X[:, 1] < 0.5), 0.3),
    "finite": (
        FiniteClass([lambda X, a=a: X.sum(axis=1) > a for a in np.linspace(0.1, 1.9, 19)]),
        2,
        lambda X: X.sum(axis=1) > 1.0,
        0.5,
    ),
}
FRESH = np.random.default_rng(99).random((20_000, 2))


def error(result, dim, truth):
    return float((result.predict(FRESH[:, :dim]) != truth(FRESH[:, :dim])).mean())


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("batch", [1, 10])
def test_known_prior_reaches_its_target(name, batch):
    H, dim, truth, prior = PROBLEMS[name]
    X = np.random.default_rng(1).random((4000, dim))
    result = learn(KnownPrior(H, 0.1, 0.05, prior=prior), X, SimulatedExpert(truth, 0.5), batch=batch)
    assert result.stop_reason == StopReason.TARGET
    assert result.certificate.error_bound <= 0.1
    assert error(result, dim, truth) <= 0.1
    assert result.n_queries < 2000


@pytest.mark.parametrize("name", PROBLEMS)
def test_cal_reaches_its_target_with_few_questions(name):
    H, dim, truth, _ = PROBLEMS[name]
    X = np.random.default_rng(2).random((4000, dim))
    result = learn(Cal(H, 0.05, 0.05), X, SimulatedExpert(truth, 1.0))
    assert result.stop_reason == StopReason.TARGET
    assert error(result, dim, truth) <= 0.05
    assert result.n_queries < 200


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_certain_is_true(name):
    """Reveals never lie here, so the positives are sure; the negatives hold with the confidence of the prior's cap."""
    H, dim, truth, prior = PROBLEMS[name]
    X = np.random.default_rng(3).random((4000, dim))
    result = learn(KnownPrior(H, 0.1, 0.05, prior=prior), X, SimulatedExpert(truth, 0.5), budget=150)
    y = truth(X)
    assert y[result.items("positive")].all()
    assert not y[result.items("negative")].any()


@pytest.mark.parametrize("name", ["thresholds", "intervals", "boxes", "finite"])
def test_passive_learning_reaches_its_target(name):
    H, dim, truth, _ = PROBLEMS[name]
    pool = Sampler(lambda n, rng: rng.random((n, dim)), dim)
    result = learn(PassivePU(H, 0.2, 0.1), pool, SimulatedExpert(truth, 0.5), batch=20)
    assert result.stop_reason == StopReason.POSITIVES_FOUND
    assert error(result, dim, truth) <= 0.2


@pytest.mark.parametrize("name", ["thresholds", "intervals", "boxes", "orthants"])
def test_unknown_prior_reaches_its_target(name):
    H, dim, truth, prior = PROBLEMS[name]
    pool = Sampler(lambda n, rng: rng.random((n, dim)), dim)
    result = learn(UnknownPrior(H, 0.15, 0.1), pool, SimulatedExpert(truth, 0.8), batch=5)
    assert result.stop_reason == StopReason.TARGET
    assert error(result, dim, truth) <= 0.15
    assert result.rate.low <= 0.8 <= result.rate.high
    assert result.prior.low <= prior <= result.prior.high


def test_repeated_rows_leave_known_prior_valid():
    X = np.random.default_rng(4).integers(0, 2, (2000, 5)).astype(float)
    truth = (X[:, 0] == 1) & (X[:, 2] == 1)
    result = learn(KnownPrior(Conjunctions(), 0.1, 0.1, prior=0.26), Pool(X), SimulatedExpert(truth, 1.0))
    assert (result.predict(X) != truth).mean() <= 0.1
    assert result.n_queries <= 32
