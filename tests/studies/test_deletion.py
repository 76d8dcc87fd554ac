"""A study is deleted with all that belongs to it, or not at all."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from studies.scenes import pool, zcal

import activepu as apu
from activepu.errors import InvalidInput, StorageFailed
from activepu.studies import check, contents, delete, overview
from activepu.studies.storage import catalogue, tables


def answered(url, name, n=3):
    study = apu.Study.create(url, name, pool(), zcal())
    for _ in range(n):
        study.tell(study.ask("ann")[0], True)
    study.skip(study.ask("ann")[0].token)
    study.undo("ann", key="a key")
    return study


def rows(study):
    """How many rows of each table belong to which study."""
    with study.storage.read() as reading:
        of = {table.name: table.c["study" if "study" in table.c else "id"] for table in tables.metadata.sorted_tables}
        return {
            name: dict(reading.all(sa.select(column, sa.func.count()).group_by(column))) for name, column in of.items()
        }


def test_all_of_it_goes_and_nothing_of_another(url):
    with answered(url, "gone"), answered(url, "kept") as kept:
        before = rows(kept)
        assert all(len(found) == 2 for found in before.values()), before
        assert contents(url, " GONE ") == delete(url, "Gone")
        assert rows(kept) == {name: {kept.key: found[kept.key]} for name, found in before.items()}
        assert [each.name for each in overview(url)] == ["kept"]
        assert not check(url, "kept").damaged
        with pytest.raises(InvalidInput, match="There is no study 'gone'"):
            delete(url, "gone")


def test_whoever_has_it_open_is_refused_even_if_another_gets_its_name(url):
    with answered(url, "s") as old:
        question = old.ask("ann")[0]
        delete(url, "s")
        with answered(url, "s", 1) as new:
            assert new.key != old.key
            for act in (lambda: old.tell(question, True), lambda: old.ask("bob"), lambda: old.skip(question)):
                with pytest.raises(StorageFailed, match=r"The study is no longer in the database .* it was deleted"):
                    act()
            assert new.status().answered == 1


def test_a_deletion_that_fails_half_way_leaves_everything(url, monkeypatch):
    with answered(url, "s") as study:
        before = rows(study)
        broken = [*catalogue._GONE[:4], sa.text("DELETE FROM no_such_table")]
        monkeypatch.setattr(catalogue, "_GONE", broken)
        with pytest.raises(StorageFailed):
            delete(url, "s")
        assert rows(study) == before
        assert study.status().answered == 3


def test_a_damaged_study_can_be_deleted(url):
    with answered(url, "s") as study, study.storage.write() as transaction:
        transaction.do(sa.text("UPDATE activepu_studies SET settings = '{'"))
    with pytest.raises(apu.StudyDamaged):
        overview(url)
    delete(url, "s")
    assert overview(url) == []
