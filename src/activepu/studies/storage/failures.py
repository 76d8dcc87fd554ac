"""One sentence for every way in which a database fails."""

from __future__ import annotations

BUSY_SECONDS = 8
"""How long a change waits for others before it gives up."""

KINDS = {
    "busy": ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03", "40P01"),
    "read-only": ("SQLITE_READONLY", "25006", "42501"),
    "full": ("SQLITE_FULL", "53100"),
    "no database": ("SQLITE_NOTADB", "SQLITE_CORRUPT"),
}
"""How the error codes of both databases begin, for every kind of failure."""


def sentence(name: str, error: BaseException) -> str:
    """Say what is wrong, that nothing was changed, and what to do."""
    code = str(getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None))
    kind = next((kind for kind, codes in KINDS.items() if code.startswith(codes)), None)
    if kind == "busy":
        return (
            f"The database {name} has been busy for {BUSY_SECONDS} seconds, held by another program; "
            "nothing was changed: try again."
        )
    if kind == "read-only":
        return f"The database {name} is read-only; nothing was changed: ask for write permission."
    if kind == "full":
        return f"The disk of the database {name} is full; nothing was changed: make room and try again."
    if kind == "no database":
        return (
            f"The file of {name} is not a database or is damaged; nothing was changed: choose another, or restore it."
        )
    said = " ".join(str(error).split())[:200]
    return f"The database {name} cannot be used now ({said}); nothing was changed: try again once it is back."
