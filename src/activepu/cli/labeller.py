"""The labeller: one item, one letter. Every answer is safe before the next item is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from rich.rule import Rule
from rich.text import Text

from activepu.checks import same
from activepu.cli import items, keys, screen
from activepu.errors import AnswerRefused, AssumptionsViolated, InvalidInput, StorageFailed
from activepu.experts import SKIP, TIMEOUT
from activepu.studies import Leased, Status, Study

HELP = "y yes, it is one · n can't tell · s skip (not for being hard) · u undo · q quit"
WORDS = {"yes": "y", "can't tell": "n", "skip": "s", "undo": "u", "quit": "q", "more": "m"}
"""What may be typed in full where lines are read."""
BAR = 24
AROUND = 8
"""Lines of the screen that are not the item's."""


def label(
    study: Study, expert: str, read: Callable[[str], str] | None = None, again: str = "", result: str = ""
) -> int:
    """Put questions to one expert until they quit or nothing is left; return how many they answered.

    `again` is the command that continues, and `result` the one that shows what is known.
    """
    session = Session(study, expert, again, result, read or keys.reader())
    try:
        with keys.interruptible():
            session.go_on()
    except (KeyboardInterrupt, EOFError):
        session.console.print()
    session.say_goodbye()
    return session.answered


class Session:
    """One expert at one screen. The study's status is computed once per item."""

    def __init__(self, study: Study, expert: str, again: str, result: str, read: Callable[[str], str]) -> None:
        self.console = screen.console()
        self._study = study
        self._expert = expert
        self._read = read
        self._again = again
        self._shows_result = result
        self._on_screen = read is keys.press and self.console.is_terminal and not self.console.is_dumb_terminal
        self._status: Status | None = None
        self._question: Leased | None = None
        self._shown: Leased | None = None
        self._said: list[str] = []
        self._answers: list[bool] = []
        self._page = 0
        self._over = False
        """Whether nothing is left, and the expert has been told why."""

    def go_on(self) -> None:
        """Ask until the expert quits or nothing is left; if the database fails, wait for it."""
        while True:
            try:
                question = self._question = self._question or self._next()
                if question is None:
                    if self._goes_back():
                        continue
                    return
                if self._on_screen or question is not self._shown:
                    self._show(question)
            except StorageFailed as error:
                screen.complain(str(error))
                if self._letter("r try again · q quit > ") == "q":
                    return
                continue
            self._say_what_happened()
            self.console.print(Text(HELP, style="dim"))
            if not self._do(self._letter("y/n/s/u/q > "), question):
                return

    def _letter(self, prompt: str) -> str:
        said = self._read(prompt).strip().lower()
        return WORDS.get(said, said)

    def _do(self, letter: str, question: Leased) -> bool:
        """Carry out the command of a letter; return whether to go on."""
        try:
            if letter in ("y", "n", "s"):
                self._answer(letter, question)
            elif letter == "u":
                self._undo()
            elif letter == "m":
                self._page += 1
            elif letter != "q":
                key = repr(letter[:20]) if letter.isprintable() else "That key"
                self._say(f"{key} has no meaning here.")
        except (InvalidInput, StorageFailed) as error:
            self._say(counted(str(error)))
        return letter != "q"

    def _answer(self, letter: str, question: Leased) -> None:
        try:
            if letter == "s":
                self._study.skip(question.token)
            elif not self._study.tell(question.token, letter == "y"):
                kept = "; that it is one is kept" if letter == "y" else ""
                self._say(f"The time for question {question.number + 1} was over{kept}.")
            self._answers.append(letter != "s")
        except AnswerRefused:
            self._say(self._why_refused(question))
        self._turn(None)

    def _why_refused(self, question: Leased) -> str:
        """Say what happened to a question at another desk since it was shown here."""
        now = self._study.run().questions[question.number]
        name = f"Question {question.number + 1}"
        if now.answer is None:
            return f"{name} was skipped or taken back at another desk; go on with this one."
        if now.answer is TIMEOUT:
            return f"{name} ended without an answer in time; go on with this one."
        if now.answer is SKIP:
            return f"{name} was skipped by everyone in the meantime; go on with this one."
        said = "was already answered 'yes'" if now.answer else "was already answered 'can't tell'"
        if isinstance(now.expert, str) and same(now.expert, self._expert):
            return f"{name} {said} at another desk; press u to take it back."
        return f"{name} {said} by {now.expert}; go on with this one."

    def _undo(self) -> None:
        with screen.busy("Taking it back …"):
            question = self._study.undo(self._expert)
            self._study.run()  # all answers are folded again, which takes a moment if there are many
        self._turn(question)
        self._answers = self._answers[:-1]
        self._say("Taken back; this was the question.")

    @property
    def answered(self) -> int:
        """How many answers the expert gave and did not take back."""
        return sum(self._answers)

    def _turn(self, question: Leased | None) -> None:
        self._question, self._status, self._page, self._over = question, None, 0, False

    def _next(self) -> Leased | None:
        """Return the oldest question that the expert holds, or a new one; their last if answers are contradictory."""
        try:
            question = next(iter(self._study.open(self._expert) or self._study.ask(self._expert)), None)
            if question is not None and not question.shown:
                self._study.shown(question.token)
            return question
        except AnswerRefused:  # another desk of this expert was faster
            return self._next()
        except AssumptionsViolated as error:
            screen.complain(str(error))
            return self._question if self._takes_back("u undo your last answer · q quit > ") else None

    def _takes_back(self, prompt: str) -> bool:
        """Return whether the expert chose to take their last answer back, and could."""
        while self._letter(prompt) == "u":
            try:
                self._undo()
                return True
            except InvalidInput as error:
                screen.complain(counted(str(error)))
        return False

    def _goes_back(self) -> bool:
        """Say why nothing is left; return whether the expert takes their last answer back."""
        self._status = status = self._study.status()
        if status.problem is not None:
            return False
        self._say_what_happened()
        for line in (blind(status), *self._why_nothing_is_left(status)):
            screen.say(self.console, line)
        self._over = True
        return self._takes_back("u undo your last answer · any other key ends > ")

    def _show(self, question: Leased) -> None:
        """Show the item's fields, and how far the study is."""
        self._status = status = self._status or self._study.status()
        if self._on_screen:
            self.console.clear()
        item = items.printable(question.id).replace("\n", " ") if self._study.pool.has_ids else f"row {question.item}"
        title = f"{status.name} · {self._expert} · question {question.number + 1} · {item}"
        self.console.print(Rule(Text(title, overflow="ellipsis"), align="left"))
        height = self.console.height - AROUND if self._on_screen else None
        pages = items.pages(self.console, question.row, height)
        page = self._page % len(pages)
        more = f"page {page + 1} of {len(pages)}, m for more" if len(pages) > 1 else ""
        self.console.print(pages[page], end="")
        self.console.print(Rule(Text(more), align="right"))
        self.console.print(Text(f"{status.answered:,} answered, {status.revealed:,} revealed{status.held_up}"))
        self.console.print(Text(progress(status)), no_wrap=True, overflow="ellipsis")
        self._shown = question

    def _say(self, sentence: str) -> None:
        """Keep a sentence to say below the next item, after the screen is cleared."""
        self._said.append(sentence)

    def _say_what_happened(self) -> None:
        for sentence in self._said:
            screen.complain(sentence)
        self._said = []

    def say_goodbye(self) -> None:
        """Say what happened to the answers and how to go on; questions that were not shown go to the others."""
        self._say_what_happened()
        safe = f"You answered {self.answered:,}; all of it is safe." if self.answered else "Nothing was answered."
        screen.say(self.console, safe)
        try:
            self._study.release(self._expert)
            for question in self._study.open(self._expert):
                screen.say(self.console, f"Question {question.number + 1} stays yours{_until(question.expires)}.")
            if not self._over:
                screen.say(self.console, blind(self._status or self._study.status()))
        except StorageFailed as error:
            screen.say(self.console, str(error))
        if not self._over:
            self.console.print(Text(f"Go on with: {self._again}"), soft_wrap=True)  # a command must not be broken

    def _why_nothing_is_left(self, status: Status) -> list[str]:
        if status.finished or not status.open:
            result = self._study.result()
            what = "The rule" if status.findings is None else "All that is certified"
            return [counted(result.stop_reason), str(result.certificate), f"{what}: {self._shows_result}"]
        waits = waiting(self._study, status, self._expert)
        return [f"The next question depends on answers that are still open: {waits}. Come back later."]


