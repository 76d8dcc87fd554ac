"""What a model learner knows in one run: what was asked and answered, and the model that follows from it alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import hashing
from activepu.errors import ActivePUError, InvalidInput, ModelFailed
from activepu.features.reading import reading
from activepu.models.base import ChannelModel
from activepu.models.channel_fit import fit
from activepu.models.estimators import last_step
from activepu.models.fitted import FittedModel
from activepu.models.likeness import likeness
from activepu.models.novelty import Search, numbers
from activepu.models.one_thread import one_thread
from activepu.models.silence import advice
from activepu.pools import Draws, Pool
from activepu.records import Question

CANDIDATE_ROWS = 2000
"""Rows that are considered for one question, drawn again after each answer from those not asked yet."""
POOL_SAMPLE_ROWS = 2000
"""Rows that represent the pool in the report, in the learning curve and where the stopping rule looks."""
SEARCHED_ROWS = 10_000
"""Rows among which the first positive is searched for, beside those drawn by lot."""
ANSWERS_PER_REVIEW = 20
"""At a review, after each 20 answers, it is decided which committees to keep and whether to stop."""

Items = NDArray[np.int64]


class ModelState:
    """The answers so far, and the model that they give.

    The model is a function of the answers, so that undo and replay give it again. `free` marks the rows that can still
    be asked; `waiting` are items that were put and have no answer yet, `timed_out` those that had none in time; `given`
    are positives known beforehand.
    `unanswered` marks the rows whose answer is not known: like the model it follows from the answers alone.
    """

    def __init__(self, draws: Draws, estimator: Any, rate: float | None) -> None:
        table = draws.table()
        if table is None:
            raise InvalidInput(
                "ModelLearner chooses among the rows of a table, and a Sampler has none; draw some: Pool(draw(n, rng))."
            )
        assert isinstance(draws.source, Pool)
        self.draws = draws
        self.reading = reading(estimator, draws.source)
        self.estimator = self.reading.estimator
        self.rate = rate
        self.given: Items = draws.positives[:, 0].astype(np.int64)
        self.items: list[int] = []
        self.revealed: list[bool] = []
        self.waiting: list[int] = []
        self.timed_out: list[int] = []
        self.free = np.ones(len(table), bool)
        self.leave_out(self.given)
        self.unanswered = self.free.copy()
        self.pool_sample = self._sample(np.arange(len(table)), POOL_SAMPLE_ROWS, 0)
        self._newest: tuple[int, ChannelModel | None] = (-1, None)
        self._reviewed: tuple[int, ChannelModel | None] = (-1, None)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def silent(self) -> bool:
        """Whether no positive is known yet."""
        return not (len(self.given) or any(self.revealed))

    @property
    def turn(self) -> int:
        """How many questions have an answer or wait for one."""
        return len(self) + len(self.waiting)

    def leave_out(self, items: Items) -> None:
        """Never ask these items, nor rows that look the same."""
        for item in items:
            self.free[self.draws.twins(int(item))] = False

    def put(self, item: int) -> None:
        """Note that a question was put: the item and the rows that share its coin are not asked again."""
        self.free[self.draws.twins(item)] = False
        self.waiting.append(item)

    def fold(self, question: Question) -> None:
        """Take in an answer. Answers come in the order of asking, so items that waited before this one were skipped."""
        if question.item in self.waiting:
            del self.waiting[: self.waiting.index(question.item) + 1]
        alike = self.draws.twins(question.item)
        self.free[alike] = self.unanswered[alike] = False
        self.items.append(question.item)
        self.revealed.append(question.revealed)

    def time_out(self, question: Question, audited: bool) -> None:
        """Take in that no answer came in time; a yes that comes later makes the item one more known positive.

        Not if the model is to be audited: when such a yes came is not recorded, and a replay must fix the same model.
        """
        self.waiting = [item for item in self.waiting if item != question.item]
        self.timed_out += [] if question.item in self.timed_out else [question.item]
        self.free[self.draws.twins(question.item)] = False
        if question.late and not audited:
            self.given = np.append(self.given, question.item)
            self._newest = self._reviewed = (-1, None)

    def rows(self, items: Any) -> Any:
        """What the model sees of these items."""
        return self.reading.rows(items)

    @property
    def known(self) -> Items:
        """The items that have a label of some kind: given, then asked."""
        return np.concatenate([self.given, np.array(self.items, np.int64)])

    @property
    def known_positive(self) -> NDArray[np.bool_]:
        """Which of the known items are given or revealed; the others are stars."""
        return np.concatenate([np.ones(len(self.given), bool), np.array(self.revealed, bool)])

    @property
    def model(self) -> ChannelModel | None:
        """The model after these answers; None while all of them are the same, so that there is nothing to learn."""
        n = len(self)
        if self._newest[0] != n:
            reviewed = self._at_review(n - n % ANSWERS_PER_REVIEW)
            self._newest = (n, self._fitted(n, reviewed) if n % ANSWERS_PER_REVIEW else reviewed)
        return self._newest[1]

    def _at_review(self, n: int) -> ChannelModel | None:
        """The model after the first n answers, at the last review: the fits until the next one start from it."""
        if self._reviewed[0] != n:
            self._reviewed = (n, self._fitted(n, None))
        return self._reviewed[1]

    def _fitted(self, n: int, earlier: ChannelModel | None) -> ChannelModel | None:
        """The model after the first n answers."""
        known = len(self.given) + n
        revealed = self.known_positive[:known]
        if revealed.all() or not revealed.any():
            return None
        rows, given = self.rows(self.known[:known]), np.arange(known) < len(self.given)
        with self.guarded():
            return fit(self.estimator, rows, revealed, given, self.rate, self.draws.seed, earlier)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn whatever the user's classifier raises in here into one sentence, in an error that keeps the answers.

        What runs in here runs on one thread.
        """
        try:
            with one_thread():
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
        name, columns = type(last_step(self.estimator)).__name__, self.draws.hypotheses.names
        return FittedModel(self.model, name, columns, not self.silent, self.reading.features)

    @cached_property
    def search(self) -> Search:
        """What to ask while no positive is known: it follows from the table and the seed alone."""
        items = self._sample(np.arange(len(self.free)), SEARCHED_ROWS, 0)
        return Search(lambda: numbers(self.estimator, self.rows(items)), items, len(self.free), self.draws.seed)

    def advice(self, searched: bool) -> str:
        """What would help where no positive is known yet, or hardly any; empty where nothing needs to be said.

        `searched` says whether the questions were the search's, which has asked some by lot.
        """
        skipped = ~self.free & self.unanswered
        for item in self.waiting:
            skipped[self.draws.twins(item)] = False
        by_lot = self.search.silent_by_lot(~self.unanswered, skipped) if searched and self.silent else 0
        known = int(self.known_positive.sum())
        return advice(len(self), known, by_lot, len(self.free), bool(skipped.any()))

    def likeness(self, items: Items) -> NDArray[np.float64]:
        """How like the known positives these items are, one row per member; at least one positive must be known."""
        rows = self.rows(np.concatenate([self.known, items]))
        with self.guarded():
            return likeness(self.estimator, rows, self.known_positive, self.draws.seed)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.draws.seed

    def after(self, n: int) -> ChannelModel | None:
        """The model after the first n answers, fitted again."""
        return self._fitted(n, None)

    def some(self, items: Items, n: int) -> Items:
        """n of the items at random, always the same ones; all of them if they are fewer."""
        return self._sample(items, n, 0)

    def candidates(self) -> Items:
        """Rows to choose the next question from."""
        return self._sample(np.flatnonzero(self.free), CANDIDATE_ROWS, len(self) + 1)

    def uniforms(self, items: Items) -> NDArray[np.float64]:
        """A random number in [0, 1) per item; another one after each answer."""
        return hashing.uniforms(_turn(self.draws.seed, len(self)), "lots", items)

    def _sample(self, items: Items, n: int, turn: int) -> Items:
        """n of the items at random, in their order; all of them if they are fewer."""
        if len(items) <= n:
            return items
        return np.sort(items[np.argsort(hashing.keys(_turn(self.draws.seed, turn), "sample", items))[:n]])


def _turn(seed: int, turn: int) -> int:
    """A seed for one turn of a run, unlike those of other runs."""
    return int(hashing.keys(seed, "turn", [turn])[0])
