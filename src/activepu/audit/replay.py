"""What an audit had certified at earlier moments, from the evidence that its result keeps.

The set of counts depends on how many items were asked and revealed in each stratum, and on nothing else. The recorded
answers give these numbers at any moment, so nothing has to be kept while the audit runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from activepu.audit.bet import SET_SHARE
from activepu.audit.confidence import NO_GOLD, ConfidenceSet, Gold, Rates, possible_range
from activepu.audit.groups import GROUPED
from activepu.audit.likelihood import Counts
from activepu.audit.prediction import RATES, Predictions, log_gold
from activepu.audit.targets import quantities

Pair = tuple[float, float]


def bounds_after(
    evidence: Mapping[str, Any], items: Sequence[int], answers: Sequence[bool], kinds: Sequence[str]
) -> dict[str, Pair]:
    """Return the bounds of the set after some answers.

    Parameters
    ----------
    evidence : mapping
        What `Findings.evidence` holds.
    items, answers : sequence
        The items that were asked so far and whether they were revealed, gold among them.
    kinds : sequence of str
        What is bounded: "recall", "precision", "error" or "prior".
    """
    strata = {item: stratum for item, stratum, _ in evidence["draws"]}
    counts, gold = [Counts(size) for size in evidence["sizes"]], NO_GOLD
    for item, answer in zip(items, answers, strict=True):
        if item in strata:
            counts[strata[item]] = counts[strata[item]].after(bool(answer))
        else:
            gold = Gold(gold.asked + 1, gold.revealed + bool(answer))
    return {kind: _bounds(evidence, counts, gold if kind != "recall" else NO_GOLD, kind) for kind in kinds}


def _bounds(evidence: Mapping[str, Any], counts: list[Counts], gold: Gold, kind: str) -> Pair:
    low, high = (0.0, 1.0) if kind == "recall" else evidence["rate"]  # recall is of rung 1
    revealed = sum(c.revealed for c in counts) + gold.revealed
    if not revealed and (kind == "recall" or low == 0):
        return 0.0, 1.0
    sizes, weights, inside = (np.array(evidence[name]) for name in ("sizes", "weights", "inside"))
    given = evidence["rate"]
    predictions = Predictions(np.array(evidence["means"]), (given[0],) if given[0] == given[1] else RATES)
    share = SET_SHARE if evidence["engine"] == "bet" else 1 - GROUPED if evidence["groups"] else 1.0
    floor = math.log(share * evidence["delta"]) + predictions.log_probability(counts)
    floor += log_gold(gold.asked, gold.revealed)
    rates = Rates.between(*possible_range(counts, floor, low, high, gold), revealed)
    least = None
    if evidence["purity"] is not None and kind != "recall":
        bands = np.array(evidence["bands"])
        least = np.where(bands == bands.max(), np.ceil(evidence["purity"] * sizes), 0.0)
    found = ConfidenceSet(counts, weights, floor, rates, gold, least)
    rows = sizes * weights
    quantity = quantities(float(rows.sum()), float(rows[inside].sum()))[kind]
    least_, most = found.extremes(inside, quantity.value, quantity.up)
    if not (math.isfinite(least_) and math.isfinite(most)):
        return 0.0, 1.0  # the set is empty: nothing is claimed
    return max(0.0, least_), min(1.0, most)
