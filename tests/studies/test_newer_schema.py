"""A process that is open when its schema or its study changes under it writes nothing more."""

import threading

import pytest
import sqlalchemy as sa
from studies.scenes import kinds, on_server

import activepu as apu
from activepu.errors import StorageFailed
from activepu.studies.storage import Storage, events


def execute(url, *statements):
    storage = Storage(url)
    with storage.engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    storage.close()


def test_a_newer_schema_stops_a_process_that_is_open(url, study):
    first, second = study.ask("ann", 2)
    study.tell(first, True)
    before = kinds(study)
    execute(url, "UPDATE activepu_version SET version = 99")
    for do in (
        lambda: study.tell(second, True),
        lambda: study.skip(second),
        lambda: study.ask("bob"),
        lambda: study.undo("ann"),
        lambda: study.leave("ann"),
        lambda: study.release("ann"),
        lambda: study.record([(3, True, "ann")]),
    ):
        with pytest.raises(apu.StudyDiffers, match=r"schema 99.*upgrade activepu"):
            do()
    assert kinds(study) == before


@on_server
def test_a_migration_waits_for_the_changes_under_way(url, study):
    new, done = Storage(url), threading.Event()

    def migrate():
        with new.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE activepu_version SET version = 99")
        done.set()

    with study.storage.write(study.key) as transaction:
        thread = threading.Thread(target=migrate)
        thread.start()
        with new.read() as reading:
            waits = sa.text(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE%'"
            )
            while not reading.all(waits)[0][0]:
                assert not done.is_set()
        events.append(transaction, "dry")
    thread.join()
    with pytest.raises(apu.StudyDiffers):
        study.ask("ann")
    new.close()


def test_a_study_that_is_no_longer_there_takes_nothing(url, study):
    (q,) = study.ask("ann")
    tables = ("questions", "events", "experts", "spellings", "studies")
    execute(url, *(f"DELETE FROM activepu_{table}" for table in tables))
    with pytest.raises(StorageFailed, match="The study is no longer in the database"):
        study.tell(q, True)
