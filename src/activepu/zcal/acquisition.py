"""Which item to ask: the one whose answer is expected to lower one potential most.

    Ψ = ln(floor·ε + Φ) + curiosity · doubt · H(h)

(curiosity / (1 − ω) if the rate is known). Φ is the evidence that is still needed against rivals (`zcal.rivals`), H(h)
is the entropy of the posterior, and doubt is the probability of the likeliest mistake after a share ε of the items is
left out. Each part matters at its time:
- while the boundary is unclear, doubt is near 1, and H(h) falls by the information in the answer;
- once the posterior is narrower than ε, doubt vanishes and only the certificate counts: silences that many rivals hold;
- with an unknown rate, a question about a certain positive tells about ω, and so how much each silence weighs in Φ.

If the confidence set has no rivals, the most informative item is asked. Nothing here can break a guarantee: this module
only chooses.

About a thousand items are considered, and Ψ is computed for a few dozen: a third are the most informative, a third are
those whose silence would do most, a third are random. Open questions are treated as silent, so that a batch does not
ask the same thing twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu import channel
from activepu.hypotheses.base import Hypothesis, Points
from activepu.zcal.candidates import Candidates
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.posteriors import Posterior, Prediction
from activepu.zcal.rates import Floats
from activepu.zcal.rivals import Rivals, Scene
from activepu.zcal.rivals.base import Open
from activepu.zcal.tuning import TUNING

DIGITS = 9
"""Values that agree to this many decimals are equal, because the rest depends on the machine.

Of equal candidates the first is asked, in the order in which `Candidates.some` returned them.
"""

Rows = NDArray[np.intp]


class Acquisition:
    """Chooses among the rows of `points` that are not `barred`.

    Parameters
    ----------
    points : array
        The pool, one row per item.
    barred : array of bool
        Which rows may not be asked again; the caller changes it as the run goes on.
    confidence : ConfidenceSet
        What is still possible on these points.
    epsilon : float
        The error that is to be certified.
    seed : int
        The randomness.
    """

    def __init__(
        self, points: Points, barred: NDArray[np.bool_], confidence: ConfidenceSet, epsilon: float, seed: int
    ) -> None:
        self.points, self.confidence, self.epsilon = points, confidence, epsilon
        self.candidates = Candidates(points, barred, seed)
        self._matters = confidence.candidate_filter(points, epsilon)
        self._positive = np.empty(0, np.intp)

    def best(
        self, posterior: Posterior, group: int, waiting: Sequence[Open], witness: Hypothesis | None
    ) -> tuple[int, float] | None:
        """Return the row to ask and P(reveal) there, or None if no further question can teach anything.

        `group` is the expert who is asked, `waiting` are the open questions, and `witness` is the farthest known member
        from the rule.
        """
        confidence = self.confidence
        self.candidates.restart(sum(confidence.revealed) + len(confidence.stars), len(waiting))
        rows = self._rows(group)
        if len(rows) == 0:
            return None
        supposed = posterior
        if waiting:
            x = np.concatenate([question.x for question in waiting])
            supposed = posterior.supposing_silence(x, [question.group for question in waiting])
        z = self.points[rows]
        seen, p = supposed.predict(z, group), supposed.predict(self.candidates.reference, group).p
        scene = Scene(self.candidates, supposed, p, group, waiting, self.epsilon, witness)
        chosen = self._by_potential(scene, rows, z, seen)
        q = posterior.predict(z[[chosen]], group).q[0] if waiting else seen.q[chosen]
        return int(rows[chosen]), float(q)

    def _rows(self, group: int) -> Rows:
        """Return undecided rows that can matter and, if the rate is not known, a few certain positives."""
        confidence, candidates = self.confidence, self.candidates
        most = TUNING.fewest_candidates + TUNING.candidate_coordinates // self.points.shape[1]
        rows = candidates.some(confidence.undecided, min(TUNING.candidates, most))
        matter = self._matters(self.points[rows])
        rows = rows[matter] if matter.any() else rows
        if confidence.rates.known:
            return rows
        if len(self._positive) != confidence.n_positive:
            self._positive = np.flatnonzero(confidence.status == 1)
        inside = self._positive[~candidates.barred[self._positive]]
        if len(rows) or confidence.rate_helps(len(inside), group):
            some = candidates.rng.permutation(inside[:: max(1, len(inside) // 64)])[: TUNING.inside]
            rows = np.append(rows, some)
        return rows

    def _by_potential(self, scene: Scene, rows: Rows, z: Points, seen: Prediction) -> int:
        """Return the place, among `rows` with the points `z`, of the one with the lowest expected potential."""
        told = np.round(channel.entropy(seen.q, unit="nats") - seen.noise, DIGITS)
        rivals = self.confidence.rivals(scene)
        need = np.zeros(0) if rivals is None else np.where(rivals.far, np.maximum(rivals.missing, 0.0), 0.0)
        if rivals is None or not need.any():
            return int(np.argmax(told))
        finalists = self._finalists(rivals, need, rows, z, seen, told)
        z, q = z[finalists], seen.q[finalists]
        far = np.broadcast_to(rivals.far[:, None], (len(need), len(z)))
        silent = rivals.needed(rivals.silent(z, q, scene.group), far)
        revealed = rivals.needed(*rivals.revealed(z, q, scene.group))
        scale = TUNING.floor * self.epsilon
        expected = (1.0 - q) * np.log(scale + silent) + q * np.log(scale + revealed)
        potential = expected - self._information_weight * self._likeliest_mistake(scene) * told[finalists]
        return int(finalists[np.argmin(np.round(potential, DIGITS))])

    def _finalists(self, rivals: Rivals, need: Floats, rows: Rows, z: Points, seen: Prediction, told: Floats) -> Rows:
        """Return the most informative candidates, those whose silence would do most, random ones, certain positives."""
        # Whole numbers, also as floats, add up exactly below 2²⁴, so that the choice is the same on every machine.
        with np.errstate(invalid="ignore"):  # all values are finite, but the flag was raised once nevertheless
            whole = np.rint(need * 2.0**12).astype(np.float32) @ rivals.holds(z).astype(np.float32)
        cover = np.round(1.0 - seen.q, DIGITS) * whole
        third = TUNING.finalists // 3
        inside = np.flatnonzero(self.confidence.status[rows] == 1)
        others = self.candidates.rng.integers(len(rows), size=third)
        return np.unique(np.concatenate([_top(told, third), _top(cover, third), others, inside]))

    @property
    def _information_weight(self) -> float:
        """The weight of the information; with a known rate it grows with ω, because less is left to certify."""
        rates = self.confidence.rates
        known = rates.low if rates.known else 0.0
        return min(TUNING.most_curious, TUNING.curiosity / max(1.0 - known, 1e-9))

    def _likeliest_mistake(self, scene: Scene) -> float:
        """Return the probability of the likeliest mistake, after a share ε of the items is left out."""
        wrong = self.confidence.mistakes(scene.probability, self.candidates.reference)
        spare = int(self.epsilon * len(wrong))
        return float(-np.partition(-wrong, spare)[spare])


def _top(score: Floats, n: int) -> Rows:
    return np.argsort(-score, kind="stable")[:n]
