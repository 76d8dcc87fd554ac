"""What becomes of one column: which treatment it gets, the numbers that it gives, and what is left out and why."""

from __future__ import annotations

import datetime as dt
import uuid

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

import activepu as apu
from activepu.features import TableFeatures
from activepu.features.kinds import treatment

RNG = np.random.default_rng(0)
N = 200
NAMES = RNG.choice(["Anna", "Bert", "Cleo", "Dora"], N)
CITIES = [f"city{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(40)]


def fitted(values, way="trees", name="c"):
    return TableFeatures(way).fit(pd.DataFrame({name: values, "x": np.arange(len(values)) % 7}))


def said(values, name="c"):
    return next(one.said for one in fitted(values, name=name).treatments_ if one.column == name)


LEFT_OUT = {
    "the same number": [3.5] * N,
    "the same text": ["EUR"] * N,
    "the same date": [dt.date(2026, 1, 1)] * N,
    "nothing": [None] * N,
    "empty texts": ["", " "] * (N // 2),
    "only infinite numbers": [np.inf] * N,
    "row numbers": list(range(N)),
    "row numbers as texts": [str(k) for k in range(N)],
    "keys": [f"T-{k:06d}" for k in range(N)],
    "universal keys": [str(uuid.UUID(int=int(k))) for k in RNG.integers(0, 2**62, N)],
    "account numbers": [f"DE{k:02d} 1234 {k:04d}" for k in range(N)],
    "long numbers": [str(10**19 + 7 * k * k) for k in range(N)],
    "lists": [[1, 2]] * N,
    "bytes": [b"x", b"y"] * (N // 2),
    "signs": [f"?{'!' * k}" for k in range(N)],
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_tells_nothing_is_left_out_with_the_reason(case):
    assert said(LEFT_OUT[case]).startswith("left out: ")


KEPT = {
    "amounts": (RNG.normal(size=N), "a number"),
    "ages with gaps": ([None if k % 4 == 0 else k % 50 for k in range(N)], "a number; gaps in 25% of the rows, kept"),
    "numbers as texts": ([f" {k % 7}.5" for k in range(N)], "a number"),
    "booleans": ([True, False] * (N // 2), "a number"),
    "times of day": ([dt.time(k % 24) for k in range(N)], "a number"),
    "a number or nothing": ([1.0, None] * (N // 2), "a number; gaps in 50% of the rows, kept"),
    "few values": (NAMES, "4 categories, a column for each"),
    "one value or nothing": (["yes", None] * (N // 2), "1 categories, a column for each and for gaps"),
    "many values": (RNG.choice(CITIES, N), "40 categories, numbered by frequency"),
    "declared categories": (pd.Categorical([f"T{k}" for k in range(N)]), "200 categories, numbered by frequency"),
    "dates": ([dt.date(2026, 1, 1 + k % 28) for k in range(N)], "a date: day, weekday"),
    "dates as texts": ([f"2026-0{1 + k % 9}-05 1{k % 3}:00" for k in range(N)], "a date: day, month, weekday, hour"),
    "sentences": ([f"paid {NAMES[k]} by wire {k}" for k in range(N)], "text: the weight of"),
    "names": ([f"{NAMES[k]} {k}" for k in range(N)], "text: the weight of"),
    "addresses of pages": ([f"https://{CITIES[k % 40]}.org/{NAMES[k].lower()}/a{k}" for k in range(N)], "text: the"),
}


@pytest.mark.parametrize("case", KEPT)
def test_what_tells_something_is_made_numbers_of(case):
    values, expected = KEPT[case]
    assert said(values).startswith(expected)


def test_a_key_is_known_by_its_name_too_and_only_if_every_value_is_different():
    apart = 3 * RNG.permutation(N)
    assert said(apart, "account_id").startswith("left out: a key")
    assert said(apart, "distance") == said(apart % 50, "account_id") == "a number"


def test_numbers_are_kept_for_trees_and_filled_and_scaled_for_other_classifiers():
    values = np.array([1.0, np.nan, np.inf, 3.0] * 10)
    assert np.isnan(fitted(values).transform(pd.DataFrame({"c": values, "x": 0}))[:, 0]).sum() == 20
    features = fitted(values, "linear")
    made = features.transform(pd.DataFrame({"c": values, "x": 0}))
    assert features.get_feature_names_out().tolist() == ["c", "c is missing", "x"]
    assert made[:4, 0].tolist() == [-1, 0, 0, 1]  # the median is 2, which is the mean
    assert made[:4, 1].tolist() == [0, 1, 1, 0]


def test_a_long_tail_is_put_on_a_scale_of_logarithms_in_the_same_order():
    values = np.exp(RNG.normal(3, 1.5, N))
    features = fitted(values, "linear")
    made = features.transform(pd.DataFrame({"c": values, "x": 0}))[:, 0]
    assert (np.argsort(made) == np.argsort(values)).all()
    assert abs(made).max() < 5 < abs((values - values.mean()) / values.std()).max()


@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "b b", "c", "é", " a"])), min_size=12, max_size=30))
def test_a_category_has_one_column_per_value_and_one_for_gaps(values):
    trimmed = [None if value is None else value.strip() for value in values]
    found = treatment("c", pa.array(values, pa.string()), "linear")
    if len(set(trimmed)) < 2:
        assert not found.names
        return
    made = np.asarray(found.numbers(pa.array(values, pa.string())).toarray())
    for row, value in zip(made, trimmed, strict=True):
        name = "c is missing" if value is None else f"c = {value}"
        assert [n for n, one in zip(found.names, row, strict=True) if one] == [name]


def test_a_category_of_many_values_is_numbered_by_frequency_or_its_first_have_columns():
    values = [city for k, city in enumerate(CITIES) for _ in range(1 + k)]
    codes = fitted(values).transform(pd.DataFrame({"c": [CITIES[-1], CITIES[0], "new", None], "x": 0}))[:, 0]
    assert codes[:2].tolist() == [0, 39]
    assert np.isnan(codes[2:]).all()
    several = [f"{city}{letter}" for city in CITIES for letter in "abc" for _ in range(3)]
    linear = next(one for one in fitted(several, "linear").treatments_ if one.column == "c")
    assert (len(linear.names), len(linear.others)) == (50, 70)


def test_the_rarest_of_very_many_categories_share_a_number():
    values = pd.Categorical([f"v{k}" for k in range(400) for _ in range(1 + (k < 250))])
    features = fitted(values, "native")
    codes = features.transform(pd.DataFrame({"c": values, "x": 0}))[:, 0]
    assert (codes.max(), len(np.unique(codes))) == (250, 251)
    assert features.categorical_ == [0]


def test_terms_weigh_what_tf_idf_says():
    words = ["wire transfer", "gift", "card", "book", "Café", "pay", "rent", "tax", "fuel", "food"]
    texts = [" ".join(RNG.choice(words, 4)) + f" n{k}" for k in range(N)]
    for way, norm in (("linear", "l2"), ("trees", None)):
        found = next(one for one in fitted(texts, way).treatments_ if one.column == "c")
        settings = {"ngram_range": (1, 2), "strip_accents": "unicode", "sublinear_tf": True, "norm": norm}
        reference = TfidfVectorizer(vocabulary=found.terms, **settings).fit_transform(texts)
        assert np.allclose(found.numbers(pa.array(texts)).toarray(), reference.toarray())
    assert not found.numbers(pa.array(["unheard of", None])).nnz


def test_a_pair_of_words_is_a_term_where_they_belong_together_and_then_replaces_them():
    kinds, places = RNG.choice(["wire transfer", "gift card", "playing card", "fuel"], N), RNG.choice(["n1", "s2"], N)
    found = fitted([f"{kind} {place} {k}" for k, (kind, place) in enumerate(zip(kinds, places, strict=True))])
    terms = next(one for one in found.treatments_ if one.column == "c").terms
    usual = {"n1", "s2", "card"}  # they may be in most of the texts, and then tell little
    assert set(terms) - usual == {"fuel", "gift card", "playing card", "wire transfer"}


def test_dates_are_days_months_weekdays_and_hours_of_their_own_clock():
    when = pd.to_datetime(["2026-01-05 06:30", "2026-02-08 18:00", None] * 20).tz_localize("Europe/Berlin")
    made = fitted(when).transform(pd.DataFrame({"c": when[:3], "x": 0}))
    assert made[:2, 1:4].tolist() == [[1, 0, 6.5], [2, 6, 18]]
    assert made[1, 0] - made[0, 0] == 34
    assert np.isnan(made[2, :4]).all()
    assert fitted(when, "linear").transform(pd.DataFrame({"c": when[2:3], "x": 0}))[0, :4].tolist() == [0] * 4


def test_columns_that_change_their_kind_are_named():
    features = TableFeatures().fit(
        pd.DataFrame({"n": [1.5, 2, 3] * 9, "d": pd.to_datetime(["2026-01-01"] * 26 + ["2026-01-02"])})
    )
    for column, value, says in (("n", "dear", "'n' held numbers"), ("d", "later", "'d' held dates")):
        with pytest.raises(apu.InvalidInput, match=says):
            features.transform(pd.DataFrame({"n": [1.0], "d": ["2026-01-01"]}).assign(**{column: [value]}))
    with pytest.raises(apu.InvalidInput, match="no column 'd'"):
        features.transform(pd.DataFrame({"n": [1.0]}))
    assert np.isnan(features.transform(pd.DataFrame({"n": [None], "d": [None]}))).all()


def test_a_table_that_tells_nothing_is_refused_with_the_reasons():
    with pytest.raises(apu.InvalidInput, match=r"'key' \(a key, .*\), 'unit' \(always EUR\); add columns"):
        TableFeatures().fit(pd.DataFrame({"key": [f"T{k}" for k in range(50)], "unit": "EUR"}))
    with pytest.raises(apu.InvalidInput, match="'trees', 'native' or 'linear', got 'forest'"):
        TableFeatures("forest").fit(pd.DataFrame({"a": [1, 2]}))


def test_features_do_not_depend_on_the_kind_of_table():
    frame = pd.DataFrame({"n": RNG.normal(size=N), "c": NAMES, "t": [f"paid {name} by wire" for name in NAMES]})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    features = TableFeatures("linear").fit(frame)
    assert (features.transform(table) == TableFeatures("linear").fit(table).transform(frame)).all()
    array = frame.to_numpy(object)
    assert (features.transform(array) == features.transform(frame)).all()
    with pytest.raises(apu.InvalidInput, match="made of 3 columns, got 2; pass these, or"):
        features.transform(array[:, :2])


def test_it_is_a_transformer_of_pools_and_pipelines():
    frame = pd.DataFrame({"n": RNG.normal(size=N), "c": NAMES})
    pool = apu.Pool(frame, features=TableFeatures())
    assert set(pool.names) == {"n", "c = Anna", "c = Bert", "c = Cleo", "c = Dora"}
    result = apu.learn(apu.PassivePU(apu.Boxes(), 0.4, 0.2), pool, apu.SimulatedExpert(NAMES == "Anna"))
    assert (result.predict(frame) == (NAMES == "Anna")).mean() > 0.9
    assert "c = Anna" in str(result.hypothesis)
