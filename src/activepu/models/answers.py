"""What a model learner knows in one run: what was asked and answered, and the model that follows from it alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import hashing
from activepu.errors import ActivePUError, InvalidInput, ModelFailed
from activepu.models.base import ChannelModel
from activepu.models.channel_fit import fit
from activepu.models.committees import last_step
from activepu.models.fitted import FittedModel
from activepu.models.novelty import novelty
from activepu.pools import Draws
from activepu.records import Question

CANDIDATES = 2000
"""Rows that are looked at for one question, drawn anew each time from those not asked yet."""
WINDOW = 20
"""Every so many answers the model is thought over: which committee to keep, and whether it has settled."""
REFERENCE = 2000
"""Rows that stand for the pool in the report."""

Items = NDArray[np.int64]


class Answers:
    """The answers so far. `free` marks the rows that can still be asked; `waiting` were put and have no answer yet."""

    def __init__(self, draws: Draws, estimator: Any, rate: float | None) -> None:
        table = draws.table()
        if table is None:
            raise InvalidInput(
                "ModelLearner chooses among the rows of a table, and a Sampler has none; draw some: Pool(draw(n, rng))."
            )
        self.draws = draws
        self.estimator = estimator
        self.rate = rate
        self.given: Items = draws.positives[:, 0].astype(np.int64)
        self.items: list[int] = []
        self.revealed: list[bool] = []
        self.waiting: list[int] = []
        self.free = np.ones(len(table), bool)
        for item in self.given:
            self.free[draws.twins(int(item))] = False
        self.reference = self._by_lot(np.arange(len(table)), REFERENCE, 0)
        self._model: tuple[int, ChannelModel | None] = (-1, None)
        self._whole: tuple[int, ChannelModel | None] = (-1, None)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def silent(self) -> bool:
        """Whether no positive is known yet."""
        return not (len(self.given) or any(self.revealed))

    @property
    def alike(self) -> bool:
        """Whether all answers are the same, so that there is nothing to learn from yet."""
        return self.silent or all(self.revealed)

    def put(self, item: int) -> None:
        """A question is put: it and the rows that share its coin are not asked again."""
        self.free[self.draws.twins(item)] = False
        self.waiting.append(item)

    def fold(self, question: Question) -> None:
        """An answer. They come in the order of asking: what was put before it and still waits was skipped."""
        if question.item in self.waiting:
            del self.waiting[: self.waiting.index(question.item) + 1]
        self.free[self.draws.twins(question.item)] = False
        self.items.append(question.item)
        self.revealed.append(question.revealed)

    def rows(self, items: Any) -> Any:
        """What the model sees of these items."""
        return self.draws.features(items)

    @property
    def known(self) -> Items:
        """The items that have a label of some kind: given, then asked."""
        return np.concatenate([self.given, np.array(self.items, np.int64)])

    @property
    def model(self) -> ChannelModel | None:
        """The model after these answers, and nothing else; None while they are all alike."""
        n = len(self)
        if self._model[0] != n:
            self._model = (n, None if self.alike else self._fitted(n, self._at_window() if n % WINDOW else None))
            if n % WINDOW == 0:
                self._whole = self._model
        return self._model[1]

    def _at_window(self) -> ChannelModel | None:
        """The model after the last whole window, which the next ones lean on."""
        n = len(self) // WINDOW * WINDOW
        if self._whole[0] != n:
            revealed = [*[True] * len(self.given), *self.revealed[:n]]
            self._whole = (n, self._fitted(n, None) if any(revealed) and not all(revealed) else None)
        return self._whole[1]

    def all_known(self) -> tuple[Any, NDArray[np.bool_]]:
        """The rows that have a label of some kind, and whether it says positive."""
        return self.rows(self.known), np.concatenate([np.ones(len(self.given), bool), np.array(self.revealed, bool)])

    def _fitted(self, n: int, before: ChannelModel | None) -> ChannelModel:
        """The model after the first n answers."""
        known = len(self.given) + n
        rows, revealed = self.rows(self.known[:known]), self.all_known()[1][:known]
        given = np.arange(known) < len(self.given)
        with self.guarded():
            return fit(self.estimator, rows, revealed, given, self.rate, self.draws.seed, before)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Whatever the user's classifier raises in here is said in a sentence that keeps the answers."""
        try:
            yield
        except ActivePUError:
            raise
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> ModelFailed:
        name = type(self.estimator).__name__
        said = str(error).strip().partition("\n")[0].rstrip(".")  # scikit-learn may go on for a paragraph
        answers = f"{len(self)} answer{'s' * (len(self) != 1)}"
        return ModelFailed(
            f"{name} raised {type(error).__name__} after {answers}: {said}. The answers are kept in this error's "
            ".answers, one per item.",
            dict(zip(self.items, self.revealed, strict=True)),
        )

    def rule(self) -> FittedModel:
        """The model as a hypothesis."""
        return FittedModel(
            self.model, type(last_step(self.estimator)).__name__, self.draws.hypotheses.names, not self.silent
        )

    def unlike(self, items: Items) -> NDArray[np.float64]:
        """While no positive is known: how much these items are unlike those met with silence."""
        n = len(self.known)
        rows = self.rows(np.concatenate([self.known, items]))
        with self.guarded():
            return novelty(self.estimator, rows, n, self.draws.seed)

    def candidates(self) -> Items:
        """Rows to choose the next question from."""
        return self._by_lot(np.flatnonzero(self.free), CANDIDATES, len(self) + 1)

    def lots(self, items: Items) -> NDArray[np.float64]:
        """A number in [0, 1) per item, another one after each answer."""
        return hashing.uniforms(_turn(self.draws.seed, len(self)), "lots", items)

    def _by_lot(self, items: Items, n: int, turn: int) -> Items:
        if len(items) <= n:
            return items
        return np.sort(items[np.argsort(hashing.keys(_turn(self.draws.seed, turn), "sample", items))[:n]])


def _turn(seed: int, turn: int) -> int:
    """A seed for one turn of a run, unlike those of other runs."""
    return int(hashing.keys(seed, "turn", [turn])[0])
