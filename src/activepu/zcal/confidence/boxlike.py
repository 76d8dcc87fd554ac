"""What all confidence sets of box-like classes share: which items can matter, and where a side must end."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces import BoxVersionSpace
from activepu.version_spaces.caps import Cap
from activepu.zcal.candidates import CandidateFilter
from activepu.zcal.confidence.base import ConfidenceSet
from activepu.zcal.rates import Floats


class BoxSet(ConfidenceSet):
    """A confidence set around a closure with coordinates."""

    @property
    @abstractmethod
    def version_space(self) -> BoxVersionSpace:
        """The hypotheses that are still possible."""

    @property
    def newest(self) -> BoxVersionSpace:
        """A slightly larger set that is cheaper to search: the newest evidence, and what is permanent."""
        return self.version_space

    def candidate_filter(self, points: Points, epsilon: float) -> Callable[[Points], NDArray[np.bool_]]:
        """Return which points are far enough from the closure."""
        matters = CandidateFilter(points, epsilon)
        return lambda z: matters(self.newest.closure, z)


def stop_caps(closure: Box, stop: Floats) -> list[Cap]:
    """Return a cap that says: members that contain `closure` end before `stop` (outward) on each side."""
    points = closure.stop_points(stop)
    return [Cap(points, 0)] if len(points) else []
