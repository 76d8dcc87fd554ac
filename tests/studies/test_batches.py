"""Answers that enter in batches give the same events and rows as answers that enter one by one."""

import itertools
import json
import math
import tempfile
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from studies import one_by_one
from studies.scenes import kinds, pool, zcal

import activepu as apu
from activepu.errors import AnswerRefused, InvalidInput
from activepu.studies import check, collected, exchange, shared_run
from activepu.studies.entries import Keys
from activepu.studies.storage import events, inventory, keys
from activepu.studies.storage.events import Event

SAID = {True: "yes", False: "can't tell", apu.SKIP: "skip"}
entry = st.tuples(
    st.integers(0, 11), st.sampled_from([True, False, apu.SKIP]), st.sampled_from(["ann", "Ann", "bob", "cyd"])
)
numbered = st.tuples(entry, st.none() | st.integers(0, 4)).map(lambda both: (*both[0], both[1]))


def learner():
    return apu.ZCal(apu.Boxes(), 0.5, 0.5, rate=0.5, check=0)


def twins(n=12):
    """Some rows look like another one to the expert."""
    X = np.random.default_rng(0).random((200, 2))
    X[8:n] = X[:4]
    return apu.Pool(X)


def rows(study):
    """Everything that is stored, without tokens and clocks."""
    with study.storage.read(study.key) as reading:
        found = inventory.read(reading)
    asked = [
        (*row[:5], row.token is not None, row.expires if row.expires in (0, math.inf) else "a time", row.shown)
        for row in found.questions
    ]
    leases = sorted((row.sequence, row.expert, row.state) for row in found.leases)
    events = [event[:-1] for event in found.events]
    return events, found.study.head.hash, asked, leases, [row[:2] for row in found.experts], found.spellings, found.open


def before(study):
    """Some questions are open, skipped or answered already."""
    first, second = study.ask("ann", 2)
    study.ask("bob", 2)
    study.tell(first, True)
    study.skip(second)


def run_of(study):
    run = study.run()
    return [(q.item, q.answer, q.expert, q.note) for q in run.questions], run.history, run.n_answered


@pytest.fixture
def pair(tmp_path, url, request):
    """Two studies that are alike, in one database."""
    made = [apu.Study.create(url, name, twins(), learner(), rate_in_time=True) for name in ("one", "two")]
    yield made
    for study in made:
        study.close()


def alike(one, two):
    """Whether two studies hold the same; their hashes differ only because their names do."""
    (first, _, *left), (second, _, *right) = rows(one), rows(two)
    assert first == second
    assert left == right
    assert run_of(one) == run_of(two)


def outcome(record, *args):
    try:
        return record(*args)
    except AnswerRefused as error:  # somebody answers what they have skipped, for instance
        return str(error)


cases = given(st.lists(entry, max_size=30), st.integers(1, 4), st.integers(1, 4), st.integers(0, 30), st.booleans())


def compare(folder, answers, size, together, cut, begun):
    made = [
        apu.Study.create(f"sqlite:///{folder}/{k}.db", "s", twins(), learner(), rate_in_time=True) for k in range(2)
    ]
    for study in made if begun else ():
        before(study)
    one, two = made
    parts = [part for part in (answers[:cut], answers[cut:], answers) if part]
    expected = [outcome(one_by_one.record, one, part) for part in parts]
    with mock.patch.object(collected, "BATCH", size), mock.patch.object(shared_run, "TOGETHER", together):
        assert [outcome(two.record, part) for part in parts] == expected
    alike(one, two)
    assert rows(one)[1] == rows(two)[1]  # the hash chain
    with apu.Study.load(f"sqlite:///{folder}/1.db", "s", twins()) as again:
        assert run_of(again) == run_of(two)
    for study in made:
        study.close()
    assert check(f"sqlite:///{folder}/1.db", "s").damaged == ()


@settings(max_examples=6, phases=[Phase.generate])
@cases
def test_batches_change_nothing(answers, size, together, cut, begun):
    with tempfile.TemporaryDirectory() as folder:
        compare(folder, answers, size, together, cut, begun)


@pytest.mark.slow
@settings(max_examples=300, phases=[Phase.generate])
@cases
def test_batches_never_change_anything(answers, size, together, cut, begun):
    with tempfile.TemporaryDirectory() as folder:
        compare(folder, answers, size, together, cut, begun)


