"""What is expected of a search must not depend on which of the earlier questions were skipped."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.audit.hidden import Band, careful_prior, extremes, log_prior
from activepu.audit.rest import Rest
from activepu.audit.strata import stratify
from activepu.records import Note, Question


@given(st.integers(1, 12), st.data())
def test_the_careful_prior_is_nowhere_larger_than_that_of_any_completion(size: int, data: st.DataObject) -> None:
    band = Band(size)
    for _ in range(data.draw(st.integers(0, size))):
        band.take(None, data.draw(st.sampled_from([True, False, None])))
    band.expect(1.0, careful=True)
    for confirmable in range(band.skipped + 1):
        hidden = np.arange(size + 1.0) - band.revealed - confirmable
        for expected in (0.0, 0.5, 4.0):
            prior = log_prior(hidden, size - band.asked - band.skipped, expected)
            assert (band._prior <= prior + 1e-12).all()


def test_who_sees_all_draws_cannot_choose_the_prior_by_skipping_what_came_before() -> None:
    """Exactly, for one confirmable item of ten: it was seen in every draw before the expected number was chosen."""
    size, delta, excluded = 10, 0.46, {False: 0, True: 0}
    for place in range(size):
        missed = {}
        for expected, skips in ((0.05, False), (3.0, True)):
            for careful in (False, skips):
                band, lost = Band(size), False
                band.expect(expected, careful=careful)
                for n in range(size):
                    band.take(size - n, n == place)
                    low, high = extremes([band], delta)
                    lost = lost or not low <= 1 <= high
                missed[expected, careful] = lost
        excluded[False] += missed[0.05, False] or missed[3.0, False]
        excluded[True] += missed[0.05, False] or missed[3.0, True]
    assert excluded[False] / size > delta
    assert excluded[True] / size <= delta


@pytest.mark.parametrize("skipped", [0, 1])
def test_a_skip_before_the_first_draw_makes_the_prior_careful(skipped: int) -> None:
    """Even if the item is answered before the bounds are looked at."""
    items = np.arange(40)
    rest = Rest(stratify(items < 0, None, None, items, items >= 0, None), items, None, 3, 0.1)

    def asked(number: int, item: int, phase: str, answer: bool) -> Question:
        question = Question(number, item, None, Note(phase, -1))
        rest.recall(question)
        question.answer = answer
        return question

    draws = rest.strata.lot(3)[0]
    early = [asked(k, int(draws[k + 2]), "rank", False) for k in range(2)]
    lot = [asked(2 + k, int(draws[k]), "lot", False) for k in range(2)]
    for question in early[skipped:]:
        rest.fold(question)
    rest.fold(lot[0])
    hidden = np.arange(41.0)
    prior = rest.bands[0]._prior
    least = careful_prior(hidden, 38 + skipped, skipped)
    assert np.array_equal(prior, least) is bool(skipped)
    for question in early[:skipped]:
        rest.fold(question)
    rest.fold(lot[1])
    assert rest.bands[0].skipped == 0
    assert np.array_equal(rest.bands[0]._prior, prior)
