"""A folder with a small table of transactions, and what a model learned from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

ROWS = 400


def write_tables() -> None:
    """table.csv with the truth and a classifier's answers, and new.csv without, in the folder that is open."""
    rng = np.random.default_rng(0)
    amount, age = rng.random((2, ROWS)).round(4)
    fraud = (amount > 0.3) & (amount < 0.8) & (age > 0.2) & (age < 0.8)
    score = (fraud * 0.5 + rng.random(ROWS) * 0.6).round(3)
    lines = ["account,amount,age,note,fraud,flagged,score"]
    lines += [
        f"{k:04d},{amount[k]},{age[k]},=cmd(),{int(fraud[k])},{int(score[k] > 0.5)},{score[k]}" for k in range(ROWS)
    ]
    Path("table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    new = ["account,amount,age,note", *(f'{k:04d},{amount[k]},{age[k]},"=1+1"' for k in range(50))]
    Path("new.csv").write_text("\n".join(new) + "\n", encoding="utf-8")


MODEL = ("--model", "naive-bayes", "--features", "amount,age", "--budget", "30")
LEARN = ("learn", "table.csv", "--expert-column", "fraud", "--id", "account")
AUDIT = ("audit", "table.csv", "--predictions", "flagged", "--score", "score", "--id", "account", "--budget", "20")
