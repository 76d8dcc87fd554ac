"""Where a study is, in numbers and in one line."""

from __future__ import annotations

from dataclasses import dataclass

from activepu.errors import ActivePUError
from activepu.run import Run
from activepu.studies.storage import Reading, counts, experts, leases


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


def status_of(reading: Reading, name: str, run: Run) -> Status:
    """Return the status: what the run says, and who holds what."""
    answers = dict.fromkeys(experts.names(reading), 0) | counts.answers(reading)
    problem, bound = None, None
    try:
        bound = run.result_report().certificate.error_bound
    except ActivePUError as error:
        problem = str(error)
    undecided = run.history["undecided"]
    oldest = run.open[0].number if run.open else len(run.questions)
    waiting, waits_for = sum(question.answer is not None for question in run.questions[oldest:]), None
    if waiting and not run.finished:
        holder = leases.holder(reading, oldest)
        waits_for = f"question {oldest + 1}, which {f'{holder} has' if holder else 'nobody has'}"
    told = [question for question in run.questions if isinstance(question.answer, bool)]
    found = counts.counts(reading)
    return Status(
        name=name,
        asked=len(run.questions),
        answered=len(told),
        revealed=sum(question.revealed for question in told),
        skipped=found.skips,
        withdrawn=found.withdrawn,
        open=len(run.open),
        leased=found.leased,
        waiting=waiting,
        undecided=undecided[-1] if undecided else None,
        error_bound=bound,
        epsilon=run.learner.epsilon,
        finished=run.finished,
        experts=dict(sorted(answers.items())),
        problem=problem,
        waits_for=waits_for,
        questions_skipped=found.skipped,
    )
