"""A line that is cut at a commit: the message says what is not known, and a repeated change is made once."""

import pytest
from studies.scenes import kinds, on_server, pool, zcal

import activepu as apu
from activepu.errors import InvalidInput, StorageFailed
from activepu.studies.storage import Storage

DOUBT = "may have been changed: look at its status before you repeat"


cuts = pytest.mark.parametrize("where", ["before commit", "after commit"])


def in_doubt(line, where, do):
    line.cut, before = where, line.cuts
    with pytest.raises(StorageFailed, match=DOUBT) as caught:
        do()
    assert caught.value.in_doubt
    assert line.cut is None
    assert "nothing was changed" not in str(caught.value)
    assert line.cuts >= before


@on_server
@cuts
def test_an_undo_in_doubt_takes_one_answer_back(line, where):
    with apu.Study.create(line.url, "s", pool(), zcal()) as study:
        for q in study.ask("ann", 2):
            study.tell(q, True)
        in_doubt(line, where, lambda: study.undo("ann"))
        again = study.undo("ann")
        assert study.status().answered == 1
        assert kinds(study).count("undo") == 1
        study.tell(again, False)
        study.undo("ann")  # a new one
        study.undo("ann")
        assert study.status().answered == 0


@on_server
@cuts
def test_a_tell_and_a_skip_in_doubt_are_made_once(line, where):
    with apu.Study.create(line.url, "s", pool(), zcal()) as study:
        first, second = study.ask("ann", 2)
        study.ask("bob")
        in_doubt(line, where, lambda: study.tell(first, True))
        study.tell(first, True)
        in_doubt(line, where, lambda: study.skip(second))
        study.skip(second)
        assert sorted(kinds(study)) == ["answer", *["ask"] * 3, *["shown"] * 3, "skip"]


@on_server
@cuts
def test_what_has_a_key_is_made_once_and_returns_the_same_from_any_process(line, where):
    made = []

    def create():
        made.append(apu.Study.create(line.url, "s", pool(), zcal(), key="make"))

    apu.Study.create(line.url, "other", pool(), zcal()).close()
    in_doubt(line, where, create)
    create()
    create()
    with made[0] as study, made[1] as other:
        assert study.key == other.key
        rows = [(3, True, "ann"), (4, False, "ann"), (5, apu.SKIP, "bob")]
        in_doubt(line, where, lambda: study.record(rows, key="file"))
        assert other.record(rows, key="file") == study.record(rows, key="file") == 3
        in_doubt(line, where, lambda: study.undo("ann", key="oops"))
        assert other.undo("ann", key="oops").token == study.undo("Ann", key="oops").token
        assert study.status().answered == 1


def test_a_key_stands_for_one_change(url, study):
    first, second = study.ask("ann", 2)
    study.tell(first, True, key="k")
    study.tell(first, True, key="k")
    for do in (
        lambda: study.tell(first, False, key="k"),
        lambda: study.tell(second, True, key="k"),
        lambda: study.skip(second, key="k"),
        lambda: study.undo("ann", key="k"),
        lambda: study.record([(3, True, "ann")], key="k"),
    ):
        with pytest.raises(InvalidInput, match="belongs to another change"):
            do()
    again = study.undo("ann", key="back")
    study.tell(first, True, key="k")  # it was made, and then taken back: the repetition does not answer again
    assert study.status().answered == 0
    assert study.undo("ann", key="back").token == again.token
    study.skip(again, key="s")
    study.skip(again, key="s")
    assert kinds(study).count("skip") == 1
    for bad in ("", "k" * 201, "a\0", 3, b"k"):
        with pytest.raises(InvalidInput, match="key must be a text"):
            study.tell(second, True, key=bad)
    with pytest.raises(InvalidInput, match="already a study 's'"):
        apu.Study.create(url, "s", pool(), zcal(), key="make")


def test_a_study_is_made_once_with_its_key(url):
    with apu.Study.create(url, "s", pool(), zcal(), key="make") as study:
        study.ask("ann")
    with apu.Study.create(url, "s", pool(), zcal(), key="make") as again:
        assert again.status().open == 1
    with pytest.raises(InvalidInput, match="belongs to another change"):
        apu.Study.create(url, "s", pool(), zcal(), seed=1, key="make")


def test_only_a_lost_commit_is_in_doubt(url, study):
    (q,) = study.ask("ann")
    with study.storage.write(study.key):
        other = Storage(f"{url}{'&' if '?' in url else '?'}lock_timeout=0.2")
        with (
            pytest.raises(StorageFailed, match=r"busy for 0\.2 seconds.*nothing was") as caught,
            other.write(study.key),
        ):
            pass
        other.close()
    assert not caught.value.in_doubt
    study.tell(q, True)
