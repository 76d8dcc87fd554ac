"""A prefix tree, as somebody outside the library would write it: codes that begin alike are positive.

Features are the digits of a code, one column each. A rule is {x : x begins with p}. The rules are closed under
intersection: of two prefixes one continues the other, or no code has both. The closure is the longest common prefix.
"""

import math

import numpy as np

import activepu as apu


class Prefix(apu.Closure):
    """The codes that begin with `digits`; None is ∅."""

    def __init__(self, hypotheses, digits):
        self.hypotheses, self.digits = hypotheses, digits

    def contains(self, points):
        if self.digits is None:
            return np.zeros(len(points), bool)
        return (points[:, : len(self.digits)] == self.digits).all(axis=1)

    def within(self, other):
        if self.digits is None or other.digits is None:
            return self.digits is None
        return list(self.digits[: len(other.digits)]) == list(other.digits)

    def to_dict(self):
        return {"digits": None if self.digits is None else [int(digit) for digit in self.digits]}

    def __str__(self):
        if self.digits is None:
            return "nothing"
        return (
            "the code begins with " + "".join(f"{int(digit)}" for digit in self.digits)
            if len(self.digits)
            else "everything"
        )


class Prefixes(apu.ClosedClass):
    """All prefixes.

    Two of them are nested or disjoint, so that two points are shattered (by their codes and a common prefix), three
    never are, and n points have at most 2n labellings: a tree with n leaves has at most 2n − 1 nodes with distinct
    leaves, and there is ∅.
    """

    name = "prefixes"
    vc_dimension = 2

    def closure(self, points):
        if len(points) == 0:
            return Prefix(self, None)
        alike = (points == points[0]).all(axis=0)
        return Prefix(self, points[0][: len(alike) if alike.all() else int(np.argmin(alike))])

    def log_growth(self, n):
        return min(n * math.log(2), math.log(max(1, 2 * n)))

    def hypothesis_from_dict(self, data):
        return Prefix(self, None if data["digits"] is None else np.array(data["digits"], float))
