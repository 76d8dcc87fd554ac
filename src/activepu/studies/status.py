"""Where a study is, in numbers and in one line."""

from __future__ import annotations

from dataclasses import dataclass

from activepu.errors import ActivePUError
from activepu.run import Run
from activepu.studies.storage import Reading, counts, experts, leases


@dataclass(frozen=True)
class Status:
    """Where a study is; printed, it is one line.

    Attributes
    ----------
    name : str
        The name of the study.
    asked, answered, revealed : int
        How many questions were put, how many have an answer, and how many of the answers are *yes*.
    skipped, questions_skipped : int
        How many skips there are, and how many questions somebody skipped.
    withdrawn : int
        How many questions everyone skipped.
    open, leased : int
        How many questions have no answer yet, and how many of these somebody holds.
    waiting : int
        How many answers do not count yet, because an older question is open: answers count in the order of asking.
    waits_for : str or None
        The open question that these answers wait for, and who has it.
    undecided : float or None
        The share that is neither certainly positive nor certainly negative; None if the learner does not say.
    error_bound : float or None
        The certified error; None if there is a problem or the learner certifies none.
    epsilon : float
        The error that the learner aims at.
    finished : bool
        Whether nothing is left to ask.
    experts : dict of str to int
        How many questions each expert answered.
    problem : str or None
        Why there is no result, if the answers contradict each other for instance.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     study.tell(study.ask("ann")[0], True)
    ...     status = study.status()
    >>> status.answered, status.revealed, status.experts, status.finished
    (1, 1, {'ann': 1}, False)
    >>> folder.cleanup()
    """

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
    questions_skipped: int = 0

    @property
    def held_up(self) -> str:
        """The end of a sentence: how many answers wait, and for what. Empty if none waits."""
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
