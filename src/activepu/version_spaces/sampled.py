"""Halfspaces in any dimension: a version space that is known through a sample of its members.

V = {h : h satisfies `caps`} is kept as a population of members, drawn by hit-and-run. Every member satisfies all
constraints, which is checked in the points' own coordinates. So a point that lies in some member is possible, but:
- DIS(V) is *underestimated*: a point on which the population agrees may be undecided, and a certificate must say so;
- an empty population means that an annealed search found no member, not that there is none.
∅ and the whole space are members as long as the constraints allow them.

When a constraint is added, the members that meet it survive. Copies of survivors fill the free places and then walk. If
no member survives, the old members and a linear program's guess walk under tempered constraints until one of them meets
all constraints.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, identity

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.halfspaces import Floats, Frame, Halfspace, Halfspaces
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.hit_and_run import Target
from activepu.version_spaces.signed_caps import SignedCaps

POPULATION = 256
WALK = 24
"""Moves of a copy before it counts as a separate member; fewer, but at least a third, when there are many sites."""
WALK_ARCS = 1 << 25
SEARCH = np.geomspace(0.02, 20.0, 80)
"""β of the annealed search for a first member; each unit of violation costs β."""
SEARCHERS = 48
GUESSED = 2000
"""The largest number of capped sites in the linear program."""
LEAN = np.geomspace(0.05, 5.0, 40)
"""γ of the search for a member with few points."""
BLOCK = 1 << 22


class SampledVersionSpace(VersionSpace):
    """`members` (m, D + 1) are rows (w, b). Immutable; the same `seed` and constraints give the same members."""

    method: Method = "sampled"
    kind: ClassVar[str] = "sampled"

    def __init__(
        self,
        hypotheses: Halfspaces,
        seed: int = 0,
        caps: SignedCaps | None = None,
        members: Floats | None = None,
        steps: int = 0,
        spread: int = 0,
    ) -> None:
        dim = hypotheses.bound_dim
        self.hypotheses: Halfspaces = hypotheses
        self.seed = seed
        self.caps = SignedCaps.none(dim) if caps is None else caps
        self.members = np.pad([[1.0], [-1.0]], ((0, 0), (dim, 0))) if members is None else members
        self.steps = steps  # constraints so far: each draws from a stream of its own
        self.spread = spread  # the number of sites when all members walked last

    @property
    def plane(self) -> None:
        """None: V is known through a sample."""
        return None

    def require(self, points: Points) -> Self:
        """Add the constraint: keep members, refill or search."""
        return self.constrained(self.caps.require(points))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Add the constraint: keep members, refill or search."""
        return self.constrained(self.caps.cap_mass(points, limit, weights))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Add the constraint: keep members, refill or search."""
        return self.constrained(self.caps.cap_distance(center, points, limit))

    def cap(self, points: Points, amounts: NDArray[np.int64], limit: int) -> Self:
        """Add the constraint: keep members, refill or search."""
        return self.constrained(self.caps.cap(points, amounts, limit))

    def constrained(self, caps: SignedCaps) -> Self:
        """Return the members of V that satisfy `caps`, which must imply the constraints so far."""
        if caps is self.caps:
            return self
        rng = np.random.default_rng([self.seed, self.steps])
        alive = self.members[_meet(caps, self.members)]
        if len(alive) == 0 and len(self.members):
            alive = _search(caps, self.members, rng)
        spread = self.spread
        if len(alive):
            places = max(0, POPULATION - len(alive))
            if len(caps.sites) > 2 * spread:  # the scale of the data may be new to all members
                places, spread = POPULATION, len(caps.sites)
            copies = alive[rng.integers(len(alive), size=places)]
            alive = np.unique(np.concatenate([alive, _walk(caps, copies, rng)]), axis=0)
        return type(self)(self.hypotheses, self.seed, caps, alive, self.steps + 1, spread)

    def is_empty(self) -> bool:
        """Return whether no member was found."""
        return len(self.members) == 0

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether it satisfies the constraints; exact."""
        return self.caps.allows(hypothesis)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        return self._by_block(points, np.logical_and)

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        return self._by_block(points, np.logical_or)

    def _by_block(self, points: Points, combine: np.ufunc) -> NDArray[np.bool_]:
        out = np.empty(len(points), np.bool_)
        size = max(1, BLOCK // len(self.members))
        for start in range(0, len(points), size):
            block = slice(start, start + size)
            out[block] = combine.reduce(_labels(self.members, points[block]), axis=0)
        return out

    def _smallest(self, points: Points) -> Halfspace:
        """Walk from the members with the fewest points, with a growing preference for few; return the best one seen."""
        rng = np.random.default_rng([self.seed, self.steps, 1])
        merged, place = self.caps.merge(points)
        cost = np.bincount(place, minlength=len(merged.sites)).astype(np.float64)
        frame = Frame.around(merged.sites)
        target = _target(merged, frame, cost)
        counts = _labels(self.members, merged.sites) @ cost
        order = np.argsort(counts, kind="stable")[:SEARCHERS]
        best, fewest = self.members[order[0]], counts[order[0]]
        g = frame.framed(self.members[order, :-1], self.members[order, -1])
        for gamma in LEAN:
            if fewest == 0:
                break
            g = target.step(g, rng, gamma=float(gamma))
            walkers = np.column_stack(frame.raw(g))
            counts = np.where(_meet(merged, walkers), _labels(walkers, merged.sites) @ cost, np.inf)
            if counts.min() < fewest:
                best, fewest = walkers[np.argmin(counts)], counts.min()
        return Halfspace(self.hypotheses, best[:-1], float(best[-1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the constraints, and the members that were found."""
        return {
            "kind": self.kind,
            "seed": self.seed,
            "caps": self.caps.to_dict(),
            "members": self.members.tolist(),
            "steps": self.steps,
            "spread": self.spread,
        }

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        if not isinstance(hypotheses, Halfspaces):
            raise InvalidInput(f"A sampled version space needs Halfspaces, got {hypotheses!r}.")
        dim = hypotheses.bound_dim
        members = np.array(data["members"], np.float64).reshape(-1, dim + 1)
        caps = SignedCaps.from_dict(dim, data["caps"])
        return cls(hypotheses, data["seed"], caps, members, data["steps"], data["spread"])


def _labels(members: Floats, points: Points) -> NDArray[np.bool_]:
    """Return the labels, one row per member and one column per point."""
    return np.asarray(members[:, :-1] @ points.T >= members[:, -1:])


def _meet(caps: SignedCaps, members: Floats) -> NDArray[np.bool_]:
    return caps.holds(_labels(members, caps.sites))


def _target(caps: SignedCaps, frame: Frame, cost: Floats | None = None) -> Target:
    cost = np.zeros(len(caps.sites)) if cost is None else cost
    return Target(frame.lift(caps.sites), caps.weights.astype(np.float64), caps.limits.astype(np.float64), cost)


def _walk(caps: SignedCaps, members: Floats, rng: np.random.Generator) -> Floats:
    """Return members of V after a walk from the given ones; a member that rounding carried out of V does not move."""
    frame = Frame.around(caps.sites)
    target = _target(caps, frame)
    g = frame.framed(members[:, :-1], members[:, -1])
    moves = min(WALK, max(WALK // 3, WALK_ARCS // (2 * len(g) * len(caps.sites) + 1)))
    for _ in range(moves if len(members) else 0):
        g = target.step(g, rng)
    walked = np.column_stack(frame.raw(g))
    return np.where(_meet(caps, walked)[:, None], walked, members)


def _search(caps: SignedCaps, members: Floats, rng: np.random.Generator) -> Floats:
    """Search members of V by an annealed walk from outside V and from a separating hyperplane; return them, or none."""
    frame = Frame.around(caps.sites)
    target = _target(caps, frame)
    old = members[rng.permutation(len(members))[: SEARCHERS // 2]]
    guess = _separating(target, rng)
    g = np.concatenate([frame.framed(old[:, :-1], old[:, -1]), np.repeat(guess, SEARCHERS // 2, axis=0)])
    for beta in [np.inf, *SEARCH]:  # at first only those move whose circle has an arc of V
        g = target.step(g, rng, beta=float(beta))
        walkers = np.column_stack(frame.raw(g))
        found = _meet(caps, walkers)
        if found.any():
            return walkers[found]
    return members[:0]


def _separating(target: Target, rng: np.random.Generator) -> Floats:
    """Return a hyperplane with the required sites on one side and few capped ones: a linear program with hinge loss."""
    n, dim = target.lifted.shape
    required, pull = target.weights[0] < 0, -target.weights[1:].sum(axis=0)
    chosen = np.flatnonzero(required | (rng.permutation(n) < GUESSED))
    sign = np.where(required | (pull > 0), 1.0, -1.0)[chosen]
    price = np.where(required, 1.0 + np.abs(pull).sum(), np.abs(pull))[chosen]
    # scipy takes a sparse matrix here, which its annotations do not know.
    rows: Any = hstack([csr_array(-sign[:, None] * target.lifted[chosen]), -identity(len(chosen), format="csr")])
    solved = linprog(
        np.concatenate([np.zeros(dim), price]),
        A_ub=rows,
        b_ub=-np.ones(len(chosen)),
        bounds=[(-1e3, 1e3)] * dim + [(0.0, np.inf)] * len(chosen),
    )
    g = solved.x[:dim] if solved.x is not None and np.any(solved.x[:dim]) else np.ones(dim)
    return np.asarray(g / np.linalg.norm(g))[None]
