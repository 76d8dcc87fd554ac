"""Files that are no tables: each is refused with one sentence that says what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from activepu.cli import app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_a_file_that_is_not_separated_by_commas_is_read(sign: str) -> None:
    Path("t.csv").write_text("".join(f"{sign.join(row)}\n" for row in (["key", "p"], ["k1", "1"], ["k2", "0"])))
    shown = run("audit", "t.csv", "--predictions", "q")
    assert shown.exit_code == 2
    assert "There is no column 'q'; the table has key, p." in shown.stderr or "Without --expert-column" in shown.stderr


def test_a_folder_in_place_of_a_file_is_named_as_such() -> None:
    Path("tables").mkdir()
    shown = run("audit", "tables", "--predictions", "p")
    assert (shown.exit_code, shown.stderr.count("\n")) == (2, 1)
    assert "got the folder 'tables'; add the name of the file" in shown.stderr
