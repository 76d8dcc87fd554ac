"""Plumbing for all tests: Hypothesis profiles, and the minutes that each area took."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from pathlib import PurePosixPath

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine, and no verdict that depends on its speed; "thorough" looks for new ones.
settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# A test run that a shell started in the background ignores Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_seconds: dict[str, float] = defaultdict(float)


def area(nodeid: str) -> str:
    """The first folder or file under tests/: tests/theory/test_x.py::test_y is of the area theory.

    The examples in the docstrings under src/ are the area doctest.
    """
    path = PurePosixPath(nodeid.split("::")[0])
    if path.parts[0] == "src":
        return "doctest"
    parts = path.parts[1:] if path.parts[0] == "tests" else path.parts
    return parts[0].removesuffix(".py").removeprefix("test_")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # Under xdist the reports of all workers arrive in the controller, which alone prints the summary.
    _seconds[area(report.nodeid)] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _seconds:
        return
    terminalreporter.section("minutes per area")
    for name, seconds in sorted(_seconds.items(), key=lambda pair: -pair[1]):
        terminalreporter.write_line(f"{seconds / 60:7.2f}  {name}")
    terminalreporter.write_line(f"{sum(_seconds.values()) / 60:7.2f}  all, summed over the workers")
