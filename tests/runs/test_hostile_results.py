"""A saved result that was changed is read as a result, or refused in one sentence that names the field."""

import contextlib
import copy
import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import activepu as apu
from activepu import saved
from activepu.errors import ActivePUError, InvalidInput
from activepu.loading import load_result

RNG = np.random.default_rng(0)
PLANE = RNG.random((120, 2))
INSIDE = ((PLANE > 0.2) & (PLANE < 0.8)).all(axis=1)
EXPERT = apu.SimulatedExpert(INSIDE, rate=0.8)
LINE = PLANE[:, :1]


def zcal(H, **settings):
    return apu.ZCal(H, 0.2, 0.1, **settings)


MADE = {
    "boxes": lambda: apu.learn(zcal(apu.Boxes()), PLANE, EXPERT, budget=15),
    "rates": lambda: apu.learn(
        zcal(apu.Intervals(), rate="per expert"), LINE, {"ann": EXPERT, "bob": EXPERT}, budget=15
    ),
    "thresholds": lambda: apu.learn(zcal(apu.Thresholds()), LINE, apu.SimulatedExpert(LINE[:, 0] > 0.5), budget=15),
    "halfspaces": lambda: apu.learn(
        zcal(apu.Halfspaces(), rate=1.0), PLANE, apu.SimulatedExpert(PLANE[:, 0] > 0.5, rate=1.0), budget=10
    ),
    "audit": lambda: apu.learn(
        apu.Audit(lambda X: X[:, 0] > 0.5, score=lambda X: X[:, 0], recall=0.5), PLANE, EXPERT, budget=40
    ),
    "found": lambda: apu.learn(apu.Audit("found", score=lambda X: X[:, 0], recall=0.5), PLANE, EXPERT, budget=40),
}


@pytest.fixture(scope="module", params=MADE)
def valid(request, tmp_path_factory):
    """The text of a valid file."""
    file = tmp_path_factory.mktemp("results") / "r.json"
    MADE[request.param]().save(file)
    load_result(file)
    return file.read_text()


def places(data, at=()):
    """Every place in a JSON value; of a long list the ends only, so that no list hides the rest."""
    yield at
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    inside = list(inside)
    for name, value in inside if isinstance(data, dict) or len(inside) < 4 else [*inside[:2], inside[-1]]:
        yield from places(value, (*at, name))


def deep(n):
    found = []
    for _ in range(n):
        found = [found]
    return found


ODD = st.sampled_from(
    [None, True, False, -1, 0, 1, 2, -5, 1.5, 0.5, 10**6, -(10**19), 10**400, 1e308, "", "1", "ann", "\0", [], {}, [[]]]
) | st.sampled_from([{"a": 1}, [None], [1, 2], ["x"] * 3, {"low": 1}, deep(300)])


def changed(data, at, how, odd):
    """Return the data with one change at one place."""
    data = copy.deepcopy(data)
    if not at:
        return odd
    parent = data
    for name in at[:-1]:
        parent = parent[name]
    name, value = at[-1], parent[at[-1]]
    if how == "drop":
        del parent[name]
    elif how == "negate" and isinstance(value, (int, float)):
        parent[name] = -5 * value - 1
    elif how == "nest":
        parent[name] = [value]
    elif how == "add" and isinstance(value, dict):
        value["unknown"] = odd
    elif how == "repeat" and isinstance(value, list):
        parent[name] = value + value[:2]
    else:
        parent[name] = odd
    return data


