"""A learner that takes answers in to the last, also after it has come to an end.

Questions may still be open when a learner ends, and callers may put more of their own. As long as the learner's
coroutine lives, it is sent every answer: its report then speaks of what it knows. A learner ends by returning a report,
or because the pool has too few rows for its next sample. From then on

- a late ★ is left out, which is always right;
- a late reveal is required of V. The truth ℓ stays in V, because a reveal is positive.

What the last report certifies must therefore hold for every V′ with ℓ ∈ V′ ⊆ V, of the member of V′ with the fewest
rows of `Report.sample` (the closure, in intersection-closed classes). It does where the bound rests on P(DIS V), on the
closure lying inside ℓ, or on that member having no more rows of the sample than ℓ has. A bound that speaks of one
centre only, as Z-CAL's does, must not be returned: such a learner says `Ask(…, done=True)` and goes on.
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
    """The learner's own steps, and after its end steps that require what is still revealed."""
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
        final = replace(ask.report(), stop_reason=str(dry))  # what was certified before stands

    def report() -> Report:
        return final

    while True:
        question = yield Ask(iter(()), report, final.gauges, done=True)
        if question.revealed:
            final = with_late_reveal(final, draws.points([question.item]))


def with_late_reveal(final: Report, x: Points) -> Report:
    """The report with one more reveal; see the module's head for what it must hold for."""
    if final.version_space is None:
        return final
    V = final.version_space.require(x)
    if not V.is_empty() and final.hypothesis.contains(x).all():
        return replace(final, version_space=V)
    sample = x[:0] if final.sample is None else final.sample
    return replace(final, version_space=V, hypothesis=V.smallest(sample))
