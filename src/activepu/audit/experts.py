"""Who answered what in an audit, and which known positives each expert is asked blind among the others.

Gold items were known before. With a rate per expert, an item that one expert revealed is known, too, and is asked of
the others: *overlap*. Each such answer of expert e is a reveal with probability ω_e, whatever the item and whenever it
is asked. With one rate for all, each gold item is asked once; with a rate per expert, once of each expert. Nobody is
asked about an item twice.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from activepu import hashing
from activepu.audit.confidence import Gold
from activepu.audit.joint_likelihood import Seen
from activepu.audit.likelihood import Counts
from activepu.errors import InvalidInput
from activepu.records import GOLD, OVERLAP, Question

GOLD_SHARE = 0.2
"""How often a question is about gold, while there is any left."""
OVERLAP_SHARE = 0.2
"""How often a question is about an item that another expert revealed, while there is one."""
MOST_EXPERTS = 4
"""With more rates than this the confidence set is too coarse to be of use."""

Asking = Callable[[], Hashable]
"""Tells who asks for the next question."""


class Answers:
    """The answers by expert: in each stratum of the lot, and about known positives."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = [int(size) for size in sizes]
        self._lot: dict[Hashable, list[Counts]] = {}
        self._again: list[Question] = []

    @property
    def experts(self) -> list[Hashable]:
        """Who has answered anything, in the order of their first answer; [None] before that."""
        return list(self._lot) or [None]

    @property
    def in_lot(self) -> int:
        """How many experts have answered a question of the lot."""
        return sum(any(part.asked for part in own) for own in self._lot.values())

    @property
    def twice(self) -> bool:
        """Whether an item was asked of two experts: gold of both, or one that the other had revealed in the lot."""
        put = [question.item for question in self._again]
        return any(question.note.phase == OVERLAP for question in self._again) or len(set(put)) < len(put)

    def count(self, expert: Hashable, stratum: int, revealed: bool) -> None:
        """Take in an answer about an item of the lot."""
        own = self._of(expert)
        own[stratum] = own[stratum].after(revealed)

    def count_again(self, question: Question) -> None:
        """Take in an answer about a known positive."""
        self._of(question.expert)
        self._again.append(question)

    def _of(self, expert: Hashable) -> list[Counts]:
        return self._lot.setdefault(expert, [Counts(size) for size in self._sizes])

    def seen(self) -> list[Seen]:
        """Return the counts of the lot, by stratum and expert."""
        lots = list(self._lot.values()) or [[Counts(size) for size in self._sizes]]
        return [
            Seen(size, tuple(own[k].asked for own in lots), tuple(own[k].revealed for own in lots))
            for k, size in enumerate(self._sizes)
        ]

    def again(self, *phases: str) -> list[Gold]:
        """Return how many known positives each expert was asked and revealed, in some phases together."""
        told: dict[Hashable, list[bool]] = {expert: [] for expert in self.experts}
        for question in self._again:
            if question.note.phase in phases:
                told[question.expert].append(question.revealed)
        return [Gold(len(own), sum(own)) for own in told.values()]

    def only(self, strata: Sequence[bool] | NDArray[np.bool_], holds: Callable[[int], bool]) -> Answers:
        """Return the answers in some strata, and about the known positives that a part of the pool holds."""
        mine = np.flatnonzero(strata).tolist()
        part = Answers([self._sizes[k] for k in mine])
        part._lot = {expert: [own[k] for k in mine] for expert, own in self._lot.items()}
        part._again = [question for question in self._again if holds(question.item)]
        return part


class KnownPositives:
    """Which known positive is asked next, and of whom; `asking` is None with one rate for all experts."""

    def __init__(self, seed: int, gold: NDArray[np.int64], asking: Asking | None) -> None:
        self._seed, self._asking = seed, asking
        self.gold = [int(item) for item in gold[np.argsort(hashing.keys(seed, "gold", gold), kind="stable")]]
        """The gold items, in the order of their lot."""
        self._revealed: list[tuple[int, Hashable]] = []
        self._put: set[tuple[Hashable, int]] = set()
        self._experts: set[Hashable] = set()

    def join(self) -> None:
        """Take note of who asks; refuse one expert too many."""
        if self._asking is None or (who := self._asking()) in self._experts:
            return
        if len(self._experts) >= MOST_EXPERTS:
            raise InvalidInput(
                f'rate="per expert" tells at most {MOST_EXPERTS} experts apart, and {who!r} is one more; let experts '
                "who confirm equally often answer under one name, or leave the question to the others."
            )
        self._experts.add(who)

    def met(self, expert: Hashable) -> None:
        """Take note of an expert to whom a question was put before."""
        self._experts.add(expert)

    def next(self, drawn: int, over: bool) -> tuple[int, str] | None:
        """Return the known positive to ask now and its phase, if it is time: after `drawn` draws, `over` being all."""
        u = float(hashing.uniforms(self._seed, "when", [drawn + len(self._put)])[0])
        who = None if self._asking is None else self._asking()
        item = self._left(who, self.gold) if over or u < GOLD_SHARE else None
        phase = GOLD
        if item is None and self._asking is not None and (over or u >= 1 - OVERLAP_SHARE):
            item, phase = self._left(who, [item for item, by in self._revealed if by != who]), OVERLAP
        if item is None:
            return None
        self._put.add((who, item))
        return item, phase

    def _left(self, who: Hashable, items: Sequence[int]) -> int | None:
        return next((item for item in items if (who, item) not in self._put), None)

    def put(self, question: Question) -> None:
        """Take note of a question about a known positive that was put before."""
        self._put.add((None if self._asking is None else question.expert, question.item))

    def only(self, holds: Callable[[int], bool]) -> KnownPositives:
        """Return the same with the gold of a part of the pool, to be read only."""
        part = copy.copy(self)
        part.gold = [item for item in self.gold if holds(item)]
        return part

    def revealed(self, item: int, expert: Hashable) -> None:
        """Take note of an item of the lot that an expert revealed."""
        self._revealed.append((item, expert))
