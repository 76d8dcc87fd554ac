"""The contract of a database that stores studies."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from activepu.errors import AnswerRefused, InvalidInput
from activepu.hypotheses import Boxes
from activepu.learners import PassivePU
from activepu.pools import Pool
from activepu.studies import Study, integrity
from activepu.studies.storage import Storage, events
from activepu.testing.base import require

ROWS = 200


def check_storage(url: str) -> None:
    """Check that a database stores studies durably and consistently, also when several experts answer at once.

    Parameters
    ----------
    url : str
        The database: ``sqlite:///file.db`` or ``postgresql://user@host/database``. Two small studies stay there.

    Raises
    ------
    AssertionError
        Something is broken; the message says what must hold.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from activepu.testing import check_storage
    >>> with TemporaryDirectory() as folder:
    ...     check_storage(f"sqlite:///{Path(folder) / 'studies.db'}")
    """
    pool = Pool(np.random.default_rng(0).random((ROWS, 2)))
    name = f"check-{secrets.token_hex(4)}"
    learner = PassivePU(Boxes(), 0.3, 0.1)
    with Study.create(url, name, pool, learner) as study:
        _check_clock(study.storage)
        _check_rollback(study)
        _check_leases(study)
    with Study.load(url, name, pool) as again:
        require(again.status().answered == 1, "An answer is there after the connection was closed and opened again.")
    with Study.create(url, f"{name}-crowd", pool, learner, open_per_expert=1) as crowd:
        _check_crowd(url, crowd, pool)
    require(not integrity.check(url, f"{name}-crowd").damaged, "Whatever comes at once, the log is whole.")


def _check_clock(storage: Storage) -> None:
    with storage.read() as reading:
        first, second = reading.now(), reading.now()
    require(isinstance(first, float) and first <= second, "The database's clock is a number of seconds that grows.")


def _check_rollback(study: Study) -> None:
    class Interrupted(Exception):
        """Ends the transaction."""

    try:
        with study.storage.write(study.key) as transaction:
            events.append(transaction, "dry")
            raise Interrupted
    except Interrupted:
        pass
    require(_numbers(study) == [], "A transaction that is interrupted leaves nothing behind.")


def _check_leases(study: Study) -> None:
    (mine,), (other,) = study.ask("ann"), study.ask("bob")
    require(mine.item != other.item, "No item is leased to two experts.")
    study.tell(mine.token, True)
    study.tell(mine.token, True)
    require(study.status().answered == 1, "The same answer sent twice counts once.")
    try:
        study.tell(mine.token, False)
    except AnswerRefused:
        pass
    else:
        require(False, "A second, different answer is refused.")
    study.skip(other.token)
    require(study.ask("ann")[0].number == other.number, "A skipped question goes to the other expert, with its number.")


def _check_crowd(url: str, study: Study, pool: Pool) -> None:
    """Let four connections ask and answer at once."""

    def work(expert: str) -> list[int]:
        answered: list[int] = []
        with Study.load(url, study.name, pool) as own:
            for _ in range(8):
                for question in own.ask(expert):
                    own.tell(question.token, False)
                    answered.append(question.item)
        return answered

    with ThreadPoolExecutor(4) as threads:
        items = [item for found in threads.map(work, ("ann", "bob", "cyd", "dan")) for item in found]
    require(len(items) == len(set(items)) == 32, "Nothing is answered twice where several ask at once.")
    numbers = _numbers(study)
    require(numbers == list(range(1, len(numbers) + 1)), "The events of a study are numbered without a gap.")
    before = study.result().certificate
    with Study.load(url, study.name, pool) as again:
        require(again.result().certificate == before, "A study that is loaded has the certificate that it had.")
    try:
        Study.load(url, study.name, Pool(np.zeros((ROWS, 2)) + np.arange(ROWS)[:, None]))
    except InvalidInput:
        return
    require(False, "Another pool is refused.")


def _numbers(study: Study) -> list[int]:
    with study.storage.read(study.key) as reading:
        return [event.number for event in events.since(reading, 0)]
