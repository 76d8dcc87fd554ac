"""`Run`, the ask/tell driver of any learner.

Answers may be told in any order; they are folded into the learner in the order of *asking*. Folding them as they arrive
would be false whenever a "yes" takes longer than a "can't tell".
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.experts import SKIP, TIMEOUT
from activepu.learners import Learner
from activepu.learners.base import Questions
from activepu.pools import Draws, Pool, Source
from activepu.pools.frames import row_of
from activepu.records import AGAIN, RECORDED, Answer, Ask, Note, Question, Report, StopReason
from activepu.result import Result
from activepu.run import moves
from activepu.run.ahead import Ahead, run_ahead
from activepu.run.late import to_the_last

MOST_REPEATS = 100_000
"""After this many repeated rows, one after the other, an endless pool is taken to have no others."""


class Run:
    """One run of a learner over a pool, by hand: `ask` for questions, `tell` the answers, look at the `result`.

    Several questions may be open at once, and answers may be told in any order. They count in the order of *asking*:
    the learner has been sent exactly the answered, unskipped questions before the first open one. Counting them as they
    arrive would be false whenever a "yes" takes longer than a "can't tell". A result is as valid in the middle of a run
    as at its end.

    Parameters
    ----------
    learner : Learner
        What to ask, and what follows from the answers. It holds settings only and may serve many runs.
    pool : Pool, Sampler or table
        The items; a table is wrapped in a `Pool`.
    positives : sequence of int
        What is known to be positive beforehand: row numbers, a mask over all rows, or keys of the pool's id column
        (rows of features for a `Sampler`). Every hypothesis must contain them, and they are never asked.
    seed : int
        The same seed and the same answers give the same questions.

    Attributes
    ----------
    questions : list of Question
        All questions, in the order of asking.
    n_answered : int
        How many of them have an answer that is not a skip.
    history : dict of list
        One entry per answered question, as columns: step, item, phase, answer, expert, undecided, u, b.

    Raises
    ------
    PoolTooSmall
        If the pool cannot certify the learner's epsilon.
    InvalidInput
        If the learner's guarantee is false for this pool, or an argument is not what it must be.

    Warns
    -----
    UserWarning
        Before the first question, if a target of an audit is out of reach because nothing is known about the rate.

    See Also
    --------
    learn : The loop around a run, with an expert.
    Study : A run in a database, which survives the process.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.random.default_rng(0).random(2000)
    >>> run = apu.Run(apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05, rate=1.0), x)
    >>> while not run.finished:
    ...     for question in run.ask(2):
    ...         run.tell(question, bool(question.row[0] > 0.7))
    >>> result = run.result()
    >>> bool(result.certificate.error_bound <= 0.1), result.n_queries - result.n_checks < 20
    (True, True)
    """

    def __init__(self, learner: Learner, pool: Source | Any, positives: Any = (), seed: int = 0) -> None:
        if not isinstance(learner, Learner):
            wrap = f"pass ModelLearner({type(learner).__name__}(…))" if hasattr(learner, "fit") else ""
            raise InvalidInput(
                f"The learner must be an object such as ZCal(Boxes(), 0.05, 0.05), got {checks.brief(learner)}; "
                f"{wrap or 'the order is learn(learner, pool, expert)'}."
            )
        self.learner = learner
        self.source: Source = pool if isinstance(pool, Source) else learner.pool(pool)
        self.seed = checks.count("seed", seed)
        self.positives = () if positives is None else positives if np.ndim(positives) else [positives]
        self._ids = self.source.ids if isinstance(self.source, Pool) else None
        self._spelled: dict[str, str] = {}
        self._named_as: dict[str, str] = {}
        self.questions: list[Question] = []
        self.n_answered = 0
        """Questions with an answer that is not a skip."""
        self._start()
        self.learner.check_pool(self.source, self._draws)
        self._advance(None)
        self._forewarn()

    def _forewarn(self) -> None:
        """Warn, before the first question, of what the learner cannot do here."""
        if said := self.learner.forewarning(self._draws):
            warnings.warn(said, UserWarning, stacklevel=3)

    def _new_draws(self) -> Draws:
        return self.source.draws(self.learner.hypotheses, self.seed, self.positives)

    def _start(self) -> None:
        """Make new draws and a new coroutine of the learner, before its first step."""
        self._draws = self._new_draws()
        self._steps = to_the_last(self.learner.steps(self._draws), self._draws)
        self._now: Ask | None = None
        self._nothing_to_ask = False
        self._last: Report | None = None
        self._ahead: Ahead | None = None
        self._failure: Exception | None = None
        self._folded = self._revealed = 0
        self.history: dict[str, list[Any]] = {
            name: [] for name in ("step", "item", "phase", "answer", "expert", "undecided", "u", "b")
        }
        self._asked = set(self._draws.given_coins)

    @property
    def finished(self) -> bool:
        """Whether the learner is done or nothing is left to ask. Answers to open questions still count."""
        return self._nothing_to_ask or (self._now is not None and self._now.done)

    @property
    def failure(self) -> Exception | None:
        """The error that the answers so far led to, or None; every call but `undo` raises it."""
        return self._failure

    @property
    def open(self) -> list[Question]:
        """The questions that wait for an answer, the oldest first. Answers to later ones count once it is answered."""
        return [question for question in self.questions if question.answer is None]

    def ask(self, n: int = 1, expert: Hashable = None) -> list[Question]:
        """Put up to n new questions.

        Parameters
        ----------
        n : int
            How many questions are wanted.
        expert : hashable, optional
            The name of the expert who is asked; for a learner with a reveal rate per expert.

        Returns
        -------
        list of Question
            Fewer than n, or none, if the pool ends or the learner needs the answers to open questions first.
        """
        checks.count("n", n, minimum=1)
        self._refuse_if_failed()
        self._draws.asking = expert = self._named(expert)
        put: list[Question] = []
        repeated = 0
        while len(put) < n and not self.finished and repeated < MOST_REPEATS:
            assert self._now is not None
            items, told = self._now.items, (self.learner, self.questions, self._folded)
            ahead = self._ahead = run_ahead(self._ahead, *told, items, self._new_draws)
            found = next(items, None) if ahead is None else ahead.choose(expert, items)
            if (candidate := found or self._skipped(items)) is None:
                break
            item, note = candidate
            coin = self._draws.coin(item)
            repeated = repeated + 1 if coin in self._asked and note.phase not in AGAIN else 0
            if not repeated:
                self._asked.add(coin)
                put.append(Question(len(self.questions), item, None, note, id=self.id_of(item), expert=expert))
                self.questions.append(put[-1])
                if found is None or (ahead is not None and not isinstance(items, Questions)):
                    self._note(put[-1])
        if put:
            rows = self._draws.rows([question.item for question in put])
            for k, question in enumerate(put):
                question.row = row_of(rows, k)
        else:
            self.dry()
        return put

    def dry(self, drawn: int = 0) -> None:
        """End the run if no question is open: nothing was found to ask, and the first `drawn` rows are used up."""
        self._draws.advance(drawn - 1)
        if not self.finished and not self.open:
            self._refuse_if_failed()
            self._nothing_to_ask = True

    def _skipped(self, items: Iterator[tuple[int, Note]]) -> tuple[int, Note] | None:
        back = (q for q in self.questions if q.answer is SKIP and self._draws.coin(q.item) not in self._asked)
        return next(moves.asked_again(back, items), None)

    def tell(self, question: Question, answer: bool | Answer) -> None:
        """Take one answer to a question of this run.

        Parameters
        ----------
        question : Question
            One that `ask`, `put` or `recall` returned.
        answer : bool, SKIP or TIMEOUT
            True (revealed), False (★, can't tell), SKIP (not answered: it may be asked again) or TIMEOUT (not answered
            in time: it is over, and only a later yes still adds something). The same answer twice counts once.

        Raises
        ------
        AssumptionsViolated
            If no hypothesis fits the answers. Every later call raises it again until `undo` takes an answer back.
        InvalidInput
            If the question is not of this run, or has another answer already.
        """
        self._check_mine(question)
        if (told := moves.checked_answer(question, answer, self.learner)) is not None:
            if question.answer is TIMEOUT:
                self._refuse_if_failed()
                question.came, question.late = (self._folded, sum(q.late for q in self.questions)), True
                silent = self.learner.takes_as_silent(question)
                if question.number < self._folded and self.learner.hears_timeouts and not silent:
                    self._advance(question)
                return
            question.answer = told
            if told is SKIP:
                self._give_back(question)
            self.n_answered += isinstance(told, bool)
        self._refuse_if_failed()
        self._fold()

    def _give_back(self, skipped: Question) -> None:
        """Put the item of a skipped question back into the pool, unless another question about it stands."""
        coin = self._draws.coin(skipped.item)
        if not any(q.answer is not SKIP and self._draws.coin(q.item) == coin for q in self.questions):
            self._asked.discard(coin)

    def record(self, item: int, answer: bool) -> Question:
        """Take an answer that was collected elsewhere; the same as `put` and then `tell`.

        The certificate then lists what it assumes about such answers: they came in the order of asking, none was left
        out, and for a certificate of the population the items were picked at random. Returns the question.
        """
        told = moves.checked_reply(answer)
        question = self.put(item)
        self.tell(question, told)
        return question

    def put(self, item: int, expert: Hashable = None) -> Question:
        """Put a question of the caller's own choice, which must be made without looking at its answer.

        The prediction that Z-CAL needs is the share of reveals so far, (r + ½)/(n + 1). `record` says what the
        certificate then assumes.

        Parameters
        ----------
        item : int
            The row number; neither it nor a row that looks the same to the expert may have been asked.
        expert : hashable, optional
            The name of the expert who is asked.

        Returns
        -------
        Question
            It is open; answer it with `tell`.
        """
        self._refuse_if_failed()
        self.learner.check_put(self.questions)
        if self._ids is not None:
            checks.item(item, len(self._ids))
        moves.check_new(item, self._draws.coin(item), self._draws.given_coins, self._asked)
        note = Note(RECORDED, -1, (self._revealed + 0.5) / (self._folded + 1))
        return self.recall(item, note, self._named(expert))

    def _named(self, expert: Hashable) -> Hashable:
        """Return the name of an expert as this run saw it first; upper and lower case are the same."""
        if not isinstance(expert, str):
            return expert
        if expert not in self._named_as:
            name = checks.name("expert", expert)
            self._named_as[expert] = self._spelled.setdefault(checks.folded(name), name)
        return self._named_as[expert]

    def recall(self, item: int, note: Note, expert: Hashable = None, drawn: int = 0) -> Question:
        """Take in a question that was put before, as it was recorded (by a study, say); nothing is chosen."""
        question = Question(len(self.questions), item, None, note, id=self.id_of(item), expert=expert)
        if self._now is not None and not self.finished and isinstance(self._now.items, Questions):
            self._now.items.check(question)
        self.questions.append(question)
        self._asked.add(self._draws.coin(item))
        self._note(question)
        self._draws.advance(max(note.position, drawn - 1))
        return question

    def _note(self, question: Question) -> None:
        """Let the learner note what it would have noted if it had put the question itself."""
        if question.note.phase == RECORDED:
            self._draws.set_aside(question.item)
        if self._now is not None and self._now.recall is not None:
            self._now.recall(question)

    @property
    def drawn(self) -> int:
        """How many rows of the row order were searched for questions."""
        return self._draws.position

    def undo(self, question: Question) -> None:
        """Take an answer or a skip back: the question is open again, and later questions stay.

        A yes that came after the deadline is taken back, too; the question stays over.

        All other answers are replayed into a fresh coroutine of the learner. A learner whose later phases depend on the
        answer refuses with `InvalidInput`, which says so.
        """
        self._check_mine(question)
        self.check_undo(question)
        if question.late:
            question.late = False
        else:
            question.answer = None
        self.restore(self.questions)

    def check_undo(self, question: Question) -> None:
        """Raise `InvalidInput` if `undo` would refuse."""
        coin, later = self._draws.coin(question.item), self.questions[question.number + 1 :]
        same = (q for q in later if q.note.phase not in AGAIN or q.expert == question.expert)
        again = (q for q in same if self._draws.coin(q.item) == coin)
        moves.check_undo(question, self.questions, self.learner, next(again, None))

    def restore(self, questions: list[Question]) -> None:
        """Start from scratch with questions that were put before and the answers that they have."""
        self.questions = questions
        self.n_answered = sum(isinstance(question.answer, bool) for question in questions)
        self._start()
        self._advance(None)  # first, before the rows of the questions count as drawn: its first samples stay the same
        for put in questions:
            self._draws.advance(put.note.position)
            if put.answer is not SKIP:
                self._asked.add(self._draws.coin(put.item))
        later = moves.hold_back(questions)
        for put in questions:  # one by one, so that the learner notes a question in the phase in which it was put
            self._note(put)
            self._fold(put.number + 1)
            while later and (later[0].came[0] <= self._folded or put is questions[-1]):
                self.tell(later.pop(0), True)

    def result(self) -> Result:
        """Return what is known now, as a `Result`; it is as valid in the middle of a run as at its end."""
        report = self.result_report()
        waiting = sum(question.answer is not None for question in self.questions[self._folded :])
        if waiting:
            wait = f"{waiting} answer(s) wait for the answer to question {self.open[0].number}, which was asked before."
            report = replace(report, stop_reason=f"{report.stop_reason} {wait}")
        return Result(report, {name: list(column) for name, column in self.history.items()}, self.source)

    def result_report(self) -> Report:
        """Return the learner's report of this moment, with all assumptions that this run adds."""
        self._refuse_if_failed()
        report = self._last
        if report is None:
            assert self._now is not None
            report = self._now.report()
            if self._nothing_to_ask and report.stop_reason == StopReason.RUNNING:
                why = f"{StopReason.NO_CANDIDATES} {self.learner.when_dry}"
                report = replace(report, stop_reason=why, certificate=report.certificate.at_the_end())
            self._last = report if self.finished else None  # until the next answer
        return moves.with_assumptions(report, self.questions, self.learner)

    def id_of(self, item: int) -> Any:
        """Return the user's own key of an item; its row number if there are none."""
        return item if self._ids is None else self._ids[item]

    def coin(self, item: int) -> int:
        """Return the number of the coin that decides this item's answer; rows that look the same share one."""
        return self._draws.coin(item)

    def __repr__(self) -> str:
        return f"<Run of {type(self.learner).__name__}: {self.progress_line()}>"

    def progress_line(self) -> str:
        """Describe in one line how far the run is."""
        undecided = self.history["undecided"][-1] if self.history["undecided"] else None
        phase = self.history["phase"][-1] if self.history["phase"] else "starting"
        mass = "" if undecided is None else f", {100 * undecided:.1f}% undecided"
        return f"{self.n_answered:,} questions, {self._revealed:,} revealed{mass} ({phase})"

    def _check_mine(self, question: Question) -> None:
        number = question.number if isinstance(question, Question) else -1
        if not 0 <= number < len(self.questions) or self.questions[number] is not question:
            named = f"this question {number}" if isinstance(question, Question) else checks.brief(question)
            raise InvalidInput(f"This run never asked {named}; answer the questions that its own ask() returned.")

    def _refuse_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _fold(self, before: int | None = None) -> None:
        """Send the answers before the first open question to the learner, but none from number `before` on."""
        end = len(self.questions) if before is None else before
        while self._folded < end and self.questions[self._folded].answer is not None:
            question = self.questions[self._folded]
            self._folded += 1
            silent = question.answer is TIMEOUT and self.learner.takes_as_silent(question)
            if question.answer is TIMEOUT and self.learner.hears_timeouts and not silent:
                self._advance(question)
            if not (silent or isinstance(question.answer, bool)):
                continue
            self._advance(question)
            assert self._now is not None
            record = {
                "step": len(self.history["step"]) + 1,
                "item": question.item,
                "phase": question.note.phase,
                "answer": int(question.revealed),
                "expert": question.expert,
                **vars(self._now.gauges),
            }
            self._revealed += question.revealed
            for name, value in record.items():
                self.history[name].append(value)

    def _advance(self, question: Question | None) -> None:
        """Do one step of the learner, and keep the error if it fails."""
        self._last = None
        try:
            self._now = next(self._steps) if question is None else self._steps.send(question)
        except Exception as failure:
            self._failure = failure
            raise


class RunAgain(Run):
    """A run that was begun before, or that nobody will answer: nothing is said beforehand."""

    def _forewarn(self) -> None:
        pass
