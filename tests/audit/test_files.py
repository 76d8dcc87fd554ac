"""Audits of files: columns of every kind, with pandas and without."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from sklearn.linear_model import LogisticRegression

import activepu as apu

ROWS = 60
WITHOUT_PANDAS = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)

sys.meta_path.insert(0, Refused())
"""
AUDIT = """
import numpy as np
import pyarrow as pa
from sklearn.linear_model import LogisticRegression

import activepu as apu

x = np.arange(60) / 60
model = LogisticRegression().fit(pa.table({"x": x, "z": x % 0.1}), x > 0.5)
for audit in (apu.Audit("called", score="x"), apu.Audit(model)):
    run = apu.Run(audit, "table.csv")
    for question in run.ask(5):
        run.tell(question, question.row["x"] > 0.4)
    print(run.result().recall.low >= 0, run.source.features([0]).to_pylist()[0]["name"])
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A file with numbers and text."""
    monkeypatch.chdir(tmp_path)
    x = np.arange(ROWS) / ROWS
    columns = {"name": [f"n{row}" for row in range(ROWS)], "z": x % 0.1, "x": x, "called": (x > 0.5).astype(int)}
    pyarrow.csv.write_csv(pa.table(columns), "table.csv")


def test_an_audit_of_a_file_needs_no_pandas():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS + AUDIT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True n0"] * 2


def test_a_fitted_classifier_finds_its_columns_by_name():
    """The file has more columns than it was fitted on, in another order."""
    table = pyarrow.csv.read_csv("table.csv")
    fitted_on = table.select(["x", "z"]).to_pandas()
    model = LogisticRegression().fit(fitted_on, table["called"].to_numpy())
    learner = apu.Audit(model)
    judged, _ = learner.strata(learner.pool("table.csv").draws(learner.hypotheses, 0))
    assert judged.predictions.tolist() == (model.predict(fitted_on) == 1).tolist()
    assert judged.scores == pytest.approx(model.predict_proba(fitted_on)[:, 1])
