"""The command line: `activepu demo`, `activepu learn`, `activepu plan`."""

from activepu.cli.app import app, main

__all__ = ["app", "main"]
