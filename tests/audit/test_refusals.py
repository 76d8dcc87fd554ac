"""What an audit refuses: one clear sentence, before the first question."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from audit.world import CALLED, SCORE, N, X, audit
from sklearn.linear_model import LogisticRegression

import activepu as apu
from activepu.errors import InvalidInput


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"classifier": CALLED[:9]}, r"one prediction per row of the pool \(1,500\), got shape \(9,\)"),
        ({"classifier": np.full(N, 2)}, "must hold only true and false"),
        ({"classifier": LogisticRegression()}, "LogisticRegression cannot judge the rows of the pool"),
        ({"score": np.where(SCORE > 0.9, np.nan, SCORE)}, "missing or infinite, the first in row"),
        ({"score": SCORE[:5]}, r"one number per row of the pool \(1,500\)"),
        ({"score": SCORE, "bands": [0.5, float(np.sort(SCORE)[-1])]}, r"holds 1 item\(s\), which tells nothing"),
        ({"bands": 4}, "needs a score to make bands of"),
        ({"score": SCORE, "bands": 1}, "at least 2 bands"),
        ({"gold": [N]}, f"from 0 to {N - 1}, got {N}"),
        ({"gold": [4, 4]}, "Two gold items are the same row"),
        ({"groups": ["a"]}, "one value per row of the pool"),
    ],
)
def test_bad_input_gets_one_sentence(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        apu.Run(apu.Audit(**{"classifier": CALLED, **settings}), X)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rate": 0}, "rate must"),
        ({"rate": (0.7, 0.3)}, "must rise"),
        ({"rate": (0.1, 0.2, 0.3)}, "a number, a range"),
        ({"recall": 1.0}, "recall must"),
        ({"error": 0}, "error must"),
        ({"purity": 2}, "purity must"),
    ],
)
def test_bad_settings_get_one_sentence(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        audit(**settings)


def test_gold_that_is_given_already() -> None:
    with pytest.raises(InvalidInput, match="both gold, which is asked, and among the given positives"):
        apu.Run(audit(gold=[3]), X, positives=[3])


def test_lookalikes_that_the_classifier_tells_apart() -> None:
    rows = np.column_stack([SCORE, np.zeros(N)])
    with pytest.raises(InvalidInput, match="look the same to the expert, but the classifier tells them apart"):
        apu.Run(apu.Audit(CALLED), apu.Pool(rows, features=[0], show=[1]))
