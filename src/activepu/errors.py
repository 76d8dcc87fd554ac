"""What can go wrong. Every message is one sentence or two: what is wrong, the value that was got, what to do next."""


class ActivePUError(Exception):
    """Base of every error that activepu raises on purpose.

    Catch it to show one sentence instead of a traceback. Where an exception ends `learn` after the first answer, it has
    an attribute `answers`, from item to True (revealed) or False (★): no answer is lost.

    Examples
    --------
    >>> import activepu as apu
    >>> try:
    ...     apu.KnownPrior(apu.Boxes(), epsilon=5, delta=0.05, prior=0.3)
    ... except apu.ActivePUError as error:
    ...     print(error)
    epsilon must lie strictly between 0 and 1, got 5; 0.05 is a usual choice.
    """


class InvalidInput(ActivePUError, ValueError):
    """An argument, a file or an answer is not what it must be.

    Correct what the message names and call again.

    Examples
    --------
    >>> import activepu as apu
    >>> try:
    ...     apu.SimulatedExpert([True, False], rate=50)
    ... except apu.InvalidInput as error:
    ...     print(error)
    rate must lie in (0, 1], got 50; pass a share such as 0.3, not a percentage.
    """


class AssumptionsViolated(ActivePUError):
    """No hypothesis fits the answers, or measured bounds contradict each other.

    There are four explanations: the class does not contain the truth (choose a richer one), a revealed item is not
    positive (take the answer back with `Run.undo`), a prior or a rate that the caller gave is wrong, or the event of
    probability δ happened, for which every certificate allows. The run keeps raising it until an answer is taken back.

    Examples
    --------
    The learner is told that at most 10% of the population is positive. A reveal at 5 contradicts that, because a
    threshold would have to call all rows from 5 to 99 positive:

    >>> import numpy as np
    >>> import activepu as apu
    >>> run = apu.Run(apu.KnownPrior(apu.Thresholds(), 0.3, 0.3, prior=0.1), np.arange(100.0))
    >>> try:
    ...     run.record(5, True)
    ... except apu.AssumptionsViolated:
    ...     run.undo(run.questions[0])
    >>> run.failure is None
    True
    """


class PoolTooSmall(ActivePUError, ValueError):
    """The pool cannot certify the epsilon that was asked for.

    It is raised before the first question. The message names the smallest epsilon that a pool of this size supports.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> try:
    ...     apu.Run(apu.KnownPrior(apu.Thresholds(), epsilon=0.01, delta=0.05, prior=0.1), np.arange(100.0))
    ... except apu.PoolTooSmall as error:
    ...     print(str(error).split("; ")[1].split(". ")[0])
    it supports epsilon = 0.082 or more
    """


class PoolExhausted(ActivePUError):
    """An algorithm needs more fresh rows than the pool has left.

    A user meets it only before the first question. Later in a run it ends the run: the result says what is certified.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> rows = np.arange(50.0)
    >>> try:
    ...     apu.estimate_rate(apu.Thresholds(), rows, apu.SimulatedExpert(rows > 20), delta=0.1)
    ... except apu.PoolExhausted as error:
    ...     print(str(error).split(":")[0])
    The pool ran dry
    """


class BudgetRefused(ActivePUError, ValueError):
    """A printed algorithm of the paper would ask or draw more than its `limit` allows.

    Raise `limit`, scale the constants down, or use the sharp algorithm that the message names.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> printed = apu.paper.KnownPrior(apu.Boxes(), 0.1, 0.1, prior=0.3, theta=8)
    >>> try:
    ...     apu.Run(printed, np.random.default_rng(0).random((100, 2)))
    ... except apu.BudgetRefused:
    ...     print(f"more than {printed.limit:,}")
    more than 1,000,000
    """


