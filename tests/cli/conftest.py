"""A folder with a small table."""

from pathlib import Path

import pytest
from studies.scenes import X


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["name,a,b", *(f"n{k},{a},{b}" for k, (a, b) in enumerate(X[:400]))]
    Path("t.csv").write_text("\n".join(lines))
