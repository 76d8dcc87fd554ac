"""The strata of an audit: bands of the score, on either side of the classifier, fixed before the first question.

Rows that look the same to the expert share one answer. They are one item of the lot, and strata are kept apart by how
many rows an item stands for, so that every stratum counts with one weight.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu import hashing
from activepu.audit.groups import Groups
from activepu.errors import InvalidInput

INSIDE = (0.4,)
"""Where the items that are called positive are split into bands: the less sure 40%, and the rest."""
OUTSIDE = (0.8, 0.95)
"""Where the others are split: 80% far below the cut, 15% nearer, 5% right below it."""
GUESSES = (0.6, 0.03)
"""The share of positives that is expected where a classifier says yes and where it says no, if it says no more."""

LISTED = 200_000
"""With more items than this the rows of the strata are saved in a packed form."""

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Strata:
    """The items that are audited, by stratum.

    Attributes
    ----------
    items : array of int
        The items of the lot: for rows that look the same, the first of them.
    stratum : array of int
        The stratum of each of these items.
    sizes : array of int
        N, how many items each stratum has.
    weights : array
        How many rows an item of the stratum stands for.
    inside : array of bool
        Whether the classifier calls the stratum's items positive.
    bands : array of int
        The band of the score, 0 for the lowest.
    borders : array
        The scores at which a new band begins.
    means : array
        The share of positives that is expected in each stratum. Nothing rests on it but the number of questions.
    mixed : bool
        Whether some rows that look the same to the expert lie in different bands, so that no cut can be audited.
    groups : tuple
        The group of each stratum; None where there are no groups.
    """

    items: Ints
    stratum: Ints
    sizes: Ints
    weights: Floats
    inside: Bools
    bands: Ints
    borders: Floats
    means: Floats
    groups: tuple[str | None, ...]
    mixed: bool = False

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def rows(self) -> int:
        """How many rows of the pool the audit speaks of."""
        return int((self.sizes * self.weights).sum())

    @cached_property
    def called(self) -> int:
        """How many of these rows the classifier calls positive."""
        return int((self.sizes * self.weights)[self.inside].sum())

    @cached_property
    def expected(self) -> float:
        """The share of these rows that is expected to be positive."""
        return float((self.sizes * self.weights * self.means).sum()) / self.rows

    def above(self, band: int) -> Bools:
        """Return which strata lie in this band or above it."""
        return np.asarray(self.bands >= band)

    @cached_property
    def by_group(self) -> dict[str, Strata]:
        """The strata of each group by themselves."""
        return {group: self._only(group) for group in self.groups if group is not None}

    def in_group(self, group: str) -> Bools:
        """Return which strata belong to a group."""
        return np.array([each == group for each in self.groups])

    def _only(self, group: str) -> Strata:
        kept = self.in_group(group)
        mine, place = kept[self.stratum], np.cumsum(kept) - 1
        return Strata(
            self.items[mine],
            place[self.stratum[mine]],
            self.sizes[kept],
            self.weights[kept],
            self.inside[kept],
            self.bands[kept],
            self.borders,
            self.means[kept],
            (group,) * int(kept.sum()),
            self.mixed,
        )

    def salted(self, seed: int) -> int:
        """Return the seed of the lot: it depends on the strata too.

        Two audits of one pool must not share a lot. Where the first has drawn most items of a stratum, those left come
        last in its order, and in that order they would come last in the strata of the second as well.
        """
        return (seed + int(self.digest[:16], 16)) % 2**64

    def lot(self, seed: int) -> list[Ints]:
        """Return the items of each stratum in the random order in which they are asked."""
        drawn = np.argsort(hashing.keys(self.salted(seed), "lot", self.items))
        return self._apart(self.items[drawn], self.stratum[drawn])

    def _apart(self, items: Ints, stratum: Ints) -> list[Ints]:
        """Return the items of each stratum, in the order in which they come."""
        codes = stratum.astype(np.uint16) if len(self) <= 1 << 16 else stratum  # short codes are sorted by counting
        return np.split(items[np.argsort(codes, kind="stable")], np.cumsum(self.sizes)[:-1])

    @cached_property
    def members(self) -> list[list[int]]:
        """The items of each stratum, in rising order."""
        return [part.tolist() for part in self._apart(self.items, self.stratum)]

    @cached_property
    def packed(self) -> str:
        """The stratum of each row, −1 where the row is no item: four bytes each, compressed, as base64."""
        codes = np.full(int(self.items.max()) + 1, -1, "<i4")
        codes[self.items] = self.stratum
        return base64.b64encode(zlib.compress(codes.tobytes(), 1)).decode()

    @cached_property
    def digest(self) -> str:
        """A number that depends on the items of each stratum: SHA-256 of the rows and their strata."""
        both = np.stack([self.items, self.stratum]).astype("<i8")
        return hashlib.sha256(both.tobytes()).hexdigest()


def nothing() -> Strata:
    """Return no strata: nothing is left to ask."""
    none, ints = np.empty(0), np.empty(0, np.int64)
    return Strata(ints, ints, ints, none, np.empty(0, bool), ints, none, none, ())


def stratify(
    predictions: Bools,
    scores: Floats | None,
    probabilities: Floats | None,
    coins: Ints,
    audited: Bools,
    bands: int | Sequence[float] | None = None,
    groups: Groups | None = None,
) -> Strata:
    """Return the strata of the audited rows.

    Parameters
    ----------
    predictions : array of bool
        What the classifier says about each row of the pool.
    scores : array or None
        The score whose bands are the strata, where there is one.
    probabilities : array or None
        The classifier's own probabilities, where it has them.
    coins : array of int
        For each row the first row that looks the same to the expert.
    audited : array of bool
        The rows of which the audit speaks.
    bands : int, sequence of float or None
        How many bands, or the scores at which a new one begins.
    groups : Groups or None
        The group of each row; strata of different groups are kept apart.
    """
    rows = np.flatnonzero(audited)
    if not len(rows):
        raise InvalidInput("Nothing is left to audit: every item was asked or given before; audit another pool.")
    items, first, copies = _counted(coins[rows])
    _check_alike(predictions[rows], first, len(items))
    group = np.zeros(len(coins), np.int64) if groups is None else groups.codes
    if (apart := group[rows] != group[items][first]).any():
        raise InvalidInput(
            f"{int(apart.sum()):,} rows look the same to the expert as a row of another group, so that one answer "
            "would count in both; show the column of the groups: Pool(…, show=[…])."
        )
    score = np.where(predictions, 1.0, 0.0) if scores is None else scores
    borders = _borders(predictions[rows], score[rows], scores is None, bands)
    band = np.searchsorted(borders, score[items], side="right")
    alike, copy, _ = _counted(copies)
    each = (group[items], predictions[items].astype(np.int64), band, copy)
    spans = [int(part.max()) + 1 for part in each]
    codes, stratum, sizes = _counted(np.ravel_multi_index(each, spans))
    kinds = np.stack(np.unravel_index(codes, spans), axis=1)
    inside = kinds[:, 1].astype(bool)
    if probabilities is None:
        means = np.where(inside, *GUESSES)
    else:
        means = np.bincount(stratum, probabilities[items], len(kinds)) / sizes
    return Strata(
        items,
        stratum,
        sizes,
        alike[kinds[:, 3]].astype(np.float64),
        inside,
        kinds[:, 2],
        borders,
        means,
        tuple(None if groups is None else groups.names[g] for g in kinds[:, 0]),
        bool((np.searchsorted(borders, score[rows], side="right") != band[first]).any()),
    )


def _counted(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different codes in rising order, the place of each code among them, and how often they occur."""
    counts = np.bincount(codes)
    seen = np.flatnonzero(counts)
    return seen, (np.cumsum(counts > 0) - 1)[codes], counts[seen]


