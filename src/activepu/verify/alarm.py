"""The alarm, recomputed: an e-value against one common rate of all known positives, answer by answer.

For each division into cells it multiplies what Jeffreys' rule says about an answer, ½ + the reveals of its cell over
1 + the answers of its cell, and divides by the probability of all answers at the best common rate. With a rate per
expert this is done for each expert's answers, and the e-values are multiplied.
"""

from __future__ import annotations

import math

from activepu.verify.evidence import Evidence


def raised(evidence: Evidence) -> bool:
    """Whether the mean of the e-values ever reached 1/δ; of one group, of G, G/δ."""
    kinds = ["band", "expert"] if evidence.groups is None or evidence.group is not None else ["group", "band", "expert"]
    kinds = [kind for kind in kinds if kind != "expert" or not evidence.per_expert]
    needed = _needed(evidence)
    cells: dict[tuple[str, str, str], list[int]] = {}
    logs = dict.fromkeys(kinds, 0.0)
    of_expert: dict[str, list[int]] = {}
    for answer in evidence.known:
        whose = answer.cells["expert"] if evidence.per_expert else ""
        for kind in kinds:
            seen = cells.setdefault((kind, answer.cells[kind], whose), [0, 0])
            share = (seen[1] + 0.5) / (seen[0] + 1)
            logs[kind] += math.log(share if answer.revealed else 1 - share)
            seen[0] += 1
            seen[1] += answer.revealed
        own = of_expert.setdefault(whose, [0, 0])
        own[answer.revealed] += 1
        best = sum(n * math.log(n / sum(both)) for both in of_expert.values() for n in both if n)
        if sum(math.exp(log - best) for log in logs.values()) / len(kinds) >= needed * (1 + 1e-9):
            return True
    return False


def off_range(evidence: Evidence) -> bool:
    """Whether known positives ever contradicted the range of rates that was told, at the same level."""
    log, told = 0.0, [0, 0]
    for answer in evidence.known:
        share = (told[1] + 0.5) / (sum(told) + 1)
        log += math.log(share if answer.revealed else 1 - share)
        told[answer.revealed] += 1
        nearest = min(max(told[1] / sum(told), evidence.low), evidence.high)
        if (told[1] and not nearest) or (told[0] and nearest == 1):
            return True  # impossible at every rate of the range
        best = sum(n * math.log(p) for n, p in zip(told, (1 - nearest, nearest), strict=True) if n)
        if log - best >= math.log(_needed(evidence)) + 1e-9:
            return True
    return False


def _needed(evidence: Evidence) -> float:
    """Return the e-value that raises an alarm."""
    return (1 if evidence.group is None else len(evidence.names())) / evidence.delta