def test_batches_change_nothing_on_a_server_either(pair, monkeypatch):
    rng = np.random.default_rng(3)
    said = [[True, False, apu.SKIP][k] for k in rng.integers(3, size=60)]
    who = [str(rng.choice(["ann", "bob"] if answer is not apu.SKIP else ["cyd", "dan"])) for answer in said]
    answers = list(zip(rng.integers(4, 12, size=60).tolist(), said, who, strict=True))
    answers += [(item, apu.SKIP, name) for name in ("ann", "bob", "cyd", "dan") for item in (150, 151)]
    one, two = pair
    before(one)
    before(two)
    monkeypatch.setattr(collected, "BATCH", 7)
    monkeypatch.setattr(shared_run, "TOGETHER", 5)
    assert one_by_one.record(one, answers) == two.record(answers) > 5
    alike(one, two)
    assert {"skip", "withdraw", "answer", "ask"} <= set(kinds(two))


@given(st.lists(numbered, max_size=20), st.integers(0, 3))
def test_the_order_is_that_of_the_entries(found, seed):
    made = collected.Collected()
    for item, said, expert, number in found:
        made.add(item, said, expert, number)
    made.sort(seed)
    with mock.patch.object(collected, "BATCH", 3):
        got = [one for batch in made.batches() for one in batch]
    expected = [one[:3] for one in one_by_one.in_order(found, seed)]
    assert got == expected
    assert made.experts == list(dict.fromkeys(who for *_, who in expected))
    assert list(made.items) == [item for item, *_ in expected]


@given(st.lists(st.lists(st.integers() | st.text(), max_size=3), max_size=9), st.integers(1, 4))
def test_the_hash_of_a_change_does_not_depend_on_its_parts(values, size):
    parts = [values[k : k + size] for k in range(0, len(values), size)]
    assert keys.digest_in_parts("record", parts) == keys.digest("record", values)


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
@pytest.mark.parametrize("numbers", [True, False])
def test_a_file_enters_as_its_answers_do(tmp_path, monkeypatch, ending, numbers):
    monkeypatch.setattr(collected, "BATCH", 4)
    rng = np.random.default_rng(5)
    said = [[True, False, apu.SKIP][k] for k in rng.integers(3, size=40)]
    who = ["dan" if answer is apu.SKIP else str(rng.choice(["ann", "bob"])) for answer in said]
    items, places = rng.integers(12, size=40).tolist(), range(40) if numbers else [None] * 40
    found = list(zip(items, said, who, places, strict=True))
    file = tmp_path / f"answers.{ending}"
    table = pd.DataFrame({"item": [f[0] for f in found], "answer": [SAID[f[1]] for f in found]})
    table["expert"], table["number"] = [f[2] for f in found], [f[3] for f in found]
    if ending == "csv":
        table.to_csv(file, index=False)
    elif ending == "parquet":
        table.to_parquet(file)
    else:
        file.write_text(json.dumps([_task(*one) for one in found]))
    one, two = (
        apu.Study.create(f"sqlite:///{tmp_path}/{k}.db", "s", twins(), learner(), rate_in_time=True) for k in range(2)
    )
    seen = []
    with one, two:
        with pytest.warns(UserWarning, match="differ from an earlier one"):
            new = exchange.import_answers(two, file, progress=lambda *at: seen.append(at))
        assert new == one_by_one.record(one, [one[:3] for one in one_by_one.in_order(found, 0)])
        assert rows(one)[:4] == rows(two)[:4]
        reading, taking = [at for at in seen if at[1] is None], [at for at in seen if at[1] is not None]
        assert taking == [(n, 40) for n in range(4, 41, 4)]
        assert [n for n, _ in reading] == sorted(n for n, _ in reading)
        with pytest.warns(UserWarning, match="differ from an earlier one"):
            assert exchange.import_answers(two, file, key="again") == 0


def test_a_bar_is_shown_on_a_terminal_only(tmp_path, monkeypatch, capsys):
    file = tmp_path / "a.csv"
    file.write_text("item,answer\n1,yes\n")
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), learner(), rate_in_time=True) as study:
        assert exchange.import_answers(study, file, progress=True) == 1
        assert capsys.readouterr().err == ""
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
        assert exchange.import_answers(study, file, progress=True) == 0
        assert "Taking them in" in capsys.readouterr().err


