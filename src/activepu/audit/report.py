"""What an audit states at one moment, and what each statement rests on: the rungs of a ladder.

| rung | assumed beside the lot                                   | stated                                        |
|------|----------------------------------------------------------|-----------------------------------------------|
| 0    | nothing                                                  | recall among what this expert would confirm   |
| 1    | every positive is equally likely to be revealed          | recall: the reveal rate cancels               |
| 2    | also a range of that rate: given, from gold, from purity | error, precision, share of positives, rate    |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.audit import doubts
from activepu.audit.alarm import Alarm, alarm
from activepu.audit.bet import SET_SHARE
from activepu.audit.classifiers import Judged
from activepu.audit.confidence import NO_GOLD, ConfidenceSet, Gold, Rates, possible_range
from activepu.audit.estimates import estimate
from activepu.audit.groups import GROUPED
from activepu.audit.joint_prediction import JointPredictions
from activepu.audit.knowledge import Knowledge, rate_of
from activepu.audit.per_expert import PerExpertSet
from activepu.audit.prediction import Predictions, log_gold
from activepu.audit.remarks import OVERALL, remark
from activepu.audit.state import State
from activepu.audit.strata import LISTED
from activepu.audit.targets import Quantity, quantities, with_found
from activepu.findings import Cut, Findings, Statement, Statements
from activepu.learners.base import REVEALS
from activepu.records import GOLD, OVERLAP

ALIKE = "rows that look the same to the expert are all positive or all not"
FIXED = "the classifier and its score were fixed without looking at these answers"
QUANTITIES = ("recall", "confirmable recall", OVERALL, "error", "precision", "prior", "rate")

Floats = NDArray[np.float64]


def together(now: tuple[float, float], before: tuple[float, float]) -> tuple[float, float]:
    """Return what two pairs of bounds say together; the first one where they contradict each other."""
    low, high = max(now[0], before[0]), min(now[1], before[1])
    return now if low > high else (low, high)


class Audited:
    """The sets of counts that fit the answers so far, and what follows from them.

    Parameters
    ----------
    state : State
        The answers.
    judged : Judged
        What the classifier says.
    predictions : Predictions
        Q.
    delta : float
        The probability with which the statements may be wrong.
    knowledge : Knowledge
        What is known about the reveal rate.
    earlier : mapping of str to bounds, optional
        Bounds that were certified before: all hold at all times at once, so that they still do.
    moments : mapping of str to pairs, optional
        After how many answers each of these bounds was certified.
    share : float, optional
        The part of δ that these sets may use: by default all that no bet and no group needs.
    confirmed : mapping of int to int, optional
        The items that were confirmed outside the lot, and how many rows each stands for.
    """

    def __init__(
        self,
        state: State,
        judged: Judged,
        predictions: Predictions,
        delta: float,
        knowledge: Knowledge,
        earlier: Mapping[str, tuple[float, float]] | None = None,
        moments: Mapping[str, tuple[int, int]] | None = None,
        share: float | None = None,
        confirmed: Mapping[int, int] | None = None,
    ) -> None:
        self.state, self.judged, self.delta, self.knowledge = state, judged, delta, knowledge
        self._confirmed = dict(confirmed or {})
        self._in_hand = sum(self._confirmed.values())
        self._earlier, self._moments = earlier or {}, moments or {}
        self.strata = state.strata
        self.group: str | None = None
        if share is None:
            share = SET_SHARE if state.bet is not None else 1 - GROUPED if state.strata.by_group else 1.0
        self._predictions, self._share = predictions, share
        self._floor = math.log(share * delta)
        if knowledge.per_expert:
            self._floor += JointPredictions(state.strata.means).log_probability(state.answers.seen())
        else:
            self._floor += predictions.log_probability(state.counts)
        self._least = self._fewest()
        self._sets: dict[str, ConfidenceSet] = {}
        self._level, self._kinds = delta, state.cells.kinds

    def alone(self, group: str) -> Audited:
        """Return what follows for one group from its own answers, at its part of δ."""
        mine, state, many = self.strata.in_group(group), self.state.only(group), len(self.strata.by_group)
        known = replace(self.knowledge, gold=len(state.gold_items))
        predictions = self._predictions.only(mine)
        part = Audited(state, self.judged, predictions, self.delta, known, share=GROUPED / many)
        part.group, part._level, part._kinds = group, self.delta / many, ("band", "expert")
        part._least = None if self._least is None else self._least[mine]
        return part

    @cached_property
    def alarm(self) -> Alarm:
        """What the answers about known positives say against equal rates."""
        return alarm(self.state.known, self._kinds, self.knowledge.per_expert)

    @property
    def doubt(self) -> str:
        """What the answers contradict, in sentences; empty if nothing."""
        return " ".join(said for said in (self._uneven, self._contradiction) if said)

    @cached_property
    def _uneven(self) -> str:
        return doubts.uneven(self.alarm, self._level)

    @cached_property
    def _contradiction(self) -> str:
        """What they say against what was told about the rate; silence is explained by a tiny rate."""
        know = self.knowledge
        if not know.identifies and not self._overlap:
            return ""
        if off := doubts.off_range(self.state.known, know, self._level):
            return off
        if (self._silent("error") and know.low == 0) or not self._set(self.rung("error")).empty:
            return ""
        told = know.equally(self.group is not None) + know.assumptions(self.state.answers.twice)
        return doubts.empty(told, self._share * self.delta)

    def _set(self, rung: str) -> ConfidenceSet:
        if rung not in self._sets:
            self._sets[rung] = self._made(rung)
        return self._sets[rung]

    def _made(self, rung: str) -> ConfidenceSet:
        counts, weights, floor = list(self.state.counts), self.strata.weights, self._floor
        if rung == "0":
            return ConfidenceSet(counts, weights, floor, Rates.one(1.0))
        if self.knowledge.per_expert:
            return self._per_expert(rung)
        know, gold = (self.knowledge, self.state.gold) if rung != "1" else (Knowledge(), NO_GOLD)
        revealed = sum(c.revealed for c in counts) + gold.revealed
        floor += log_gold(gold.asked, gold.revealed)
        rates = Rates.between(*possible_range(counts, floor, know.low, know.high, gold), revealed)
        return ConfidenceSet(counts, weights, floor, rates, gold, None if rung == "1" else self._least)

    def _per_expert(self, rung: str, rates: Floats | None = None) -> PerExpertSet:
        known, least = self._known(rung), None if rung == "1" else self._least
        floor = self._floor + sum(log_gold(own.asked, own.revealed) for own in known)
        return PerExpertSet(self.state.answers.seen(), self.strata.weights, floor, known, least, rates)

    def _known(self, rung: str) -> list[Gold]:
        """The known positives that each expert was asked, if the rung has any."""
        return self.state.answers.again(*((GOLD, OVERLAP) if rung != "1" else ()))

    @property
    def _overlap(self) -> bool:
        return any(own.asked for own in self.state.answers.again(OVERLAP))

    def _fewest(self) -> Floats | None:
        """The fewest positives of each stratum, where the purity of the top band is assumed."""
        if self.knowledge.purity is None:
            return None
        top = self.strata.bands == self.strata.bands.max()
        return np.where(top, np.ceil(self.knowledge.purity * self.strata.sizes), 0.0)

    @property
    def _alike(self) -> bool:
        return bool((self.strata.weights > 1).any())

    def _silent(self, what: str) -> bool:
        """Whether no answer that counts for this was a reveal: a tiny rate explains silence, whatever is positive."""
        if what == OVERALL:
            return False  # what is in hand is known, and silence bounds what else is confirmable
        known = self._known(self.rung(what)) if self.rung(what) in ("2g", "2o") else []
        return not any(own.revealed for own in known) and not any(c.revealed for c in self.state.counts)

    def rung(self, what: str) -> str:
        """Return the rung of statements about a quantity."""
        if what in ("confirmable recall", OVERALL):
            return "0"
        if what == "recall":
            return "1"
        if self.knowledge.identifies:
            return self.knowledge.rung
        return "2o" if self._overlap else "1"

    def bounds(self, what: str) -> tuple[float, float]:
        """Return bounds on a quantity: what is certified by the set now, or was before."""
        return together(self.now(what), self._earlier.get(what, (0.0, 1.0)))

    def binding(self, what: str) -> Floats | None:
        """Return the rates at which the set bounds a target, for `at_rates`; None if it was not used or is empty."""
        found = self._sets.get(self.rung(what))
        if not isinstance(found, PerExpertSet):
            return None
        quantity = quantities(self.strata.rows, self.strata.called)[what]
        rates = found.binding(self.strata.inside, quantity.value, quantity.up)
        return rates if len(rates) else None

    def at_rates(self, what: str, rates: Floats | None) -> tuple[float, float]:
        """Return bounds of a target at a few rates alone: those of the whole set are no tighter. (1, 0) if unknown."""
        if rates is None or rates.shape[1] != len(self.state.answers.experts):
            return 1.0, 0.0
        if self._silent(what):
            return 0.0, 1.0
        quantity = quantities(self.strata.rows, self.strata.called)[what]
        part = self._per_expert(self.rung(what), rates)
        low, high = part.extremes(self.strata.inside, quantity.value, quantity.up)
        return (low, high) if math.isfinite(low) and math.isfinite(high) else (1.0, 0.0)

    def now(self, what: str) -> tuple[float, float]:
        """Return bounds on a quantity by the set of these answers alone."""
        if self._silent(what) and what.startswith("rate"):
            return self.knowledge.low, self.knowledge.high
        if self._silent(what) and (what.endswith("recall") or self.knowledge.low == 0):
            return 0.0, 1.0
        found = self._set(self.rung(what))
        if isinstance(found, PerExpertSet) and what.startswith("rate"):
            return found.rate([rate_of(expert) for expert in self.state.answers.experts].index(what))
        if what == "rate":
            return found.rate()
        if what == OVERALL:
            return self._within(found, with_found(self._in_hand))
        return self._within(found, quantities(self.strata.rows, self.strata.called)[what.split()[-1]])

    def _within(
        self, found: ConfidenceSet, quantity: Quantity, inside: NDArray[np.bool_] | None = None
    ) -> tuple[float, float]:
        low, high = found.extremes(self.strata.inside if inside is None else inside, quantity.value, quantity.up)
        if not (math.isfinite(low) and math.isfinite(high)):
            return 0.0, 1.0  # the set is empty: an assumption is wrong, or chance was; nothing is claimed
        return max(0.0, low), min(1.0, high)

    def statements(self) -> Statements:
        """Return everything that is certified now: about all items, then about each group."""
        parts = [self, *(self.alone(group) for group in self.strata.by_group)]
        return Statements(
            part._statement(what) for part in parts for what in part._quantities() if part._speaks_of(what)
        )

    def _quantities(self) -> list[str]:
        rates = [rate_of(expert) for expert in self.state.answers.experts] if self.knowledge.per_expert else ["rate"]
        return [*QUANTITIES[:-1], *rates]

    def _speaks_of(self, what: str) -> bool:
        """Whether a quantity means something.

        A group in which nothing is called positive has no precision. And what would several experts confirm? Who would
        be asked about the other items nobody knows.
        """
        if what.endswith("confirmable recall"):
            return self.state.answers.in_lot <= 1 and (what != OVERALL or self._in_hand > 0)
        return self.group is None or what != "precision" or self.strata.called > 0

    def _statement(self, what: str) -> Statement:
        (low, high), rung = self.bounds(what), self.rung(what)
        bet = self.state.bet
        # A bet that is won on the recall is won on rung 0 too: its capital is fair given the coins, and κ ≥ 1.
        if bet is not None and bet.won(self.delta) and what.split()[-1] == self.state.targets[0].kind:
            value = self.state.targets[0].value
            low, high = (low, min(high, value)) if what == "error" else (max(low, value), high)
        assumed = () if rung == "0" else (REVEALS, *self.knowledge.equally(self.group is not None))
        assumed += self.knowledge.assumptions(self.state.answers.twice) if rung not in ("0", "1") else ()
        alike = self._alike or (what == OVERALL and self._in_hand > len(self._confirmed))
        return Statement(
            what,
            low,
            high,
            1 - self.delta,
            rung,
            (*assumed, *((ALIKE,) if alike else ()), *(() if self.judged.in_run else (FIXED,)), *self.judged.supposed),
            estimate(what, self.state, self.knowledge, self._in_hand if what == OVERALL else 0),
            remark(what, low, rung, self.knowledge, self._overlap, self._in_hand) if self.group is None else "",
            self.group,
            doubts.of_statement(rung, self._uneven, self._contradiction),
        )

    def cuts(self) -> tuple[Cut, ...]:
        """Return what is certified about every cut at a border of the bands, all together."""
        strata, scores = self.strata, (*self.strata.borders.tolist(),)
        if strata.mixed:
            return ()  # rows that look the same lie on both sides of some border
        found = []
        for band in range(len(scores), -1, -1):
            inside = strata.above(band)
            called = int((strata.sizes * strata.weights)[inside].sum())
            each = quantities(strata.rows, called)
            recall = precision = (0.0, 1.0)
            if inside.all() or not self._silent("recall"):
                recall = self._within(self._set("1"), each["recall"], inside)
            if self.knowledge.low > 0 or not self._silent("precision"):
                precision = self._within(self._set(self.rung("precision")), each["precision"], inside)
            found.append(Cut(scores[band - 1] if band else -math.inf, called, recall, precision))
        return tuple(found)

    def evidence(self) -> dict[str, object]:
        """Return what is needed to check the statements, in plain values."""
        strata, bet = self.strata, self.state.bet
        plans = self.state.plans
        return {
            "seed": self.state.seed,
            "delta": self.delta,
            "engine": "set" if self.state.bet is None else "bet",
            "targets": [[target.kind, target.value] for target in self.state.targets],
            "sizes": strata.sizes.tolist(),
            "weights": strata.weights.tolist(),
            "inside": strata.inside.tolist(),
            "bands": strata.bands.tolist(),
            "borders": strata.borders.tolist(),
            "means": strata.means.tolist(),
            "asked": [c.asked for c in self.state.counts],
            "revealed": [c.revealed for c in self.state.counts],
            "draws": [[d.item, d.stratum, d.answer] for d in self.state.drawn],
            "gold": [self.state.gold.asked, self.state.gold.revealed],
            "rate": [self.knowledge.low, self.knowledge.high],
            "per_expert": self.knowledge.per_expert,
            "purity": self.knowledge.purity,
            "columns": list(self.judged.columns),
            "items": strata.packed if len(strata.items) > LISTED else strata.members,
            "digest": strata.digest,
            "gold_items": self.state.gold_items,
            "confirmed": [list(pair) for pair in sorted(self._confirmed.items())],
            "groups": list(strata.groups) if strata.by_group else None,
            "groups_column": None if self.state.cells.groups is None else self.state.cells.groups.column,
            "gold_groups": [self.state.cells.of(item).get("group") for item in self.state.gold_items],
            "known": [[dict(answer.cells), answer.revealed] for answer in self.state.known],
            "plans": [plan.weights.tolist() for plan in plans],
            "guesses": [] if bet is None else [plan.guesses.tolist() for plan in plans],
            "earlier": {what: [list(self._earlier[what]), list(at)] for what, at in self._moments.items()},
            "bet": None if bet is None else {"caps": bet.caps.tolist(), "won": bet.won(self.delta)},
            "recorded": [[t, d.recorded] for t, d in enumerate(self.state.drawn) if d.recorded is not None],
        }

    def findings(self) -> Findings:
        """Return all of it."""
        return Findings(self.statements(), self.cuts(), self.evidence())
