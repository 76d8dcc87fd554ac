"""Where studies can be kept: the URL of a database, checked before anything is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from activepu.errors import InvalidInput


def checked(url: Any, must_exist: bool) -> sa.URL:
    """Return the URL with the driver that is used for it; refuse a place that cannot keep a study."""
    try:
        found = sa.make_url(url)
    except (exc.ArgumentError, ValueError):
        found = None
    kind = found.drivername.partition("+")[0] if found is not None else None
    if found is None or kind not in ("sqlite", "postgresql"):
        raise InvalidInput(
            f"A study is kept at sqlite:///file.db or postgresql://user@host/database, got {url!r:.200}."
        )
    if kind == "postgresql":
        try:
            import psycopg  # noqa: F401
        except ImportError:
            raise InvalidInput("PostgreSQL needs psycopg; run pip install 'activepu[postgresql]'.") from None
        return found.set(drivername="postgresql+psycopg")
    if not found.database or found.database == ":memory:" or "\0" in found.database:
        raise InvalidInput(f"A study needs a file, such as sqlite:///study.db, got {url!r}.")
    folder = Path(found.database).absolute().parent
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {str(folder)!r} for the study's file; make it first.")
    if must_exist and not Path(found.database).exists():
        raise InvalidInput(f"There is no file {found.database!r} with studies; name another, or make one.")
    return found.set(drivername="sqlite")
