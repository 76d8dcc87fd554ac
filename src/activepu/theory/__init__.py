"""The paper's theory as functions that can be read beside it, and the sharper bounds that replace its constants.

- `binomial`         exact binomial bounds
- `deviations`       uniform deviations of frequencies from probabilities
- `radii`            how much of the positives is missed after K of them
- `observed_prior`   what K positives show of π
- `ladder`           several levels at once
- `disagreement`     the disagreement coefficient θ, with `flips`, from which it is measured
- `budgets`          the paper's sizes
- `refined`          its label bounds with θ in place of θ²
- `sharp`            the sizes of the sharp algorithms
"""

from activepu.theory import (
    binomial,
    budgets,
    deviations,
    disagreement,
    flips,
    ladder,
    observed_prior,
    radii,
    refined,
    sharp,
)
from activepu.theory.budgets import Constants
from activepu.theory.deviations import relative_deviation, uniform_deviation, uniform_sample_size, up
from activepu.theory.disagreement import (
    ClosedForm,
    CoefficientEstimate,
    closed_form,
    coefficient,
    estimate_coefficient,
)
from activepu.theory.flips import FlipCosts, flip_costs
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
    "ClosedForm",
    "CoefficientEstimate",
    "Constants",
    "FlipCosts",
    "Ladder",
    "PriorLooks",
    "binomial",
    "budgets",
    "closed_form",
    "closure_radius",
    "coefficient",
    "deviations",
    "disagreement",
    "estimate_coefficient",
    "flip_costs",
    "flips",
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
