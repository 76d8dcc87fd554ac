"""Is the log of a study whole? `check` says so, and `repair` makes again what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from activepu import checks
from activepu.errors import InvalidInput, StudyDamaged
from activepu.studies.examined import Examined, examine
from activepu.studies.remade import remake
from activepu.studies.storage import Reading, Storage, Transaction, inventory
from activepu.studies.storage.catalogue import StoredStudy

RESTORE = "restore a copy of the database"


@dataclass(frozen=True)
class Checked:
    """What a check of a study found; printed, it is one line if all is well, else one line per damaged row.

    Attributes
    ----------
    name : str
        The name of the study.
    events, answers : int
        How many events there are, and how many questions are answered by them; without damage only.
    head : str
        The hash of the last event, which no earlier event can be changed without changing; empty if there is damage.
        Keep it in another place, and pass it to a later check.
    damaged : tuple of str
        One sentence per damaged row; empty if all is well.
    repairable : bool
        Whether the events and the settings are whole, so that `repair` can make the rest again.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.studies import check
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     in_time = study.tell(study.ask("ann")[0], True)
    >>> found = check(url, "fraud")
    >>> found.events, found.answers, len(found.head), found.damaged
    (3, 1, 64, ())
    >>> folder.cleanup()
    """

    name: str
    events: int
    answers: int
    head: str
    damaged: tuple[str, ...] = ()
    repairable: bool = True

    def __str__(self) -> str:
        if self.damaged:
            return "\n".join(self.damaged)
        answers = f"{self.answers:,} answer{'' if self.answers == 1 else 's'}"
        return f"{self.name}: {self.events:,} events, {answers}, all whole; the last hash is {self.head}"


def check(url: str, name: str, head: str | None = None) -> Checked:
    """Check everything that is stored of a study. Neither the table of items nor the learner is needed.

    The events must follow each other in their hash chain, each must be of a known kind with the fields of that kind,
    and the tables of questions, leases and experts must agree with them. The file of a database in SQLite is checked
    as a whole.

    Parameters
    ----------
    url : str
        The database, as for `Study.load`.
    name : str
        The name of the study.
    head : str, optional
        The last hash that an earlier check printed. It is damage if no event has it now: then the events up to it are
        not what they were.

    Returns
    -------
    Checked
        What was found.

    Raises
    ------
    InvalidInput
        There is no such study, or the head is no hash.
    StorageFailed
        The database is busy or gone, or its file cannot be read at all.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.studies import check
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     kept = check(url, "fraud").head
    ...     in_time = study.tell(study.ask("ann")[0], True)
    >>> check(url, "fraud", kept).damaged
    ()
    >>> folder.cleanup()
    """
    if head is not None and not _is_hash(head):
        raise InvalidInput(f"A head is a hash of 64 characters, as study check prints it, got {head!r:.80}.")
    with _opened(url, name) as (storage, key):
        with storage.snapshot(key) as reading:
            found = inventory.read(reading)
            made = examine(found)
            events, known = len(found.events), head in (None, made.origin)
            known = known or any(event.hash == head for event in found.events)
        damaged = [f"{damage.said}." for damage in made.damage]
        repairable = all(damage.repairable for damage in made.damage)
        if repairable and not known:
            damaged.append(f"No event has the hash {head} that was kept: the events up to it are not what they were.")
            repairable = False
        with storage.read() as reading:
            broken = _broken(storage, reading)
        if broken:
            damaged.append(f"{broken}.")
            repairable = False
    whole = not damaged
    return Checked(
        str(found.study.name),
        events,
        made.log.answers,
        made.head.hash if whole else "",
        tuple(damaged),
        repairable,
    )


def repair(url: str, name: str) -> tuple[str, ...]:
    """Make the tables of questions, leases and experts of a study again from its events, all in one transaction.

    What agrees with the events stays as it is. The tokens of questions whose lease cannot be read are renewed: experts
    get them with their next `ask`.

    Parameters
    ----------
    url : str
        The database, as for `Study.load`.
    name : str
        The name of the study.

    Returns
    -------
    tuple of str
        What was damaged and has been repaired, and which questions have a new token; empty if nothing was damaged.

    Raises
    ------
    StudyDamaged
        The events or the settings are damaged themselves, or the file of the database is. Nothing was changed.
    InvalidInput
        There is no such study.
    StorageFailed
        The database is busy, read-only or gone.

    Examples
    --------
    >>> import sqlite3
    >>> import tempfile
    >>> from contextlib import closing
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.studies import repair
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     in_time = study.tell(study.ask("ann")[0], True)
    >>> with closing(sqlite3.connect(f"{folder.name}/fraud.db", isolation_level=None)) as database:
    ...     _ = database.execute("UPDATE activepu_questions SET answer = 0")
    >>> repair(url, "fraud")
    ('Question 0 has the answer 0, but 1 by the events.',)
    >>> folder.cleanup()
    """
    with _opened(url, name) as (storage, key), storage.write(key) as transaction:
        found = inventory.read(transaction)
        made = examine(found)
        if not made.damage:
            _refuse_broken(storage, transaction)
            return ()
        if any(not damage.repairable for damage in made.damage):
            raise StudyDamaged(f"{_first(made)}; nothing was changed, for nothing else says what was there: {RESTORE}.")
        new, renewed = remake(found, made)
        inventory.write(transaction, new, storage.is_sqlite)
        if left := examine(inventory.read(transaction)).damage:
            raise StudyDamaged(f"{left[0].said}, which cannot be repaired; nothing was changed: {RESTORE}.")
        _refuse_broken(storage, transaction)
    said = [f"{damage.said}." for damage in made.damage]
    if renewed:
        numbers = ", ".join(map(str, renewed[:20])) + (" …" if len(renewed) > 20 else "")
        said.append(f"The token of these questions is new, and an answer with the old one is refused: {numbers}.")
    return tuple(said)


def refuse_damaged(storage: Storage, study: StoredStudy) -> None:
    """Refuse a study whose rows do not fit together, before anything is made of them."""
    with storage.snapshot(study.key) as reading:
        made = examine(inventory.read(reading))
    if made.damage:
        repairable = all(damage.repairable for damage in made.damage)
        do = f"run activepu study {'repair' if repairable else 'check'} {study.name}"
        raise StudyDamaged(f"{_first(made)}; {do}{'' if repairable else f', and {RESTORE}'}.")


def _refuse_broken(storage: Storage, transaction: Transaction) -> None:
    """Refuse a damaged file, in which no table can be made again; what the transaction has done so far is undone."""
    if broken := _broken(storage, transaction):
        raise StudyDamaged(f"{broken}; nothing was changed: {RESTORE}.")


def _broken(storage: Storage, reading: Reading) -> str:
    """Return that the file of the database is damaged, how often, and where first; empty if it is whole."""
    said = inventory.unsound(reading) if storage.is_sqlite else []  # a server checks its own files
    if not said:
        return ""
    problems = f"{len(said):,} problem{'' if len(said) == 1 else 's, the first'}"
    return f"The file of the database is damaged ({problems}: {said[0]})"


def _first(made: Examined) -> str:
    """Return the first damaged row, and how many more there are."""
    first = next((damage for damage in made.damage if not damage.repairable), made.damage[0])
    more = len(made.damage) - 1
    return f"{first.said}{f' (and {more:,} more)' if more else ''}"


def _is_hash(text: object) -> bool:
    return isinstance(text, str) and len(text) == 64 and not set(text) - set("0123456789abcdef")


@contextmanager
def _opened(url: str, name: str) -> Iterator[tuple[Storage, int]]:
    """Open a database and find a study in it, which may be damaged."""
    plain = checks.name("name", name)
    storage = Storage(url, must_exist=True)
    try:
        key = inventory.find(storage, plain, checks.folded(plain))
        if key is None:
            raise InvalidInput(f"There is no study {plain!r} in {storage.name}; activepu study list shows which are.")
        yield storage, key
    finally:
        storage.close()
