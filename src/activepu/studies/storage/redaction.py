"""Passwords in the addresses of databases: no message, repr or log shows one."""

from __future__ import annotations

import re

HIDDEN = "***"
SECRETS = ("password", "sslpassword", "oauth_client_secret")
"""The settings of a connection that nobody may see."""

_PORT = r"\d{1,5}(?:[/?\s'\"]|$)"
_USER = re.compile(rf"(?<=://)([^\s:/@?'\"]*):(?:[^\s'\"]*@|(?!{_PORT})[^\s'\"/?]*)")
"""The user and what comes after it up to the last @; where there is no @, what should be a port and is none."""
_SETTING = re.compile(rf"((?:{'|'.join(SECRETS)})\s*=\s*)('(?:\\.|[^'\\])*'|[^\s&'\";,)]+)", re.IGNORECASE)


def redacted(text: object) -> str:
    """Return a text in which every address of a database has *** in place of its password.

    Examples
    --------
    >>> redacted("postgresql://ann:secret@host/studies?password=other&connect_timeout=3 is gone")
    'postgresql://ann:***@host/studies?password=***&connect_timeout=3 is gone'
    """
    return _SETTING.sub(rf"\1{HIDDEN}", _USER.sub(rf"\1:{HIDDEN}@", str(text)))


def redact(error: BaseException | None) -> None:
    """Hide the passwords in an exception and in all that it is chained with."""
    seen: set[int] = set()
    rest = [error]
    while rest:
        found = rest.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        found.args = tuple(redacted(part) if isinstance(part, str) else part for part in found.args)
        rest += [found.__cause__, found.__context__, getattr(found, "orig", None)]
