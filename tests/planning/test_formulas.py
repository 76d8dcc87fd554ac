from __future__ import annotations

import json
import math

import pytest

from activepu.errors import InvalidInput
from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Halfspaces, Intervals, Thresholds
from activepu.planning import Plan, readable
from activepu.planning import plan as plan_with_simulation
from activepu.theory import refined


def plan(*arguments, **settings):
    """The formulas alone, at once."""
    return plan_with_simulation(*arguments, runs=0, **settings)


def questions(table: Plan) -> dict[str, int | None]:
    return {row.method: row.questions for row in table.rows}


@pytest.mark.parametrize("H", [Thresholds(), Intervals(), Boxes(2), Boxes(3)], ids=repr)
def test_the_paper_asks_most_and_nothing_in_general_beats_the_limit(H):
    asked = questions(plan(H, 0.1, 0.1, rate=0.5, prior=0.3))
    assert asked["paper, unknown prior"] > asked["paper, known prior"] > asked["paper, known prior, θ"]
    assert asked["paper, known prior, θ"] > asked["KnownPrior"]
    assert asked["limit"] < asked["UnknownPrior"] < asked["paper, unknown prior"]
    assert asked["limit"] < asked["PassivePU"]


@pytest.mark.parametrize("H", [Thresholds(), Intervals(), Boxes(2)], ids=repr)
def test_every_bound_of_the_paper_has_a_smaller_one_beside_it(H):
    rows = plan(H, 0.1, 0.1, rate=0.5, prior=0.3).rows
    asked = questions(plan(H, 0.1, 0.1, rate=0.5, prior=0.3))
    printed = [row.method for row in rows if row.method.startswith("paper") and "θ" not in row.method]
    assert printed == ["paper, known prior", "paper, reveal rate", "paper, unknown prior"]
    for method in printed:
        assert asked[f"{method}, θ"] < asked[method] / 100


def test_the_refined_rows_are_the_refined_bounds():
    H, table = Boxes(2), plan(Boxes(2), 0.1, 0.1, rate=0.5, prior=0.3)
    rate = refined.estimate_rate_questions(H, 8, 0.3, 0.5, 0.1 / 8)
    assert questions(table)["paper, known prior, θ"] == refined.known_prior_questions(H, 8, 0.5, 0.1, 0.1)
    assert questions(table)["paper, reveal rate, θ"] == refined.estimate_rate_questions(H, 8, 0.3, 0.5, 0.1)
    assert questions(table)["paper, unknown prior, θ"] == rate + refined.unknown_prior_questions(H, 8, 0.125, 0.1, 0.1)


def test_rarer_reveals_and_smaller_errors_cost_more_questions():
    base = questions(plan(Boxes(2), 0.1, 0.1, rate=0.5, prior=0.3))
    silent = questions(plan(Boxes(2), 0.1, 0.1, rate=0.2, prior=0.3))
    finer = questions(plan(Boxes(2), 0.02, 0.1, rate=0.5, prior=0.3))
    for method, count in base.items():
        assert finer[method] >= count
        assert silent[method] == count if method == "Cal" else silent[method] > count
    assert finer["limit"] > base["limit"]


def test_the_limit_is_the_channels():
    table = plan(Thresholds(), 0.1, 0.1, rate=0.5, prior=0.3)
    assert questions(table)["limit"] == math.ceil(math.log2(10) / 0.32193)


def test_theta_is_taken_from_the_closed_form_unless_it_is_given():
    assert plan(Thresholds(), 0.1, 0.1).theta == 2
    assert plan(Boxes(2), 0.1, 0.1, prior=0.05).theta == 20
    assert plan(Boxes(2), 0.1, 0.1, theta=3).theta == 3


def test_without_a_coefficient_only_what_needs_none_is_planned():
    table = plan(Halfspaces(2), 0.1, 0.1)
    assert [row.method for row in table.rows] == ["UnknownPrior", "PassivePU", "limit"]
    assert "pass theta" in str(table)


def test_what_needs_a_continuous_distribution_is_not_planned_for_conjunctions():
    methods = questions(plan(Conjunctions(4), 0.1, 0.1))
    assert "UnknownPrior" not in methods
    assert not any(method.startswith("paper") for method in methods)
    assert "PassivePU" not in methods
    assert "KnownPrior" in methods


def test_a_finite_class_has_no_more_bits_than_hypotheses():
    rules = FiniteClass([lambda X, cut=cut: X[:, 0] >= cut for cut in range(3)])
    assert questions(plan(rules, 0.01, 0.1, rate=1.0))["limit"] == 2


def test_only_numbers_without_unproved_constants_are_called_proved():
    kinds = {row.method: row.kind for row in plan(Boxes(2), 0.1, 0.1).rows}
    assert kinds["paper, known prior"] == kinds["PassivePU"] == "proved bound"
    assert {kind for method, kind in kinds.items() if method.endswith("θ")} == {"proved bound"}
    assert kinds["paper, unknown prior"] == kinds["UnknownPrior"] == kinds["KnownPrior"] == "estimate"
    assert kinds["limit"] == "limit"


def test_the_text_is_an_aligned_table_with_every_row():
    table = plan(Boxes(2), 0.1, 0.1, rate=0.5, prior=0.3)
    text = str(table)
    lines = [line for line in text.splitlines() if line.startswith(tuple(row.method for row in table.rows))]
    assert len(lines) == len(table.rows)
    for row, line in zip(table.rows, lines, strict=True):
        assert readable(row.questions) in line
    column = text.splitlines()[2].index("what it is")
    assert all(line[column:].startswith(row.kind) for row, line in zip(table.rows, lines, strict=True))


def test_the_plan_survives_json():
    table = plan(FiniteClass([lambda X: X[:, 0] > 0] * 9), 0.1, 0.1)
    data = json.loads(json.dumps(table.to_dict()))
    assert data["epsilon"] == 0.1
    assert [row["questions"] for row in data["rows"]] == [row.questions for row in table.rows]


@pytest.mark.parametrize(
    ("count", "text"), [(None, "–"), (7, "7"), (12345, "12,345"), (437_000_000, "4.4e8"), (10**10, "1.0e10")]
)
def test_counts_are_readable(count, text):
    assert readable(count) == text


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"rate": 50}, "rate"),
        ({"prior": 0}, "prior"),
        ({"theta": 0.5}, "theta"),
    ],
)
def test_bad_settings_are_named(arguments, name):
    with pytest.raises(InvalidInput, match=name):
        plan(Thresholds(), **({"epsilon": 0.1, "delta": 0.1} | arguments))


def test_a_class_without_a_dimension_asks_for_one():
    with pytest.raises(InvalidInput, match="dim"):
        plan(Boxes(), 0.1, 0.1)
