"""The paper's theory as functions that can be read beside it, and the sharper bounds that replace its constants.

`binomial` exact binomial bounds; `deviations` uniform deviations; `radii` how much K positives leave; `observed_prior`
what they show of π; `ladder` several levels at once; `disagreement` and `balls` the coefficient θ; `budgets` the
paper's sizes; `refined` its label bounds with θ in place of θ²; `sharp` those of the sharp algorithms.
"""

from activepu.theory import (
    balls,
    binomial,
    budgets,
    deviations,
    disagreement,
    ladder,
    observed_prior,
    radii,
    refined,
    sharp,
)
from activepu.theory.budgets import Constants
from activepu.theory.deviations import relative_deviation, uniform_deviation, uniform_sample_size, up
from activepu.theory.disagreement import CoefficientEstimate, coefficient, estimate_coefficient
from activepu.theory.ladder import Ladder
from activepu.theory.observed_prior import PriorLooks
from activepu.theory.radii import (
    closure_radius,
    passive_error,
    passive_positives,
    passive_sizes,
    positives_for_radius,
    prior_bound,
    realizable_radius,
)

__all__ = [
    "CoefficientEstimate",
    "Constants",
    "Ladder",
    "PriorLooks",
    "balls",
    "binomial",
    "budgets",
    "closure_radius",
    "coefficient",
    "deviations",
    "disagreement",
    "estimate_coefficient",
    "ladder",
    "observed_prior",
    "passive_error",
    "passive_positives",
    "passive_sizes",
    "positives_for_radius",
    "prior_bound",
    "radii",
    "realizable_radius",
    "refined",
    "relative_deviation",
    "sharp",
    "uniform_deviation",
    "uniform_sample_size",
    "up",
]
