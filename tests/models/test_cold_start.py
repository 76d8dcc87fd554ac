"""While no positive is known: detectors of odd rows by turns, and what is said after silences."""

from itertools import permutations
from operator import itemgetter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.scenes import PLANE, TRUTH, forest, nobody
from scipy.stats import hypergeom
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import activepu as apu
from activepu.models.likeness import likeness
from activepu.models.novelty import Search, numbers, orders
from activepu.models.silence import DOZENS, advice, at_most, enough

RNG = np.random.default_rng(3)
CLOUD = RNG.normal(size=(1000, 4))
ISOLATION, TAILS, CLUMPS, FAR = range(4)


def quick(strategy="auto", **settings):
    return apu.ModelLearner(forest(20), strategy, **settings)


def test_every_order_holds_every_row_once():
    for table in (CLOUD, CLOUD[:30], np.repeat(CLOUD[:7], 20, axis=0), CLOUD[:1]):
        for order in orders(table, 0):
            assert sorted(order) == list(range(len(table)))


def test_each_detector_finds_what_it_is_for():
    lonely, extreme, clump = CLOUD.copy(), CLOUD.copy(), CLOUD.copy()
    lonely[5] = [5, -5, 5, -5]
    extreme[6, 2] = 9
    clump[10:30] = [0.8, -0.8, 0.8, 0.8] + 0.1 * RNG.normal(size=(20, 4))
    assert orders(lonely, 0)[ISOLATION][0] == 5
    assert orders(lonely, 0)[FAR][0] == 5
    assert orders(extreme, 0)[FAR][0] == 6
    assert 6 in orders(extreme, 0)[TAILS][:8]  # the largest of a column is as extreme as the largest of any other
    assert set(orders(clump, 0)[CLUMPS][:15]) <= set(range(10, 30))


def test_far_goes_to_another_corner_each_time():
    corners = np.array([[10, 10], [10, -10], [-10, 10], [-10.5, -10]])
    table = np.concatenate([RNG.normal(size=(100, 2)), np.repeat(corners, 5, axis=0)])
    first = orders(table, 0)[FAR][:4]
    assert len({tuple(table[row]) for row in first}) == 4
    assert (first >= 100).all()


def ask(search, free, questions):
    asked = []
    for turn in range(questions):
        asked.append(search.next(free, turn))
        free[asked[-1]] = False
    return asked


def test_turns_are_fair():
    search = Search(lambda: CLOUD, np.arange(1000), 1000, seed=0)
    asked = ask(search, np.ones(1000, bool), 100)
    assert len(set(asked)) == 100
    for order in search.orders:
        assert np.isin(order[: 100 // len(search.orders)], asked).all()


def test_a_search_goes_on_until_all_rows_were_asked():
    search = Search(lambda: CLOUD[:40], np.arange(0, 80, 2), 80, seed=1)
    assert sorted(ask(search, np.ones(80, bool), 80)) == list(range(80))


MIXED = pd.DataFrame(
    {
        "amount": np.where(RNG.random(300) < 0.1, np.nan, RNG.random(300)),
        "country": np.where(np.arange(300) == 7, "Chad", RNG.choice(["Peru", "Mali"], 300)),
        "same": 1.0,
        "flag": pd.array(RNG.random(300) < 0.5, "boolean"),
        "empty": np.full(300, np.nan),
    }
)


def test_columns_of_any_kind_become_numbers_and_rare_values_stand_out():
    Z = numbers(None, MIXED)
    assert Z.shape == (300, 3)
    assert np.allclose(Z.mean(axis=0), 0)
    assert np.allclose(Z.std(axis=0), 1)
    assert np.argmax(Z[:, 1]) == 7
    assert numbers(None, np.ones((5, 2))).shape == (5, 0)
    assert orders(np.ones((5, 0)), 0) == []


def test_a_pipeline_makes_the_numbers_and_one_that_cannot_is_passed_over():
    texts = pd.DataFrame({"text": [f"word{k % 7} other{k % 5}" for k in range(60)] + ["a stranger here"]})
    made = make_pipeline(_texts(), TfidfVectorizer(), forest())
    assert numbers(made, texts).shape == (61, 12)
    assert numbers(make_pipeline(TfidfVectorizer(), forest()), MIXED).shape == (300, 3)


def _texts():
    return FunctionTransformer(itemgetter("text"))


@pytest.mark.parametrize("strategy", ["auto", "information", "likely positive"])
def test_the_first_questions_go_to_odd_rows(strategy):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2000, 5))
    odd = rng.choice(2000, 8, replace=False)
    table[odd] += 6 * rng.choice([-1, 1], (8, 5))
    result = apu.learn(quick(strategy), table, apu.SimulatedExpert(np.isin(np.arange(2000), odd)), budget=30, batch=5)
    assert result.n_revealed >= 4  # by chance 0.1


def test_without_any_number_the_lot_asks():
    table = pd.DataFrame({"same": np.ones(50), "text": [f"{k}" for k in range(50)]})
    learner = apu.ModelLearner(make_pipeline(_texts(), TfidfVectorizer(), forest(5)))
    pool = apu.Pool(table, raw=True)
    assert apu.learn(learner, pool, apu.SimulatedExpert(nobody(50)), budget=12, batch=4).n_queries == 12


