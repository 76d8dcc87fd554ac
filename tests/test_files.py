"""A file that is replaced keeps its permissions, a new one gets those of the umask, and none is half written."""

import os
import stat

import pytest
from studies.scenes import pool, zcal

import activepu as apu
from activepu.errors import InvalidInput
from activepu.files import whole
from activepu.report.files import written
from activepu.studies.exchange import export_answers, export_result


def drawn(path):
    from matplotlib.figure import Figure

    written([path], Figure)


@pytest.fixture
def study(tmp_path):
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal()) as made:
        made.record([(3, True, "ann"), (4, False, "ann")])
        yield made


WRITERS = {
    "answers.csv": lambda study, file: export_answers(study, file),
    "answers.parquet": lambda study, file: export_answers(study, file),
    "answers.json": lambda study, file: export_answers(study, file),
    "result.json": lambda study, file: export_result(study, file),
    "result.txt": lambda study, file: export_result(study, file),
    "saved.json": lambda study, file: study.result().save(file),
    "picture.svg": lambda study, file: drawn(file),
    "picture.png": lambda study, file: drawn(file),
}


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o400, None])
def test_a_file_keeps_its_permissions(study, tmp_path, umask, name, mode):
    file = tmp_path / name
    if mode is not None:
        file.write_text("old")
        file.chmod(mode)
    WRITERS[name](study, file)
    assert file.stat().st_size > 3
    assert stat.S_IMODE(file.stat().st_mode) == (0o640 if mode is None else mode)
    assert not list(tmp_path.glob(".*")) + list(tmp_path.glob("*.partial"))


def test_nobody_else_can_read_a_private_file_while_it_is_written(tmp_path):
    file = tmp_path / "secret"
    file.write_text("old")
    file.chmod(0o600)
    with whole(file) as partial:
        assert stat.S_IMODE(partial.stat().st_mode) == 0o600
        partial.write_text("new")
    assert file.read_text() == "new"


def test_a_link_stays_a_link(study, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    export_answers(study, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert "ann" in (tmp_path / "real.csv").read_text()


def interrupted(file):
    with whole(file) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt


def test_an_old_file_stays_until_the_new_one_is_complete(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "a")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a", "old")]
    with pytest.raises(InvalidInput, match="There is no folder"):
        interrupted(tmp_path / "no" / "a")