def _task(item, said, expert, number):
    chosen = [] if said is apu.SKIP else [{"type": "choices", "value": {"choices": [SAID[said]]}}]
    annotation = {"result": chosen, "was_cancelled": said is apu.SKIP, "expert": expert, "asked": number}
    return {"data": {"item_id": item}, "annotations": [annotation]}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_import_that_is_interrupted_leaves_nothing(url, tmp_path, monkeypatch, error):
    monkeypatch.setattr(collected, "BATCH", 4)
    monkeypatch.setattr(shared_run, "TOGETHER", 3)
    file = tmp_path / "a.csv"
    file.write_text("item,answer\n" + "".join(f"{k},yes\n" for k in range(30)))

    def stop(done, total):
        if total is not None and done >= 12:
            raise error

    with apu.Study.create(url, "s", pool(), zcal()) as study:
        was = rows(study)
        with pytest.raises(error):
            exchange.import_answers(study, file, key="k", progress=stop)
        assert rows(study) == was
        assert study.status().answered == 0
        assert exchange.import_answers(study, file, key="k") == 30
        assert exchange.import_answers(study, file, key="k") == 30  # what the first call returned
        assert study.status().answered == 30
        file.write_text("item,answer\n40,yes\n")
        with pytest.raises(InvalidInput, match="another change"):
            exchange.import_answers(study, file, key="k")


def test_the_rows_of_keys_are_found():
    values = np.array(["a", "b", "", "a", "7", "ö"], object)
    found = Keys(mock.Mock(ids=values))
    assert [found.find(key) for key in ("b", "", "a", "7", "ö", "c")] == [1, 2, 3, 4, 5, None]
    with mock.patch("activepu.studies.entries.hash", lambda text: len(text), create=True):
        found = Keys(mock.Mock(ids=values))  # every key has the hash of another
        assert [found.find(key) for key in ("b", "", "a", "7", "ö", "c", "aa")] == [1, 2, 3, 4, 5, None, None]


def test_events_are_read_in_pages(url, monkeypatch):
    """Undos start the run again, in the page of the last one."""
    with apu.Study.create(url, "s", pool(), zcal()) as study:
        for k in range(12):
            (question,) = study.ask("ann")
            study.ask("bob", 2, shown=False)
            study.tell(question, k % 3 == 0)
            if k in (4, 8):
                study.undo("ann")
                study.tell(study.open("ann")[0], False)
        expected, said = run_of(study), str(study.result())
        with study.storage.read(study.key) as reading:
            n = len(events.since(reading, 0))
    assert n > 30
    for size in (2, 7, n):
        monkeypatch.setattr(events, "PAGE", size)
        with apu.Study.load(url, "s", pool()) as study:
            assert run_of(study) == expected
            assert str(study.result()) == said


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(1, 5), st.integers(0, 4))
def test_no_event_is_read_before_one_that_has_its_place_before(steps, size, head):
    chosen, number = [], head
    for step in steps:  # chosen events, each right after one that is no older than that of the one before
        number += step
        before = chosen[-1][1] if chosen else head
        chosen.append((number, min(number - 1, before + step // 2)))
    last = number + 3
    with mock.patch.object(events, "PAGE", size):
        borders = events._borders(head, last, chosen)
    assert (borders[0], borders[-1]) == (head, last)
    assert all(a < b for a, b in itertools.pairwise(borders))
    assert not [(n, after, b) for n, after in chosen for b in borders if after < b < n]


def test_a_study_reads_what_was_chosen_while_others_answered_in_pages(url, monkeypatch):
    found = [
        Event(k, kind, 0, 0, "ann", after=after)
        for k, kind, after in ((1, "shown", None), (2, "shown", None), (3, "ask", 1), (4, "shown", None), (5, "ask", 3))
    ]
    with apu.Study.create(url, "s", pool(), learner(), rate_in_time=True) as study:
        with study.storage.write(study.key) as transaction:
            events.extend(transaction, found)
        monkeypatch.setattr(events, "PAGE", 2)
        with study.storage.read(study.key) as reading:
            unread = events.settled(reading, 0)
            pages = [[event.number for event in page] for page in unread.pages]
    assert (pages, unread.newest) == ([[1, 2, 3], [4, 5]], 5)
