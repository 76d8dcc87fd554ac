"""What goes wrong with databases gets one sentence, loses nothing, and works when it is tried again."""

import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from studies.scenes import pool, says, started, zcal

import activepu as apu
from activepu.errors import InvalidInput, StorageFailed
from activepu.studies.storage import Storage, addresses, migrations
from activepu.testing import check_storage

FIRST = {"v1": [63, 346, 177], "v2": [22, 306, 113], "v3": [22, 312, 319]}
SCHEMAS = sorted((Path(__file__).parent / "schemas").glob("*.db"))


def test_the_contract(url):
    check_storage(url)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x",
        "study.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:////no/such/x.db",
        "sqlite:///\0",
        "postgresql://u@h:abc/d",
        3,
    ],
)
def test_places_that_cannot_keep_a_study_are_refused(url):
    with pytest.raises(InvalidInput):
        apu.Study.create(url, "s", pool(), zcal())


@pytest.mark.parametrize("name", ["", " ", 3, "a\nb"])
def test_names_are_names(tmp_path, name):
    with pytest.raises(InvalidInput, match="name must be the name of a study, such as 'fraud', got"):
        apu.Study.create(f"sqlite:///{tmp_path}/s.db", name, pool(), zcal())


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    (tmp_path / "s.db").write_text("my thesis, not a database at all" * 50)
    with pytest.raises(apu.ActivePUError, match="is not a database"):
        apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal())
    assert (tmp_path / "s.db").read_text().startswith("my thesis")


def broken(study, token, match):
    with pytest.raises(StorageFailed, match=match) as caught:
        study.tell(token, True)
    assert "nothing was changed" in str(caught.value)


def test_a_locked_database_says_so_and_works_again(tmp_path, monkeypatch):
    monkeypatch.setitem(addresses.TIMEOUTS, "lock_timeout", 0.2)
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal()) as study:
        (q,) = study.ask("ann")
        other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        broken(study, q.token, "busy")
        with pytest.raises(StorageFailed, match="busy"):
            study.ask("bob")
        assert study.status().open == 1
        other.execute("ROLLBACK")
        other.close()
        study.tell(q.token, True)
        assert study.status().answered == 1


@pytest.mark.parametrize(
    ("pragma", "match"), [("PRAGMA query_only = ON", "read-only"), ("PRAGMA max_page_count = 1", "full")]
)
def test_a_full_or_read_only_database_says_so_and_works_again(tmp_path, pragma, match):
    def broken_connection(connection, record):
        connection.execute(pragma)

    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal()) as study:
        (q,) = study.ask("ann")
        study.storage.let_go()
        sa.event.listen(study.storage.engine, "connect", broken_connection)
        with pytest.raises(StorageFailed, match=match):
            fill(study)
        answered = study.status().answered
        study.storage.let_go()
        sa.event.remove(study.storage.engine, "connect", broken_connection)
        assert study.status().answered == answered
        study.tell(q.token, says(q.item))
        assert study.status().answered == answered + 1


def fill(study):
    for k in range(300):
        for q in study.ask(f"bob{k}"):
            study.tell(q.token, says(q.item))


def test_a_server_that_goes_and_comes_back(outside):
    server = started(outside / "pg", cleanup_mode="stop")
    with apu.Study.create(server.get_uri(), "s", pool(), zcal()) as study:
        first, second = study.ask("ann", 2)
        study.tell(first.token, True)
        server.cleanup()
        broken(study, second.token, "cannot be used now")
        server = started(outside / "pg", cleanup_mode="stop")
        study.tell(second.token, False)
        assert study.status().answered == 2
    server.cleanup()


def test_a_newer_schema_is_left_alone(url):
    apu.Study.create(url, "s", pool(), zcal()).close()
    engine = Storage(url).engine
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE activepu_version SET version = 99")
    engine.dispose()
    with pytest.raises(apu.StudyDiffers, match="schema 99"):
        apu.Study.load(url, "s", pool())


def test_migrations_are_whole_or_absent(url, monkeypatch):
    apu.Study.create(url, "s", pool(), zcal()).close()

    def half(connection):
        connection.exec_driver_sql("CREATE TABLE activepu_half (x INTEGER)")
        raise sa.exc.OperationalError("", {}, Exception("killed"))

    monkeypatch.setattr(migrations, "VERSION", migrations.VERSION + 1)
    monkeypatch.setitem(migrations.STEPS, migrations.VERSION - 1, half)
    with pytest.raises(StorageFailed):
        apu.Study.load(url, "s", pool())
    monkeypatch.setitem(migrations.STEPS, migrations.VERSION - 1, lambda connection: None)
    with apu.Study.load(url, "s", pool()) as study:
        assert not sa.inspect(study.storage.engine).has_table("activepu_half")


def test_there_is_a_file_of_every_schema():
    for files in (SCHEMAS, sorted(SCHEMAS[0].parent.glob("*.sql"))):
        assert [file.stem for file in files] == [f"v{version}" for version in range(1, migrations.VERSION + 1)]


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.stem)
def test_a_study_of_every_schema_is_read_as_it_was_left(file, tmp_path):
    shutil.copy(file, tmp_path / "s.db")
    with apu.Study.load(f"sqlite:///{tmp_path}/s.db", "s", pool()) as study:
        assert study.status().answered == 30
        assert [q.item for q in study.run().questions[:3]] == FIRST[file.stem]
        (q,) = study.ask("ann")
        study.tell(q.token, says(q.item))
        assert study.status().answered == 31


def test_a_server_on_which_one_may_only_read_says_so(server):
    with apu.Study.create(server.get_uri(), "only read", pool(), zcal()) as study:
        engine = study.storage.engine
        with engine.begin() as connection:
            connection.exec_driver_sql("ALTER ROLE postgres SET default_transaction_read_only = on")
        engine.dispose()
        try:
            with pytest.raises(StorageFailed, match="is read-only"):
                study.ask("ann")
        finally:
            with engine.begin() as connection:
                connection.exec_driver_sql("SET TRANSACTION READ WRITE")
                connection.exec_driver_sql("ALTER ROLE postgres RESET default_transaction_read_only")
            engine.dispose()
        assert study.ask("ann")
