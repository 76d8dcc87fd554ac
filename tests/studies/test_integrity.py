"""A row that was changed, damaged or lost is named in one sentence; what follows from the events is made again."""

import re

import pytest
import sqlalchemy as sa
from studies.copies import poured
from studies.flips import busy, state
from studies.scenes import kinds, pool, zcal

import activepu as apu
from activepu.errors import InvalidInput, StudyDamaged
from activepu.studies import check, overview, repair
from activepu.studies.storage import Storage, inventory

EVENTS = {
    "UPDATE @events SET answer = 1 - answer WHERE number = 3": r"Event 3 \(answer of question 0 by 'ann'\) is not",
    "UPDATE @events SET answer = 7 WHERE number = 3": "Event 3 .* has the answer 7",
    "UPDATE @events SET answer = NULL WHERE number = 3": "Event 3 .* has no answer",
    "UPDATE @events SET answer = 1 WHERE number = 2": "Event 2 .* has the answer 1, which its kind does not have",
    "UPDATE @events SET kind = 'guess' WHERE number = 3": "Event 3 .* has the unknown kind 'guess'",
    "UPDATE @events SET item = 400 WHERE number = 3": "Event 3 .* names item 400 of a pool of 400",
    "UPDATE @events SET item = -1 WHERE number = 3": "Event 3 .* has the item -1",
    "UPDATE @events SET sequence = 99 WHERE number = 3": r"Event 3 \(answer of question 99 by 'ann'\) is not",
    "UPDATE @events SET note = '{' WHERE number = 1": "Event 1 .* has the note '{'",
    "UPDATE @events SET note = '{}' WHERE number = 1": "Event 1 .* has the note '{}'",
    "UPDATE @events SET note = '3' WHERE number = 1": "Event 1 .* has the note '3'",
    "UPDATE @events SET after = 1 WHERE number = 1": "Event 1 .* has the place after event 1",
    "UPDATE @events SET hash = 'x' WHERE number = 3": "Event 3 .* is not what it was, or its hash is not",
    "UPDATE @events SET number = 900 WHERE number = 58": "after 57 comes 900",
    "DELETE FROM @events WHERE number = 5": "after 4 comes 6",
    "DELETE FROM @events WHERE number = 58": "The study ends with event 57, but it had 58 of them",
    "DELETE FROM @events": "The study ends with event 0, but it had 58 of them",
    "UPDATE @studies SET settings = REPLACE(settings, '\"seed\": 0', '\"seed\": 1')": "the settings of the study 's'",
    "UPDATE @studies SET name = 't'": "The name or the settings of the study 't'",
    "UPDATE @studies SET settings = '{'": "The name or the settings of the study 's'",
}
"""What damages the events or the settings, and how the first damage is named. The study has 58 events."""
OTHERS = {
    "UPDATE @questions SET answer = 1 - answer WHERE sequence = 4": "Question 4 has the answer ., but . by the ev",
    "UPDATE @questions SET state = 'withdrawn' WHERE sequence = 4": "Question 4 has the state 'withdrawn', but 'an",
    "UPDATE @questions SET item = 0 WHERE sequence = 4": "Question 4 has the item 0, but",
    "UPDATE @questions SET expert = 'cyd' WHERE sequence = 4": "Question 4 is with 'cyd', shown, but was shown to",
    "UPDATE @questions SET shown = 1 - shown WHERE state = 'open'": r"Question \d+ is with '\w+', (not )?shown, but",
    "UPDATE @questions SET token = NULL WHERE sequence = 4": "Question 4 has the token None",
    "UPDATE @questions SET token = 'x' WHERE sequence = 4": "Question 4 has the token 'x'",
    "UPDATE @questions SET sequence = 77 WHERE sequence = 4": "Question 4 is missing",
    "DELETE FROM @questions": "Question 0 is missing",
    "DELETE FROM @leases WHERE state = 'skipped'": "Question 12 has 0 skips by 'ann', but 1",
    "UPDATE @leases SET state = 'skipped' WHERE state = 'undone'": r"Question \d+ has 1 skips by 'bob', but 0",
    "UPDATE @leases SET state = 'lost' WHERE state = 'skipped'": "A lease of question 12 ended in the unknown way",
    "UPDATE @leases SET expert = 'eve' WHERE state = 'skipped'": "A lease of question 12 is of 'eve', who has not",
    "UPDATE @leases SET sequence = 99 WHERE state = 'skipped'": "A lease of question 99 was never asked",
    "DELETE FROM @experts": "The expert 'ann' is missing in the table of experts",
    "UPDATE @experts SET name = 'anm' WHERE name = 'ann'": "The expert 'anm' is not one who has joined",
    "UPDATE @experts SET wants = -1 WHERE name = 'ann'": "The expert 'ann' waits for -1 questions",
    "UPDATE @spellings SET name = 'bub' WHERE name = 'bob'": "The spelling 'bub' is not that of 'bob'",
    "DELETE FROM @spellings": "The spelling of 'ann' is missing",
    "UPDATE @studies SET origin = 'x'": "The hash of the study's settings is another",
    "UPDATE @studies SET head = 'x'": "The hash of the study is another",
    "UPDATE @studies SET last = 90": "The hash of the study is another",
    "UPDATE @studies SET folded = 'q'": "The name under which the study is found, 'q', is not",
    "UPDATE @studies SET chooser_until = 1e300": r"The end 1e\+300 of the turn",
}
"""What damages the rest, and how the first damage is named."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The file of a study that was left, with all that `busy` does."""
    file = tmp_path_factory.mktemp("made") / "s.db"
    with apu.Study.create(f"sqlite:///{file}", "s", pool(), zcal()) as study:
        busy(study)
        assert len(kinds(study)) == 58
        return file, state(study)


