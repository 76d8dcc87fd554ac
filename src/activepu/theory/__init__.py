"""The paper's theory as functions that can be read beside it, and the sharper bounds that replace its constants.

`binomial` exact binomial bounds; `deviations` uniform deviations; `radii` how much K positives leave;
`ladder` several levels at once; `disagreement` and `balls` the coefficient θ; `budgets` the paper's
sizes; `sharp` those of the sharp algorithms.
"""

from activepu.theory import balls, binomial, budgets, deviations, disagreement, ladder, radii, sharp
from activepu.theory.budgets import Constants
from activepu.theory.deviations import relative_deviation, uniform_deviation, uniform_sample_size, up
from activepu.theory.disagreement import CoefficientEstimate, coefficient, estimate_coefficient
from activepu.theory.ladder import Ladder
from activepu.theory.radii import (
    closure_radius,
    passive_error,
    passive_sizes,
    positives_for_radius,
    realizable_radius,
)

__all__ = [
    "CoefficientEstimate",
    "Constants",
    "Ladder",
    "balls",
    "binomial",
    "budgets",
    "closure_radius",
    "coefficient",
    "deviations",
    "disagreement",
    "estimate_coefficient",
    "ladder",
    "passive_error",
    "passive_sizes",
    "positives_for_radius",
    "radii",
    "realizable_radius",
    "relative_deviation",
    "sharp",
    "uniform_deviation",
    "uniform_sample_size",
    "up",
]
