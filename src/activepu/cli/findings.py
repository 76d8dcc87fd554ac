"""What an audit found, on the screen: the statements, what each assumes, and the curve."""

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.table import Table
from rich.text import Text

from activepu.audit import Audit
from activepu.audit.groups import read as read_groups
from activepu.audit.targets import quantities
from activepu.cli import audits, screen, values
from activepu.experts import SimulatedExpert
from activepu.findings import Cut, Statement
from activepu.pools import Pool
from activepu.report import audit_picture
from activepu.report.files import targets
from activepu.result import Result

NAMES = {"prior": "share of positives", "rate": "reveal rate"}

TOGETHER = "All of these hold together: you may choose a cut after looking."
BY_SET = (
    "Cuts are bounded by the confidence set alone, which has a fifth of δ because one target is bet on; so the "
    "classifier's own statement above may say more."
)


@dataclass(frozen=True)
class Truth:
    """The truth of a dry run, about the audited rows.

    `confirmable` are the rows that the simulated expert would confirm if asked about all, and `rate` is its rate.
    `groups` has the group of each row, where there are groups.
    """

    positive: NDArray[np.bool_]
    called: NDArray[np.bool_]
    confirmable: NDArray[np.bool_]
    scores: NDArray[np.float64] | None
    rate: float
    groups: NDArray[np.str_] | None = None

    def value(self, statement: Statement) -> float:
        """Return the true value of what a statement speaks of."""
        what = statement.what
        if what == "rate":
            return self.rate
        positive = self.confirmable if what == "confirmable recall" else self.positive
        mine = np.ones(len(positive), bool) if statement.group is None else self.groups == statement.group
        return _value(what.split()[-1], positive[mine], self.called[mine])

    def of(self, result: Result) -> dict[str, float]:
        """Return the true value of everything that is stated."""
        return {name_of(statement): self.value(statement) for statement in result.statements()}

    def at(self, cut: Cut) -> tuple[float, float]:
        """Return the true recall and precision of a cut of the score."""
        assert self.scores is not None
        called = self.scores >= cut.score
        return _value("recall", self.positive, called), _value("precision", self.positive, called)

    def outside(self, statement: Statement) -> bool:
        """Whether the statement is wrong on this table."""
        return not statement.low - 1e-9 <= self.value(statement) <= statement.high + 1e-9


def truth_of(learner: Audit, pool: Pool, expert: SimulatedExpert) -> Truth:
    """Return the truth about the rows that are audited: all but those that look like gold."""
    audited = np.flatnonzero(~np.isin(pool.coins, pool.coins[learner.gold]))
    judged, _ = learner.strata(pool.draws(learner.hypotheses, 0))
    groups = read_groups(learner.groups, pool)
    assert expert.y is not None
    return Truth(
        expert.y[audited],
        judged.predictions[audited],
        expert.answer(pool.coins[audited], None),
        None if judged.scores is None else judged.scores[audited],
        expert.rate,
        None if groups is None else np.array(groups.names)[groups.codes[audited]],
    )


def truth_found(result: Result, pool: Pool, expert: SimulatedExpert) -> Truth:
    """Return the truth about what was found: of the rows that the expert would confirm, those that are in hand."""
    confirmable = expert.answer(pool.coins, None)
    in_hand = np.isin(np.arange(len(pool)), result.found)
    return Truth(confirmable, in_hand, confirmable, None, expert.rate)


def _value(what: str, positive: NDArray[np.bool_], called: NDArray[np.bool_]) -> float:
    found, lost = np.float64((positive & called).sum()), np.float64((positive & ~called).sum())
    return float(quantities(len(positive), float(called.sum()))[what].value(found, lost))  # type: ignore[arg-type]


def show(result: Result, with_curve: bool, truth: Truth | None = None, stopped: str | None = None) -> None:
    """Print all that was found; with the truth beside it in a dry run."""
    on = screen.console()
    screen.say(on, str(result.certificate))
    on.print()
    on.print(statements(result, truth))
    if more := result.statements().printed()[1]:
        screen.say(on, more, style="dim")
    on.print()
    on.print(_notes(result))
    if with_curve and result.findings.cuts:
        on.print()
        on.print(curve(result, truth))
        screen.say(on, TOGETHER, style="dim")
        if result.findings.evidence.get("engine") == "bet":
            screen.say(on, BY_SET, style="dim")
    on.print()
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column()
    facts.add_row("stopped", Text(stopped or result.stop_reason))
    facts.add_row("questions", f"{result.n_queries:,} asked, {result.n_revealed:,} revealed")
    if result.findings.split:
        facts.add_row("of these", Text(result.findings.split))
    wrong = [name_of(s) for s in result.statements() if truth is not None and truth.outside(s)]
    if wrong:
        facts.add_row("warning", Text(_warning(wrong, result)))
    on.print(facts)


