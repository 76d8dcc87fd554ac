"""Answers that were collected elsewhere enter a study."""

import pytest

import activepu as apu
from activepu.errors import AnswerRefused, InvalidInput


def test_skips_from_elsewhere_stay_skips(study):
    entries = [
        (5, apu.SKIP, "ann"),
        (5, False, "bob"),
        (6, apu.SKIP, "ann"),
        (6, apu.SKIP, "bob"),
        (7, apu.SKIP, "bob"),
    ]
    assert study.record(entries) == 5
    assert study.record(entries) == 0
    found = study.status()
    assert (found.answered, found.skipped, found.withdrawn, found.open) == (1, 4, 1, 1)
    assert study.ask("ann")[0].item == 7  # bob has skipped it, ann has not


def test_answers_from_elsewhere_enter_once(study):
    (q,) = study.ask("ann")
    assert study.record([(q.item, True, "bob"), (5, False, "bob"), (5, True, "cyd"), (6, False, "bob")]) == 3
    assert study.status().answered == 3
    with pytest.raises(AnswerRefused, match="answered by 'bob'"):
        study.tell(q.token, True)


def test_an_imported_answer_after_a_skip_of_the_same_item_counts(study):
    assert study.record([(5, apu.SKIP, "ann"), (5, True, "ann")]) == 2
    assert (study.status().answered, study.status().withdrawn) == (1, 1)
    with pytest.raises(InvalidInput, match="from 0 to 399"):
        study.record([(10**6, True, "ann")])


def test_an_older_answer_can_be_taken_back_once_a_skipped_item_is_asked_again(study):
    study.record([(3, True, "ann"), (5, apu.SKIP, "ann")])
    assert study.status().withdrawn == 1
    study.record([(5, False, "bob")])
    assert study.undo("ann").item == 3


def test_answers_from_elsewhere_are_named_in_the_certificate(study):
    assert not any("elsewhere" in text for text in study.result().certificate.assumptions)
    study.record([(3, True, "ann")])
    assert any("elsewhere" in text for text in study.result().certificate.assumptions)
    for wrong in ([(1, True)], 5):
        with pytest.raises(InvalidInput, match="item, answer, expert"):
            study.record(wrong)
