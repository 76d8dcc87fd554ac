"""What a run hands over: predictions, items, the certificate, a file."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from activepu.errors import InvalidInput
from activepu.experts import SimulatedExpert
from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Halfspaces, Intervals, Orthants, Thresholds
from activepu.learners import Cal, KnownPrior, RevealRate, UnknownPrior
from activepu.loading import load_result
from activepu.pools import Pool, Sampler
from activepu.records import Bounds, StopReason
from activepu.run import Run, learn
from activepu.zcal import ZCal

RNG = np.random.default_rng(0)
PLANE = RNG.random((600, 2))
LINE = RNG.random((600, 1))
TABLE = pd.DataFrame(PLANE, columns=["age", "income"])
BITS = RNG.integers(0, 2, (600, 4)).astype(float)


def diagonal(X):
    return X[:, 0] > X[:, 1]


def right(X):
    return X[:, 0] > 0.5


FINITE = FiniteClass([diagonal, right, lambda X: X[:, 1] > 0.5])
MODEL = LogisticRegression().fit(PLANE, PLANE.sum(axis=1) > 1)


def cal(H, pool, y, budget=None):
    return learn(Cal(H, 0.1, 0.1), pool, SimulatedExpert(y, 1.0), budget=budget)


def square(X):
    return (np.abs(X - 0.5) < 0.3).all(axis=1)


RESULTS = {
    "thresholds": (lambda: cal(Thresholds(), LINE, LINE[:, 0] > 0.3), None),
    "thresholds on a column": (lambda: cal(Thresholds("income", above=False), TABLE, PLANE[:, 1] < 0.3), None),
    "thresholds on a model": (
        lambda: cal(Thresholds(MODEL), PLANE, MODEL.predict_proba(PLANE)[:, 1] > 0.7),
        Thresholds(MODEL),
    ),
    "intervals": (lambda: cal(Intervals(), LINE, square(LINE)), None),
    "boxes": (lambda: cal(Boxes(), TABLE, square(PLANE)), None),
    "orthants": (lambda: cal(Orthants(signs=[1, -1]), TABLE, right(PLANE) & (PLANE[:, 1] < 0.6)), None),
    "conjunctions": (lambda: cal(Conjunctions(), BITS, BITS[:, 1] == 1), None),
    "finite": (lambda: cal(FINITE, TABLE, right(PLANE)), FINITE),
    "halfspaces": (lambda: cal(Halfspaces(), PLANE[:200], diagonal(PLANE[:200]), budget=10), None),
    "known prior": (
        lambda: learn(KnownPrior(Boxes(), 0.1, 0.1, 0.4), TABLE, SimulatedExpert(square(PLANE), 0.8), budget=40),
        None,
    ),
    "nothing asked": (lambda: Run(Cal(Boxes(), 0.1, 0.1), TABLE).result(), None),
    "reveal rate": (lambda: learn(RevealRate(Boxes(), 0.3), TABLE, SimulatedExpert(square, 1.0)), None),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_saved_result_is_the_same_result(name, tmp_path):
    make, hypotheses = RESULTS[name]
    result = make()
    result.save(tmp_path / "result.json")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
    again = load_result(tmp_path / "result.json", hypotheses)
    X = np.vstack([result._source.features(), result._source.features() * 0.99 if name != "conjunctions" else BITS])
    assert np.array_equal(again.predict(X), result.predict(X))
    assert np.array_equal(again.predict(X, abstain=True), result.predict(X, abstain=True))
    for kind in ("positive", "undecided", "negative"):
        assert np.array_equal(again.items(kind), result.items(kind))
    assert str(again.hypothesis) == str(result.hypothesis)
    assert again.certificate == result.certificate
    assert (again.rate, again.prior) == (result.rate, result.prior)
    assert again.history == result.history
    assert (again.n_queries, again.n_revealed) == (result.n_queries, result.n_revealed)
    assert str(again) == str(result)
    again.save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "result.json").read_text())


@pytest.mark.parametrize("name", RESULTS)
def test_a_pool_row_and_an_equal_new_row_are_treated_alike(name):
    result = RESULTS[name][0]()
    pool = result._source
    verdict = np.full(len(pool), 7)
    for status, kind in ((1, "positive"), (0, "negative"), (-1, "undecided")):
        verdict[result.items(kind)] = status
    assert np.isin(verdict, (1, 0, -1)).all()
    for rows in (np.arange(len(pool)), np.arange(len(pool))[::-1], [3], [8, 1]):
        assert np.array_equal(result.predict(pool.features(rows), abstain=True), verdict[rows])
    predicted = result.predict(pool.features())
    assert predicted.dtype == bool
    assert predicted[verdict == 1].all()
    assert not predicted[verdict == 0].any()
    assert (verdict[[i for i, a in zip(result.history["item"], result.history["answer"], strict=True) if a]] == 1).all()


def test_the_rule_prints_with_the_columns_of_the_table():
    result = RESULTS["thresholds on a column"][0]()
    assert str(result.hypothesis).startswith("income <= 0.2")
    assert str(result).startswith("Positive if income <= 0.2")
    assert "age" in str(RESULTS["boxes"][0]().hypothesis)
    assert str(RESULTS["nothing asked"][0]()).startswith("Nothing is called positive.")


def test_a_result_says_what_was_asked_and_why_it_ended():
    result = RESULTS["boxes"][0]()
    assert f"{result.n_queries} questions, {result.n_revealed} revealed. {StopReason.TARGET}" in str(result)
    assert repr(result).startswith("<Result: ")
    rate = RESULTS["reveal rate"][0]()
    assert "Reveal rate: " in str(rate)
    assert rate.stop_reason == StopReason.RATE_FOUND


def test_history_is_ready_for_a_data_frame():
    result = RESULTS["known prior"][0]()
    frame = pd.DataFrame(result.history)
    assert list(frame.columns) == ["step", "item", "phase", "answer", "expert", "undecided", "u", "b"]
    assert frame["step"].tolist() == list(range(1, result.n_queries + 1))
    assert frame["answer"].sum() == result.n_revealed
    assert frame["undecided"].is_monotonic_decreasing


def test_a_result_of_the_past_is_not_changed_by_the_run_going_on():
    run = Run(Cal(Boxes(), 0.1, 0.1), PLANE)
    for question in run.ask(3):
        run.tell(question, bool(square(question.row[None])[0]))
    early = run.result()
    before = (str(early), early.items("undecided").tolist())
    for _ in range(5):
        (question,) = run.ask()
        run.tell(question, bool(square(question.row[None])[0]))
    assert (str(early), early.items("undecided").tolist()) == before
    assert run.result().n_queries == 8


def test_a_sampler_has_no_items_but_predicts(tmp_path):
    sampler = Sampler(lambda n, rng: rng.random((n, 2)), dim=2, names=["a", "b"])
    result = learn(Cal(Boxes(), 0.1, 0.1), sampler, SimulatedExpert(square, 1.0))
    assert "a" in str(result.hypothesis)
    with pytest.raises(InvalidInput, match="Sampler"):
        result.items("positive")
    result.save(tmp_path / "r.json")
    again = load_result(tmp_path / "r.json")
    assert np.array_equal(again.predict(PLANE, abstain=True), result.predict(PLANE, abstain=True))
    with pytest.raises(InvalidInput, match="Sampler"):
        again.items("positive")


def test_saving_is_whole_or_not_at_all(tmp_path):
    path = tmp_path / "result.json"
    result = RESULTS["intervals"][0]()
    result.save(path)
    before = path.read_text()
    result.history["undecided"][0] = float("nan")  # JSON has none
    with pytest.raises(ValueError, match="JSON"):
        result.save(path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    RESULTS["intervals"][0]().save(path)
    before = path.read_text()

    def fail(self, target):
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InvalidInput, match="the disk is full"):
        RESULTS["boxes"][0]().save(path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_saving_into_a_missing_folder_names_it(tmp_path):
    with pytest.raises(InvalidInput, match="nowhere"):
        RESULTS["intervals"][0]().save(tmp_path / "nowhere" / "r.json")


@pytest.mark.parametrize(
    "garbage", ["", "{", "[]", "3", "{}", '{"format": 2}', '{"format": 2, "hypotheses": {"class": "boxes"}}', "\x00"]
)
def test_garbage_is_not_a_result(tmp_path, garbage):
    path = tmp_path / "garbage.json"
    path.write_text(garbage)
    with pytest.raises(InvalidInput, match=r"garbage\.json.* is not a result"):
        load_result(path)


def test_a_damaged_result_is_not_a_result(tmp_path):
    path = tmp_path / "result.json"
    RESULTS["boxes"][0]().save(path)
    whole = json.loads(path.read_text())
    for key in whole.keys() - {"pool"}:  # a file of an earlier version does not tell its pool
        path.write_text(json.dumps({k: v for k, v in whole.items() if k != key}))
        with pytest.raises(InvalidInput, match="is not a result"):
            load_result(path)


def test_other_formats_missing_files_and_other_classes_are_named(tmp_path):
    path = tmp_path / "result.json"
    path.write_text('{"format": 99}')
    with pytest.raises(InvalidInput, match="format 99"):
        load_result(path)
    with pytest.raises(InvalidInput, match="no file"):
        load_result(tmp_path / "missing.json")
    RESULTS["finite"][0]().save(path)
    with pytest.raises(InvalidInput, match="'finite' holds code"):
        load_result(path)
    with pytest.raises(InvalidInput, match="learned with finite, but boxes"):
        load_result(path, Boxes())
    with pytest.raises(InvalidInput, match=r"predictors = 3, but .* has 4"):
        load_result(path, FiniteClass([*FINITE.predictors, diagonal]))
    RESULTS["thresholds on a model"][0]().save(path)
    with pytest.raises(InvalidInput, match=r"above = True, but .* has False"):
        load_result(path, Thresholds(MODEL, above=False))


def test_bounds_print_with_their_confidence():
    assert str(Bounds(0.25, 0.5, 0.95, 0.4)) == "0.250 to 0.500 (estimate 0.400) with 95% confidence"
    assert Bounds(**Bounds(0.25, 0.5, 0.95).to_dict()) == Bounds(0.25, 0.5, 0.95)
    assert str(Bounds(0.0, 1.0, 0.95)) == "nothing is known yet"


def test_a_rate_that_was_given_is_not_printed_as_if_it_were_learned():
    result = Run(ZCal(Boxes(), 0.1, 0.05, rate=0.5, check=0), PLANE).result()
    assert "Reveal rate: 0.5 (given).\n" in str(result)
    assert (result.rate.low, result.rate.high) == (0.5, 0.5)


def test_no_positives_may_be_called_none():
    run = Run(Cal(Boxes(), 0.1, 0.1), PLANE, positives=None)
    assert str(run.result()) == str(RESULTS["nothing asked"][0]())


def test_every_certificate_names_its_assumptions():
    result = RESULTS["known prior"][0]()
    assert result.certificate.confidence == pytest.approx(0.9)
    said = "; ".join(result.certificate.assumptions)
    assert "boxes" in said
    assert "at most 0.4 of the population is positive" in said
    assert "independent draws" in said
    pool = Pool(RNG.random(30_000))
    unknown = learn(UnknownPrior(Intervals(), 0.3, 0.2), pool, SimulatedExpert(square, 0.9))
    assert "no two items are exactly alike" in "; ".join(unknown.certificate.assumptions)
    assert unknown.rate.low <= 0.9 <= unknown.rate.high
    assert unknown.prior.low <= 0.6 <= unknown.prior.high


@pytest.mark.parametrize("features", [StandardScaler(), lambda table: table.to_numpy() / 100])
def test_tables_go_through_the_transformer_of_the_pool_and_arrays_went(features, tmp_path):
    table = pd.DataFrame(100 * np.random.default_rng(0).random((400, 2)), columns=["a", "b"])
    truth = (table.a > 30).to_numpy() & (table.b < 60).to_numpy()
    pool = Pool(table, features=features)
    result = learn(ZCal(Boxes(), 0.05, 0.05, rate=1, check=0), pool, SimulatedExpert(truth, rate=1.0))
    assert (result.predict(table) != truth).mean() <= 0.05
    assert (result.predict(table) == result.predict(pool.features())).all()
    assert (result.predict(table, abstain=True) == result.predict(pool.features(), abstain=True)).all()
    assert (result.predict(table.iloc[:7]) == result.predict(pool.features()[:7])).all()
    with pytest.raises(InvalidInput, match="cannot be made of this table"):
        result.predict(table[["a"]].rename(columns={"a": "z"}).assign(b="text"))
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert (loaded.predict(pool.features()) == result.predict(table)).all()
    with pytest.raises(InvalidInput, match="as an array"):
        loaded.predict(table)