def check_plot(target: Path | None) -> None:
    """Refuse a picture that cannot be written, before any work is done."""
    if target is not None:
        targets(target)
        values.check_writable(target)


def plot(result: Result, target: Path | None, truth: Truth | None = None) -> None:
    """Draw what was found, if a file is named."""
    if target is not None:
        stated = [result.findings.find(what) for what in ("recall", "precision", "error")]
        known = {} if truth is None else {s.what: truth.value(s) for s in stated if s is not None}
        audit_picture(result, target, truth=known)
        screen.remark(f"Drew it in {target}.")


def _warning(wrong: list[str], result: Result) -> str:
    chance = f"By chance alone this happens in at most {100 * (1 - result.certificate.confidence):.3g}% of runs."
    if all(s.rung == "0" for s in result.statements()):  # nothing that the simulated expert could break
        return f"The truth lies outside the bounds ({', '.join(wrong)}). {chance}"
    return (
        f"The truth lies outside the bounds ({', '.join(wrong)}), so what they assume does not hold here: look at "
        f"--known-rate, --purity, --gold and at rows that look the same to the expert. {chance}"
    )


def statements(result: Result, truth: Truth | None = None, letters: bool = True) -> Table:
    """Return the statements as a table; letters name what each assumes, for the footnotes."""
    letter = _letters(result)
    table = _table("", "at least", "at most", *(("true",) if truth else ()), "confidence", "rung")
    if letters:
        table.add_column("holds if", no_wrap=True)
    for s in result.statements().printed()[0]:
        true = () if truth is None else (f"{100 * truth.value(s):.1f}%",)
        holds = ("".join(sorted(letter[assumption] for assumption in _assumed(result, s))),) if letters else ()
        style = "red" if truth is not None and truth.outside(s) else None
        bounds = (percent(s.low), percent(s.high, up=True))
        name = f"{name_of(s)}, doubtful" if s.doubt else name_of(s)
        table.add_row(name, *bounds, *true, f"{100 * s.confidence:.4g}%", s.rung, *holds, style=style)
    return table


def curve(result: Result, truth: Truth | None = None) -> Table:
    """Return the certified curve as a table: one line for every cut of the score."""
    beside = ("true\nrecall", "true\nprecision") if truth else ()
    table = _table("score\nfrom", "called\npositive", "recall\nat least", "precision\nat least", *beside)
    for cut in result.findings.cuts:
        score = "all" if cut.score == -math.inf else exact(cut.score)
        true = () if truth is None else tuple(f"{100 * value:.1f}%" for value in truth.at(cut))
        table.add_row(score, f"{cut.called:,}", percent(cut.recall[0]), percent(cut.precision[0]), *true)
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column(first, no_wrap=True)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _assumed(result: Result, statement: Statement) -> tuple[str, ...]:
    """Return what a statement assumes, with what the run adds to the certificate, about skipped questions say."""
    own = {assumption for s in result.statements() for assumption in s.assumptions}
    return (*statement.assumptions, *(a for a in result.certificate.assumptions if a not in own))


def _letters(result: Result) -> dict[str, str]:
    assumed = dict.fromkeys(a for s in result.statements() for a in _assumed(result, s))
    return dict(zip(assumed, string.ascii_lowercase, strict=False))


def _notes(result: Result) -> Table:
    """Return the footnotes: what the letters mean, and the remarks."""
    notes = Table.grid(padding=(0, 1))
    notes.add_column(no_wrap=True, style="dim")
    notes.add_column(style="dim")
    for assumption, letter in _letters(result).items():
        notes.add_row(letter, Text(assumption))
    remarks: dict[str, list[str]] = {}
    for s in result.statements():
        if s.remark:
            remarks.setdefault(s.remark, []).append(name_of(s))
    for remark, about in remarks.items():
        notes.add_row("*", Text(f"{', '.join(about)}: {audits.in_the_terminal(remark)}"))
    notes.add_row("*", Text(result.statements().rungs))
    return notes


def name_of(statement: Statement) -> str:
    """Return what a statement speaks of, for people."""
    what = NAMES.get(statement.what, statement.what)
    return what if statement.group is None else f"{what} in {statement.group}"


def percent(value: float, up: bool = False) -> str:
    """Return a bound in percent, rounded to the safe side; a dash where it says nothing."""
    tenths = math.ceil(1000 * value - 1e-9) if up else math.floor(1000 * value + 1e-9)
    return "–" if tenths == (1000 if up else 0) else f"{tenths / 10:.1f}%"


def exact(score: float) -> str:
    """Return a score with all its digits: what is certified holds for this cut, not for a rounded one."""
    return short if float(short := f"{score:.12g}") == score else repr(score)