def _until(deadline: float) -> str:
    """Say until when a question can be answered, in words that end a sentence."""
    if math.isinf(deadline):
        return ""
    when = datetime.fromtimestamp(deadline)
    return f" until {when:%H:%M}{'' if when.date() == datetime.now().date() else f' on {when:%d %B}'}"


def waiting(study: Study, status: Status, expert: str | None = None) -> str:
    """Say who holds the open questions, and how many nobody holds; `expert` already got all that they may have."""
    held = {name: len(study.open(name)) for name in status.experts if expert is None or not same(name, expert)}
    found = [f"{name} has {n:,}" for name, n in held.items() if n]
    rest = status.open - sum(held.values())
    whom = (
        "the next expert who asks"
        if expert is None
        else f"somebody who has not skipped {'it' if rest == 1 else 'them'}"
    )
    return ", ".join(found + ([f"{rest:,} {'waits' if rest == 1 else 'wait'} for {whom}"] if rest > 0 else []))


def counted(sentence: str) -> str:
    """Return a sentence of the library, which counts questions from 0, as the screen counts them, from 1."""
    return re.sub(r"(?<=uestion )\d+", lambda number: str(int(number[0]) + 1), sentence)


def blind(status: Status) -> str:
    """Return the status without the counts of gold and overlap: they would tell an expert what a question was for."""
    return str(replace(status, gold=0, overlap=0))


def progress(status: Status) -> str:
    """Return the bar, and what is certified."""
    if status.findings is not None:
        return status.certified
    drawn = bar(status)
    if not drawn:
        return "no bound on the error is certified"
    yet = status.error_bound is None or status.error_bound >= 1
    said = "nothing is certified yet" if yet else f"error at most {100 * (status.error_bound or 0.0):.3g}%"
    return f"{drawn} {said} (aim {100 * status.epsilon:.3g}%)"


def bar(status: Status) -> str:
    """Return a bar that is full when the certificate reaches epsilon, on a logarithmic scale; empty without an aim.

    An audit has none either: it may aim at several quantities.
    """
    if status.problem is not None or status.error_bound is None:
        return ""
    if status.epsilon >= 1 or status.findings is not None:
        return ""
    bound = min(1.0, max(status.error_bound, 1e-12))
    share = 1.0 if bound <= status.epsilon else math.log(bound) / math.log(status.epsilon)
    full = int(BAR * share)
    return "█" * full + "░" * (BAR - full)
