"""docs/paper.md names files, tests and errata that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from activepu.hypotheses import Boxes, Intervals, Thresholds
from activepu.planning import readable
from activepu.theory import budgets, refined, sharp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text("utf-8")
TAGS = [*(f"P{i}" for i in range(1, 5)), "H1", "H2", "C1", *(f"A{i}" for i in range(1, 8))]
TAGS += [*(f"R{i}" for i in range(1, 9)), *(f"U{i}" for i in range(1, 15)), "O1", "O2"]


def test_every_erratum_has_its_row():
    assert re.findall(r"^\| ([PHCARUO]\d+) \|", PAGE, re.MULTILINE) == TAGS


def test_every_file_and_test_that_it_names_exists():
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "paper").glob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 20
    assert [name for name in named if f"def {name}(" not in tests] == []
    paths = re.findall(r"`((?:src|tests)/[\w/.]+)`", PAGE)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_tag_in_the_code_is_explained():
    code = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "activepu" / "paper").glob("*.py"))
    used = set(re.findall(r"\b([AHPRU]\d+)\b", code))
    assert used <= set(TAGS)
    assert {"A2", "R1", "R2", "R7", "U1", "U2", "U3", "U5", "U6", "U7", "U10", "U11", "U12"} <= used


@pytest.mark.parametrize("level", [0.1, 0.05])
@pytest.mark.parametrize(
    ("name", "H", "theta"),
    [("thresholds", Thresholds(), 2), ("intervals", Intervals(), 4), ("boxes in the plane", Boxes(2), 8)],
    ids=lambda value: str(value),
)
def test_the_table_of_printed_and_refined_budgets(name, H, theta, level):
    d = H.vc_dimension
    values = [
        budgets.known_prior_questions(d, theta, 1.0, level / 2, level),
        sharp.known_prior_questions(H, theta, 1.0, level, level),
        refined.known_prior_questions(H, theta, 1.0, level, level),
        budgets.estimate_rate_questions(d, theta, 0.3, 1.0, level),
        refined.estimate_rate_questions(H, theta, 0.3, 1.0, level),
        budgets.unknown_prior_questions(d, theta, 1.0, level, level),
        refined.unknown_prior_questions(H, theta, 1.0, level, level),
    ]
    row = f"| {name} (θ = {theta}), ε = δ = {level:g} | {' | '.join(map(readable, values))} |"
    assert row in PAGE.splitlines()


def test_the_figures_at_a_large_coefficient():
    values = [
        budgets.known_prior_questions(4, 128, 1.0, 0.05, 0.1),
        sharp.known_prior_questions(Boxes(2), 128, 1.0, 0.1, 0.1),
        refined.known_prior_questions(Boxes(2), 128, 1.0, 0.1, 0.1),
    ]
    said = "goes from {} printed and {} with computed radii to {}"
    assert said.format(*map(readable, values)) in PAGE.replace("\n", " ")


def test_its_example_prints_what_it_says(capsys):
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    exec(example[1], {})
    said = re.search(r"print\(.*# (.*)", example[1])
    assert said is not None
    assert capsys.readouterr().out.strip() == said[1]