def use(result):
    """Do what a user does with a loaded result."""
    assert str(result)
    assert repr(result)
    assert 0 <= result.certificate.error_bound <= 1
    assert 0 <= result.n_revealed <= result.n_queries
    dim = result.hypothesis.hypotheses.dim or 2
    rows = np.vstack([np.zeros((1, dim)), np.ones((1, dim)) / 2])
    for do in (
        lambda: result.predict(rows),
        lambda: result.predict(rows, abstain=True),
        lambda: [result.items(kind) for kind in ("positive", "negative", "undecided")],
        lambda: result.statements().columns(),
        lambda: result.curve(),
        lambda: result.at_recall(0.5),
        lambda: (result.found, result.missing),
    ):
        with contextlib.suppress(ActivePUError):
            do()


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(choose=st.data())
def test_a_changed_file_is_a_result_or_one_sentence(valid, tmp_path, choose):
    data = json.loads(valid)
    at = choose.draw(st.sampled_from(list(places(data))), label="at")
    how = choose.draw(st.sampled_from(["drop", "negate", "nest", "add", "repeat", "retype"]), label="how")
    text = json.dumps(changed(data, at, how, choose.draw(ODD, label="odd")))
    (tmp_path / "r.json").write_text(text)
    try:
        result = load_result(tmp_path / "r.json")
    except ActivePUError as error:
        said = str(error).replace(str(tmp_path), "")
        assert len(said) < 400
        assert "\n" not in said
        return
    use(result)


WRONG = [
    (("certificate", "error_bound"), -5, "certificate.error_bound must be a share between 0 and 1, got -5"),
    (("certificate", "confidence"), 95, "certificate.confidence must be a share between 0 and 1, got 95"),
    (("certificate", "scope"), "world", "certificate.scope must be one of 'pool', 'population'"),
    (("certificate", "assumptions"), "none", "certificate.assumptions must be a list"),
    (("certificate", "surprise"), 1, "certificate.surprise' is not known"),
    (("surprise",), 1, "'surprise' is not known"),
    (("rate",), {"low": 0.9, "high": 0.1, "confidence": 0.9, "estimate": None}, "rate has the bounds 0.9 and 0.1"),
    (("history", "answer"), [1], r"history.answer must be a list of 15"),
    (("history", "step", 3), -1, r"history.step\[3\] must be a whole number from 0 on, got -1"),
    (("items", "positive"), [3, 3], r"items\..* must be a"),
    (("hypothesis", "low"), [0.5], r"box.low must be a list of 2"),
    (("derived",), "no", "derived must be true or false"),
    (("estimates",), {"rows": -1}, "estimates.depths is missing"),
    (("hypotheses", "dim"), 10**9, "hypotheses.dim must be a whole number from 0 to 1e\\+06"),
    (("stop_reason",), deep(30), "stop_reason must be a text"),
]


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    file = tmp_path_factory.mktemp("results") / "r.json"
    MADE["boxes"]().save(file)
    return json.loads(file.read_text())


@pytest.mark.parametrize(("at", "value", "said"), WRONG, ids=lambda part: str(part)[:40])
def test_the_sentence_names_the_field(boxes, tmp_path, at, value, said):
    data = copy.deepcopy(boxes)
    parent = data
    for name in at[:-1]:
        parent = parent[name]
    parent[at[-1]] = value
    (tmp_path / "r.json").write_text(json.dumps(data))
    with pytest.raises(InvalidInput, match=said):
        load_result(tmp_path / "r.json")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "[" * 100_000, "1" * 5000, "\ud800"])
def test_what_json_lets_through_is_refused(boxes, tmp_path, value):
    text = json.dumps({**boxes, "stop_reason": "HERE"}).replace('"HERE"', value)
    (tmp_path / "r.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(InvalidInput, match=r"r\.json' is not a result that Result.save wrote"):
        load_result(tmp_path / "r.json")


def test_a_huge_file_is_not_read(tmp_path):
    with open(tmp_path / "r.json", "wb") as file:
        file.truncate(saved.LARGEST + 1)
    with pytest.raises(InvalidInput, match="more than 1,073,741,824"):
        load_result(tmp_path / "r.json")


def test_a_number_that_is_not_one_is_not_a_share():
    for value in (math.nan, True, "0.5", None):
        with pytest.raises(InvalidInput, match="must be a share"):
            saved.Field(value, "x").share()
