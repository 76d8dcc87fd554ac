"""Where a study is, in numbers and in one line."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from activepu.errors import ActivePUError
from activepu.run import Run
from activepu.studies.storage.tables import Now, experts, leases, questions


@dataclass(frozen=True)
class Status:
    """`open` waits for an answer, `waiting` counts answers that an older open question holds up."""

    name: str
    asked: int
    answered: int
    revealed: int
    skipped: int
    withdrawn: int
    open: int
    leased: int
    waiting: int
    undecided: float | None
    error_bound: float | None
    epsilon: float
    finished: bool
    experts: dict[str, int]
    problem: str | None
    waits_for: str | None = None
    """The question that answers wait for, and who has it."""
    questions_skipped: int = 0
    """How many questions somebody skipped; `skipped` counts every skip."""

    @property
    def held_up(self) -> str:
        """The end of a sentence on how many answers wait, and for what; empty where none does."""
        wait = "waits" if self.waiting == 1 else "wait"
        return f"; {self.waiting:,} of the answers {wait} for {self.waits_for}" if self.waits_for else ""

    def __str__(self) -> str:
        if self.problem is not None:
            return f"{self.name}: {self.problem}"
        bound = (
            ""
            if self.error_bound is None
            else f"; error at most {100 * self.error_bound:.3g}% (aim {100 * self.epsilon:.3g}%)"
        )
        if self.epsilon >= 1:
            bound = ""
        done = self.epsilon >= 1 or (self.error_bound or 0.0) <= self.epsilon
        end = ("; finished" if done else "; nothing is left to ask") if self.finished else ""
        said = f"{self.answered:,} answered, {self.revealed:,} revealed, {self.open:,} open"
        return f"{self.name}: {said}{self.held_up}{bound}{end}"


def status_of(connection: sa.Connection, study: int, name: str, run: Run) -> Status:
    """The status from the run, and from who holds what."""

    def count(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> int:
        wanted = sa.select(sa.func.count()).select_from(table).where(table.c.study == study, *conditions)
        return int(connection.execute(wanted).scalar_one())

    answered = dict.fromkeys(connection.execute(sa.select(experts.c.name).where(experts.c.study == study)).scalars(), 0)
    by_expert = (
        sa.select(questions.c.expert, sa.func.count())
        .where(questions.c.study == study, questions.c.state == "answered")
        .group_by(questions.c.expert)
    )
    answered.update({str(expert): int(n) for expert, n in connection.execute(by_expert)})
    problem, bound = None, None
    try:
        bound = run.result_report().certificate.error_bound
    except ActivePUError as error:
        problem = str(error)
    undecided = run.history["undecided"]
    oldest = run.open[0].number if run.open else len(run.questions)
    waiting, waits_for = sum(question.answer is not None for question in run.questions[oldest:]), None
    if waiting and not run.finished:
        whose = sa.select(questions.c.expert).where(questions.c.study == study, questions.c.sequence == oldest)
        holder = connection.execute(whose).scalar()
        waits_for = f"question {oldest + 1}, which {f'{holder} has' if holder else 'nobody has'}"
    skipped = sa.select(sa.func.count(leases.c.sequence.distinct())).where(
        leases.c.study == study, leases.c.state == "skipped"
    )
    told = [question for question in run.questions if isinstance(question.answer, bool)]
    return Status(
        name=name,
        asked=len(run.questions),
        answered=len(told),
        revealed=sum(question.revealed for question in told),
        skipped=count(leases, leases.c.state == "skipped"),
        withdrawn=count(questions, questions.c.state == "withdrawn"),
        open=len(run.open),
        leased=count(questions, questions.c.state == "open", questions.c.expires > Now()),
        waiting=waiting,
        undecided=undecided[-1] if undecided else None,
        error_bound=bound,
        epsilon=run.learner.epsilon,
        finished=run.finished,
        experts=dict(sorted(answered.items())),
        problem=problem,
        waits_for=waits_for,
        questions_skipped=int(connection.execute(skipped).scalar_one()),
    )
