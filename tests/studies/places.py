"""Places where a database has no room or may only be read. They need root, and a sandbox that lets root mount them."""

import contextlib
import os
import subprocess

import pytest


@contextlib.contextmanager
def mounted(folder, *how):
    """A folder with something mounted on it; the test is skipped where that is not allowed."""
    folder.mkdir(exist_ok=True)
    _mount(*how, str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def read_only(folder):
    """A folder in which nothing can be written, not even by root."""
    with mounted(folder, "--bind", str(folder)):
        _mount("-o", "remount,ro,bind", str(folder))
        yield folder


def _mount(*how):
    try:
        done = subprocess.run(["mount", *how], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no command mount here")
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


def fill(file):
    """Write a file until there is no room for one more byte."""
    with open(file, "wb", buffering=0) as ballast, contextlib.suppress(OSError):
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while ballast.write(b"x" * size) == size:
                    pass
        os.fsync(ballast.fileno())
