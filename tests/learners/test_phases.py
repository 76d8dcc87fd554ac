"""The draws that a search has dealt with: asked, or passed over because V knew their labels."""

from __future__ import annotations

import numpy as np
import pytest
from worlds import WORLDS

import activepu as apu
from activepu import hashing
from activepu.learners.phases import Passed
from activepu.records import Note, Question

DRAWS = apu.Pool(np.arange(400.0)).draws(apu.Thresholds(), seed=0)


def answer(number: int, position: int, phase: str = "search 0", revealed: bool = False) -> Question:
    return Question(number, 0, None, Note(phase, position), revealed)


def test_the_draws_between_two_answers_count_and_the_first_question_does_not() -> None:
    passed = Passed("search", rows=10)
    for number, position in enumerate([5, 6, 9]):
        passed.update(answer(number, position), DRAWS)
    assert passed.rows == 10 + 4


def test_answers_of_another_phase_do_not_count() -> None:
    passed = Passed("search")
    passed.update(answer(7, 100, "measure rate", revealed=True), DRAWS)
    passed.update(answer(8, 120), DRAWS)
    passed.update(answer(9, 300, "measure rate", revealed=True), DRAWS)
    passed.update(answer(10, 125), DRAWS)
    assert (passed.rows, passed.revealed) == (5, 0)


def test_rows_that_were_put_elsewhere_do_not_count() -> None:
    """One that was put and skipped was neither asked nor known: to count it would make the bound too small."""
    draws = apu.Pool(np.arange(400.0)).draws(apu.Thresholds(), seed=0)
    order, passed = hashing.order(0, 400), Passed("search")
    for position in (3, 6, 7, 30):
        draws.set_aside(int(order[position]))
    passed.update(answer(0, 4), draws)
    passed.update(answer(1, 10), draws)
    assert passed.rows == 6 - 2
    passed.update(answer(2, 29), draws)
    assert passed.rows == 6 - 2 + 19


def test_a_skip_takes_the_draws_around_it_along_and_coming_back_to_it_adds_none() -> None:
    passed = Passed("search")
    passed.update(answer(0, 5), DRAWS)
    passed.update(answer(2, 9), DRAWS)  # question 1 was skipped
    passed.update(answer(3, 11), DRAWS)
    passed.update(answer(4, 7), DRAWS)  # its item, asked again
    passed.update(answer(5, 12), DRAWS)
    assert passed.rows == 2 + 1


@pytest.mark.parametrize("batch", [1, 20])
def test_every_draw_was_asked_or_has_its_label(batch: int) -> None:
    """What a look rests on: among the draws of the search, those that were not asked are decided, and rightly."""
    rows = np.random.default_rng(3).random((20_000, 2))
    labels = ((rows >= 0.3) & (rows <= 0.8)).all(axis=1)
    run = apu.Run(apu.UnknownPrior(apu.Boxes(), 0.1, 0.1), rows, seed=1)
    expert = apu.SimulatedExpert(labels, 0.7, seed=1)
    while not run.finished:
        put = run.ask(batch)
        for question in reversed(put):
            run.tell(question, bool(expert.answer([question.item], None)[0]))
    result = run.result()
    decided = result.predict(rows, abstain=True)
    for phase in ("find", "search"):
        positions = [q.note.position for q in run.questions if q.note.phase.startswith(phase)]
        items = run._draws._front(min(positions), max(positions) - min(positions) + 1)
        left = np.setdiff1d(items, [q.item for q in run.questions])
        assert (decided[left] == labels[left]).all()
        assert phase == "find" or len(left) > 5
    assert result.certificate.error_bound <= 0.1


def test_a_reveal_of_an_earlier_phase_counts_and_its_star_does_not() -> None:
    """100 questions at once: most of them are answered when the learner has gone on to measure the rate."""
    world = WORLDS["boxes"]
    run = apu.Run(apu.UnknownPrior(world.hypotheses, 0.1, 0.1), world.sampler, seed=5)
    first = run.ask(200)
    for question in first:
        run.tell(question, bool(world.label(question.row[None])[0]))
        late = run._now is not None and "measure" in str(getattr(run._now.items, "phase", ""))
        if late and question.revealed:
            result = run.result()
            assert result.predict(question.row[None], abstain=True)[0] == 1
            assert result.rate is None, "late answers are no coins"
            break
    else:
        pytest.fail("no reveal came late")
