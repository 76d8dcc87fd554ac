"""What can happen to a study: steps, for schedules that Hypothesis draws."""

from typing import NamedTuple

import sqlalchemy as sa
from hypothesis import strategies as st
from studies.faults import CUTS, KILLS

EXPERTS = ("ann", "bob", "cyd")
CLIENTS = 3
ACTS = {
    "ask": 10,
    "tell": 16,
    "again": 3,
    "contradict": 1,
    "skip": 2,
    "undo": 5,
    "show": 2,
    "release": 1,
    "leave": 1,
    "clock": 2,
    "look": 2,
    "think": 4,
    "go on": 2,
    "die": 2,
    "reopen": 2,
    "damage": 1,
}
"""What can happen, and how often."""
DAMAGE = tuple(
    sa.text(f"{what} {'AND' if ' WHERE ' in what else 'WHERE'} study = :_study".replace("@", "activepu_"))
    for what in (
        "UPDATE @questions SET answer = 1 - answer WHERE answer IS NOT NULL",
        "UPDATE @questions SET state = 'open'",
        "UPDATE @questions SET expert = 'bob', shown = 1 WHERE state = 'open'",
        "UPDATE @questions SET token = 'x' WHERE state = 'open'",
        "DELETE FROM @questions WHERE sequence % 2 = 0",
        "DELETE FROM @leases",
        "DELETE FROM @experts",
        "UPDATE @spellings SET name = 'x'",
    )
)
"""Damage to tables that follow from the events."""


class Step(NamedTuple):
    """One thing that happens: who does what through which process, and where that fails."""

    act: str
    client: int
    expert: str
    pick: int
    flag: bool
    fails: tuple[str, int] | None


acts = st.sampled_from([act for act, n in ACTS.items() for _ in range(n)])
after = st.sampled_from((0, 0, 0, 0, 1, 1, 2, 4, 7))
failures = st.none() | st.none() | st.tuples(st.sampled_from(KILLS + CUTS), after)
steps = st.builds(
    Step, acts, st.integers(0, CLIENTS - 1), st.sampled_from(EXPERTS), st.integers(0, 7), st.booleans(), failures
)
