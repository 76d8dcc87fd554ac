"""The rows that follow from the events of a study, made again. Rows that agree with the events stay as they are.

Nobody knows a token that was lost. Its question gets a new one, and a message with the old token is refused.
"""

from __future__ import annotations

import math
import secrets
from collections import Counter
from typing import Any

from activepu.checks import composed, folded
from activepu.studies.examined import (
    Examined,
    is_number,
    is_token,
    keeps_owners,
    wrong_lease,
    wrong_question,
)
from activepu.studies.log import Asked
from activepu.studies.storage.inventory import Inventory, LeaseRow, QuestionRow, Remade


def remake(found: Inventory, made: Examined) -> tuple[Remade, list[int]]:
    """Return all rows as they must be, and the questions whose token is new."""
    spellings = _spellings(found, made)
    questions, renewed = _questions(found, made)
    new = Remade(
        made.origin,
        made.head,
        str(found.study.name) if found.study.folded is not None else None,
        questions,
        _leases(found, made, set(spellings)),
        _experts(found, made, spellings),
        spellings,
    )
    return new, renewed


def _spellings(found: Inventory, made: Examined) -> dict[str, str]:
    """Return how each expert's name was spelled first."""
    kept = {plain: name for plain, name in found.spellings if isinstance(name, str) and folded(name) == plain}
    for name in made.log.experts:
        kept.setdefault(folded(name), composed(name))
    return kept


def _experts(found: Inventory, made: Examined, spellings: dict[str, str]) -> list[str]:
    """Return who takes part: those who did, and whoever has not left by the events."""
    there = [name for name, *_ in found.experts if isinstance(name, str) and spellings.get(folded(name)) == name]
    back = [spellings[folded(name)] for name, here in made.log.experts.items() if here]
    back = back if len(there) < len(found.experts) else [spellings[folded(name)] for name in sorted(made.log.there)]
    return list(dict.fromkeys([*there, *back]))


def _questions(found: Inventory, made: Examined) -> tuple[list[QuestionRow], list[int]]:
    there = {row.sequence: row for row in found.questions}
    firm, deadline = keeps_owners(made.settings), made.settings["deadline"]
    end = math.inf if deadline is None else found.now + deadline
    rows, renewed = [], []
    for sequence, asked in enumerate(made.log.asked):
        row = there.get(sequence)
        if row is None or wrong_question(row, asked, firm):
            token = row.token if row is not None and is_token(row.token, sequence) else None
            row = _question(sequence, asked, token, row.expires if row is not None else None, end)
            if row.token != token:
                renewed.append(sequence)
        rows.append(row)
    return rows, renewed


def _question(sequence: int, asked: Asked, token: Any, expires: Any, end: float) -> QuestionRow:
    """Return the row of a question whose row is damaged; keep the token and the deadline if they can be read."""
    who = asked.expert or asked.owner
    if not who:
        return QuestionRow(sequence, asked.item, asked.state, asked.answer, "", None, 0.0, 0)
    kept = token if token is not None else _token(sequence)
    until = float(expires) if token is not None and is_number(expires) else end
    return QuestionRow(sequence, asked.item, asked.state, asked.answer, who, kept, until, 1)


def _leases(found: Inventory, made: Examined, known: set[str]) -> list[LeaseRow]:
    """Return the leases that are over: each skip has one, and whoever was shown a question that went on."""
    n, log = len(made.log.asked), made.log
    rows = [row for row in found.leases if not wrong_lease(row, n, known)]
    left = Counter(log.skips)
    for k, row in enumerate(rows):
        if row.state == "skipped":
            left[row.sequence, row.expert] -= 1
            if left[row.sequence, row.expert] < 0:  # the skip was taken back
                rows[k] = row._replace(state="undone")
    for (sequence, expert), missing in left.items():
        rows += [LeaseRow(sequence, _token(sequence), expert, "skipped") for _ in range(missing)]
    there = {(row.sequence, row.expert) for row in rows if row.state == "ended"}
    rows += [LeaseRow(sequence, _token(sequence), expert, "ended") for sequence, expert in sorted(log.ended - there)]
    return rows


def _token(sequence: int) -> str:
    return f"{sequence}-{secrets.token_urlsafe(16)}"
