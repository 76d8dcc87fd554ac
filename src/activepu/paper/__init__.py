"""The paper's three algorithms as printed, with its errata repaired and its constants as arguments. For study.

Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026). One algorithm per
file; `docs/paper.md` lists every erratum. With the paper's constants the budgets run to hundreds of millions of
questions. To learn something from an expert use `activepu.KnownPrior`, `activepu.UnknownPrior` and
`activepu.estimate_rate`.
"""

from activepu.paper.base import Constants
from activepu.paper.empirical_balls import Coefficient, EmpiricalBall
from activepu.paper.estimate_rate import EstRate, estimate_rate
from activepu.paper.known_prior import KnownPrior
from activepu.paper.objects import (
    ball,
    disagreement_coefficient,
    disagreement_rate,
    disagreement_region,
    distance,
    error,
    positive_disagreement,
    prior,
)
from activepu.paper.unknown_prior import UnknownPrior

__all__ = [
    "Coefficient",
    "Constants",
    "EmpiricalBall",
    "EstRate",
    "KnownPrior",
    "UnknownPrior",
    "ball",
    "disagreement_coefficient",
    "disagreement_rate",
    "disagreement_region",
    "distance",
    "error",
    "estimate_rate",
    "positive_disagreement",
    "prior",
]
