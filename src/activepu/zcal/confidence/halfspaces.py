"""The confidence set of halfspaces: caps on the stars, and rivals spread over the whole set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.version_spaces import HalfspaceVersionSpace
from activepu.zcal.confidence.capped import CappedSet
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.likely import MemberRivals
from activepu.zcal.tuning import TUNING


class HalfspaceSet(CappedSet):
    """`CappedSet` with rivals."""

    def __init__(self, V: HalfspaceVersionSpace, points: Points, rates: Rates, delta: float) -> None:
        super().__init__(V, points, rates, delta)
        self._V: HalfspaceVersionSpace = V

    def rivals(self, scene: Scene) -> MemberRivals:
        """Return halfspaces that are possible, with the likelihood of each."""
        lines = Lines(self._V, scene)
        outside = np.zeros(())
        return MemberRivals(lines.contain, self.answers(scene), outside, scene, lines.spare, self.undecided_share)


class Lines:
    """Halfspaces spread over V: in many directions in the plane, otherwise those of the posterior and of V's sample.

    `spare` is how far from the likely rule a halfspace may be without being a rival. It is smaller in other dimensions,
    where the bound is the number of undecided rows and not the radius.
    """

    def __init__(self, V: HalfspaceVersionSpace, scene: Scene) -> None:
        self._rows: Floats
        if V.plane is not None:
            self._rows = V.plane.spread(TUNING.directions, np.linspace(0.05, 0.95, TUNING.across))
            self.spare = TUNING.spare * scene.epsilon
        else:
            sampled = scene.posterior.halfspaces
            self._rows = V.members if sampled is None else np.concatenate([sampled, V.members])
            self.spare = scene.epsilon / 4

    def contain(self, points: Points) -> NDArray[np.bool_]:
        """Return (lines, points): which points each halfspace contains."""
        return np.asarray(self._rows[:, :-1] @ points.T >= self._rows[:, -1:])
