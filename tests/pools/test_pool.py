import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from activepu.errors import InvalidInput
from activepu.pools import Pool, frames

TABLE = pd.DataFrame(
    {
        "key": ["a", "b", "c", "d"],
        "age": [30, 40, 50, 60],
        "income": [1.5, 2.5, 3.5, 4.5],
        "text": ["tall", "short", "tall", "short"],
    },
    index=[9, 9, 7, 5],  # the user's own index plays no part
)


def backends(table, folder):
    table.to_csv(folder / "t.csv", index=False)
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    pyarrow.parquet.write_table(arrow, folder / "t.parquet")
    table.to_csv(folder / "t.tsv", index=False, sep="\t")
    return [table, arrow, folder / "t.csv", str(folder / "t.parquet"), folder / "t.tsv"]


def test_every_backend_gives_the_same_features_ids_and_coins(tmp_path):
    for table in backends(TABLE, tmp_path):
        pool = Pool(table, features=["age", "income"], id="key", show=["text"])
        assert len(pool) == 4
        assert pool.names == ("age", "income")
        assert pool.features().tolist() == [[30, 1.5], [40, 2.5], [50, 3.5], [60, 4.5]]
        assert pool.ids.tolist() == ["a", "b", "c", "d"]
        assert pool.coins.tolist() == [0, 1, 0, 1]
        assert pool.column("text").tolist() == TABLE["text"].tolist()


def test_rows_come_in_the_kind_of_table_that_was_given():
    assert Pool(TABLE, features=["age"]).rows([2, 0])["key"].tolist() == ["c", "a"]
    shown = Pool(pa.Table.from_pandas(TABLE), features=["age"], show=["text", "key"]).rows([2])
    assert shown.to_pylist() == [{"text": "tall", "key": "c"}]
    assert Pool(np.arange(6).reshape(3, 2), show=[1]).rows([2, 1]).tolist() == [[5], [3]]


def test_without_features_every_column_but_the_id_is_one():
    pool = Pool(TABLE[["key", "age", "income"]], id="key")
    assert pool.names == ("age", "income")
    assert Pool(np.arange(6.0).reshape(3, 2), id=0).features().tolist() == [[1], [3], [5]]


def test_a_series_a_list_and_a_vector_are_pools_of_one_column():
    for table in (TABLE["age"], [30, 40, 50, 60], np.array([30, 40, 50, 60])):
        assert Pool(table).features().tolist() == [[30], [40], [50], [60]]


@pytest.mark.parametrize("columns", ["age", ["age"], ("age",), [1], TABLE.columns[1:2], np.array(["age"])])
def test_columns_may_be_named_in_several_ways(columns):
    assert Pool(TABLE, features=columns).features().ravel().tolist() == [30, 40, 50, 60]


def test_a_single_shown_column_needs_no_list():
    assert Pool(TABLE, features=["age"], show="text").coins.tolist() == [0, 1, 0, 1]


def test_an_unfitted_transformer_is_fitted_on_the_pool_and_a_fitted_one_is_kept():
    unfitted = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(), ["text"]))
    pool = Pool(TABLE, features=unfitted)
    assert pool.names == ("standardscaler__age", "onehotencoder__text_short", "onehotencoder__text_tall")
    assert pool.features()[:, 0].mean() == pytest.approx(0)
    fitted = StandardScaler().fit(np.array([[0.0], [2.0]]))
    assert Pool(np.array([[5.0], [6.0]]), features=fitted).features().ravel().tolist() == [4, 5]


def test_a_transformer_without_names_or_without_fit_will_do():
    class Halve:
        def transform(self, table):
            return np.asarray(table)[:, 1:3].astype(float) / 2

    assert Pool(TABLE, features=Halve()).features()[0].tolist() == [15, 0.75]
    nameless = make_pipeline(FunctionTransformer())
    assert Pool(TABLE[["age"]], features=nameless).names is None


def test_a_transformer_reads_the_texts_of_a_file(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    words = make_column_transformer((TfidfVectorizer(), "text"), (StandardScaler(), ["age"]))
    pool = Pool(tmp_path / "t.csv", features=words)
    assert pool.features().tolist() == Pool(TABLE, features=words).features().tolist()
    assert pool.seen(tmp_path / "t.csv").tolist() == pool.seen(TABLE).tolist() == pool.features().tolist()


def test_without_pandas_a_transformer_gets_a_file_as_an_arrow_table(tmp_path, monkeypatch):
    TABLE[["age", "text"]].to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(frames, "_frame_of", lambda table: table)
    numbers = make_column_transformer((StandardScaler(), ["age"]))
    assert Pool(tmp_path / "t.csv", features=numbers).features().mean() == pytest.approx(0)
    with pytest.raises(InvalidInput, match=r"cannot read the columns of an Arrow table .*; install pandas"):
        Pool(tmp_path / "t.csv", features=make_column_transformer((TfidfVectorizer(), "text")))


def test_a_callable_sees_the_table_as_it_was_given():
    assert Pool(TABLE, features=lambda t: t["age"] / 10).features().ravel().tolist() == [3, 4, 5, 6]


def test_sparse_features_are_taken():
    pool = Pool(TABLE, features=lambda t: OneHotEncoder().fit_transform(t[["text"]]))
    assert pool.dim == 2


def test_another_table_can_be_shown():
    pool = Pool(np.arange(4.0), show=pd.DataFrame({"picture": ["p", "q", "p", "p"]}))
    assert pool.coins.tolist() == [0, 1, 0, 0]
    assert pool.rows([1])["picture"].tolist() == ["q"]
    assert pool.has_repeated_rows


def test_rows_that_differ_in_anything_shown_have_coins_of_their_own():
    assert not Pool(TABLE, features=["age"]).has_repeated_rows
    repeated = Pool(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0], [-0.0, 1.0], [0.0, 1.0]]))
    assert repeated.coins.tolist() == [0, 1, 0, 3, 3]


def test_whole_numbers_beyond_float_precision_stay_apart():
    close = [2**60 + 1, 2**60 + 2]
    assert not Pool(np.array(close)).has_repeated_rows
    assert not Pool(pd.DataFrame({"n": close})).has_repeated_rows


@pytest.mark.parametrize(
    "column",
    [
        [1, "x", 1, None],
        pd.Categorical(["x", None, "x", "y"]),
        [[1, 2], [1], [1, 2], []],
        [None, "a", None, "b"],
        [1.5, None, 1.5, 2.5],
        pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01", None]),
        [True, None, True, False],
    ],
)
def test_any_column_can_be_shown(column):
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "shown": column})
    coins = Pool(table, features=["x"], show=["shown"]).coins
    assert coins[0] == coins[2]
    assert len({coins[0], coins[1], coins[3]}) == 3


def test_an_id_column_must_name_every_row_once():
    with pytest.raises(InvalidInput, match="'text' must name every row once"):
        Pool(TABLE, features=["age"], id="text")
    assert Pool(TABLE.assign(key=["a", "b", None, "d"]), features=["age"], id="key").ids.tolist()[3] == "d"


@pytest.mark.parametrize("items", [[0.5], [True, False], [[0], [1]], ["a"], None])
def test_items_are_row_numbers(items):
    with pytest.raises(InvalidInput, match="Items are row numbers"):
        Pool(np.eye(3)).rows(items)


@pytest.mark.parametrize("item", [-1, 3])
def test_items_lie_in_the_pool(item):
    with pytest.raises(InvalidInput, match=f"from 0 to 2, got {item}"):
        Pool(np.eye(3)).features([item])
