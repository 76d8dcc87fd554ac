"""The derived tables of docs/constants.md, line by line as the code gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from activepu.hypotheses import Boxes, Conjunctions, Intervals, Orthants, Thresholds
from activepu.planning import readable
from activepu.theory import budgets, refined, sharp
from activepu.theory.deviations import uniform_sample_size
from activepu.theory.disagreement import coefficient
from activepu.theory.radii import positives_for_radius

PAGE = (Path(__file__).parents[2] / "docs" / "constants.md").read_text("utf-8")
DELTA = 0.1
COLUMNS = [(Thresholds(), 2.0, 0.1), (Thresholds(), 2.0, 0.05), (Boxes(2), 4.0, 0.1), (Boxes(2), 4.0, 0.05)]


def line(head: str, values: list[int]) -> str:
    return f"| {head} | {' | '.join(readable(value) for value in values)} |"


PAPER = {
    "Algorithm 1, k unlabeled (γ as printed)": lambda H, theta, epsilon: budgets.known_prior_unlabeled(
        H.vc_dimension, budgets.margin(theta, epsilon, printed=True), DELTA
    ),
    "Algorithm 1, label bound λN, times 1/ω": lambda H, theta, epsilon: budgets.known_prior_questions(
        H.vc_dimension, theta, 1.0, epsilon, DELTA
    ),
    "Algorithm 2, label bound, π = 0.3, ω = 1": lambda H, theta, epsilon: budgets.estimate_rate_questions(
        H.vc_dimension, theta, 0.3, 1.0, DELTA
    ),
    "Algorithm 3, N": lambda H, theta, epsilon: budgets.iterations(epsilon),
    "Algorithm 3, λ1, times 1/ω": lambda H, theta, epsilon: budgets.rate_test_questions(theta, 1.0, epsilon, DELTA),
    "Algorithm 3, λ2 solved, times 1/ω": lambda H, theta, epsilon: budgets.prune_questions_solved(
        H.vc_dimension, theta, 1.0, epsilon, DELTA
    ),
    "Algorithm 3, N(λ1 + λ2), ω = 1": lambda H, theta, epsilon: budgets.unknown_prior_questions(
        H.vc_dimension, theta, 1.0, epsilon, DELTA
    ),
    "Algorithm 3, S1 as printed": lambda H, theta, epsilon: budgets.unknown_prior_unlabeled(
        H.vc_dimension, epsilon, DELTA
    ),
    "Algorithm 3, S1 solved": lambda H, theta, epsilon: budgets.unknown_prior_unlabeled_solved(
        H.vc_dimension, epsilon, DELTA
    ),
    "Algorithm 3, S1 reused (intersection-closed)": lambda H, theta, epsilon: budgets.unknown_prior_unlabeled_closed(
        H, epsilon, DELTA
    ),
}


@pytest.mark.parametrize("head", PAPER)
def test_the_papers_numbers(head):
    assert line(head, [PAPER[head](*column) for column in COLUMNS]) in PAGE


@pytest.mark.parametrize("H", [Thresholds(), Intervals(), Boxes(2), Boxes(3), Orthants(3), Conjunctions(10)], ids=repr)
def test_the_positives_for_a_radius(H):
    assert line(f"`{H!r}`", [positives_for_radius(H, a, DELTA) for a in (0.5, 0.25, 0.1, 0.05, 0.01)]) in PAGE


@pytest.mark.parametrize("H", [Thresholds(), Intervals(), Boxes(2)], ids=repr)
def test_the_sharp_sizes(H):
    theta = coefficient(H, 0.3)
    sizes = [
        round(theta),
        uniform_sample_size(H, budgets.margin(theta, 0.1), DELTA / 4),
        sharp.known_prior_unlabeled(0.3, theta, 0.1, DELTA),
        sharp.known_prior_questions(H, theta, 1.0, 0.1, DELTA),
        refined.known_prior_questions(H, theta, 1.0, 0.1, DELTA),
        sharp.full_label_questions(H, theta, 0.1, DELTA),
    ]
    assert line(f"`{H!r}`", sizes) in PAGE
