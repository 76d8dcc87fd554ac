"""Which item to ask: the one whose answer is expected to lower one potential most.

    Ψ = ln(FLOOR·ε + Φ) + CURIOSITY · doubt · H(h)

(CURIOSITY / (1 − ω) where the rate is known), Φ the evidence that is still needed against rivals (`zcal.rivals`),
H(h) the entropy of the posterior, and doubt how likely the likeliest mistake is, a share ε of the items left out. Its
parts speak when they should:
- where the boundary is unclear, H(h) falls by the information of the answer, and doubt is near 1;
- once the posterior is narrower than ε, doubt fades and only the certificate counts: silences that many rivals hold;
- with an unknown rate, a question about a certain positive tells ω, and thereby how much each silence weighs in Φ.

What lies so near to the closure that it cannot matter is not asked. Nothing here can break a guarantee: it only
chooses.

Some thousand items are looked at, a few dozen by Ψ itself: a third the most informative, a third those whose silence
would do most, a third at random. Open questions are supposed to be silent, so that a batch does not ask the same thing
twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.hypotheses.finite import unpack
from activepu.version_spaces import ClosedVersionSpace, FiniteVersionSpace
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.zcal.candidates import CandidateFilter
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.confidence.finite import FiniteSet
from activepu.zcal.confidence.floors import Floors
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.confidence.unknown_rate import UnknownRateSet
from activepu.zcal.confidence.wrong_reveals import WrongRevealsSet
from activepu.zcal.posteriors import Posterior, Prediction
from activepu.zcal.posteriors.base import entropy
from activepu.zcal.posteriors.halfspaces import HalfspacePosterior
from activepu.zcal.radius import Ball
from activepu.zcal.rivals import (
    Answers,
    ClosureRivals,
    Floats,
    Grown,
    KnownRateRivals,
    MemberRivals,
    Reference,
    Rivals,
    UnknownRateRivals,
    stretched,
)

CANDIDATES = 2048
FEWEST, COORDINATES = 256, 9000
"""In many dimensions there are fewer candidates: a few, and so many coordinates of further ones."""
FINALISTS = 42
INSIDE = 2
"""Certain positives that are looked at, where the rate is not known."""
RIVALS = 256
REFERENCE = 1024
CURIOSITY, MOST_CURIOUS = 3.0, 50.0
"""Where the rate is known every answer tells about h alone, and the nearer ω is to 1 the less is left to certify."""
FLOOR = 0.3
"""The share of ε at which Φ stops mattering."""
CORNERS = 4
"""Undecided items that a rival encloses, at most."""
WITNESS = 16
"""One rival in so many is the largest member that is known, a little enlarged."""
DIGITS = 9
"""Worths that agree to so many decimals are equal and the first is taken: further ones depend on the machine."""
STRETCHED = 0.5
"""So many of the rivals reach, on all sides, as far as costs them next to nothing (`rivals.grown.stretched`)."""
DIRECTIONS, SHARES = 48, np.linspace(0.05, 0.95, 5)
"""Rivals in the plane lie all over V: in so many directions, at these shares of the way across V."""
SPARE = 0.9
"""Rivals are pushed a little nearer than needed, so that the last rows do not cost a search of their own."""

Items = NDArray[np.intp]


class Open(NamedTuple):
    """A question without an answer: its point, whose it is, and the prediction."""

    item: int
    x: Points
    group: int
    q: float


class Acquisition:
    """Chooses among the rows of `points` that are not `barred`."""

    def __init__(
        self, points: Points, barred: NDArray[np.bool_], standing: ConfidenceSet, epsilon: float, seed: int
    ) -> None:
        self.points, self.barred, self.standing, self.epsilon = points, barred, standing, epsilon
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.around: Ball | None = None
        """The smallest ball around V that is known; half of the rivals lie within the far member that it names."""
        self.reference = points[self._spread(np.arange(len(points)), REFERENCE)]
        self.reference.flags.writeable = False
        self._positive = np.empty(0, np.intp)
        self._matter = CandidateFilter(points, epsilon)

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self.reference)

    def _some(self, rows: Items, n: int) -> Items:
        """At most n of the rows that are not barred, at random."""
        if len(rows) > 4 * n:
            drawn = rows[self.rng.choice(len(rows), 2 * n, replace=False)]
            drawn = drawn[~self.barred[drawn]]
            if len(drawn) >= n:
                return drawn[:n]
        free = rows[~self.barred[rows]]
        return free if len(free) <= n else self.rng.choice(free, n, replace=False)

    def _spread(self, rows: Items, n: int) -> Items:
        """The same, spread evenly over the first coordinate."""
        some = self._some(rows, 8 * n)
        some = some[np.argsort(self.points[some, 0], kind="stable")]
        return some[np.linspace(0, len(some) - 1, min(n, len(some))).astype(np.intp)] if len(some) else some

    def best(self, posterior: Posterior, group: int, waiting: Sequence[Open]) -> tuple[int, float] | None:
        """The row to ask and P(reveal) there; None if no further question can teach anything."""
        standing = self.standing
        answered = sum(standing.revealed) + len(standing.stars)
        self.rng = np.random.default_rng([self.seed, answered, len(waiting)])  # so that a replay chooses alike
        rows = self._some(standing.undecided, min(CANDIDATES, FEWEST + COORDINATES // self.points.shape[1]))
        matter = self._matter(standing.newest, self.points[rows])
        rows = rows[matter] if matter.any() else rows
        if not standing.rates.known:
            if len(self._positive) != standing.n_positive:
                self._positive = np.flatnonzero(standing.status == 1)
            inside = self._positive[~self.barred[self._positive]]
            if len(rows) or standing.rate_helps(len(inside), group):
                rows = np.append(rows, self.rng.permutation(inside[:: max(1, len(inside) // 64)])[:INSIDE])
        if len(rows) == 0:
            return None
        supposed = posterior
        if waiting:
            x = np.concatenate([question.x for question in waiting])
            supposed = posterior.supposing_silence(x, [question.group for question in waiting])
        z = self.points[rows]
        seen, p = supposed.predict(z, group), supposed.predict(self.reference, group).p
        chosen = self._by_potential(supposed, rows, z, seen, p, group, waiting)
        q = posterior.predict(z[[chosen]], group).q[0] if waiting else seen.q[chosen]
        return int(rows[chosen]), float(q)

    def _by_potential(
        self,
        posterior: Posterior,
        rows: Items,
        z: Points,
        seen: Prediction,
        p: Floats,
        group: int,
        waiting: Sequence[Open],
    ) -> int:
        told = np.round(entropy(seen.q) - seen.noise, DIGITS)
        rivals = self._rivals(posterior, p, group, waiting)
        need = np.where(rivals.far, np.maximum(rivals.missing, 0.0), 0.0)
        if not need.any():
            return int(np.argmax(told))
        # Whole numbers, also as floats, add up exactly below 2²⁴, so that the choice is the same on every machine.
        with np.errstate(invalid="ignore"):  # all are finite; the flag was seen once all the same
            whole = np.rint(need * 2.0**12).astype(np.float32) @ rivals.holds(z).astype(np.float32)
        cover = np.round(1.0 - seen.q, DIGITS) * whole
        third = FINALISTS // 3
        inside = np.flatnonzero(self.standing.status[rows] == 1)
        others = self.rng.integers(len(rows), size=third)
        finalists = np.unique(np.concatenate([_top(told, third), _top(cover, third), others, inside]))
        z, q = z[finalists], seen.q[finalists]
        far = np.broadcast_to(rivals.far[:, None], (len(need), len(z)))
        silent = rivals.needed(rivals.silent(z, q, group), far)
        revealed = rivals.needed(*rivals.revealed(z, q, group))
        scale = FLOOR * self.epsilon
        expected = (1.0 - q) * np.log(scale + silent) + q * np.log(scale + revealed)
        known = self.standing.rates.low if self.standing.rates.known else 0.0
        curiosity = min(MOST_CURIOUS, CURIOSITY / max(1.0 - known, 1e-9))
        potential = expected - curiosity * self._doubt(p) * told[finalists]
        return int(finalists[np.argmin(np.round(potential, DIGITS))])

    def _doubt(self, p: Floats) -> float:
        """How likely the likeliest mistake is, ε of them left out."""
        V = self.standing.newest
        wrong = p * ~V.closure.contains(self.reference) if isinstance(V, ClosedVersionSpace) else np.minimum(p, 1.0 - p)
        spare = int(self.epsilon * len(p))
        return float(-np.partition(-wrong, spare)[spare])

    def _rivals(self, posterior: Posterior, p: Floats, group: int, waiting: Sequence[Open]) -> Rivals:
        standing, V = self.standing, self.standing.newest
        stars = np.concatenate([standing.stars, *(question.x for question in waiting)])
        groups = np.append(standing.star_groups, [question.group for question in waiting]).astype(np.intp)
        new = max(group, int(groups.max(initial=0))) + 1 - len(standing.revealed)
        floor = standing.log_floor + sum(float(np.log1p(-question.q)) for question in waiting)
        answers = Answers(standing.rates, [*standing.revealed, *[0] * new], stars, groups, Floors.common(floor))
        if isinstance(V, ClosedVersionSpace):
            x = self._some_undecided(RIVALS)
            corners = [x]
            if V.hypotheses.two_sided or x.shape[1] > 1:
                witness = self.around.witness if self.around else None
                near = self.points[self._some(standing.undecided, 8 * RIVALS)]
                inside = near[witness.contains(near)] if isinstance(witness, Closure) else near[:0]
                if len(inside):
                    x[: len(x) // 2] = self.rng.choice(inside, len(x) // 2)
                halves = np.array_split(np.arange(len(x)), 2)
                for _ in range(CORNERS - 1):
                    mixed = np.concatenate([self.rng.permutation(x[half]) for half in halves])
                    corners.append(np.where(self.rng.random((len(x), 1)) < 0.5, mixed, x))
                if isinstance(witness, Closure) and not witness.is_empty:
                    itself = np.arange(len(x))[:, None] < len(x) // WITNESS
                    ends = (witness.low, witness.high) if V.hypotheses.two_sided else (witness.low,)
                    corners += [np.where(itself, end, x) for end in ends]
                if isinstance(standing, (KnownRateSet, UnknownRateSet)) and not V.closure.is_empty:
                    some = self.rng.random((len(x), 1)) < STRETCHED
                    far = stretched(V.closure, standing.evidence.by_side)
                    corners += [np.where(some, end, x) for end in far]
            chain = x.shape[1] == 1 and not V.hypotheses.two_sided
            spare = SPARE * (2 * self.epsilon if chain else self.epsilon)
            grown = Grown(V.closure, corners, self._reference, spare)
            if isinstance(standing, KnownRateSet):
                supposed = standing.supposing(stars[len(standing.stars) :])
                return KnownRateRivals(grown, supposed, standing.enough, standing.undecided_share)
            if isinstance(standing, UnknownRateSet):
                return UnknownRateRivals(
                    grown, standing.supposing(stars[len(standing.stars) :]), standing.undecided_share
                )
            return ClosureRivals(grown, answers, standing.undecided_share)
        outside, eta, spare = np.zeros(()), 0.0, self.epsilon
        if isinstance(standing, FiniteSet) and isinstance(V, FiniteVersionSpace):
            live = V.indices
            live = live if len(live) <= 4 * RIVALS else self.rng.choice(live, 4 * RIVALS, replace=False)
            outside, eta = standing.outside[live], standing.false_reveal
            foreseen = np.array([np.log1p(-question.q) for question in waiting])
            n = len(standing.stars)
            floors = standing.supposing(stars[n:], groups[n:], foreseen).of(live)
            answers = replace(answers, revealed=[*standing.found[:, live], *[0] * new], floors=floors)

            def contains(points: Points) -> NDArray[np.bool_]:
                return unpack(points).T[live].astype(np.bool_)
        else:
            plane = V.plane if isinstance(V, HalfspaceVersionSpace) else None
            if plane is not None:
                rows, spare = plane.spread(DIRECTIONS, SHARES), SPARE * self.epsilon
            else:
                members = [posterior.members] if isinstance(posterior, HalfspacePosterior) else []
                if isinstance(V, HalfspaceVersionSpace):
                    members.append(V.members)
                rows = np.concatenate(members)
                spare = self.epsilon / 4  # the undecided must be few, not only the distance

            def contains(points: Points) -> NDArray[np.bool_]:
                return np.asarray(rows[:, :-1] @ points.T >= rows[:, -1:])

            if isinstance(standing, WrongRevealsSet):
                eta = standing.false_reveal
                found = contains(standing.found)
                outside = standing.outside(found, contains(standing.stars))
                answers = replace(answers, revealed=[*standing.inside(found), *[0] * new])

        return MemberRivals(contains, answers, outside, self.reference, p >= 0.5, spare, standing.undecided_share, eta)

    def _some_undecided(self, n: int) -> Points:
        """Points spread over the undecided; asked ones where there are no others."""
        rows = self._spread(self.standing.undecided, n)
        return self.points[rows if len(rows) else self.standing.undecided[:n]]


def _top(score: Floats, n: int) -> Items:
    return np.argsort(-score, kind="stable")[:n]
