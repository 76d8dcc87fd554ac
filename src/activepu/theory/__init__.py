"""The paper's theory as functions that can be read beside it, and the sharper bounds that replace its constants.

`binomial` exact binomial bounds; `deviations` uniform deviations; `radii` how much K positives leave; `rate_test` the
sequential test; `ladder` several levels at once; `disagreement` and `balls` the coefficient θ; `budgets` the paper's
sizes; `refined` its label bounds with θ in place of θ²; `sharp` those of the sharp algorithms.
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
    rate_test,
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
from activepu.theory.rate_test import RateTest

__all__ = [
    "CoefficientEstimate",
    "Constants",
    "Ladder",
    "PriorLooks",
    "RateTest",
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
    "rate_test",
    "realizable_radius",
    "refined",
    "relative_deviation",
    "sharp",
    "uniform_deviation",
    "uniform_sample_size",
    "up",
]