def test_an_undone_answer_and_a_skip_leave_the_search_where_it_was():
    run, other = apu.Run(quick(), PLANE), apu.Run(quick(), PLANE)
    for each in (run, other):
        for question in each.ask(7):
            each.tell(question, False)
    run.undo(run.questions[-1])
    run.tell(run.questions[-1], False)
    assert [q.item for q in run.ask(5)] == [q.item for q in other.ask(5)]
    run.tell(run.open[0], apu.SKIP)
    for question in list(run.open):
        run.tell(question, False)
    assert len({question.item for question in run.ask(3)} | {question.item for question in run.questions}) == 15


# What silence shows


@given(st.integers(1, 60), st.data())
def test_rows_without_replacement_are_silent_no_more_often_than_the_bound_says(rows, data):
    confirmable = data.draw(st.integers(0, rows))
    n = data.draw(st.integers(1, rows))
    assert hypergeom(rows, confirmable, n).pmf(0) <= (1 - confirmable / rows) ** n + 1e-12


@pytest.mark.parametrize("confirmable", [0, 1, 2, 4])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.6])
def test_the_bound_holds_at_all_moments_at_once_over_every_order(confirmable, delta):
    wrong = 0
    for order in permutations(range(7)):
        silent = next((n for n, row in enumerate(order) if row < confirmable), 7)
        wrong += any(at_most(n, delta) < confirmable / 7 for n in range(silent + 1))
    assert wrong <= delta * 5040


def test_enough_questions_by_lot_find_one():
    for share in (0.5, 0.01, 0.002):
        assert (1 - share) ** enough(share) <= 0.05
    assert (enough(0.01), enough(0.002)) == (300, 1498)
    assert at_most(59) == pytest.approx(0.0495, abs=1e-4)
    assert at_most(0) == 1.0


def test_the_lot_counts_from_its_first_row_on():
    search = Search(lambda: CLOUD, np.arange(1000), 1000, seed=0)
    silent, nothing = np.zeros(1000, bool), np.zeros(1000, bool)
    silent[search.lot[[0, 1, 2, 4, 5]]] = True
    assert search.silent_by_lot(silent, nothing) == 3
    skipped = np.arange(1000) == search.lot[3]
    assert search.silent_by_lot(silent, skipped) == 5
    assert search.silent_by_lot(~nothing, nothing) == 1000


def test_after_dozens_of_silences_it_says_what_would_help():
    run = apu.Run(quick(), RNG.normal(size=(2000, 2)))
    for question in run.ask(DOZENS - 1):
        run.tell(question, False)
    assert "by lot" not in str(run.result())
    for question in run.ask(61):
        run.tell(question, False)
    said = str(run.result())
    assert "No positive was found in 90 questions. What helps most where positives are rare" in said
    assert said.index("positives=…") < said.index("rule of thumb") < said.index("300 if it is 1% or 1,498 if")
    by_lot = int(said.partition(" of the questions were by lot")[0].split()[-1])
    assert 18 <= by_lot <= 25
    assert f"at most {100 * at_most(by_lot):.2g}% of all rows." in said


def test_where_hardly_any_are_known_it_names_known_positives_first_and_where_there_are_enough_it_says_nothing():
    assert "Only 1 positive is known after 40 answers. What helps most" in advice(40, 1, 0, 1000, False)
    assert "Only 3 positives are known" in advice(80, 3, 0, 1000, False)
    assert advice(1000, 5, 0, 9000, False) == ""
    assert advice(40, 3, 0, 1000, False) == ""
    assert "that they would not skip" in advice(40, 0, 9, 1000, True)
    assert "if it is" not in advice(40, 0, 9, 100, False)
    rare = apu.learn(
        quick(patience=None), PLANE, apu.SimulatedExpert(nobody(600)), positives=[3, 4], budget=60, batch=20
    )
    assert "Only 2 positives are known after 60 answers" in str(rare)
    usual = apu.learn(quick(), PLANE, apu.SimulatedExpert(TRUTH, rate=0.5), budget=60, batch=20)
    assert "What helps most" not in str(usual)


# Once some are known


def test_the_first_questions_after_known_positives_go_to_rows_like_them():
    known = np.flatnonzero(TRUTH)[:15]
    run = apu.Run(quick(), PLANE, positives=known)
    asked = [question.item for question in run.ask(20)]
    assert TRUTH[asked].mean() > 0.8  # by chance 0.3
    by_model = [question.item for question in apu.Run(quick("likely positive"), PLANE, positives=known).ask(20)]
    assert TRUTH[by_model].mean() < 0.6


def test_likeness_ranks_candidates_by_the_known_positives_and_against_all_others():
    rng = np.random.default_rng(0)
    like, unlike = rng.normal([3, 3], 0.3, (20, 2)), rng.normal(size=(400, 2))
    rows = np.concatenate([like[:10], rng.normal([3, -3], 0.3, (10, 2)), like[10:], unlike])
    scores = likeness(forest(50), rows, positive=np.arange(20) < 10, seed=0)
    assert scores.shape == (50, 410)
    assert scores.mean(axis=0)[:10].min() > scores.mean(axis=0)[10:].mean() + 0.2


def test_until_five_are_known_every_other_question_is_the_searchs():
    run = apu.Run(quick(patience=None), CLOUD)
    answered = 0
    for expected in (None, 5, None):
        for question in run.ask(10):
            run.tell(question, answered in (3, 12, 13, 14, 15))
            answered += 1
        by_search = sum(question.note.prediction is None for question in run.questions[-10:])
        assert by_search == {10: 10, 20: 5, 30: 0}[answered]
        assert expected in (None, by_search)
