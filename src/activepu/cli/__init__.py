"""The command line: `activepu demo`, `activepu learn`, `activepu audit`, `activepu plan`, `activepu study`."""

from activepu.cli.app import app, main

__all__ = ["app", "main"]
