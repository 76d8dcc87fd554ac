"""Where a study is, in numbers and in one line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from activepu.audit import Audit
from activepu.audit.targets import Target
from activepu.errors import ActivePUError
from activepu.experts import TIMEOUT
from activepu.findings import Findings
from activepu.models import ModelLearner
from activepu.records import GOLD, OVERLAP
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
    timed_out, late : int
        How many questions ended without an answer in time, and to how many of these a *yes* came later.
    gold, overlap : int
        How many of the answers are about known positives: known beforehand, or because another expert revealed them.
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
    findings : Findings or None
        Of an audit: what is certified so far.
    targets : tuple of Target
        Of an audit: what it is to certify.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     in_time = study.tell(study.ask("ann")[0], True)
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
    findings: Findings | None = field(default=None, repr=False)
    targets: tuple[Target, ...] = ()
    gold: int = 0
    overlap: int = 0
    timed_out: int = 0
    late: int = 0

    @property
    def certified(self) -> str:
        """Of an audit: what is certified about the targets so far or, without any, about the recall. Else empty."""
        if self.findings is None:
            return ""
        aims = {target.kind: f" (aim {100 * target.value:.4g}%)" for target in self.targets} or {"recall": ""}
        return ", ".join(f"{self._bound(kind)}{aim}" for kind, aim in aims.items())

    def _bound(self, kind: str) -> str:
        statement = self.findings and self.findings.find(kind)
        low, high = (statement.low, statement.high) if statement else (0.0, 1.0)
        down, up = math.floor(1000 * low + 1e-9) / 10, math.ceil(1000 * high - 1e-9) / 10  # to the safe side
        doubt = " (doubtful)" if statement and statement.doubt else ""
        if kind == "error":
            return f"error at most {up:g}%{doubt}" if up < 100 else "no error is certified yet"
        return f"{kind} at least {down:g}%{doubt}" if down > 0 else f"no {kind} is certified yet"

    @property
    def _reached(self) -> bool:
        if self.findings is None:
            return self.epsilon >= 1 or (self.error_bound or 0.0) <= self.epsilon
        found = {statement.what: statement for statement in self.findings.statements.about()}
        return all(target.met(found[target.kind].low, found[target.kind].high) for target in self.targets)

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
        if self.findings is not None:
            bound = f"; {self.certified}"
        elif self.epsilon >= 1:
            bound = ""
        end = ("; finished" if self._reached else "; nothing is left to ask") if self.finished else ""
        again = [f"{n:,} {phase}" for phase, n in ((GOLD, self.gold), (OVERLAP, self.overlap)) if n]
        about = f" ({', '.join(again)})" if again else ""
        said = f"{self.answered:,} answered{about}, {self.revealed:,} revealed, {self.open:,} open"
        return f"{self.name}: {said}{self._missed}{self.held_up}{bound}{end}"

    @property
    def _missed(self) -> str:
        """How many questions were not answered in time, for the line of the status."""
        late = f" ({self.late:,} revealed later)" if self.late else ""
        return f", {self.timed_out:,} not answered in time{late}" if self.timed_out else ""


def status_of(reading: Reading, name: str, run: Run) -> Status:
    """Return the status: what the run says, and who holds what."""
    answers = dict.fromkeys(experts.names(reading), 0) | counts.answers(reading)
    problem, bound, findings = None, None, None
    try:
        report = run.result_report()
        bound, findings = report.certificate.error_bound, report.findings
    except ActivePUError as error:
        problem = str(error)
    undecided = run.history["undecided"]
    oldest = run.open[0].number if run.open else len(run.questions)
    waiting, waits_for = sum(question.answer is not None for question in run.questions[oldest:]), None
    if waiting and not run.finished:
        holder = leases.holder(reading, oldest)
        waits_for = f"question {oldest + 1}, which {f'{holder} has' if holder else 'nobody has'}"
    told = [question for question in run.questions if isinstance(question.answer, bool)]
    found, phases = counts.counts(reading), [question.note.phase for question in told]
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
        findings=findings,
        targets=tuple(run.learner.targets) if isinstance(run.learner, (Audit, ModelLearner)) else (),
        gold=phases.count(GOLD),
        overlap=phases.count(OVERLAP),
        timed_out=sum(question.answer is TIMEOUT for question in run.questions),
        late=sum(question.late for question in run.questions),
    )
