"""What the pages show of the shell runs, line by line, on a table like theirs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from cli.scenes import write_tables
from typer.testing import CliRunner

from activepu.cli import app

ROOT = Path(__file__).parents[2]
SHOWN = {"README.md": 8, "docs/shell.md": 4}
"""Pages, and how many of their commands run here."""
SIMULATED = ("activepu plan", "activepu demo")
"""Commands that simulate: `tests/test_docs.py` compares what the page shows of them."""


def commands(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    return [line for line in lines if line.startswith("activepu ") and not line.startswith(SIMULATED)]


@pytest.mark.parametrize("page", SHOWN)
def test_the_commands_of_a_page_run_in_their_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tables()
    found = [line for line in commands(page) if "completion" not in line and "--help" not in line]
    assert len(found) == SHOWN[page]
    for line in found:
        shown = CliRunner().invoke(app, shlex.split(line, comments=True)[1:], input="y\nn\nq\n")
        assert shown.exit_code == 0, f"{line}\n{shown.output}"