def _check_alike(predictions: Bools, first: Ints, n: int) -> None:
    yes = np.bincount(first, predictions, n)
    mixed = (yes > 0) & (yes < np.bincount(first, minlength=n))
    if mixed.any():
        raise InvalidInput(
            f"{int(mixed.sum()):,} sets of rows look the same to the expert, but the classifier tells them apart, so "
            "that one answer would count as both; show a column in which they differ: Pool(…, show=[…])."
        )


def _borders(predictions: Bools, score: Floats, plain: bool, bands: int | Sequence[float] | None) -> Floats:
    """Return the scores at which a band begins: those given, or quantiles on either side of the classifier."""
    if plain:
        if bands is not None and bands != 2:
            raise InvalidInput(f"bands = {bands!r} needs a score to make bands of; pass score=…, or leave bands out.")
        return np.array([1.0]) if predictions.any() and not predictions.all() else np.empty(0)
    if bands is not None and np.ndim(bands):
        return _given(np.asarray(bands, np.float64), score)
    inside, outside = score[predictions], score[~predictions]
    cuts_in, cuts_out = (INSIDE, OUTSIDE) if bands is None else _even(int(np.asarray(bands)))
    found = [
        np.quantile(part, cuts, method="higher") for part, cuts in ((inside, cuts_in), (outside, cuts_out)) if len(part)
    ]
    found += [inside.min(keepdims=True)] if len(inside) and len(outside) else []
    borders = np.unique(np.concatenate(found))
    borders = borders[borders > score.min()]
    if bands is not None and min(len(inside), len(outside)) > 1:
        _check_sizes(np.bincount(np.searchsorted(borders, score, side="right")), int(np.asarray(bands)))
    return np.array([_short(border, score) for border in borders])


def _check_sizes(counts: Ints, bands: int) -> None:
    """Refuse so many bands that one of them holds a single item."""
    if counts.min() < 2:
        raise InvalidInput(
            f"bands = {bands} makes a band that holds {counts.min()} item, which tells nothing; pass fewer bands."
        )


def _short(border: float, score: Floats) -> float:
    """Return the number with the fewest digits that parts the scores where this one does, for people to copy."""
    below = float(score[score < border].max())
    for digits in range(1, 17):
        if (short := float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(float(border)))) > below:
            return short
    return float(border)


def _even(bands: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return quantiles for so many bands in all; those outside get narrower towards the cut."""
    if bands < 2:
        raise InvalidInput(f"An audit needs at least 2 bands, one on either side of the classifier, got {bands}.")
    inside = max(1, round(0.4 * bands))
    outside = bands - inside
    return tuple(k / inside for k in range(1, inside)), tuple(1 - 0.25**k for k in range(1, outside))


def _given(borders: Floats, score: Floats) -> Floats:
    borders = np.unique(borders)
    if not np.isfinite(borders).all():
        raise InvalidInput("bands must be finite scores at which a new band begins, got NaN or infinity.")
    counts = np.bincount(np.searchsorted(borders, score, side="right"), minlength=len(borders) + 1)
    if (small := np.flatnonzero(counts < 2)).size:
        edges = ["−∞", *[f"{border:g}" for border in borders], "∞"]
        k = int(small[0])
        raise InvalidInput(
            f"The band of scores from {edges[k]} to {edges[k + 1]} holds {counts[k]} item(s), which tells nothing; "
            "leave out one of its borders."
        )
    return borders
