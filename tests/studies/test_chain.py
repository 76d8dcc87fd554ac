"""Every event is bound to all events before it, and the first to what the study was made with."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from studies.flips import busy, state
from studies.scenes import pool, says

import activepu as apu
from activepu.errors import StudyDamaged
from activepu.studies import check
from activepu.studies.storage import events


def execute(study, statement):
    with study.storage.write() as transaction:
        transaction.do(sa.text(statement))


def digest(values):
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode()).hexdigest()


def test_the_chain_is_what_the_docs_say(url, study):
    """It is computed again from the rows, with nothing of the package."""
    busy(study)
    with study.storage.read(study.key) as reading:
        found = events.since(reading, 0)
        name, settings = reading.all(sa.text("SELECT name, settings FROM activepu_studies"))[0]
    before = digest(["activepu study", name, settings])
    for event in found:
        assert event.hash == digest([before, *event[:-1]])
        before = event.hash
    assert len(found) > 50
    assert check(url, "s").head == before
    with apu.Study.load(url, "s", pool()) as again:
        assert state(again) == state(study)


def test_a_new_study_has_a_head_that_its_first_events_do_not_change(url, study):
    kept = check(url, "s").head
    study.tell(study.ask("ann")[0], True)
    assert check(url, "s", kept).damaged == ()
    assert check(url, "s").head != kept


def test_the_chain_is_whole_however_many_answer_at_once(url, study):
    def work(name):
        with apu.Study.load(url, "s", pool()) as own:
            for _ in range(4):
                for q in own.ask(name):
                    own.tell(q, says(q.item))

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(work, "abcde"))
    found = check(url, "s")
    assert found.damaged == ()
    assert found.answers == 20


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE activepu_events SET answer = 1 - answer WHERE number = 6",
        "UPDATE activepu_events SET item = item + 1 WHERE number = 4",
        "UPDATE activepu_events SET expert = 'bob' WHERE number = 5",
        "UPDATE activepu_events SET note = REPLACE(note, 'search', 'check') WHERE number = 4",
        "UPDATE activepu_events SET hash = NULL WHERE number = 5",
        "UPDATE activepu_events SET after = 1 WHERE number = 4",
    ],
)
def test_a_process_that_is_open_notices_a_changed_event_among_the_new_ones(url, study, statement):
    study.tell(study.ask("ann")[0], False)
    study.run()
    with apu.Study.load(url, "s", pool()) as other:
        for q in other.ask("ann"):
            other.tell(q, False)
    execute(study, statement)
    with pytest.raises(StudyDamaged, match=r"Event \d \(\w+ of question 1 by '\w+'\) of this study is damaged"):
        study.run()
    with pytest.raises(StudyDamaged):
        study.status()


def test_a_process_that_is_open_notices_that_its_past_was_replaced(url, study):
    """Somebody restores an old copy under it, and others go on: their events do not follow those that it knows."""
    for _ in range(2):
        study.tell(study.ask("ann")[0], False)
    for table in ("events", "questions"):
        execute(study, f"CREATE TABLE kept_{table} AS SELECT * FROM activepu_{table}")
    kept = "SELECT {} FROM activepu_studies"
    with study.storage.read() as reading:
        last, head = reading.all(sa.text(kept.format("last, head")))[0]
    study.tell(study.ask("ann")[0], False)
    study.run()
    for table in ("events", "questions"):
        execute(study, f"DELETE FROM activepu_{table}")
        execute(study, f"INSERT INTO activepu_{table} SELECT * FROM kept_{table}")
    execute(study, f"UPDATE activepu_studies SET last = {last}, head = '{head}'")
    with apu.Study.load(url, "s", pool()) as other:
        for _ in range(2):
            other.tell(other.ask("bob")[0], True)
    with pytest.raises(StudyDamaged, match="its hash is another"):
        study.run()


def test_nothing_is_written_after_an_event_that_is_missing(study):
    """A change that reads the events first, and one that only adds."""
    study.tell(study.ask("ann")[0], True)
    held = study.ask("ann")[0]
    study.run()
    execute(study, "DELETE FROM activepu_events WHERE number = 5")
    study._shared._follower = None
    with pytest.raises(StudyDamaged, match="ends with event 4, but it had 5"):
        study.record([(3, True, "ann")])
    execute(study, "UPDATE activepu_studies SET head = NULL")
    with pytest.raises(StudyDamaged, match="What the study keeps of its last event is damaged"):
        study.tell(held, True)
