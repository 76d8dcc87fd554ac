"""Small audits, walked through every sequence of answers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from hypothesis import strategies as st

from activepu.audit.bet import Bet
from activepu.audit.likelihood import Counts, log_likelihood
from activepu.audit.prediction import Predictions
from activepu.audit.state import State
from activepu.audit.strata import Strata
from activepu.audit.targets import Target
from activepu.records import Note, Question


def strata(
    sizes: Sequence[int],
    inside: Sequence[bool],
    means: Sequence[float] | None = None,
    groups: Sequence[str] | None = None,
) -> Strata:
    """Strata of items 0, 1, …, each standing for one row; the first stratum has the highest scores."""
    K, n = len(sizes), sum(sizes)
    return Strata(
        np.arange(n),
        np.repeat(np.arange(K), sizes),
        np.array(sizes),
        np.ones(K),
        np.array(inside),
        np.arange(K)[::-1].copy(),
        np.arange(1.0, K),
        np.array(means if means is not None else np.linspace(0.8, 0.05, K)),
        (None,) * K if groups is None else tuple(groups),
    )


@st.composite
def answers(draw: st.DrawFn, strata: int, most: int) -> list[Counts]:
    """What was seen of so many strata of at most `most` items."""
    found = []
    for _ in range(strata):
        size = draw(st.integers(1, most))
        asked = draw(st.integers(0, size))
        found.append(Counts(size, asked, draw(st.integers(0, asked))))
    return found


@dataclass
class Node:
    """A moment of an audit: what was answered, where the next item is drawn, and what follows from each answer."""

    counts: tuple[Counts, ...]
    stratum: int | None
    no: Node | None = None
    yes: Node | None = None


def every_path(state: State) -> Node:
    """Walk through all sequences of answers."""
    counts = tuple(state.counts)
    step = next(state.questions(), None)
    if step is None:
        return Node(counts, None)
    item, _ = step
    node = Node(counts, int(state.strata.stratum[item]))
    branches = []
    for answer in (False, True):
        later = copy.deepcopy(state)
        later.fold(Question(0, item, None, Note("lot", -1), answer))
        branches.append(every_path(later))
    node.no, node.yes = branches
    return node


@cache
def log(counts: Counts, positives: int, rate: float) -> float:
    """Return ln Λ for one number of positives."""
    return float(log_likelihood(counts, np.array([float(positives)]), np.array(rate))[0])


def ever(
    node: Node, positives: Sequence[int], rate: float | Sequence[float], bad: Callable[[tuple[Counts, ...]], bool]
) -> float:
    """Return the exact probability that something bad is true at some moment, if these are the positives.

    `rate` is the reveal rate, in all strata or in each.
    """
    if bad(node.counts):
        return 1.0
    if node.stratum is None or node.yes is None or node.no is None:
        return 0.0
    k = node.stratum
    before, after = node.counts[k], node.counts[k].after(True)
    mine = rate if isinstance(rate, float) else rate[k]
    p = float(np.exp(log(after, positives[k], mine) - log(before, positives[k], mine)))
    total = p * ever(node.yes, positives, rate, bad) if p > 0 else 0.0
    return total + (1 - p) * ever(node.no, positives, rate, bad) if p < 1 else total


def truths(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every number of positives in every stratum."""
    return product(*(range(size + 1) for size in sizes))


def state(made: Strata, seed: int, targets: Sequence[Target], rate: float | None, bet: Bet | None = None) -> State:
    """The state of an audit before its first question."""
    predictions = Predictions(made.means) if rate is None else Predictions(made.means, (rate,))
    return State(made, seed, targets, predictions, rate, np.empty(0, np.int64), bet)
