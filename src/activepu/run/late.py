"""Answers that come after the end."""

from __future__ import annotations

from dataclasses import replace

from activepu.hypotheses import Points
from activepu.records import Report


def with_late_reveal(final: Report, x: Points) -> Report:
    """The report with one more reveal, which never removes the truth from V: what is certified stands."""
    if final.version_space is None:
        return final
    V = final.version_space.require(x)
    if not V.is_empty() and final.hypothesis.contains(x).all():
        return replace(final, version_space=V)
    sample = x[:0] if final.sample is None else final.sample
    return replace(final, version_space=V, hypothesis=V.smallest(sample))
