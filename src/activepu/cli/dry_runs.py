"""Dry runs on a table whose answers are known: the pool and the truth, and what was found, beside the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text
from sklearn.metrics import average_precision_score

from activepu import checks
from activepu.certificate import Certificate
from activepu.cli import audits, data, findings, learners, screen, tables
from activepu.errors import InvalidInput
from activepu.experts import binary
from activepu.learners import Cal, Learner
from activepu.pools import Pool
from activepu.pools.frames import Frame
from activepu.pools.read import read_file
from activepu.result import Result
from activepu.saved_result import STATUS


def checked_rate(learner: Learner, rate: float | None) -> float:
    """Return how often the simulated expert reveals a positive: what was said, else half, and always for cal."""
    if rate is None:
        return 1.0 if isinstance(learner, Cal) else 0.5
    if isinstance(learner, Cal) and rate != 1:
        raise InvalidInput(f"The learner cal reads silence as a no, so it needs --rate 1, got {rate:g}.")
    return checks.rate("--rate", rate)


def read_pool(
    file: Path, wanted: list[str] | None, expert_column: str, id_column: str | None, of_model: bool = False
) -> tuple[Pool, NDArray[np.bool_]]:
    """Return the pool and the truth. The expert sees every column but the truth, so equal rows share one coin."""
    table = read_file(file)
    frame = Frame(table)
    y = binary(f"The expert column {expert_column!r}", frame.values(frame.axis(expert_column)))
    if wanted is not None and expert_column in wanted:
        raise InvalidInput(f"The expert column {expert_column!r} holds the answers and cannot be a feature as well.")
    features = wanted
    if of_model:
        features = learners.columns_for_model(table, wanted, (expert_column, id_column))
    elif wanted is None:
        features = [
            name
            for name, kind in zip(table.column_names, table.schema.types, strict=True)
            if name not in (expert_column, id_column)
            and (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))
        ]
    shown = [name for name in table.column_names if name != expert_column]
    return Pool(table, features=features, id=id_column, show=shown, raw=of_model), y


@dataclass(frozen=True)
class Found:
    """What a dry run found about a pool whose truth is known."""

    result: Result
    pool: Pool
    y: NDArray[np.bool_]

    @cached_property
    def called(self) -> NDArray[np.bool_]:
        """What the rule calls positive."""
        return np.asarray(self.result.predict(self.pool.features()), bool)

    @cached_property
    def probability(self) -> NDArray[np.float64] | None:
        """P(positive) of every item, by a model."""
        return None if self.result.model is None else self.result.predict_proba(self.pool.features())[:, 1]

    @cached_property
    def counts(self) -> dict[str, int] | None:
        """How many items are certain, either way, and undecided; None for a model, which is certain of none."""
        if self.result.version_space is None:
            return None
        return {kind: len(self.result.items(kind)) for kind in STATUS}  # type: ignore[arg-type]

    def truth(self) -> dict[str, Any]:
        """Return what is true of the rule on this table, which nobody knows but in a dry run."""
        hits, y, called = int((self.y & self.called).sum()), self.y, self.called
        measured = {
            "positives": float(y.mean()),
            "error": float((called != y).mean()),
            "recall": hits / int(y.sum()) if y.any() else None,
            "precision": hits / int(called.sum()) if called.any() else None,
            "average_precision": None,
        }
        if self.probability is not None and y.any():
            measured["average_precision"] = float(average_precision_score(y, self.probability))
        return {"truth": measured, "items": self.counts}

    def show(self) -> None:
        """Print what was found, in words, and what is true beside it."""
        if data.audited(self.result):
            findings.show(self.result, with_curve=False)
            screen.console().print()
        elif self.probability is not None:
            screen.say(screen.console(), audits.in_the_terminal(str(self.result)))
            screen.console().print()
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column()
        for name, fact in (self._measured() if self.result.model is not None else self._facts()).items():
            if fact is not None:
                grid.add_row(name, Text(fact))
        screen.console().print(grid)

    def _measured(self) -> dict[str, str | None]:
        """What is true of a model."""
        truth = self.truth()["truth"]
        shares = {"positives": "of all items", "error": "of all items", "recall": "of the positives",
                  "precision": "of what it calls positive"}  # fmt: skip
        said: dict[str, str | None] = {
            f"true {name}": None if truth[name] is None else f"{100 * truth[name]:.3g}% {of}"
            for name, of in shares.items()
        }
        if truth["average_precision"] is not None:
            said["average precision"] = f"{truth['average_precision']:.3f}"
        return said | {"": f"measured on the {len(self.pool):,} items in the file, not certified"}

    def _facts(self) -> dict[str, str | None]:
        """What was found, and the true error of a rule."""
        result, wrong, y = self.result, self.called != self.y, self.y
        counts = self.counts or dict.fromkeys(STATUS, 0)
        facts = {
            "rule": str(result).split("\n")[0],
            "certificate": str(result.certificate),
            "population": beyond(result.population),
            "questions": f"{result.n_queries:,} asked, {result.n_revealed:,} revealed"
            + (f"; {result.n_checks:,} of them check the class" if result.n_checks else ""),
            "reveal rate": None if result.rate is None else str(result.rate),
            "positives": None if result.prior is None else f"{result.prior} (share of all)",
            "stopped": result.stop_reason,
            "true error": f"{100 * wrong.mean():.3g}% of the {len(y):,} items in the file (measured, not certified)",
            "items": f"{counts['positive']:,} certain positive, {counts['undecided']:,} undecided, "
            f"{counts['negative']:,} certain negative",
        }
        if wrong.mean() > result.certificate.error_bound:
            facts["warning"] = (
                "The certificate fails on this table, so one of its assumptions does not hold here: "
                f"{100 * y.mean():.3g}% of the items are positive, of which the rule finds "
                f"{100 * (~wrong[y]).mean():.3g}%."
            )
        return facts

    def write_items(self, path: Path) -> None:
        """Write one line per item: its key, what is decided or estimated, and what the expert answered."""
        answered = np.full(len(self.pool), "not asked", object)
        for item, answer in zip(self.result.history["item"], self.result.history["answer"], strict=True):
            answered[item] = "revealed" if answer else "silent"
        columns: dict[str, Any] = {"item": np.arange(len(self.pool))}
        if self.pool.has_ids:
            columns["id"] = self.pool.ids
        if self.probability is not None:
            columns["p_positive"] = self.probability
        elif self.result.version_space is not None:
            columns["decided"] = np.empty(len(self.pool), object)
            for kind in STATUS:
                columns["decided"][self.result.items(kind)] = kind  # type: ignore[arg-type]
        columns |= {"predicted": self.called.astype(np.int8), "expert": answered}
        tables.write(path, pa.table(columns))


def beyond(certificate: Certificate | None) -> str | None:
    """Shorten a second certificate: it assumes what the first does, and independent rows. None if it says nothing."""
    if certificate is None or certificate.error_bound >= 1:
        return None
    claim = str(replace(certificate, doubt="")).split(" This holds if")[0]
    return claim + " This holds if, besides, the rows are independent draws."
