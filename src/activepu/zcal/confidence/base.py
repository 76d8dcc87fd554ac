"""The confidence set V_1 ∩ … ∩ V_t on a pool: the hypotheses that the answers have not excluded.

Let R be the revealed points (r of them), Stars the silent ones, and Q_t the product of the predictions, q for a reveal
and 1 − q for a silence, that were fixed before each answer. Then

    V_t = {h ∈ V : R_t ⊆ h and max_ω L_t(h, ω) ≥ δ Q_t},      L_t(h, ω) = ω^r (1 − ω)^{|h ∩ Stars_t|}.

Under the truth ℓ and its rate, Q_t / L_t(ℓ, ω) is a nonnegative supermartingale, whatever is asked and predicted. By
Ville's inequality ℓ lies in all V_t at once with probability ≥ 1 − δ. So the intersection may be kept, and a decision
about an item is final. Points known to be positive beforehand are required of V and count nowhere else.

If max_ω L_t(h, ω) = δ Q_t, h is kept, and rounding must not change that. So floors are compared with a slack of 1e-9 of
their size. The sums of logarithms behind them, all of one sign, are accurate to about 1e-16 per term.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses.base import Points
from activepu.version_spaces import VersionSpace
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.bets.floors import Floors
from activepu.zcal.growing import Growing
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.rivals.base import Rivals, Scene
from activepu.zcal.rivals.likely import Answers

SLACK = 1e-9
MOMENTS = 256
"""The number of moments whose rates are computed together."""

Witnesses = tuple[Any, Any, Any]
"""Reveals, stars and the floor of hypotheses that are still possible, as `Rates.intervals` takes them."""
ANY_RATE: Witnesses = (0, 0, 0.0)
"""The witnesses for an expert without answers."""


class ConfidenceSet(ABC):
    """The hypotheses that are still possible, and what they decide about `points` (the pool, one row per item).

    Every item is a certain positive, a certain negative or undecided, and a decision is final. `fold` takes the answers
    in the order of asking. An answer that leaves no hypothesis raises AssumptionsViolated and changes nothing.

    Subclasses define `version_space`, `_verdicts`, `_shrink` and `_witnesses` (or `_possible_rates`). They may also
    define `rivals`, so that questions are chosen for the certificate; without rivals Z-CAL asks for the most
    information.
    """

    def __init__(self, V: VersionSpace, points: Points, rates: Rates, delta: float) -> None:
        self.hypotheses = V.hypotheses
        self.rates = rates
        self.delta = checks.open_unit("delta", delta)
        self.log_q = 0.0
        self._log_predicted = 0.0
        """ln of the predicted probability of the answer that is being folded."""
        self.revealed = [0]
        self._silent = [0]
        self._told = Growing(points[:0]), Growing(np.empty(0, np.intp))
        self._rates_seen: dict[int, tuple[int, float, float]] = {}

    @property
    @abstractmethod
    def version_space(self) -> VersionSpace:
        """The possible hypotheses as a version space; it decides every point of the pool that `status` decides."""

    @property
    def newest(self) -> VersionSpace:
        """A slightly larger set that is cheaper to search: the newest evidence, and what is `permanent`."""
        return self.version_space

    @property
    def permanent(self) -> VersionSpace:
        """A version space that only shrinks and that decides the items; usually `version_space` itself."""
        return self.version_space

    def rivals(self, scene: Scene) -> Rivals | None:
        """Return members that are possible and too far from the rule, or None to ask for information alone."""
        return None

    def answers(self, scene: Scene) -> Answers:
        """Return the answers so far, as if the open questions were answered by silence."""
        stars = np.concatenate([self.stars, *(question.x for question in scene.waiting)])
        groups = np.append(self.star_groups, [question.group for question in scene.waiting]).astype(np.intp)
        new = max(scene.group, int(groups.max(initial=0))) + 1 - len(self.revealed)
        floor = self.log_floor + sum(float(np.log1p(-question.q)) for question in scene.waiting)
        return Answers(self.rates, [*self.revealed, *[0] * new], stars, groups, Floors.common(floor))

    def candidate_filter(self, points: Points, epsilon: float) -> Callable[[Points], NDArray[np.bool_]]:
        """Return a function that says which points can matter to the certificate; by default all do."""
        return lambda z: np.ones(len(z), bool)

    def mistakes(self, probability: Floats, points: Points) -> Floats:
        """Return the probability that the rule is wrong about each point; `probability` is that of a positive."""
        least = self.newest.least
        if least is None:
            return np.minimum(probability, 1.0 - probability)
        return np.asarray(probability * ~least.contains(points))

    @property
    @abstractmethod
    def _verdicts(self) -> Decisions:
        """What is decided on the pool."""

    @abstractmethod
    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        """Fold the answer that has just been counted; raise, before any change, if no hypothesis remains."""

    def require(self, x: Points) -> None:
        """Keep only hypotheses that hold x, one row, which is known to be positive and was no answer in time.

        Like positives known beforehand it counts nowhere else. It raises AssumptionsViolated, and changes nothing, if
        no hypothesis is left.
        """
        if self.version_space.certain(x)[0]:
            return
        self._require(x)

    @abstractmethod
    def _require(self, x: Points) -> None:
        """Keep only hypotheses that hold x, which some do not; raise, before any change, if none remains."""

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Return hypotheses that were possible after `time` answers, such that together they allow every possible ω.

        Only a set with its own `_possible_rates` needs none.
        """
        raise NotImplementedError

    def fold(self, x: Points, revealed: bool, prediction: float, expert: int = 0) -> None:
        """Fold the answer about x, one row; `prediction` is the P(revealed) that was fixed when x was asked."""
        q = prediction if 0.0 < prediction < 1.0 else checks.open_unit("prediction", prediction)
        group = checks.count("expert", expert) if self.rates.per_expert else 0
        if np.shape(x) != (1, self.stars.shape[1]):
            raise InvalidInput(
                f"x must be one row of {self.stars.shape[1]} value(s), got an array of shape {np.shape(x)}; "
                "pass points[[item]]."
            )
        before = self.log_q, self.revealed, self._silent, self._told
        new = [0] * (group + 1 - len(self.revealed))
        self.revealed, self._silent = self.revealed + new, self._silent + new
        self._log_predicted = float(np.log(q) if revealed else np.log1p(-q))
        self.log_q += self._log_predicted
        if revealed:
            self.revealed[group] += 1
        else:
            self._silent[group] += 1
            self._told = self._told[0].plus(x), self._told[1].plus([group])
        try:
            self._shrink(x, bool(revealed), group)
        except AssumptionsViolated:
            self.log_q, self.revealed, self._silent, self._told = before
            raise

    @property
    def log_floor(self) -> float:
        """ln δ + ln Q: what the log-likelihood of a hypothesis must reach for it to remain possible."""
        return float(np.log(self.delta)) + self.log_q

    @property
    def _floor(self) -> float:
        """A little below `log_floor`, which is negative, so that rounding excludes no hypothesis."""
        return self.log_floor * (1 + SLACK)

    @property
    def stars(self) -> Points:
        """The points that were answered by silence, in the order folded."""
        return self._told[0].rows

    @property
    def star_groups(self) -> NDArray[np.intp]:
        """The group of each star: the expert's number with a rate per expert, 0 otherwise."""
        return self._told[1].rows

    @property
    def status(self) -> NDArray[np.int8]:
        """1 positive, 0 negative, −1 undecided, per item; a read-only view."""
        return self._verdicts.status

    @property
    def undecided(self) -> NDArray[np.intp]:
        """The undecided, in the order of the pool."""
        return self._verdicts.undecided

    @property
    def n_undecided(self) -> int:
        """The number of undecided items."""
        return self._verdicts.n_undecided

    @property
    def n_positive(self) -> int:
        """The number of certain positives."""
        return self._verdicts.n_positive

    @property
    def undecided_share(self) -> float:
        """The share of undecided items; 0 for an empty pool."""
        return self._verdicts.undecided_share

    @property
    def positive_share(self) -> float:
        """The share of certain positives; 0 for an empty pool."""
        return self._verdicts.positive_share

    def rate_bounds(self, group: int = 0) -> tuple[float, float]:
        """Return the least interval of all ω that at every time reached the floor with some h that was then possible.

        The floor is δQ_t, or that of h. With a rate per expert the interval is that of expert `group`, whatever the
        rates of the others are.
        """
        if self.rates.known:
            return self.rates.low, self.rates.high
        low, high = self._possible_rates(group)
        if low > high:
            raise self._no_hypothesis_left()
        return low, high

    def _possible_rates(self, group: int) -> tuple[float, float]:
        """Return the interval of `rate_bounds`; its ends are in the wrong order if it is empty."""
        time, low, high = self._rates_seen.get(group, (0, self.rates.low, self.rates.high))
        now = sum(self.revealed) + sum(self._silent)
        for start in range(time, now, MOMENTS):
            some = range(start + 1, min(start + MOMENTS, now) + 1)
            lowest, highest = self.rates.intervals([self._witnesses(t, group) for t in some])
            low, high = max(low, float(lowest.max())), min(high, float(highest.min()))
        if low <= high:
            self._rates_seen[group] = now, low, high
        return low, high

    def rate_helps(self, revealed: int, group: int = 0) -> bool:
        """Return whether this many more reveals of certain positives could exclude a hypothesis with all stars."""
        groups = range(max(group + 1, len(self.revealed)))
        known = [*self.revealed, *[0] * (len(groups) - len(self.revealed))]
        known[group] += revealed
        silent = [np.count_nonzero(self.star_groups == g) for g in groups]
        return float(self.rates.log_likelihood(known, silent).sum()) < self.log_floor

    def _no_hypothesis_left(self) -> AssumptionsViolated:
        r, s = sum(self.revealed), sum(self._silent)
        stated = "" if (self.rates.low, self.rates.high) == (0.0, 1.0) else "the stated rate may be wrong, "
        return AssumptionsViolated(
            f"No hypothesis of the class '{self.hypotheses.name}' explains the {r} reveal(s) and {s} silence(s) any "
            f"more: {stated}the class may be too simple for these positives, a reveal may be wrong, or the answers "
            f"were unlucky (delta = {self.delta:g}); try rate=None or a wider range, a richer class, or a finite class "
            "with false_reveal=… if reveals can be wrong."
        )
