"""Answers that come after the end."""

from __future__ import annotations

from dataclasses import replace

from activepu.hypotheses import Points
from activepu.records import Report


def with_late_reveal(final: Report, x: Points) -> Report:
    """The report with one more reveal, which never removes the truth from V.

    What is certified stands where it holds for every member of V, as it does for the learners that come to an end
    by themselves. (Z-CAL takes in answers to the last.)
    """
    if final.version_space is None:
        return final
    V = final.version_space.require(x)
    if not V.is_empty() and final.hypothesis.contains(x).all():
        return replace(final, version_space=V)
    sample = x[:0] if final.sample is None else final.sample
    return replace(final, version_space=V, hypothesis=V.smallest(sample))