@pytest.fixture
def left(made, url):
    file, before = made
    return poured(file, url), before


def execute(url, statement):
    storage = Storage(url)
    with storage.engine.begin() as connection:
        connection.exec_driver_sql(statement.replace("@", "activepu_"))
    storage.close()


def refused(url, sentence):
    with pytest.raises(StudyDamaged, match=sentence) as caught:
        apu.Study.load(url, "s", pool())
    assert "\n" not in str(caught.value)
    assert "copy of the database" in str(caught.value) or "run activepu study repair s" in str(caught.value)


def test_a_study_with_everything_in_it_is_whole(left):
    url, _ = left
    found = check(url, " S ")
    assert re.fullmatch(r"s: 58 events, 14 answers, all whole; the last hash is [0-9a-f]{64}", str(found))
    assert repair(url, "s") == ()
    assert check(url, "s") == found


@pytest.mark.parametrize("statement", EVENTS)
def test_damaged_events_and_settings_are_named_and_cannot_be_repaired(left, statement):
    url, _ = left
    sentence = EVENTS[statement]
    execute(url, statement)
    found = check(url, "s")
    assert re.search(sentence, found.damaged[0])
    assert len(found.damaged) == 1
    assert not found.repairable
    with pytest.raises(StudyDamaged, match=rf"{sentence}.*; nothing was changed.*: restore a copy of the database"):
        repair(url, "s")
    assert check(url, "s") == found
    refused(url, "is damaged" if "settings" in sentence else sentence)


@pytest.mark.parametrize("statement", OTHERS)
def test_what_follows_from_the_events_is_named_and_made_again(left, statement):
    url, before = left
    sentence = OTHERS[statement]
    execute(url, statement)
    found = check(url, "s")
    assert re.search(sentence, found.damaged[0])
    assert found.repairable
    refused(url, "is damaged" if "origin" in statement else sentence)
    assert repair(url, "s")[: len(found.damaged)] == found.damaged
    assert check(url, "s").damaged == ()
    with apu.Study.load(url, "s", pool()) as again:
        assert state(again) == before
        assert len(again.ask("ann", 4)) == 4
        assert again.ask("dan")


def test_every_damaged_row_is_listed(left):
    url, _ = left
    execute(url, "UPDATE activepu_events SET expert = 'eve' WHERE number IN (3, 20, 58)")
    assert [said.partition(" (")[0] for said in check(url, "s").damaged] == ["Event 3", "Event 20", "Event 58"]
    with pytest.raises(StudyDamaged, match=r"Event 3 .* \(and 2 more\)"):
        apu.Study.load(url, "s", pool())