class ModelFailed(ActivePUError):
    """A classifier raised an exception in a run of `ModelLearner`.

    Parameters
    ----------
    message : str
        What the classifier raised, and when.
    answers : dict of int to bool
        For every answered item whether it was revealed, so that the answers can be used again.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from sklearn.linear_model import LogisticRegression
    >>> class Broken(LogisticRegression):
    ...     def fit(self, X, y, sample_weight=None):
    ...         raise RuntimeError("out of memory")
    >>> rows = np.arange(50.0)
    >>> try:
    ...     apu.learn(apu.ModelLearner(Broken()), rows, apu.SimulatedExpert(rows > 20), budget=10)
    ... except apu.ModelFailed as error:
    ...     print(error.answers)
    {0: False, 49: True}
    """

    def __init__(self, message: str, answers: dict[int, bool]) -> None:
        super().__init__(message)
        self.answers = answers


class StorageFailed(ActivePUError):
    """The database of a study did not take or give something: it is busy, full, read-only or gone.

    Nothing was changed, and nothing that was acknowledged is lost: try again once the cause is removed. Only if the
    connection is lost while a change is saved, it is not known whether it was made. Then the message says so.

    Parameters
    ----------
    message : str
        What failed, whether anything was changed, and what to do.
    in_doubt : bool
        Whether the change may have been made.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> learner = apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05)
    >>> with tempfile.NamedTemporaryFile(suffix=".db") as file:
    ...     _ = file.write(b"a letter, not a database " * 100)
    ...     file.flush()
    ...     try:
    ...         apu.Study.create(f"sqlite:///{file.name}", "ages", apu.Pool(np.arange(50.0)), learner)
    ...     except apu.StorageFailed:
    ...         print("choose another file")
    choose another file
    """

    def __init__(self, message: str, in_doubt: bool = False) -> None:
        super().__init__(message)
        self.in_doubt = in_doubt


class AnswerRefused(InvalidInput):
    """An answer to a question of a study that is not open for it.

    Somebody else has the question, or it was answered, taken back, or never asked. Go on with `study.ask(expert)`.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> learner = apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with apu.Study.create(f"sqlite:///{folder}/ages.db", "ages", apu.Pool(np.arange(50.0)), learner) as study:
    ...         try:
    ...             study.tell("a token that nobody was given", True)
    ...         except apu.AnswerRefused:
    ...             print(study.status().answered, "answers")
    0 answers
    """


class StudyDamaged(ActivePUError):
    """What is stored of a study was damaged or changed: its rows do not fit together.

    The message names the first row. `activepu study check` lists all of them. If the events and the settings are whole,
    `activepu study repair` makes the rest again; if not, restore a copy of the database.

    Parameters
    ----------
    message : str
        Which row is damaged, and what to do.

    Examples
    --------
    >>> import sqlite3
    >>> import tempfile
    >>> from contextlib import closing
    >>> import numpy as np
    >>> import activepu as apu
    >>> pool, learner = apu.Pool(np.arange(50.0)), apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = f"sqlite:///{folder}/ages.db"
    ...     with apu.Study.create(place, "ages", pool, learner) as study:
    ...         in_time = study.tell(study.ask("ann")[0], True)
    ...     with closing(sqlite3.connect(f"{folder}/ages.db", isolation_level=None)) as database:
    ...         _ = database.execute("UPDATE activepu_events SET answer = 0 WHERE kind = 'answer'")
    ...     try:
    ...         apu.Study.load(place, "ages", pool)
    ...     except apu.StudyDamaged:
    ...         print("somebody changed an answer")
    somebody changed an answer
    """


class StudyDiffers(InvalidInput):
    """The pool, the learner, the seed or the schema is not the one that the study was made with.

    Load the study with the original pool and learner, or create another study.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> learner = apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = f"sqlite:///{folder}/ages.db"
    ...     apu.Study.create(place, "ages", apu.Pool(np.arange(50.0)), learner).close()
    ...     try:
    ...         apu.Study.load(place, "ages", apu.Pool(np.arange(60.0)))
    ...     except apu.StudyDiffers:
    ...         print("another table")
    another table
    """
