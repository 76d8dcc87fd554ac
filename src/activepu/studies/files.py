"""Files appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from activepu.errors import InvalidInput


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Yield a path to write to; it replaces `file` if the block succeeds, else `file` stays as it was."""
    if not file.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {str(file.parent)!r} to write {file.name!r} to; make it first.")
    partial = file.with_name(f".{file.name[:80]}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(file)
    except OSError as error:
        raise InvalidInput(
            f"The file {str(file)!r} cannot be written ({error.strerror or error}); choose another place."
        ) from None
    finally:
        partial.unlink(missing_ok=True)
