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


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_a_file_that_is_not_separated_by_commas_is_named_as_such(sign: str, name: str) -> None:
    Path("t.csv").write_text("".join(f"{sign.join(row)}\n" for row in (["key", "p"], ["k1", "1"], ["k2", "0"])))
    shown = run("audit", "t.csv", "--predictions", "p")
    assert shown.exit_code == 2
    assert f"are its values separated by {name}? Save the file with commas." in shown.stderr
    assert shown.stderr.count("\n") == 1


def test_a_folder_in_place_of_a_file_is_named_as_such() -> None:
    Path("tables").mkdir()
    shown = run("audit", "tables", "--predictions", "p")
    assert (shown.exit_code, shown.stderr.count("\n")) == (2, 1)
    assert "got the folder 'tables'; add the name of the file" in shown.stderr
