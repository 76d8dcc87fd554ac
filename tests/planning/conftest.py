from __future__ import annotations

import pytest

from activepu.planning import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, and an empty memory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_seen", {})
    return tmp_path / "cache" / "activepu"
