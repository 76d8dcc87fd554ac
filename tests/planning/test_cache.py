"""What was simulated is kept; what cannot be read or written is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from activepu.planning import cache

SETTING = {"name": "boxes", "dim": 2, "epsilon": 0.1}
RUNS = [(30, 0.09), (41, 0.1)]


@pytest.fixture
def forget(monkeypatch):
    """As in a new process."""
    return lambda: monkeypatch.setattr(cache, "_seen", {})


def test_runs_come_back_in_the_next_process(forget):
    assert cache.load(SETTING) == []
    cache.save(SETTING, RUNS)
    forget()
    assert cache.load(SETTING) == RUNS


def test_in_the_same_process_the_folder_is_not_needed(own_cache):
    cache.save(SETTING, RUNS)
    for path in own_cache.iterdir():
        path.unlink()
    assert cache.load(SETTING) == RUNS


@pytest.mark.parametrize("change", [{"dim": 3}, {"epsilon": 0.2}, {"name": "orthants"}])
def test_another_setting_has_runs_of_its_own(change):
    cache.save(SETTING, RUNS)
    assert cache.load(SETTING | change) == []


@pytest.mark.parametrize("part", ["version", "_code"])
def test_another_version_or_code_does_not_answer(part, forget, monkeypatch):
    cache.save(SETTING, RUNS)
    forget()
    monkeypatch.setattr(cache, part, lambda *_: "another")
    assert cache.load(SETTING) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"runs": 3}', '{"runs": [[1], [2]]}'])
def test_a_broken_file_is_ignored_and_then_replaced(text, own_cache, forget):
    cache.save(SETTING, RUNS)
    (path,) = own_cache.iterdir()
    path.write_text(text)
    forget()
    assert cache.load(SETTING) == []
    cache.save(SETTING, RUNS)
    assert [tuple(run) for run in json.loads(path.read_text())["runs"]] == RUNS
    assert list(own_cache.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch, forget):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache.save(SETTING, RUNS)
    assert cache.load(SETTING) == RUNS
    forget()
    assert cache.load(SETTING) == []


@pytest.mark.parametrize("value", [None, "", "relative/path"])
def test_the_folder_is_in_the_home_folder_unless_xdg_names_another(value, tmp_path, monkeypatch):
    assert cache.folder() == tmp_path / "cache" / "activepu"
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "ann")
    if value is None:
        monkeypatch.delenv("XDG_CACHE_HOME")
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert cache.folder() == tmp_path / "ann" / ".cache" / "activepu"
