"""A full disk and a place where one may only read: one clear sentence, nothing half-written, and no answer lost."""

import os
import shutil
from contextlib import closing

import pytest
import sqlalchemy as sa
from studies.clients import client
from studies.places import fill, mounted, read_only
from studies.scenes import pool, says, silence, started, zcal

import activepu as apu
from activepu.errors import StorageFailed
from activepu.studies import check
from activepu.studies.storage import Storage

ROOM = 600 * 1024


def told_until_it_fails(study, expert):
    """Ask and answer until the database fails; return what was acknowledged, and the sentence."""
    told = {}
    try:
        while True:
            for q in study.open(expert) or study.ask(expert):
                study.tell(q, says(q.item))
                told[q.number] = says(q.item)
    except StorageFailed as error:
        return told, str(error)


def whole(url, study, told):
    """Everything that was acknowledged is there, and nothing else."""
    assert check(url, "s").damaged == ()
    assert {q.number: q.answer for q in study.run().questions if q.answer is not None} == told


def goes_on(url, ballast):
    """A disk becomes full under a study, and has room again."""
    with apu.Study.load(url, "s", pool()) as study:
        told, sentence = told_until_it_fails(study, "ann")
        assert len(told) > 3
        assert "is full; nothing was changed: make room and try again" in sentence
        assert study.status().answered == len(told)  # reading needs no room
        ballast.unlink()
        silence(study.storage)  # where there is no room, nobody can say that they have chosen
        (q, *_) = study.open("ann") or study.ask("ann")
        assert study.tell(q, says(q.item))
        whole(url, study, told | {q.number: says(q.item)})


def test_a_full_disk_says_so_and_is_used_again(tmp_path):
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=4m", "tmpfs") as small:
        url = f"sqlite:///{small}/s.db"
        apu.Study.create(url, "s", pool(), zcal()).close()
        fill(small / "ballast")
        os.truncate(small / "ballast", (small / "ballast").stat().st_size - ROOM)
        goes_on(url, small / "ballast")


@pytest.fixture
def own_server(outside):
    """A server that may fall with its disk, away from the one of the other tests."""
    found = started(outside / "server")
    yield found
    found.cleanup()  # once more does nothing


def test_a_server_with_a_full_disk_says_so_and_is_used_again(outside, own_server):
    with mounted(outside / "small", "-t", "tmpfs", "-o", "size=24m", "tmpfs") as small:
        for folder in (small, outside):
            folder.chmod(0o755)
        data = small / "data"
        data.mkdir()
        shutil.chown(data, "pgserver")
        engine = sa.create_engine(own_server.get_uri().replace("postgresql://", "postgresql+psycopg://"))
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(f"CREATE TABLESPACE small LOCATION '{data}'")
            connection.exec_driver_sql("CREATE DATABASE small TABLESPACE small")
        engine.dispose()
        url = own_server.get_uri("small")
        apu.Study.create(url, "s", pool(), zcal()).close()
        fill(small / "ballast")
        os.truncate(small / "ballast", (small / "ballast").stat().st_size - ROOM // 4)
        goes_on(url, small / "ballast")
        own_server.cleanup()  # before its disk goes


def test_a_file_that_may_not_grow_loses_nothing(tmp_path):
    """As under a quota; this needs no root."""
    url = f"sqlite:///{tmp_path}/s.db"
    apu.Study.create(url, "s", pool(), zcal()).close()
    with client("starve", url, 220_000) as other:
        *said, sentence, last = [line.strip() for line in other.stdout]
        assert other.wait() == 0
    told = {int(number): answer == "1" for _, number, answer in map(str.split, [*said, last])}
    assert "disk I/O error" in sentence
    assert len(told) > 3
    with closing(Storage(url)) as storage:
        silence(storage)
    with apu.Study.load(url, "s", pool()) as study:
        assert check(url, "s").damaged == ()
        there = {q.number: q.answer for q in study.run().questions if q.answer is not None}
        assert told.items() <= there.items()
        assert len(there) <= len(told) + ("may have been changed" in sentence)


def test_a_place_where_one_may_only_read_is_read_and_left_as_it_is(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    url = f"sqlite:///{folder}/s.db"
    with apu.Study.create(url, "s", pool(), zcal()) as study:
        for q in study.ask("ann", 2):
            study.tell(q, says(q.item))
        before = study.result().certificate
    data = (folder / "s.db").read_bytes()
    with read_only(folder):
        with pytest.raises(StorageFailed, match="read-only; nothing was changed: ask for write permission"):
            apu.Study.load(url, "s", pool())
        with pytest.raises(StorageFailed, match="read-only; nothing was changed: ask for write permission"):
            apu.Study.create(url, "t", pool(), zcal())
    assert (folder / "s.db").read_bytes() == data
    with apu.Study.load(url, "s", pool()) as study:
        assert study.result().certificate == before


def test_a_role_that_may_only_read_reads_and_changes_nothing(server):
    with apu.Study.create(server.get_uri(), "s", pool(), zcal()) as study:
        first, second = study.ask("ann", 2)
        study.tell(first, True)
        engine = study.storage.engine
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE ROLE reader LOGIN")
            connection.exec_driver_sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        try:
            with apu.Study.load(server.get_uri().replace("postgres:", "reader:"), "s", pool()) as reader:
                assert reader.status().answered == 1
                assert reader.result().certificate == study.result().certificate
                for do in (
                    lambda: reader.tell(second, True),
                    lambda: reader.skip(second),
                    lambda: reader.ask("bob"),
                    lambda: reader.undo("ann"),
                    lambda: reader.record([(3, True, "ann")]),
                ):
                    with pytest.raises(StorageFailed, match="is read-only; nothing was changed"):
                        do()
        finally:
            engine.dispose()
            with engine.begin() as connection:
                connection.exec_driver_sql("DROP OWNED BY reader")
                connection.exec_driver_sql("DROP ROLE reader")
        study.tell(second, True)
        assert study.status().answered == 2
