"""Best guesses beside the bounds of an audit, from the shares that were revealed; nothing is proved about them."""

from __future__ import annotations

import numpy as np

from activepu.audit.knowledge import Knowledge, rate_of
from activepu.audit.state import State
from activepu.audit.targets import quantities
from activepu.records import GOLD, OVERLAP


def estimate(what: str, state: State, knowledge: Knowledge, in_hand: int = 0) -> float | None:
    """Return a best guess of a quantity; None where it needs a rate that is not known.

    `in_hand` is how many rows were confirmed outside the lot and count as found.
    """
    if knowledge.per_expert:
        return _per_expert(what, state)
    strata, counts = state.strata, state.counts
    if any(c.asked == 0 for c in counts):
        return None
    confirmed = strata.weights * np.array([c.size * c.revealed / c.asked for c in counts])
    inside, outside = confirmed[strata.inside].sum(), confirmed[~strata.inside].sum()
    gold = state.gold
    rate = knowledge.high if knowledge.known else gold.revealed / gold.asked if gold.asked else None
    if what.endswith("recall"):
        inside += in_hand
        return float(inside / (inside + outside)) if inside + outside > 0 else None
    if rate is None or rate <= 0:
        return None
    if what == "rate":
        return float(rate)
    value = quantities(strata.rows, strata.called)[what].value(inside / rate, outside / rate)
    return float(np.clip(value, 0.0, 1.0))


def _per_expert(what: str, state: State) -> float | None:
    """Return a best guess where the rate of every expert is known from known positives."""
    strata, answers = state.strata, state.answers
    known, seen = answers.again(GOLD, OVERLAP), answers.seen()
    rates = np.array([own.revealed / own.asked if own.asked else 0.0 for own in known])
    if what.startswith("rate"):
        place = [rate_of(expert) for expert in answers.experts].index(what)
        return float(rates[place]) if known[place].asked else None
    if what.endswith("confirmable recall") or (rates == 0).any() or any(not sum(part.asked) for part in seen):
        return None
    shares = [min(1.0, sum(part.revealed) / float(np.array(part.asked) @ rates)) for part in seen]
    positives = strata.weights * strata.sizes * np.array(shares)
    inside, outside = positives[strata.inside].sum(), positives[~strata.inside].sum()
    value = quantities(strata.rows, strata.called)[what].value(inside, outside)
    return float(np.clip(value, 0.0, 1.0))
