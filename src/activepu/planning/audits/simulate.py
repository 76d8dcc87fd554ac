"""Simulated audits in a world of bands, to say how many questions are usual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.audit import Audit
from activepu.errors import AssumptionsViolated
from activepu.experts import SimulatedExpert
from activepu.planning.audits.bands import Bands
from activepu.planning.runs import Repeated, Trial
from activepu.pools import Draws, Pool
from activepu.records import StopReason
from activepu.run import Run, learn


@dataclass(frozen=True)
class AuditSimulation(Repeated):
    """Audits in a world, each given up after `budget` questions.

    Attributes
    ----------
    world : Bands
        The pool.
    rate : float
        ω, the expert's reveal rate.
    targets : tuple of (str, float)
        What is to be certified: kinds and values.
    delta : float
        The probability with which the statements may be wrong.
    known : (float, float) or None
        What the audit knows of the rate.
    gold : int
        How many known positives are asked among the others.
    purity : float or None
        The purity of the highest band that the audit assumes.
    budget : int
        The most questions of a run.
    measured : str or None
        Whose bound a run reports: "recall", "error" or "precision". None: 1 if all targets are certified, else 0.
    engine : str
        "set" never bets.
    """

    world: Bands
    rate: float
    targets: tuple[tuple[str, float], ...]
    delta: float
    known: tuple[float, float] | None
    gold: int
    purity: float | None
    budget: int
    measured: str | None = None
    engine: str = "auto"

    def pool(self) -> tuple[Audit, Pool, NDArray[np.bool_]]:
        """Return the audit, the pool (gold at its end) and the truth."""
        world = self.world
        stratum, positive = world.by_item()
        item = np.repeat(np.arange(len(stratum)), np.array(world.weights)[stratum])
        rows = np.append(stratum[item], np.zeros(self.gold, np.int64))
        truth = np.append(positive[item], np.ones(self.gold, bool))
        shown = np.append(item, len(stratum) + np.arange(self.gold))
        band, group = np.array(world.bands)[rows], np.array(world.groups)[rows]
        audit = _Planned(
            _Said(world),
            **dict(self.targets),
            delta=self.delta,
            rate=self.known,
            gold=np.flatnonzero(np.arange(len(rows)) >= len(item)).tolist(),
            purity=self.purity,
            score=band.astype(np.float64),
            bands=np.arange(1.0, band.max() + 1).tolist(),
            groups=group if group.any() else None,
        )
        audit.engine = self.engine
        return audit, Pool(rows[:, None], show=shown[:, None]), truth

    def check(self) -> None:
        """Refuse what the audit itself refuses before its first question."""
        audit, pool, _ = self.pool()
        Run(audit, pool)

    def trial(self, number: int) -> Trial:
        """Simulate run `number`."""
        audit, pool, truth = self.pool()
        expert = SimulatedExpert(truth, rate=self.rate, seed=number)
        try:
            result = learn(audit, pool, expert, seed=number, budget=self.budget)
        except AssumptionsViolated:  # the event of probability δ; such a run certifies nothing
            return Trial(self.budget, 1.0 if self.measured == "error" else 0.0)
        if result.stop_reason == StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        if self.measured is None:
            return Trial(result.n_queries, float(result.stop_reason == StopReason.CERTIFIED))
        bounds = getattr(result, self.measured)
        return Trial(result.n_queries, bounds.high if self.measured == "error" else bounds.low)


class _Planned(Audit):
    """An audit that nobody answers: the plan itself says what is out of reach."""

    def forewarning(self, draws: Draws) -> str:
        return ""


class _Said:
    """What the classifier of a world says: by stratum, which is the only feature."""

    def __init__(self, world: Bands) -> None:
        self._inside, self._means = np.array(world.inside), np.array(world.means)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        return np.asarray(self._inside[np.asarray(X)[:, 0].astype(int)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        mean = self._means[np.asarray(X)[:, 0].astype(int)]
        return np.stack([1 - mean, mean], axis=1)
