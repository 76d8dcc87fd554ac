"""A database that is like a given file, in SQLite or PostgreSQL."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa


def poured(file: Path, url: str) -> str:
    """Make the database at `url` one with the schema and the rows of a file; return the URL."""
    if url.startswith("sqlite"):
        shutil.copy(file, url.removeprefix("sqlite:///"))
        return url
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with closing(sqlite3.connect(file)) as source, engine.begin() as target:
        schema = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        for kind, name, text in schema.fetchall():
            target.exec_driver_sql(text.replace("WITHOUT ROWID", ""))
            rows = source.execute(f"SELECT * FROM {name}") if kind == "table" else None
            for row in rows or ():
                values = ", ".join(["%s"] * len(row))
                target.exec_driver_sql(f"INSERT INTO {name} VALUES ({values})", row)
    engine.dispose()
    return url
