"""Balls of the L1 norm in the plane, as somebody outside the library would write them: they can only be sampled.

They are not closed under intersection, and there are too many to list. So the class says how to draw members that hold
given points, and everything else follows, marked as sampled.
"""

import numpy as np

import activepu as apu
from activepu.hypotheses.base import sauer


class L1Ball(apu.Hypothesis):
    """{x : |x − center|₁ ≤ radius}."""

    def __init__(self, hypotheses, center, radius):
        self.hypotheses, self.center, self.radius = hypotheses, center, radius

    def contains(self, points):
        return np.abs(points - self.center).sum(axis=1) <= self.radius

    def to_dict(self):
        return {"center": self.center.tolist(), "radius": self.radius}

    def __str__(self):
        center = ", ".join(f"{value:.3g}" for value in self.center)
        return f"|x - ({center})| <= {self.radius:.3g}"


class L1Balls(apu.HypothesisClass):
    """All L1 balls of the plane. VC dimension 3, like that of squares."""

    name = "L1 balls"
    vc_dimension = 3

    def log_growth(self, n):
        return sauer(3, n)

    def hypothesis_from_dict(self, data):
        return L1Ball(self, np.array(data["center"]), data["radius"])

    def sample(self, points, containing, n, rng):
        center = points[rng.integers(len(points), size=(n, 4))].mean(axis=1)
        center = np.where(rng.random((n, 1)) < 0.5, center, points[rng.integers(len(points), size=n)])
        if len(containing):
            center = center + rng.random((n, 1)) * (containing.mean(axis=0) - center)
        apart = np.abs(points[None] - center[:, None]).sum(axis=2)
        least = np.abs(containing[None] - center[:, None]).sum(axis=2).max(axis=1, initial=0.0)
        more = np.where(rng.random(n) < 0.5, apart[np.arange(n), rng.integers(len(points), size=n)], least)
        radius = np.maximum(least, least + rng.random(n) * (more - least)) * (1 + 1e-12)
        return [L1Ball(self, c, float(r)) for c, r in zip(center, radius, strict=True)]
