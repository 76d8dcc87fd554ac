"""What a result of a model says in the user's currency, and what it says of further questions."""

import json

import numpy as np
import pytest
from models.scenes import NEW, PLANE, TRUTH, forest
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB

import activepu as apu
from activepu.estimates import Estimates, Forecast, Guess
from activepu.models import outlook
from activepu.saved import Field

EXPERT = apu.SimulatedExpert(TRUTH, rate=0.6)


def learned(model=None, expert=EXPERT, budget=120, **settings):
    learner = apu.ModelLearner(forest(10) if model is None else model, patience=None, **settings)
    return learner, apu.learn(learner, PLANE, expert, budget=budget, batch=20)


@pytest.fixture(scope="module")
def run():
    return learned()


def holds(guess, truth):
    """Nearly: an interval is meant to hold 8 times in 10, and this is one run."""
    return 0.95 * guess.low <= truth <= 1.05 * guess.high


@pytest.mark.parametrize("model", [None, GaussianNB(), apu.models.ChannelLogistic(random_state=0)])
def test_the_estimates_hold_the_truth(model):
    _, result = learned(model)
    told, called = result.estimates, result.predict(PLANE)
    assert (told.rows, told.called) == (600, called.sum())
    assert holds(told.positives, TRUTH[called].sum())
    assert holds(told.precision, TRUTH[called].mean())
    assert holds(told.recall, TRUTH[called].sum() / TRUTH.sum())
    assert holds(told.prior, TRUTH.mean())
    assert holds(told.rate, 0.6)
    p = result.predict_proba(PLANE)[:, 1]
    assert holds(told.average_precision, average_precision_score(TRUTH, p))
    assert holds(told.precision_at(50), TRUTH[np.argsort(-p)[:50]].mean())
    assert (result.prior.low, result.rate.high) == (told.prior.low, told.rate.high)


def test_what_is_not_identified_is_called_that(run):
    _, result = run
    assert not result.estimates.identified
    assert result.rate.high == 1.0
    assert "Not identified" in str(result)
    _, told = learned(rate=0.6)
    assert told.estimates.identified
    assert "Not identified" not in str(told)
    assert "Reveal rate: 0.6 (given)" in str(told)


def test_the_printout_is_in_the_users_currency(run):
    _, result = run
    said = str(result)
    assert "Estimates, not proved" in said
    assert f"Of the {result.estimates.called} rows called positive" in said
    assert "Precision among the first 60" in said
    assert said.splitlines()[-1].startswith(("Continue: 100 more", "Stop: 100 more"))
    assert "expected" not in said.lower()


def test_without_a_model_the_printout_says_to_go_on():
    result = apu.Run(apu.ModelLearner(forest(5)), PLANE).result()
    assert result.estimates is None
    assert str(result).splitlines()[-1].startswith("Continue: ")
    few = learned(budget=20)[1]
    assert "too few answers" in str(few)


def test_precision_and_recall_are_estimates_of_a_model(run):
    _, result = run
    for name in ("precision", "recall"):
        bounds, guess = getattr(result, name), getattr(result.estimates, name)
        assert (bounds.low, bounds.estimate, bounds.high, bounds.confidence) == (*guess, 0.0)
    assert result.precision_at(600).estimate == pytest.approx(result.prior.estimate, abs=0.02)
    with pytest.raises(apu.InvalidInput, match="Only an audit has"):
        _ = result.error
    with pytest.raises(apu.InvalidInput, match=r"at most 600.*got 601"):
        result.precision_at(601)
    with pytest.raises(apu.InvalidInput, match=r"k .*0"):
        result.precision_at(0)
    with pytest.raises(apu.InvalidInput, match="Only models"):
        apu.Run(apu.Cal(apu.Boxes(), 0.1, 0.1), PLANE).result().precision_at(5)


def test_nothing_called_positive_has_no_precision():
    told = Estimates(10, 0, Guess(0, 0, 0), None, *[Guess(0, 0.1, 0.2)] * 4, (10,), (Guess(0, 1, 2),))
    assert "Nothing is called positive" in "\n".join(told.lines())


