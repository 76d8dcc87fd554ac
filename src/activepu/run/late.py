"""Take in answers that come after a learner has ended.

Questions may still be open when a learner ends, and callers may put more of their own. As long as the learner's
coroutine runs, it is sent every answer. It ends by returning a report, or because the pool has too few rows for its
next sample. From then on

- a late ★ is ignored, which is always right;
- a late reveal x restricts V to the hypotheses that contain x. The truth ℓ stays in V, because a reveal is positive.

What the last report certifies must therefore hold for every V′ with ℓ ∈ V′ ⊆ V, of the member of V′ with the fewest
rows of `Report.sample` (the closure, in intersection-closed classes). It does where the bound rests on P(DIS V), on the
closure lying inside ℓ, or on that member having no more rows of the sample than ℓ has. A bound on the error of one
rule only, such as Z-CAL's, must not be returned: such a learner yields `Ask(…, done=True)` and goes on.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Never

from activepu.errors import PoolExhausted
from activepu.hypotheses import Points
from activepu.pools import Draws
from activepu.records import Ask, Question, Report, Steps


def to_the_last(steps: Steps, draws: Draws) -> Generator[Ask, Question, Never]:
    """Pass the learner's own steps on; after its end, keep taking reveals into its last report."""
    ask: Ask | None = None
    try:
        ask = next(steps)
        while True:
            question = yield ask
            ask = steps.send(question)
    except StopIteration as end:
        final: Report = end.value
    except PoolExhausted as dry:
        if ask is None:
            raise
        final = replace(ask.report(), stop_reason=str(dry))  # what was certified before still holds

    def report() -> Report:
        return final

    while True:
        question = yield Ask(iter(()), report, final.gauges, done=True)
        if question.revealed or question.late:
            final = with_late_reveal(final, draws.points([question.item]))


def with_late_reveal(final: Report, x: Points) -> Report:
    """Return the report with one more reveal; the head of the module says what the report must guarantee."""
    if final.version_space is None:
        return final
    V = final.version_space.require(x)
    if not V.is_empty() and final.hypothesis.contains(x).all():
        return replace(final, version_space=V)
    sample = x[:0] if final.sample is None else final.sample
    return replace(final, version_space=V, hypothesis=V.smallest(sample))
