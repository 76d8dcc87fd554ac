"""Z-CAL with unusual answers, unusual pools and wrong settings; and what is kept of its results."""

from __future__ import annotations

import numpy as np
import pytest
from zcal.scenes import DELTA, RATE, Scene, scene, tell

import activepu as apu
from activepu.experts import Expert
from activepu.hypotheses import HypothesisClass
from activepu.testing import check_learner


@pytest.mark.parametrize(
    ("name", "rate"), [("thresholds", None), ("boxes", RATE), ("finite", None), ("conjunctions", (0.5, 0.9))]
)
def test_the_contract_of_all_learners_is_kept(name: str, rate: object) -> None:
    world = scene(name)
    check_learner(world.learner(rate), apu.Pool(world.rows), world.expert(RATE), budget=14)


# What is done with unusual answers.


def test_skipped_items_are_put_aside_and_the_run_goes_on() -> None:
    world = scene("thresholds")
    run, expert, skipped = apu.Run(world.learner(RATE), world.rows), world.expert(RATE), set()
    while not run.finished:
        (question,) = run.ask()
        assert question.item not in skipped
        if question.number % 3 == 1:
            run.tell(question, apu.SKIP)
            skipped.add(question.item)
        else:
            tell(run, expert, [question])
    result = run.result()
    assert result.stop_reason == apu.StopReason.TARGET
    assert skipped
    assert not skipped & set(result.history["item"])
    assert "items were skipped whatever they are" in result.certificate.assumptions
    world.check(result, RATE)


def test_skipped_items_are_asked_again_when_no_others_are_left() -> None:
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=1.0, check=0), np.arange(5.0)[:, None])
    first = [run.ask()[0] for _ in range(5)]
    for question in first:
        run.tell(question, apu.SKIP)
    again = run.ask(5)
    assert {question.item for question in again} == set(range(5))
    for question in again:
        run.tell(question, question.item >= 3)
    assert run.result().predict(np.arange(5.0)[:, None]).tolist() == [False] * 3 + [True] * 2


@pytest.mark.parametrize("name", ["thresholds", "boxes", "finite"])
def test_an_answer_taken_back_was_never_told(name: str) -> None:
    world = scene(name, 200)
    plain, other = (apu.Run(world.learner(), world.rows) for _ in range(2))
    expert = world.expert(0.9)
    for _ in range(12):
        tell(plain, expert, plain.ask())
        tell(other, expert, other.ask())
    question = other.questions[5]
    told = question.answer
    other.undo(question)
    assert other.open == [question]
    other.tell(question, not told)
    other.undo(question)
    other.tell(question, told)
    before, after = plain.result(), other.result()
    assert before.history == after.history
    for kind in ("positive", "negative", "undecided"):
        np.testing.assert_array_equal(before.items(kind), after.items(kind))
    assert (before.certificate, before.rate, before.prior) == (after.certificate, after.rate, after.prior)
    assert str(before.hypothesis) == str(after.hypothesis)
    tell(plain, expert, plain.ask(6))
    tell(other, expert, other.ask(6))
    assert [q.item for q in plain.questions] == [q.item for q in other.questions]


def test_answers_after_the_target_are_taken_in_too() -> None:
    world, late = scene("thresholds"), 0
    for seed in range(4):
        run, expert = apu.Run(world.learner(RATE), world.rows, seed=seed), world.expert(RATE, seed)
        while not run.finished:
            for question in run.ask(8):
                if not run.finished:
                    tell(run, expert, [question])
        at_target, waiting = run.result(), run.open
        tell(run, expert, reversed(waiting))
        after = run.result()
        late += len(waiting)
        assert after.n_queries == len(run.questions) == at_target.n_queries + len(waiting)
        assert after.n_revealed == sum(question.revealed for question in run.questions)
        assert set(after.items("undecided")) <= set(at_target.items("undecided"))
        assert after.stop_reason == apu.StopReason.TARGET
        world.check(after, RATE)
    assert late > 0


# Pools of a special kind.


@pytest.mark.parametrize("rate", [0.3, None])
def test_of_repeated_rows_each_coin_is_asked_once(rate: float | None) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 8, (600, 2)).astype(float)
    y = (np.abs(rows - 3.5) <= 2).all(axis=1)
    expert = apu.CallbackExpert(lambda X: (np.abs(X - 3.5) <= 2).all(axis=1) & ((3 * X[:, 0] + 5 * X[:, 1]) % 10 < 3))
    result = apu.learn(apu.ZCal(apu.Boxes(), 0.005, DELTA, rate=rate, check=0), rows, expert)
    asked = rows[result.history["item"]]
    assert len(np.unique(asked, axis=0)) == len(asked) <= 64
    assert len(result.items("undecided")) > 0
    assert "dried up: no further question can decide" in result.stop_reason
    assert (result.predict(rows) != y).mean() <= result.certificate.error_bound
    assert y[result.items("positive")].all()
    assert not y[result.items("negative")].any()


@pytest.mark.parametrize("rate", [0.5, None])
def test_rare_positives_are_found(rate: float | None) -> None:
    rows = np.random.default_rng(2).random((20_000, 1))
    world = Scene(apu.Thresholds(), rows, rows[:, 0] >= 0.99, 0.002)
    result = apu.learn(world.learner(rate), rows, world.expert(0.5))
    assert result.stop_reason == apu.StopReason.TARGET
    world.check(result, 0.5)


class Erring:
    """Reveals a positive at RATE and everything else at a rate of `wrong`."""

    def __init__(self, y: np.ndarray, wrong: float, seed: int) -> None:
        self.revealed = np.random.default_rng(seed).random(len(y)) < np.where(y, RATE, wrong)

    def answer(self, items: np.ndarray, rows: object) -> np.ndarray:
        return self.revealed[items]


