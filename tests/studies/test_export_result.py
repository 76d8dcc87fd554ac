"""The rule, its certificate and the model go out."""

import sys

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
    "cut": lambda: apu.ModelLearner(RandomForestClassifier(10), certify=(0.3, 0.1), questions=12),
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
    loaded = apu.load_result(tmp_path / "r.json", hypotheses=saved.rule)
    assert np.array_equal(loaded.predict(ROWS), expected)
    with pytest.raises(InvalidInput, match=r"pass it again as load_result\(path, hypotheses=…\)"):
        apu.load_result(tmp_path / "r.json")


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
