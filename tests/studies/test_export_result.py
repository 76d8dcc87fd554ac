"""The rule, its certificate and the model go out."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from studies.scenes import X, zcal

import activepu as apu
from activepu.errors import InvalidInput
from activepu.models import ChannelLogistic
from activepu.studies.exchange import export_result

ROWS = pd.DataFrame(X[:300], columns=["a", "b"])
Y = X[:300, 0] > 0.5
LEARNERS = {
    "forest": lambda: apu.ModelLearner(RandomForestClassifier(10)),
    "pipeline": lambda: apu.ModelLearner(make_pipeline(StandardScaler(), LogisticRegression())),
    "channel": lambda: apu.ModelLearner(ChannelLogistic(n_draws=10)),
}


def answered(tmp_path, learner, n, positives=True):
    study = apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", learner.pool(ROWS), learner)
    study.record([(item, bool(Y[item] and positives), "ann") for item in range(n)])
    return study


def test_a_rule_goes_out(tmp_path):
    with answered(tmp_path, zcal(), 20) as study:
        export_result(study, tmp_path / "r.json")
        export_result(study, tmp_path / "r.txt")
        loaded = apu.load_result(tmp_path / "r.json")
        assert loaded.certificate == study.result().certificate
        assert np.array_equal(loaded.predict(X), study.result().predict(X))
        assert "With 90% confidence" in (tmp_path / "r.txt").read_text()
        with pytest.raises(InvalidInput, match=r"hold fitted models, and the rule is .*; write it to \.json"):
            export_result(study, tmp_path / "r.skops")
        with pytest.raises(InvalidInput, match=r"got .*r\.pkl"):
            export_result(study, tmp_path / "r.pkl")
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("s.db")} == {"r.json", "r.txt"}


CLASSES = {
    "boxes": apu.Boxes(),
    "orthants": apu.Orthants(signs=[1, -1]),
    "thresholds": apu.Thresholds(),
    "thresholds below": apu.Thresholds(score="b", above=False),
    "intervals": apu.Intervals(),
    "conjunctions": apu.Conjunctions(),
    "halfspaces": apu.Halfspaces(),
}


def as_the_page_says(data, table):
    """The rule of a file, by another program."""
    of, rule = data["hypotheses"], data["hypothesis"]
    x = table[of["names"]].to_numpy(float)
    if "w" in rule:
        return x @ rule["w"] >= rule["b"]
    if rule["empty_sign"] == 1:
        return np.zeros(len(x), bool)
    if of.get("score") is not None:
        x = table[[of["score"]]].to_numpy(float)
    x = x * (of.get("signs") or 1) * (1 if of.get("above", True) else -1)
    low = [-np.inf if v is None else v for v in rule["low"]]
    high = [np.inf if v is None else v for v in rule["high"]]
    return ((x >= low) & (x <= high)).all(axis=1)


@pytest.mark.parametrize("answers", [0, 60])
@pytest.mark.parametrize("kind", CLASSES)
def test_another_program_can_apply_the_rule(tmp_path, kind, answers):
    one_column = kind in ("thresholds", "intervals")
    table = ROWS[["a"]] if one_column else (ROWS > 0.4).astype(float) if kind == "conjunctions" else ROWS
    low = table["a"] > (0.7 if kind == "halfspaces" else 0.3)
    truth = low & (table["a"] < 0.8) if kind == "intervals" else table["b"] < 0.5 if "below" in kind else low
    learner = apu.ZCal(CLASSES[kind], 0.1, 0.1, check=0)
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", apu.Pool(table), learner) as study:
        study.record([(item, bool(truth[item]), "ann") for item in range(answers)])
        export_result(study, tmp_path / "r.json")
        expected = study.result().predict(table)
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data["format"] == 2
    assert np.array_equal(as_the_page_says(data, table), expected)
    assert answers == 0 or 0 < expected.sum() < len(expected)
    assert set(data) == set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in page_table())))


def page_table():
    """The lines of the page that say what is in a file."""
    page = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    part = page[page.index("### The rule, for other programs") : page.index("### Models")]
    return [line for line in part.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_model_goes_out_and_predicts_the_same(tmp_path, kind):
    with answered(tmp_path, LEARNERS[kind](), 20) as study:
        export_result(study, tmp_path / "m.skops")
        export_result(study, tmp_path / "r.json")
        result = study.result()
    unknown = skops.io.get_untrusted_types(file=tmp_path / "m.skops")
    assert {name.split(".")[0] for name in unknown} <= {"activepu", "sklearn"}
    saved = skops.io.load(tmp_path / "m.skops", trusted=unknown)
    expected = result.predict(ROWS)
    assert 0 < expected.sum() < len(expected)
    assert np.array_equal(saved.predict(ROWS), expected)
    assert np.array_equal(saved.predict_proba(ROWS), result.predict_proba(ROWS))
    assert saved.certificate == str(result.certificate)
    loaded = apu.load_result(tmp_path / "r.json", hypotheses=saved.model)
    assert np.array_equal(loaded.predict(ROWS), expected)
    with pytest.raises(InvalidInput, match=r"pass it again: load_result\(path, hypotheses=…\)"):
        apu.load_result(tmp_path / "r.json")


def test_a_model_that_was_audited_goes_out(tmp_path):
    learner = apu.ModelLearner(RandomForestClassifier(10), audit={"recall": 0.5}, questions=12)
    with answered(tmp_path, learner, 20) as study:
        for _ in range(3):
            for question in study.ask("ann", n=4):
                study.tell(question.token, bool(Y[question.item]))
        export_result(study, tmp_path / "m.skops")
        export_result(study, tmp_path / "r.json")
        result = study.result()
    assert "lot" in result.history["phase"]
    file = tmp_path / "m.skops"
    saved = skops.io.load(file, trusted=skops.io.get_untrusted_types(file=file))
    assert np.array_equal(saved.predict(ROWS), result.predict(ROWS))
    assert np.array_equal(saved.predict_proba(ROWS), result.predict_proba(ROWS))
    loaded = apu.load_result(tmp_path / "r.json")
    assert loaded.recall == result.recall
    assert str(loaded) == str(result)
    with pytest.raises(InvalidInput, match="use the classifier itself"):
        loaded.predict(ROWS)
    whole = apu.load_result(tmp_path / "r.json", hypotheses=saved.model)
    assert np.array_equal(whole.predict(ROWS), result.predict(ROWS))
    assert np.array_equal(whole.predict_proba(ROWS), result.predict_proba(ROWS))


def test_a_study_without_a_model_yet_predicts_the_same_too(tmp_path):
    with answered(tmp_path, LEARNERS["forest"](), 5, positives=False) as study:
        export_result(study, tmp_path / "m.skops")
    file = tmp_path / "m.skops"
    assert not skops.io.load(file, trusted=skops.io.get_untrusted_types(file=file)).predict(ROWS).any()


def test_without_skops_there_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with (
        answered(tmp_path, LEARNERS["forest"](), 20) as study,
        pytest.raises(InvalidInput, match=r"pip install 'activepu\[models\]'"),
    ):
        export_result(study, tmp_path / "m.skops")


def test_a_model_that_skops_cannot_write_gets_a_sentence(tmp_path):
    code = make_pipeline(FunctionTransformer(lambda table: table), LogisticRegression())
    with answered(tmp_path, apu.ModelLearner(code), 20) as study, pytest.raises(InvalidInput, match="without lambdas"):
        export_result(study, tmp_path / "m.skops")
    assert not (tmp_path / "m.skops").exists()