def test_a_repair_keeps_what_can_be_read_and_names_what_is_new(url, study):
    for _ in range(3):
        study.tell(study.ask("ann")[0], True)
    mine, hers = study.ask("ann", 2)
    execute(url, f"UPDATE activepu_questions SET expert = 'bob' WHERE sequence = {mine.number}")
    execute(url, f"UPDATE activepu_questions SET token = 'x' WHERE sequence = {hers.number}")
    *_, last = repair(url, "s")
    assert last == "The token of these questions is new, and an answer with the old one is refused: 4."
    study.tell(mine, True)
    with pytest.raises(apu.AnswerRefused):
        study.tell(hers, True)
    (again,) = study.ask("ann")
    assert again.item == hers.item
    assert study.tell(again, True)
    assert study.status().answered == 5


def test_a_skip_that_is_made_again_counts(left):
    """Whoever skipped a question does not get it again."""
    url, _ = left
    execute(url, "DELETE FROM activepu_leases")
    repair(url, "s")
    with apu.Study.load(url, "s", pool()) as study:
        assert (12, "ann") in state(study)[-1]


def test_a_kept_hash_shows_that_the_past_was_changed_and_hashed_again(left):
    """Whoever computes all hashes again deceives the chain, but not those who kept one."""
    url, _ = left
    kept = check(url, "s").head
    with apu.Study.load(url, "s", pool()) as study:
        study.undo("ann")
    assert check(url, "s", kept).damaged == ()
    found = check(url, "s", "0" * 64)
    assert re.search("No event has the hash 0{64} that was kept", str(found))
    assert not found.repairable
    for head in ("", "0" * 63, 3, "g" * 64):
        with pytest.raises(InvalidInput, match="A head is a hash of 64 characters"):
            check(url, "s", head)


def test_a_study_that_is_not_there_is_not_checked(left):
    url, _ = left
    for do in (check, repair):
        with pytest.raises(InvalidInput, match="no study 't'"):
            do(url, "t")


def test_damaged_settings_are_named_where_studies_are_listed(left):
    url, _ = left
    execute(url, "UPDATE activepu_studies SET settings = '{'")
    with pytest.raises(StudyDamaged, match="What the study 's' was made with is damaged"):
        overview(url)


def test_what_a_change_with_a_key_returned_may_be_damaged_too(url, study):
    (question,) = study.ask("ann")
    study.tell(question, True, key="k")
    execute(url, "UPDATE activepu_keys SET returned = '{'")
    with pytest.raises(StudyDamaged, match="change with the key 'k' returned is damaged"):
        study.tell(question, True, key="k")


@pytest.mark.parametrize("version", [0, -3, "NULL"])
def test_a_damaged_number_of_the_schema_is_no_schema(left, version):
    url, _ = left
    execute(url, f"UPDATE activepu_version SET version = {version}")
    with pytest.raises(StudyDamaged, match="The number of the schema is damaged"):
        apu.Study.load(url, "s", pool())


def test_a_check_sees_one_moment_while_others_write(url, study):
    """Events and questions are read one after the other; a change in between must not look like damage."""

    def rows():
        found = inventory.read(reading)
        return found._replace(now=0, events=list(found.events), questions=list(found.questions))

    with study.storage.snapshot(study.key) as reading:
        before = rows()
        study.tell(study.ask("ann")[0], True)
        assert rows() == before
    assert check(url, "s").events == 3


def test_zcal_needs_a_prediction(url, study):
    """Without a chain that says otherwise, as in a study of an older version."""
    study.ask("ann")
    for note in ("null", "0", "1.0", "NaN", "true", '"0.3"', "-0.1"):
        kept = f'{{"phase": "search", "position": -1, "prediction": {note}, "drawn": 0}}'
        with study.storage.write() as transaction:
            transaction.do(sa.text("UPDATE activepu_events SET note = :note WHERE number = 1"), note=kept)
        assert re.search("Event 1 .* has the note ", check(url, "s").damaged[0])
