"""The items that were not asked before: which are read by rank, which are drawn by lot, and what that shows.

Each band has a random order, fixed by the seed. A draw by lot takes the first item of the order that was not asked in
any way, which is uniform among those left, whatever was asked in between and why. Nothing but the lot looks at the
order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from activepu.audit.depth import UNSEEN, Decay, cheapest_depth, tried_depths
from activepu.audit.hidden import Band, extremes
from activepu.audit.strata import Strata
from activepu.errors import InvalidInput
from activepu.records import Note, Question

LOT, RANK = "lot", "rank"
"""The phases of questions: drawn by lot, or the likeliest item."""
PART = 0.3
"""The part of the misses that are allowed which Q expects to be hidden at most."""
COST = 0.3
"""What the plan reckons that Q costs, in nats, before the lot begins."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rest:
    """The items that were not asked before a run, and what was asked of them since.

    Parameters
    ----------
    strata : Strata
        The bands.
    coins : array of int
        For each row the first row that looks the same to the expert: the item that stands for it.
    scores : array or None
        The larger, the likelier; None where nothing is known.
    seed : int
        It fixes the lot.
    delta : float
        The probability with which the bounds may be wrong.
    """

    def __init__(self, strata: Strata, coins: Ints, scores: Floats | None, seed: int, delta: float) -> None:
        self.strata, self.seed, self.delta = strata, seed, delta
        self.bands = [Band(int(n), int(w)) for n, w in zip(strata.sizes, strata.weights, strict=True)]
        self.put: list[tuple[int, bool]] = []
        """Every question, in the order of asking: the item, and whether it was drawn by lot."""
        self.expected: list[float | None] = [None] * len(self.bands)
        """How many confirmable items each band was expected to hold when its first draw was answered."""
        self.total: tuple[float, float] = (0, math.inf)
        """Bounds on the confirmable rows. They hold at all times at once, so that the tightest so far count."""
        self.moments = (0, 0)
        """After how many answers each of these two was found."""
        self._coins, self._lot = coins, strata.lot(seed)
        self._in = np.full(len(coins), -1)
        self._in[strata.items] = strata.stratum
        self._at = [0] * len(self.bands)
        self._left = strata.sizes.astype(np.int64)  # how many items of each band are still in the lot
        self._drawn_share = np.zeros(len(self.bands))  # ln 1/(1 − the share that was drawn by lot)
        self._out = np.zeros(len(coins), bool)
        self._answered = np.zeros(len(coins), bool)
        self._asking: list[tuple[int, int | None]] = []  # in the order of asking: the item, and M if drawn by lot
        self._number: dict[int, int] = {}  # the place of an item in that order
        self._place: dict[int, int] = {}  # its place in its band
        self._reached = 0  # how many of them were taken in, as answered or as skipped
        self._any_skipped = False  # whether one of these was skipped, even if it was answered later
        self._decay = Decay(len(strata.items))
        self._lot_seen = [0, 0]  # draws, and reveals among them
        self.asked: list[int] = []
        self.said: list[bool] = []
        """The items with an answer, and the answers, in the order of asking."""
        self.found: list[int] = []
        """The items that were revealed."""
        self.rank(scores)
        self._look()

    def rank(self, scores: Floats | None) -> None:
        """Take in an opinion about every row: the larger, the likelier. None if there is none."""
        items = self.strata.items
        self._order = None if scores is None else items[np.argsort(-scores[items], kind="stable")]
        self._rank_at = 0

    def questions(self, in_hand: int, recall: float | None) -> Iterator[tuple[int, Note]]:
        """Yield the likeliest items down to the planned depth, then draws by lot."""
        depth = 0 if recall is None or self._order is None else self._depth(in_hand, recall)
        while self._left.any():
            depth -= 1
            yield (self._likeliest(), Note(RANK, -1)) if depth >= 0 else (self._draw(self._band()), Note(LOT, -1))

    def _depth(self, in_hand: int, recall: float) -> int:
        """Return how many items to read by rank before the next draw.

        Once the lot has begun it goes on, unless it shows that more are hidden than may be missing. Going back and
        forth took 9% more questions on reviews of literature.
        """
        misses, left = (1 - recall) / recall * in_hand, int(self._left.sum())
        if self._lot_seen[0] and self._share * left <= misses:
            return 0
        nats = math.log(1 / self.delta) - self._standing(misses + 1)
        depths = tried_depths(left)
        return cheapest_depth(*self._hidden(depths), depths, left, in_hand, recall, nats)

    @property
    def _share(self) -> float:
        """The share of confirmable items that the lot shows, shrunk towards one item in all."""
        return (self._lot_seen[1] + UNSEEN) / (self._lot_seen[0] + UNSEEN * len(self.strata.items))

    def _hidden(self, depths: Floats) -> tuple[Floats, Floats]:
        """Return how many confirmable items may hide below each depth, in several cases, and how likely each case is.

        The decay says how many the ranking will still find, the lot how many lie anywhere.
        """
        left = float(sum(band.size - band.asked for band in self.bands))
        below, weights = (np.zeros((1, len(depths))), np.ones(1))
        if self._order is not None:
            below, weights = self._decay.after(depths, left)
        return np.minimum(below + self._share * (left - depths), left - depths), weights

    def _standing(self, missing: float) -> float:
        """Return the evidence so far against so many missing rows, in nats, where it is weakest."""
        if all(expected is None for expected in self.expected):
            return -COST
        corners = [band.corners() for band in self.bands]
        tops = sum(float(y.max()) for _, y in corners)
        worst = -math.inf
        for band, (x, y) in zip(self.bands, corners, strict=True):
            at = band.revealed + missing / band.weight
            if at <= x[-1]:
                worst = max(worst, tops - float(y.max()) + float(np.interp(at, x, y)))
        return -worst

    def _likeliest(self) -> int:
        assert self._order is not None
        while self._out[self._order[self._rank_at]]:
            self._rank_at += 1
        return self._take(int(self._order[self._rank_at]))

    def _band(self) -> int:
        """Return the band in which a confirmable row could hide most cheaply."""
        return int(np.argmin(np.where(self._left > 0, self._drawn_share / self.strata.weights, np.inf)))

    def _draw(self, k: int) -> int:
        """Draw an item of this band by lot: the first in its random order that was not asked."""
        while self._out[self._lot[k][self._at[k]]]:
            self._at[k] += 1
        item, left = int(self._lot[k][self._at[k]]), int(self._left[k])
        self._drawn_share[k] += math.log(left / (left - 1)) if left > 1 else math.inf
        return self._take(item, left)

    def _take(self, item: int, left: int | None = None) -> int:
        """Take an item out of the lot, because it is asked; `left` items were in the lot if it was drawn by lot."""
        self.put.append((item, left is not None))
        if not self._out[item]:
            self._number[item] = len(self._asking)
            self._asking.append((item, left))
            self._out[item] = True
            self._left[self._in[item]] -= 1
        return item

    def recall(self, question: Question) -> None:
        """Take in a question that was put before or elsewhere; refuse a draw that the lot would not have given."""
        item = int(self._coins[question.item])
        k = int(self._in[item])
        if k < 0:
            return
        if self._out[item] or question.note.phase != LOT:
            self._take(item)  # if it was asked before, and skipped, then its first question counts
        elif (given := self._draw(k)) != item:
            raise InvalidInput(
                f"Question {question.number} was recorded for item {item}, but the lot gave item {given}; pass the "
                "original pool, audit and seed."
            )

    def fold(self, question: Question, misses: float = math.inf) -> None:
        """Take in an answer. Answers come in the order of asking, so items before it without an answer were skipped.

        `misses` are the rows that may be missing.
        """
        item, revealed = int(self._coins[question.item]), question.revealed
        k = int(self._in[item])
        if k < 0 or self._answered[item]:
            return
        if not self._out[item]:
            self._take(item)
        number = self._number[item]
        for earlier, left in self._asking[self._reached : number]:
            self._into_band(earlier, left, None, misses)
        if number < self._reached:
            self.bands[k].settle(self._place[item], revealed)
        else:
            self._into_band(item, self._asking[number][1], revealed, misses)
        self._reached = max(self._reached, number + 1)
        if self._asking[number][1] is not None:
            self._lot_seen = [self._lot_seen[0] + 1, self._lot_seen[1] + revealed]
        self._answered[item] = True
        self.asked.append(item)
        self.said.append(revealed)
        self.found += [item] if revealed else []
        if question.note.phase == RANK:
            self._decay.note(revealed)
        self._look()

    def _into_band(self, item: int, left: int | None, revealed: bool | None, misses: float) -> None:
        """Take an item into its band, with its answer, or as skipped."""
        k = int(self._in[item])
        if left is not None and self.expected[k] is None:
            self.expected[k] = self._expect(k, misses)
            self.bands[k].expect(self.expected[k] or 0.0, careful=self._any_skipped)
        self._any_skipped = self._any_skipped or revealed is None
        self._place[item] = self.bands[k].take(left, revealed)

    def _expect(self, k: int, misses: float) -> float:
        """Return how many confirmable items Q reckons with among those of a band without an answer.

        As many as the decay says, but no more than a part of what may be missing: where more are hidden the target is
        out of reach, and it does not matter how well Q predicts.
        """
        band, left = self.bands[k], sum(band.size - band.asked for band in self.bands)
        hidden, weights = self._hidden(np.zeros(1))
        return min(float(weights @ hidden[:, 0]), PART * misses) * (band.size - band.asked) / left

    def _look(self) -> None:
        low, high = extremes(self.bands, self.delta)
        before, at = self.total, self.moments
        self.total = max(low, before[0]), min(high, before[1])
        self.moments = tuple(m if a == b else len(self.asked) for a, b, m in zip(self.total, before, at, strict=True))  # type: ignore[assignment]

    @property
    def revealed(self) -> int:
        """How many rows were revealed."""
        return sum(band.weight * band.revealed for band in self.bands)

    @property
    def skipped(self) -> tuple[int, int]:
        """How many items that were asked have no answer so far, and how many of these were drawn by lot.

        Those that were asked last may still be open.
        """
        skipped = [left for item, left in self._asking[: self._reached] if not self._answered[item]]
        return len(skipped), sum(left is not None for left in skipped)

    @property
    def unread(self) -> int:
        """How many rows have no answer."""
        return sum(band.weight * (band.size - band.asked) for band in self.bands)

    @property
    def missing(self) -> tuple[int, int]:
        """The least and the largest number of confirmable rows that were not revealed."""
        return max(0, int(self.total[0]) - self.revealed), max(0, int(self.total[1]) - self.revealed)
