"""Nothing is acknowledged into a file that was deleted or replaced."""

import shutil

import pytest
from studies.scenes import kinds, pool, zcal

import activepu as apu
from activepu.errors import StorageFailed
from activepu.studies.storage import events


def gone(path):
    for file in path.parent.glob(f"{path.name}*"):
        file.rename(file.with_name(f"old-{file.name}"))


def replaced(path):
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").rename(path)


def test_nothing_is_acknowledged_into_a_journal_that_is_gone(tmp_path):
    path = tmp_path / "s.db"
    with apu.Study.create(f"sqlite:///{path}", "s", pool(), zcal()) as study:
        first, second = study.ask("ann", 2)
        study.tell(first, True)
        path.with_name("s.db-wal").unlink()
        with pytest.raises(StorageFailed, match="deleted or replaced"):
            study.tell(second, True)
    with apu.Study.load(f"sqlite:///{path}", "s", pool()) as again:
        again.tell(second, True)
        assert again.status().answered == 2


@pytest.mark.parametrize("vanish", [gone, replaced])
@pytest.mark.parametrize("idle", [True, False], ids=["idle connections", "new connections"])
def test_nothing_is_acknowledged_into_a_file_that_is_gone(tmp_path, vanish, idle):
    path = tmp_path / "s.db"
    with apu.Study.create(f"sqlite:///{path}", "s", pool(), zcal()) as study:
        first, second = study.ask("ann", 2)
        study.tell(first, True)
        assert study.storage._idle
        if not idle:
            study.storage.let_go()
        vanish(path)
        for do in (
            lambda: study.tell(second, True),
            lambda: study.skip(second),
            lambda: study.ask("bob"),
            lambda: study.undo("ann"),
            lambda: study.record([(3, True, "ann")]),
        ):
            with pytest.raises(StorageFailed, match=r"was deleted or replaced.* nothing was changed"):
                do()
        assert path.exists() == (vanish is replaced)  # no empty file is made in its place


def test_a_file_that_was_put_back_is_used_again(tmp_path):
    path = tmp_path / "s.db"
    with apu.Study.create(f"sqlite:///{path}", "s", pool(), zcal()) as study:
        first, second = study.ask("ann", 2)
        study.tell(first, True)
        path.rename(tmp_path / "away.db")
        with pytest.raises(StorageFailed, match="put the file back"):
            study.tell(second, True)
        (tmp_path / "away.db").rename(path)
        study.tell(second, True)
        assert study.status().answered == 2


def test_a_file_that_goes_while_it_is_being_changed_takes_no_answer(tmp_path):
    path = tmp_path / "s.db"
    with apu.Study.create(f"sqlite:///{path}", "s", pool(), zcal()) as study:
        study.ask("ann")

        def change():
            with study.storage.write(study.key) as transaction:
                events.append(transaction, "dry")
                path.rename(tmp_path / "away.db")

        with pytest.raises(StorageFailed, match="deleted or replaced"):
            change()
        (tmp_path / "away.db").rename(path)
        assert kinds(study) == ["ask", "shown"]
