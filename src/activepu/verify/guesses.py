"""The estimates beside the bounds, recomputed: shares of reveals, divided by the rate where it is known.

They are guesses, and so is the share of positives in a warning. That they follow from the answers is all that can be
checked about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from activepu.verify.assumed import OVERALL
from activepu.verify.evidence import Evidence


def guess(evidence: Evidence, what: str) -> float | None:
    """Return the estimate of a quantity from all answers about these items, or None if there is none."""
    counts, sizes = evidence.after(len(evidence.history)), np.array(evidence.sizes, np.float64)
    if evidence.per_expert:
        return _with_many_rates(evidence, what)
    if min(counts.asked) == 0:
        return None
    confirmable = evidence.weights * sizes * np.array(counts.revealed) / np.array(counts.asked)
    inside, outside = float(confirmable[evidence.inside].sum()), float(confirmable[~evidence.inside].sum())
    if what.endswith("recall"):
        inside += sum(evidence.confirmed.values()) if what == OVERALL else 0
        return inside / (inside + outside) if inside + outside else None
    asked, shown = counts.gold
    rate = evidence.low if evidence.low == evidence.high else shown / asked if asked else 0.0
    if not rate:
        return None
    return rate if what == "rate" else _value(evidence, what, inside / rate, outside / rate)


def _with_many_rates(evidence: Evidence, what: str) -> float | None:
    experts = evidence.after(len(evidence.history)).experts
    if what.startswith("rate of "):
        asked, shown = {f"rate of {name}": own.again for name, own in experts.items()}[what]
        return shown / asked if asked else None
    asked_of = np.array([own.asked for own in experts.values()], np.float64)
    if what.endswith("confirmable recall") or not all(own.again[1] for own in experts.values()):
        return None
    if not asked_of.sum(axis=0).all():
        return None
    rates = np.array([own.again[1] / own.again[0] for own in experts.values()])
    shown_of = np.array([own.revealed for own in experts.values()], np.float64).sum(axis=0)
    positives = evidence.weights * np.array(evidence.sizes) * np.minimum(1.0, shown_of / (rates @ asked_of))
    inside, outside = float(positives[evidence.inside].sum()), float(positives[~evidence.inside].sum())
    return _value(evidence, what, inside, outside)


def _value(evidence: Evidence, what: str, inside: float, outside: float) -> float | None:
    """Return a quantity at these numbers of positives, between 0 and 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = {
            "recall": np.float64(inside) / (inside + outside) if inside + outside else 1.0,
            "precision": np.float64(inside) / evidence.called if evidence.called else 1.0,
            "error": (evidence.called - inside + outside) / evidence.rows,
            "prior": (inside + outside) / evidence.rows,
        }[what]
    return float(min(max(value, 0.0), 1.0))


def too_easy(evidence: Evidence, prior: Mapping[str, Any]) -> str:
    """Return what is said of an error that calling nothing positive has, too: the share that seems positive."""
    share = 0.5 * (prior["low"] + prior["high"])
    if prior["estimate"]:
        share = sorted((prior["low"], prior["estimate"], prior["high"]))[1]
    value = dict(evidence.targets).get("error", 0.0)
    few = f"Warning: perhaps only {100 * share:.3g}% of the items are positive"
    met = f"calling nothing positive would meet error at most {100 * value:.4g}%, too"
    return f"{few}; {met}. Choose a smaller error." if share <= value else ""