@pytest.mark.parametrize("rate", [RATE, (0.5, 0.8)])
def test_wrong_reveals_are_borne_if_they_are_announced(rate: object) -> None:
    world, deceived = scene("finite"), 0
    for seed in range(2):
        expert = Erring(world.y, 0.1, seed)
        result = apu.learn(world.learner(rate, false_reveal=0.1), world.rows, expert)
        assert result.stop_reason == apu.StopReason.TARGET
        assert any(
            "with one and the same probability, 0.1 at most" in given for given in result.certificate.assumptions
        )
        world.check(result, RATE)
        deceived += is_deceived(world, rate, expert)
    assert deceived > 0, "no reveal was wrong"


def is_deceived(world: Scene, rate: object, expert: Expert) -> bool:
    """Whether reveals that are taken for true refute the class, or the truth."""
    try:
        result = apu.learn(world.learner(rate), world.rows, expert)
    except apu.AssumptionsViolated:
        return True
    return bool((result.predict(world.rows, abstain=True) == 1 - world.y).any())


@pytest.mark.parametrize(("dim", "method"), [(2, "exact"), (3, "sampled")])
def test_so_they_are_by_halfspaces(dim: int, method: str) -> None:
    rows = np.random.default_rng(4).normal(size=(400, dim))
    world = Scene(apu.Halfspaces(), rows, rows.sum(axis=1) >= 0.5, 0.35)
    expert = Erring(world.y, 0.05, 0)
    result = apu.learn(world.learner(RATE, false_reveal=0.05), rows, expert)
    assert result.certificate.method == method
    assert result.stop_reason == apu.StopReason.TARGET
    assert (result.predict(rows) != world.y).mean() <= world.epsilon
    assert is_deceived(world._replace(epsilon=0.1), RATE, expert)  # asks enough to meet a wrong reveal


def test_a_class_that_is_nearly_right_is_borne_too() -> None:
    world = scene("finite")
    stray = np.random.default_rng(5).random(len(world.y)) < 0.05
    expert = apu.SimulatedExpert(world.y ^ stray, RATE)
    result = apu.learn(world.learner(RATE, false_reveal=0.1), world.rows, expert)
    assert result.stop_reason == apu.StopReason.TARGET
    assert (result.predict(world.rows) != world.y).mean() <= world.epsilon


# Settings, and what is kept.


@pytest.mark.parametrize(
    ("rate", "named"),
    [
        (1.5, "1.5"),
        (0, "0"),
        (float("nan"), "nan"),
        (True, "True"),
        ((0.6, 0.3), r"\(0.6, 0.3\)"),
        ((0.1,), r"\(0.1,\)"),
        ((0.2, 1.2), "1.2"),
        ("foo", "'foo'"),
    ],
)
def test_a_bad_rate_is_refused_with_a_sentence(rate: object, named: str) -> None:
    with pytest.raises(apu.InvalidInput, match=rf"^rate .*{named}.*\.$"):
        apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=rate, check=0)


@pytest.mark.parametrize("H", [apu.Boxes(), apu.Thresholds()])
def test_false_reveals_are_refused_where_they_have_no_place(H: HypothesisClass) -> None:
    with pytest.raises(apu.InvalidInput, match=r"^false_reveal = 0\.1 needs a FiniteClass or Halfspaces.*\.$"):
        apu.Run(apu.ZCal(H, 0.1, 0.1, false_reveal=0.1, check=0), np.random.default_rng(0).random((20, 2)))


@pytest.mark.parametrize("wrong", [-0.1, 1.2, 0.6, "often"])
def test_a_bad_rate_of_false_reveals_is_refused_with_a_sentence(wrong: object) -> None:
    with pytest.raises(apu.InvalidInput, match=r"^false_reveal must .*\.$"):
        apu.ZCal(apu.FiniteClass([lambda X: X[:, 0] > 0]), 0.1, 0.1, rate=0.5, false_reveal=wrong, check=0)


def test_a_result_is_kept_with_its_rates_and_its_population(tmp_path) -> None:
    world = scene("thresholds", 4000)
    run, expert = apu.Run(world.learner("per expert"), world.rows), world.expert(RATE)
    names = ("ann", 7)
    while not run.finished and run.n_answered < 40:
        tell(run, expert, run.ask(expert=names[len(run.questions) % 2]))
    result = run.result()
    assert result.population is not None
    result.save(tmp_path / "result.json")
    loaded = apu.load_result(tmp_path / "result.json")
    assert loaded.rates == result.rates
    assert set(loaded.rates) == set(names)
    assert loaded.population == result.population
    assert loaded.certificate == result.certificate
    assert (loaded.prior, loaded.rate) == (result.prior, result.rate)
    np.testing.assert_array_equal(loaded.predict(world.rows, abstain=True), result.predict(world.rows, abstain=True))


def test_a_reveal_that_comes_after_the_end_is_in_the_rule() -> None:
    """A dozen questions at a time: the last ones are answered when all is certified already."""
    late = 0
    for seed in (38, 51, 72, 74, 88):
        rng = np.random.default_rng(seed)
        rows = rng.random((1500, 2))
        answers = ((rows > 0.2) & (rows < 0.2 + 0.3**0.5)).all(axis=1) & (rng.random(1500) < 0.6)
        run = apu.Run(apu.ZCal(apu.Boxes(), 0.2, 0.1, rate=0.6, check=0), rows, seed=seed)
        while not run.finished:
            for question in run.ask(12):
                late += run.finished and answers[question.item]
                run.tell(question, bool(answers[question.item]))
        revealed = [question.item for question in run.questions if question.revealed]
        result = run.result()
        assert result.hypothesis.contains(rows[revealed]).all()
        assert result.certificate.error_bound <= 0.2
    assert late
