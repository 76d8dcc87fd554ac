"""Files appear whole or not at all, and a file that is replaced keeps its permissions."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from activepu.errors import InvalidInput


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Yield a path to write to; it replaces `file` if the block succeeds, else `file` stays as it was.

    A new file gets the permissions of the umask. A link stays a link, and the file that it leads to is replaced.
    """
    target = Path(os.path.realpath(file))
    if not target.parent.is_dir():
        raise InvalidInput(f"There is no folder {str(file.parent)!r} to write {file.name!r} to; make it first.")
    partial = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.partial")
    try:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else 0o600))
        yield partial
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        if mode is not None:
            partial.chmod(mode)
        partial.replace(target)
    except OSError as error:
        raise InvalidInput(
            f"The file {str(file)!r} cannot be written ({error.strerror or error}); choose another place."
        ) from None
    finally:
        partial.unlink(missing_ok=True)
