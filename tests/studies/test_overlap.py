"""Items that one expert revealed are asked of another: the only items of a study that are asked twice."""

from __future__ import annotations

import pytest
from audit import world
from studies.scenes import expire

import activepu as apu
from activepu.studies.exchange import entries, export_answers, import_answers

NAMES = ("ann", "bob")


@pytest.fixture
def audited(url):
    pool = apu.Pool(world.X)
    with apu.Study.create(url, "audit", pool, world.audit(rate="per expert"), deadline=900) as made:
        yield made


def to_overlap(study):
    """Answer truly until somebody gets an item that the other one revealed; return that question and the other."""
    for turn in range(200):
        me, other = NAMES[turn % 2], NAMES[1 - turn % 2]
        (question,) = study.ask(me, shown=False)
        if study.run().questions[question.number].note.phase == "overlap":
            return question, other
        study.tell(question, bool(world.TRUTH[question.item]))
    raise AssertionError("no overlap in 200 questions")


def test_overlap_is_counted_apart_and_never_goes_to_who_answered_before(audited, url):
    question, other = to_overlap(audited)
    before = audited.status()
    assert (before.overlap, before.open) == (0, 1)
    expire(audited)
    held = audited.ask(other, 3)
    assert held
    assert question.item not in [q.item for q in held]  # they revealed it themselves
    for mine in held:
        audited.tell(mine, False)
    (again,) = audited.ask(question.expert)
    assert (again.number, again.item) == (question.number, question.item)
    audited.tell(again, False)
    after = audited.status()
    assert (after.overlap, after.gold) == (1, 0)
    assert after.answered == before.answered + len(held) + 1
    assert "(1 overlap)" in str(after)
    both = [(entry.expert, entry.answer, entry.phase) for entry in entries(audited) if entry.item == question.item]
    assert both == [(other, "yes", "lot"), (question.expert, "can't tell", "overlap")]
    stated = audited.result().statements()
    with apu.Study.load(url, "audit", apu.Pool(world.X), audited.learner) as loaded:
        assert loaded.result().statements() == stated
        assert loaded.result().history == audited.result().history


def test_an_overlap_question_that_nobody_else_can_answer_is_withdrawn(audited):
    question, other = to_overlap(audited)
    audited.skip(question)
    status = audited.status()
    assert (status.withdrawn, status.open, status.overlap) == (1, 0, 0)
    (fresh,) = audited.ask(other)
    assert fresh.item != question.item


def test_an_overlap_question_of_an_expert_who_leaves_is_withdrawn(audited):
    question, other = to_overlap(audited)
    audited.leave(question.expert)
    assert (audited.status().withdrawn, audited.status().open) == (1, 0)
    assert audited.ask(other)


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_both_answers_about_an_item_are_known_when_their_file_comes_back(audited, tmp_path, ending):
    question, _ = to_overlap(audited)
    audited.tell(question, False)
    file = tmp_path / f"answers.{ending}"
    number = export_answers(audited, file)
    assert number == audited.status().answered
    assert import_answers(audited, file) == 0  # without a warning, though the two answers differ


def test_an_import_does_not_answer_the_second_question_with_the_first_answer(audited):
    question, other = to_overlap(audited)
    assert audited.record([(question.item, True, other)]) == 0
    assert audited.status().open == 1
    assert audited.record([(question.item, True, question.expert)]) == 1
    assert audited.status().overlap == 1
