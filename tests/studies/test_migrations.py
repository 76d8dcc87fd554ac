"""A study of an older schema gets its chain when it is opened, in the same step as all the rest."""

import pytest
import sqlalchemy as sa
from studies.copies import poured
from studies.scenes import kinds, on_server, pool, says, zcal
from studies.test_storage import FIRST, SCHEMAS

import activepu as apu
from activepu.errors import StudyDamaged
from activepu.studies import check
from activepu.studies.storage import Storage, migrations

every_schema = pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.stem)
OLDER = pytest.mark.parametrize("file", SCHEMAS[:2], ids=lambda file: file.stem)


@every_schema
def test_a_study_of_every_schema_is_whole_and_goes_on(file, url):
    with apu.Study.load(poured(file, url), "s", pool()) as study:
        found = check(url, "s")
        assert found.damaged == ()
        assert found.events == len(kinds(study)) > 60 - 1
        assert found.answers == study.status().answered == 30
        assert [q.item for q in study.run().questions[:3]] == FIRST[file.stem]
        (q,) = study.ask("ann")
        study.tell(q.token, says(q.item))
    assert check(url, "s", found.head).damaged == ()


@OLDER
def test_what_an_expert_held_before_is_noted_as_shown(file, url):
    before = {"v1": ("ann", 29)}.get(file.stem)
    with apu.Study.load(poured(file, url), "s", pool()) as study:
        with study.storage.read(study.key) as reading:
            shown = reading.all(
                sa.text("SELECT expert, sequence FROM activepu_events WHERE kind = 'shown' AND study = :_study")
            )
        assert [tuple(row) for row in shown] == ([before] if before else [])


@OLDER
def test_a_migration_that_is_interrupted_leaves_no_chain(file, url, monkeypatch):
    def killed(connection, study):
        raise sa.exc.OperationalError("", {}, Exception("killed"))

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "_add_chain", killed)
        with pytest.raises(apu.StorageFailed):
            apu.Study.load(poured(file, url), "s", pool())
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    assert "origin" not in {column["name"] for column in sa.inspect(engine).get_columns("activepu_studies")}
    engine.dispose()
    apu.Study.load(url, "s", pool()).close()
    assert check(url, "s").damaged == ()


@OLDER
def test_settings_that_cannot_be_read_stop_a_migration_in_one_sentence(file, url):
    poured(file, url)
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE activepu_studies SET settings = '{'")
    engine.dispose()
    with pytest.raises(StudyDamaged, match="The settings of study number 1 are damaged"):
        Storage(url)


@on_server
@pytest.mark.parametrize("version", range(1, migrations.VERSION + 1))
def test_a_server_of_every_schema_is_whole_and_goes_on(version, url):
    """Its types, keys and sequences are those that were made on a server by the version of activepu of that time."""
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.exec_driver_sql(SCHEMAS[0].with_name(f"v{version}.sql").read_text())
    engine.dispose()
    with apu.Study.load(url, "s", pool()) as study:
        found = check(url, "s")
        assert found.damaged == ()
        assert found.answers == study.status().answered == 30
        assert [q.item for q in study.run().questions[:3]] == [22, 312, 319]
        (q,) = study.ask("bob")
        study.tell(q.token, says(q.item))
    assert check(url, "s", found.head).damaged == ()
    apu.Study.create(url, "t", pool(), zcal()).close()
