"""A study: a pool, a learner and the answers so far, durable in a database and shared by several experts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.learners import Learner
from activepu.records import Answer
from activepu.result import Result
from activepu.run import Run, moves
from activepu.studies import fingerprints
from activepu.studies.collected import Collected
from activepu.studies.intake import Intake
from activepu.studies.integrity import refuse_damaged
from activepu.studies.labelling import Labelling
from activepu.studies.status import Status, status_of
from activepu.studies.storage import Storage, catalogue, experts

OPEN_PER_EXPERT = 2
DEADLINE = 900.0
PASSED_ON = (
    "a question that one expert was shown and another answered was passed on for a reason that has nothing to do with "
    "its answer"
)


RATE_OF_ALL = (
    "The reveal rate is not used as it was stated: of the answers before the deadline another share may be yes. Pass "
    "rate_in_time=True if it is the rate of these, or deadline=None if nobody will be late."
)
RATE_AT_MOST = (
    "The reveal rate is used as the most that it can be: an item that was not answered before the deadline counts as "
    "not confirmed. Pass deadline=None if nobody will be late."
)


class Study(Labelling):
    """Labelling over days: a pool, a learner and the answers so far, kept in a database that experts share.

    Make one with `Study.create` and open it again with `Study.load`, in this process or another. Each expert calls
    `ask` for questions and `tell` for answers. An answer is on the disk when `tell` returns, and every process that
    opens the study has the same questions, the same answers and the same certificate.

    Attributes
    ----------
    name : str
        The name of the study.
    pool : Pool
        The items.
    learner : Learner
        Chooses the questions and certifies the rule.
    settings : dict
        What the study was made with, as JSON keeps it.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> truth = ((X > 0.2) & (X < 0.75)).all(axis=1)  # what the expert would say yes to
    >>> pool, learner = apu.Pool(X), apu.ZCal(apu.Boxes(), epsilon=0.1, delta=0.05, rate=1.0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"

    One expert answers until nothing is left to ask:

    >>> with apu.Study.create(url, "fraud", pool, learner) as study:
    ...     while questions := study.ask("ann", n=2):
    ...         for question in questions:
    ...             in_time = study.tell(question, bool(truth[question.item]))
    ...     print(study.status())
    fraud: 58 answered, 27 revealed, 0 open; error at most 8% (aim 10%); finished

    The study can be opened again, the same day or the next year:

    >>> with apu.Study.load(url, "fraud", pool) as study:
    ...     study.result().certificate.error_bound
    0.08
    >>> folder.cleanup()
    """

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        pool: Any,
        learner: Learner,
        seed: int = 0,
        positives: Sequence[int] = (),
        open_per_expert: int = OPEN_PER_EXPERT,
        deadline: float | None = DEADLINE,
        rate_in_time: bool = False,
        key: str | None = None,
    ) -> Study:
        """Make a new study. The pool and the learner are checked before anything is written.

        Parameters
        ----------
        url : str
            The database: ``sqlite:///file.db``, which is made if it is not there, or
            ``postgresql://user@host/database``.
        name : str
            The name of the study. A database can hold many studies.
        pool : Pool, array, DataFrame or path
            The items. Only a pool that was made from a file can be opened again without being passed again.
        learner : Learner
            Chooses the questions and certifies the rule.
        seed : int
            Fixes all random choices.
        positives : sequence of int
            Items that are known to be positive: row numbers, a mask over all rows, or keys of the pool's id column.
        open_per_expert : int
            How many questions one expert may hold at a time.
        deadline : float or None
            So many seconds after an expert was shown a question it ends without an answer, and nobody waits for it any
            more. It does not go to another expert: where a *yes* takes longer than a *can't tell*, certificates would
            be false. None: nobody is ever too late, and an expert who does not come back holds up the certificate;
            a rate that was given is then used as it is, so do not end questions that somebody was shown (`release`).
        rate_in_time : bool
            Whether the reveal rate of the learner, if it was given one, is that of answers before the deadline. If not,
            `ZCal` takes the rate to be unknown, unless it is 1: of the answers that come in time, more or fewer may be
            *yes*. `Audit` takes what was given as the most in both cases: an item that is not answered in time counts
            as not confirmed, so that fewer positives are confirmed. Both then need more questions.
        key : str, optional
            A text of your own for this call. If it is repeated with the same key, it opens the study that it made.

        Returns
        -------
        Study
            The new study, open. Use it in a ``with`` statement, or call `close`.

        Raises
        ------
        InvalidInput
            An argument is not what it must be, or the database has a study of this name.
        PoolTooSmall
            The pool cannot certify the learner's epsilon.
        StorageFailed
            The database is busy, full, read-only or gone.
        """
        name, key = checks.name("name", name), checks.key(key)
        pool = fingerprints.checked_pool(pool, learner)
        in_time = fingerprints.in_time(learner, deadline, rate_in_time)
        if in_time is not learner:
            helps = learner.with_deadlines(rate_in_time=True) is learner
            warnings.warn(RATE_OF_ALL if helps else RATE_AT_MOST, stacklevel=2)
        Run(in_time, pool, positives, seed)
        settings = fingerprints.settings(pool, learner, seed, positives, open_per_expert, deadline, rate_in_time)
        storage = Storage(url)
        try:
            return cls(storage, catalogue.add(storage, name, settings, key), pool, learner)
        except BaseException:
            storage.close()
            raise

    @classmethod
    def load(
        cls,
        url: str,
        name: str,
        pool: Any = None,
        learner: Learner | None = None,
        seed: int | None = None,
        hypotheses: HypothesisClass | None = None,
    ) -> Study:
        """Open a study as it was left.

        Parameters
        ----------
        url : str
            The database, as for `create`. A file that is not there is not made.
        name : str
            The name of the study.
        pool : Pool, array, DataFrame or path, optional
            The original pool, if it was a table in memory; or the path of the table, if the file was moved.
        learner : Learner, optional
            The original learner, if it holds code (rules, scores, estimators), which is not stored.
        seed : int, optional
            If given, it must be the seed of the study.
        hypotheses : HypothesisClass, optional
            Instead of the learner: the class of your own, if nothing else about the learner is code. No name in a
            database is ever imported.

        Returns
        -------
        Study
            The study with all its answers, open.

        Raises
        ------
        InvalidInput
            There is no such study, or the pool or the learner must be passed.
        StudyDiffers
            The pool, the learner or the seed is not the one that the study was made with.
        StudyDamaged
            What is stored was damaged or changed: the message says which row.
        StorageFailed
            The database is busy, read-only or gone.
        """
        name = checks.name("name", name)
        storage = Storage(url, must_exist=True)
        try:
            stored = catalogue.find(storage, name)
            refuse_damaged(storage, stored)
            found, made = fingerprints.again(name, stored.settings, pool, learner, seed, hypotheses)
            study = cls(storage, stored, found, made)
            study.run()
        except BaseException:
            storage.close()
            raise
        return study

    def record(self, answers: Sequence[tuple[int, Answer, str]], key: str | None = None) -> int:
        """Record answers that were collected elsewhere, all of them or none.

        An open question about an item is answered; for any other item a question is put, as if it had been asked here.
        An item that has an answer keeps it.

        Parameters
        ----------
        answers : sequence of (item, answer, expert)
            A row number, then True (*yes*), False (*can't tell*) or `SKIP`, then a name. They must come in the order of
            asking. If none was chosen after the answer to another, any order will do that does not depend on the
            answers.
        key : str, optional
            A text that no other change of the study has. A call that is repeated with its key changes nothing and
            returns what the first one returned.

        Returns
        -------
        int
            How many of them were new.

        Raises
        ------
        InvalidInput
            An item, an answer or a name is not what it must be.
        """
        try:
            rows = [(item, answer, expert) for item, answer, expert in answers]
        except (TypeError, ValueError):
            raise InvalidInput(f"Answers are (item, answer, expert) each, got {answers!r:.80}.") from None
        n, found = len(self.pool), Collected()
        for row, said, who in rows:
            found.add(checks.item(row, n), moves.checked_reply(said), checks.name("expert", who))
        return self.take(found, key)

    def take(
        self, found: Collected, key: str | None = None, show: Callable[[int, int | None], None] | None = None
    ) -> int:
        """Record what was collected elsewhere and checked, in batches, all of it or nothing: `record` for many answers.

        Parameters
        ----------
        found : Collected
            The answers and skips, in the order of asking.
        key : str, optional
            As for `record`.
        show : callable, optional
            What is called after each batch, with the number of entries that were dealt with and that of all.

        Returns
        -------
        int
            How many of them were new.
        """
        key = checks.key(key)
        self._end_what_lapsed()
        with self._shared.changing() as (desk, writer, run):
            rows = ([(row, str(said), who) for row, said, who in batch] for batch in found.batches())
            once = desk.once_in_parts(key, "record", rows)
            if once.done:
                return int(once.returned)
            intake = Intake(desk, writer, run, len(self.pool), found.experts)
            added = done = 0
            for batch in found.batches():
                added += intake.take(batch)
                done += len(batch)
                if show is not None:
                    show(done, len(found))
            once.keep(added)
        return added

    def status(self) -> Status:
        """Return where the study is.

        Returns
        -------
        Status
            Counts, the certified error and who holds what. Printed, it is one line.
        """
        self._end_what_lapsed()
        with self._shared.lock:
            run = self.run()
            with self.storage.read(self.key) as reading:
                return status_of(reading, self.name, run)

    def result(self) -> Result:
        """Return what is known now. It is as valid in the middle of a study as at its end.

        Returns
        -------
        Result
            The rule, its certificate and the history. If a question was passed on from one expert to another, the
            certificate names the assumption that this rests on.

        Raises
        ------
        AssumptionsViolated
            The answers contradict each other, so that no hypothesis is left.
        """
        self._end_what_lapsed()
        with self._shared.lock:
            result = self.run().result()
            with self.storage.read(self.key) as reading:
                passed_on = experts.changed_hands(reading)
        if passed_on and self.learner.rests_on_chance:
            result.assume(PASSED_ON)
        return result

    def close(self) -> None:
        """Close the connections. Every answer that was acknowledged is in the database."""
        self.storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Study {self.name!r} in {self.storage.name}>"
