"""Whatever is wrong with what users pass in is said in one sentence that holds the value."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from activepu import learning_curve
from activepu.errors import ActivePUError, InvalidInput, PoolTooSmall
from activepu.experts import CallbackExpert, SimulatedExpert
from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Intervals, Orthants, Thresholds
from activepu.learners import Cal, KnownPrior, PassivePU, UnknownPrior
from activepu.pools import Pool, Sampler
from activepu.run import Run, learn

X = np.random.default_rng(0).random((400, 2))
REPEATED = np.repeat(X, 2, axis=0)
TABLE = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "text": ["t"] * 400})
EXPERT = SimulatedExpert(X[:, 0] > 0.5)
LEARNER = Cal(Boxes(), 0.1, 0.1)


def with_value(value):
    bad = X.copy()
    bad[7, 1] = value
    return bad


def answering(answer):
    return lambda: learn(LEARNER, X, CallbackExpert(lambda rows: answer))


def told(answer):
    run = Run(LEARNER, X)
    run.tell(run.ask()[0], answer)


def diagonal(X):
    return X[:, 0] > X[:, 1]


CASES = {
    # settings
    **{
        f"epsilon {v}": (lambda v=v: Cal(Boxes(), v, 0.1), ["epsilon", f"{v!r}"])
        for v in (0, 1, -0.1, 1.5, np.nan, "x")
    },
    **{
        f"delta {v}": (lambda v=v: Cal(Boxes(), 0.1, v), ["delta", f"{v!r}"]) for v in (0.0, 1.0, 2, None, True, np.inf)
    },
    **{
        f"prior {v}": (lambda v=v: KnownPrior(Boxes(), 0.1, 0.1, prior=v), ["prior", f"{v!r}"])
        for v in (0, -0.3, 30, None)
    },
    **{f"rate {v}": (lambda v=v: SimulatedExpert([True], rate=v), ["rate", f"{v!r}"]) for v in (0, 1.01, -1, "half")},
    **{
        f"theta {v}": (lambda v=v: UnknownPrior(FiniteClass([diagonal]), 0.1, 0.1, theta=v), ["theta", f"{v!r}"])
        for v in (0.99, 0, -2, np.nan)
    },
    "NumPy's numbers": (lambda: Cal(Boxes(), np.float64(2.5), 0.1), ["got 2.5;"]),
    "no class": (lambda: Cal("boxes", 0.1, 0.1), ["'boxes'", "Boxes()"]),
    "dim": (lambda: Boxes(dim=0), ["dim", "0"]),
    "dim as a float": (lambda: Boxes(dim=2.0), ["dim", "2.0"]),
    "signs": (lambda: Orthants(signs=[1, 0]), ["signs", "[1, 0]"]),
    "signs of another length": (lambda: Orthants(dim=3, signs=[1, -1]), ["signs", "3", "2"]),
    "no predictors": (lambda: FiniteClass([]), ["at least one"]),
    "a predictor that is none": (lambda: FiniteClass([3]), ["Predictor 0", "3"]),
    "seed": (lambda: Run(LEARNER, X, seed=-1), ["seed", "-1"]),
    "expert's seed": (lambda: SimulatedExpert([True], seed=0.5), ["seed", "0.5"]),
    "budget": (lambda: learn(LEARNER, X, EXPERT, budget=0), ["budget", "0"]),
    "batch": (lambda: learn(LEARNER, X, EXPERT, batch=2.5), ["batch", "2.5"]),
    # pools
    "NaN": (lambda: Pool(with_value(np.nan)), ["nan", "row 7, column 1", "impute"]),
    "infinity": (lambda: Pool(with_value(np.inf)), ["inf", "row 7, column 1"]),
    "a missing value": (lambda: Pool(pd.DataFrame({"a": [1, None]})), ["nan", "row 1, column 'a'"]),
    "NaN from a callable": (lambda: Pool(X, features=lambda t: t * np.nan), ["nan", "row 0, column 0"]),
    "no rows": (lambda: Pool(X[:0]), ["empty", "0 rows"]),
    "no columns": (lambda: Pool(X[:, :0]), ["no feature columns"]),
    "three dimensions": (lambda: Pool(np.zeros((2, 2, 2))), ["(2, 2, 2)"]),
    "ragged rows": (lambda: Pool([[1], [1, 2]]), ["different lengths"]),
    "text as features": (lambda: Pool(TABLE), ["'text'", "string", "features=["]),
    "letters": (lambda: Pool([["a"], ["b"]]), ["numbers", "a"]),
    "a missing column": (lambda: Pool(TABLE, features=["c"]), ["'c'", "a, b, text"]),
    "a missing shown column": (lambda: Pool(TABLE, features=["a"], show=["c"]), ["'c'", "a, b, text"]),
    "a missing id": (lambda: Pool(TABLE, features=["a"], id="c"), ["'c'", "a, b, text"]),
    "a name for an array": (lambda: Pool(X, features=["a"]), ["'a'", "use numbers"]),
    "a column too far": (lambda: Pool(X, features=[2]), ["2", "0 to 1"]),
    "repeated names": (lambda: Pool(pd.DataFrame(X, columns=["a", "a"])), ["unique", "['a', 'a']"]),
    "features of another length": (lambda: Pool(X, features=lambda t: t[:5]), ["400", "5"]),
    "features of no kind": (lambda: Pool(X, features=3.5), ["3.5"]),
    "show of another length": (lambda: Pool(X, show=X[:5]), ["400", "5"]),
    "show nothing": (lambda: Pool(X, show=[]), ["[]"]),
    "a missing file": (lambda: Pool("nowhere.csv"), ["'nowhere.csv'", "check the path"]),
    "an unknown file": (lambda: Pool(__file__), [".csv", "test_bad_input.py"]),
    "positives outside": (lambda: Run(LEARNER, X, positives=[400]), ["400", "0 to 399"]),
    "positives as a mask of others": (
        lambda: Run(LEARNER, X, positives=[True, False]),
        ["one boolean per row", "got 2"],
    ),
    "positives as shares": (lambda: Run(LEARNER, X, positives=[0.5, 1.0]), ["row numbers", "0.5"]),
    "a sampler that draws nothing": (lambda: Sampler(3, dim=2), ["draw(n, rng)", "3"]),
    "sampler's dim": (lambda: Sampler(lambda n, rng: X, dim=0), ["dim", "0"]),
    "sampler's positives": (
        lambda: Run(LEARNER, Sampler(lambda n, rng: rng.random((n, 2)), dim=2), positives=[1, 2, 3]),
        ["positives", "2 column"],
    ),
    # a class that does not fit the pool
    "dimension of the class": (lambda: Run(Cal(Boxes(dim=3), 0.1, 0.1), X), ["3", "2", "Boxes"]),
    "intervals in the plane": (lambda: Run(Cal(Intervals(), 0.1, 0.1), X), ["1 column", "2"]),
    "thresholds in the plane": (lambda: Run(Cal(Thresholds(), 0.1, 0.1), X), ["2 columns", "Thresholds('column')"]),
    "no such column": (lambda: Run(Cal(Thresholds("c"), 0.1, 0.1), TABLE[["a", "b"]]), ["'c'", "a, b"]),
    "no such column number": (lambda: Run(Cal(Thresholds(2), 0.1, 0.1), X), ["2", "0 to 1"]),
    "a score of no kind": (lambda: Run(Cal(Thresholds(2.5), 0.1, 0.1), X), ["2.5"]),
    "a score of another length": (lambda: Run(Cal(Thresholds(lambda X: X[:5, 0]), 0.1, 0.1), X), ["400", "5"]),
    "a score with NaN": (lambda: Run(Cal(Thresholds(lambda X: X[:, 0] * np.nan), 0.1, 0.1), X), ["nan", "row 0"]),
    "not binary": (lambda: Run(Cal(Conjunctions(), 0.1, 0.1), X), ["0 or 1", "row 0, column 0", "binarise"]),
    "predictions of another length": (
        lambda: Run(Cal(FiniteClass([lambda X: X[:5, 0]]), 0.1, 0.1), X),
        ["400", "(5,)"],
    ),
    "predictions of another kind": (lambda: Run(Cal(FiniteClass([lambda X: X[:, 0]]), 0.1, 0.1), X), ["row 0", "1/0"]),
    # repeated rows
    **{
        f"repeated rows, {learner.__name__}": (
            lambda learner=learner: Run(learner(Boxes(), 0.9, 0.5), REPEATED),
            [learner.__name__, "share one coin", "KnownPrior"],
        )
        for learner in (UnknownPrior, PassivePU)
    },
    "conjunctions": (
        lambda: Run(PassivePU(Conjunctions(), 0.5, 0.5), np.eye(400)[:, :3]),
        ["binary features", "KnownPrior"],
    ),
    # experts
    "labels of another length": (lambda: learn(LEARNER, X, SimulatedExpert(np.ones(399, bool))), ["400", "399"]),
    "labels for a sampler": (
        lambda: learn(LEARNER, Sampler(lambda n, rng: rng.random((n, 2)), dim=2), EXPERT),
        ["Sampler", "function of features"],
    ),
    "labels of another kind": (lambda: SimulatedExpert([0, 1, 2]), ["true and false", "2"]),
    "labels with NaN": (lambda: SimulatedExpert([0.0, np.nan]), ["true and false", "nan"]),
    "labels in a table": (lambda: SimulatedExpert(X > 0.5), ["(400, 2)"]),
    "a label function of another length": (
        lambda: learn(LEARNER, X, SimulatedExpert(lambda X: np.ones(7, bool))),
        ["y(features)", "7"],
    ),
    "no expert": (lambda: learn(LEARNER, X, diagonal), ["answer(items, rows)", "CallbackExpert"]),
    "no function": (lambda: CallbackExpert(3), ["3"]),
    "too few rows of its own": (
        lambda: learn(LEARNER, X, CallbackExpert(lambda rows: rows[:, 0] > 2, rows=np.zeros((1, 2)))),
        ["1", "one per item"],
    ),
    "answers of another shape": (answering([True, False]), ["1 answer", "(2,)"]),
    "an answer of another type": (answering(["yes"]), ["such as 'yes'."]),
    "an answer told as a number": (lambda: told(np.int64(1)), ["got 1."]),
    "an answer of NaN": (answering([np.nan]), ["NaN"]),
    "an answer of None": (answering([None]), ["None"]),
    "an answer out of range": (answering([2]), ["2"]),
    "a classifier in place of a learner": (
        lambda: Run(LogisticRegression(), X),
        ["ModelLearner(LogisticRegression(…))"],
    ),
    "a table in place of a learner": (lambda: Run(X, LEARNER), ["ndarray of shape (400, 2)", "learn(learner, pool"]),
    "a table in place of an expert": (lambda: learn(LEARNER, X, X), ["ndarray of shape (400, 2)", "CallbackExpert"]),
    "no pool": (lambda: Run(LEARNER, None), ["got None"]),
    "a curve of the wrong way round": (lambda: learning_curve(None, LEARNER), ["got None and Cal"]),
    # results
    "another run's question": (lambda: Run(LEARNER, X).tell(Run(LEARNER, X).ask()[0], True), ["this question 0"]),
    "a question never asked": (lambda: Run(LEARNER, X).tell("this one", True), ["this one", "ask()"]),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused_in_a_sentence_that_holds_the_value(case):
    do, parts = CASES[case]
    with pytest.raises(InvalidInput) as caught:
        do()
    sentence = str(caught.value)
    for part in parts:
        assert part in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_every_error_is_one_of_ours_and_bad_input_is_a_value_error():
    assert issubclass(InvalidInput, (ActivePUError,))
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(PoolTooSmall, ValueError)


def asks(*args):
    raise AssertionError("a question was asked")


@pytest.mark.parametrize(
    ("make", "rows"),
    [
        (lambda e: Cal(Boxes(), e, 0.1), 60),
        (lambda e: KnownPrior(Boxes(), e, 0.1, prior=0.3), 60),
        (lambda e: KnownPrior(FiniteClass([diagonal]), e, 0.1, prior=0.5), 60),
        (lambda e: UnknownPrior(Boxes(), e, 0.1), 2_000),
        (lambda e: PassivePU(Boxes(), e, 0.1), 60),
        (lambda e: PassivePU(FiniteClass([diagonal]), e, 0.1), 700),
    ],
    ids=["cal", "known prior", "known prior, finite", "unknown prior", "passive", "passive, finite"],
)
def test_a_pool_that_is_too_small_names_the_epsilon_that_it_supports(make, rows):
    pool = Pool(np.random.default_rng(1).random((rows, 2)))
    with pytest.raises(PoolTooSmall, match=f"epsilon = 0.01.*{rows:,}") as caught:
        learn(make(0.01), pool, CallbackExpert(asks))
    named = float(re.search(r"supports? epsilon = ([0-9.]+) or more", str(caught.value))[1])
    run = Run(make(named), pool)
    assert run.ask()
    with pytest.raises(PoolTooSmall):
        Run(make(named - 0.002), pool)


def test_a_pool_that_supports_no_epsilon_says_so():
    with pytest.raises(PoolTooSmall, match="no epsilon"):
        Run(UnknownPrior(Boxes(), 0.1, 0.1), X[:50])


def test_an_unreadable_file_is_named(tmp_path):
    for name in ("bad.parquet", "empty.csv"):
        path = tmp_path / name
        path.write_text("" if name == "empty.csv" else "not a table")
        with pytest.raises(InvalidInput, match=name):
            Pool(path)
    (tmp_path / "names.csv").write_text("a,a\n1,2\n")
    with pytest.raises(InvalidInput, match="unique"):
        Pool(tmp_path / "names.csv")


def test_prediction_checks_its_rows():
    result = learn(Cal(Boxes(), 0.3, 0.3), X, EXPERT, budget=3)
    for rows, part in ((X[:, :1], "2 column"), (with_value(np.nan), "nan"), (["a"], "numbers"), (0.5, "shape ()")):
        for abstain in (False, True):
            with pytest.raises(InvalidInput, match=re.escape(part)):
                result.predict(rows, abstain=abstain)
    with pytest.raises(InvalidInput, match="'maybe'"):
        result.items("maybe")
