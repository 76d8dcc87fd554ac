"""One sentence for every way in which a database fails."""

from __future__ import annotations

import os
from pathlib import Path

from activepu.errors import StorageFailed
from activepu.studies.storage.addresses import Address
from activepu.studies.storage.redaction import redact, redacted

KINDS = {
    "busy": ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03", "40P01"),
    "slow": ("57014",),
    "silent": ("25P03",),
    "read-only": ("SQLITE_READONLY", "25006", "42501"),
    "full": ("SQLITE_FULL", "53100"),
    "no database": ("SQLITE_NOTADB", "SQLITE_CORRUPT"),
}
"""How the error codes of both databases begin, for every kind of failure."""
UNREADABLE = ("Could not decode to UTF-8", "no such column", "no such table")
"""How messages without a code begin if what should be there cannot be read."""
LOST = ("SQLITE_IOERR", "08", "57P", "None")
"""How the codes begin of errors at a commit that do not say whether it was done; without a code the line was cut."""


def failed(address: Address, error: BaseException, committing: bool) -> StorageFailed:
    """Return the failure with its sentence: what is wrong, whether anything was changed, and what to do."""
    redact(error)
    cause = getattr(error, "orig", None) or error
    code = str(getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None))
    in_doubt = committing and code.startswith(LOST)
    found = StorageFailed(_in_doubt(address.name, cause) if in_doubt else _sentence(address, cause, code), in_doubt)
    found.__cause__ = cause
    return found


def damaged(address: Address) -> StorageFailed:
    """Return the failure of a file that cannot be read."""
    return StorageFailed(
        f"The file of {address.name} is not a database or is damaged; nothing was changed: choose another, or restore "
        "it."
    )


def _in_doubt(name: str, error: BaseException) -> str:
    return (
        f"The database {name} was lost while it saved a change ({_said(error)}); the study may have been changed: look "
        "at its status before you repeat the change."
    )


def _sentence(address: Address, error: BaseException, code: str) -> str:
    name, seconds = address.name, address.timeouts
    kind = next((kind for kind, codes in KINDS.items() if code.startswith(codes)), None)
    if address.is_sqlite and str(error).startswith(UNREADABLE):
        kind = "no database"
    if code.startswith("SQLITE_CANTOPEN") and _cannot_be_written(Path(str(address.url.database)).absolute().parent):
        kind = "read-only"  # even readers make files beside the database
    if kind == "busy":
        return (
            f"The database {name} has been busy for {seconds['lock_timeout']:g} seconds, held by another program; "
            "nothing was changed: try again."
        )
    if kind == "slow":
        return (
            f"The database {name} did not finish a statement within {seconds['statement_timeout']:g} seconds; nothing "
            "was changed: try again, or put a larger statement_timeout=… into its URL."
        )
    if kind == "silent":
        limit = "idle_in_transaction_session_timeout"
        return (
            f"The database {name} ended a change that was silent for {seconds[limit]:g} seconds; nothing was changed: "
            f"try again, or put a larger {limit}=… into its URL."
        )
    if kind == "read-only":
        return f"The database {name} is read-only; nothing was changed: ask for write permission."
    if kind == "full":
        return f"The disk of the database {name} is full; nothing was changed: make room and try again."
    if kind == "no database":
        return str(damaged(address))
    return f"The database {name} cannot be used now ({_said(error)}); nothing was changed: try again once it is back."


def _cannot_be_written(folder: Path) -> bool:
    return folder.is_dir() and not os.access(folder, os.W_OK)


def _said(error: BaseException) -> str:
    return " ".join(redacted(error).split())[:200]