@pytest.mark.parametrize(("likely", "warned"), [(0.4, True), (0.9, False)])
def test_a_rule_that_is_wrong_as_often_as_right_is_warned_of(likely, warned):
    told = Estimates(
        100, 10, Guess(0, 4, 9), Guess(0.1, likely, 1.0), *[Guess(0, 0.1, 0.2)] * 4, (100,), (Guess(0, 1, 2),)
    )
    assert ("calling nothing positive would do as well" in "\n".join(told.lines())) == warned


def test_a_forecast_says_whether_to_go_on():
    assert str(Forecast(100, 0.71, 0.70, 0.78)).startswith(
        "Continue: 100 more questions: average precision 0.71 → 0.70"
    )
    assert str(Forecast(100, 0.99, 0.985, 0.995)).startswith("Stop")


def test_the_more_was_asked_the_less_is_forecast(run):
    _, result = run
    more = learned(budget=300)[1]
    gains = [one.estimates.forecast.high - one.estimates.forecast.now for one in (result, more)]
    assert gains[1] < gains[0]


def test_a_sample_stands_for_a_large_pool(run, monkeypatch):
    _, whole = run
    monkeypatch.setattr(outlook, "MOST_ROWS", 200)
    part = learned()[1]
    assert part.estimates.rows == 600
    assert part.estimates.prior.likely == pytest.approx(whole.estimates.prior.likely, abs=0.08)
    assert abs(part.estimates.called - whole.estimates.called) <= 60


def test_estimates_are_saved(run, tmp_path):
    _, result = run
    result.save(tmp_path / "r.json")
    again = apu.load_result(tmp_path / "r.json", hypotheses=result.hypothesis)
    assert again.estimates == result.estimates
    assert again.precision_at(30) == result.precision_at(30)
    assert str(again) == str(result)
    data = json.loads((tmp_path / "r.json").read_text())["estimates"]
    data["recall"] = [0.5, 0.4, 0.3]
    with pytest.raises(apu.InvalidInput, match="recall"):
        Estimates.read(Field(data, "estimates"))


def test_an_audit_stands_beside_the_estimates():
    learner = apu.ModelLearner(GaussianNB(), audit={"recall": 0.5, "delta": 0.2}, questions=60)
    result = apu.learn(learner, PLANE, EXPERT, budget=160, batch=20)
    assert result.recall.confidence == 0.8
    assert result.estimates.recall.likely > 0
    said = str(result)
    assert said.index("\nRecall: ") < said.index("Beside these bounds")


def test_a_plan_simulates_on_from_the_present_model(run):
    learner, result = run
    plan = apu.plan(learner, result=result, budget=20, runs=2)
    assert [row.questions for row in plan.rows] == [0, 5, 10, 15, 20]
    assert (plan.asked, plan.runs) == (120, 2)
    assert plan.rows[0].revealed.high == 0 < plan.rows[-1].revealed.likely
    assert all(0.5 < row.average_precision.low <= row.average_precision.high <= 1 for row in plan.rows)
    assert str(plan).splitlines()[-1].startswith("Simulated, not a guarantee")
    json.dumps(plan.to_dict())


def test_a_plan_keeps_known_positives():
    given = np.flatnonzero(TRUTH)[:10]
    learner = apu.ModelLearner(GaussianNB(), patience=None)
    result = apu.learn(learner, PLANE, EXPERT, positives=given, budget=40, batch=20)
    plan = apu.plan(learner, result=result, positives=given, budget=10, runs=1)
    assert plan.rows[-1].questions == 10


BAD = {
    "no result": (lambda _: apu.plan(apu.ModelLearner()), "takes the learner and the result"),
    "no model": (lambda run: apu.plan(run[0], result=apu.Run(run[0], PLANE).result()), "with a model and not loaded"),
    "no runs": (lambda run: apu.plan(*run[:1], result=run[1], runs=0), "runs=0"),
    "a rate": (lambda run: apu.plan(run[0], result=run[1], rate=0.5), "takes no rate, got 0.5"),
    "a class": (lambda run: apu.plan(apu.Boxes(dim=2), 0.1, result=run[1]), "takes no result"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_plans_get_a_sentence(case, run):
    make, words = BAD[case]
    with pytest.raises(apu.InvalidInput, match=words):
        make(run)


def test_new_rows_are_ranked_as_before(run):
    _, result = run
    assert result.predict(NEW).mean() == pytest.approx(TRUTH.mean(), abs=0.2)
