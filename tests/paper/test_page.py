"""docs/paper.md names files, tests and errata that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text("utf-8")
TAGS = [*(f"P{i}" for i in range(1, 5)), "H1", "H2", *(f"A{i}" for i in range(1, 7)), *(f"R{i}" for i in range(1, 8))]
TAGS += [f"U{i}" for i in range(1, 13)]


def test_every_erratum_has_its_row():
    assert re.findall(r"^\| ([PHARU]\d+) \|", PAGE, re.MULTILINE) == TAGS


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


def test_its_example_prints_what_it_says(capsys):
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    exec(example[1], {})
    said = re.search(r"print\(.*# (.*)", example[1])
    assert said is not None
    assert capsys.readouterr().out.strip() == said[1]
