"""Active learning from positive and unlabeled data, with certificates.

import activepu as apu

result = apu.learn(apu.ZCal(apu.Boxes(), epsilon=0.1, delta=0.05), pool, expert)
print(result.hypothesis, result.certificate)
"""

from importlib.metadata import version as _version

from activepu import channel, models, paper, registry, testing, theory  # noqa: F401 (registry registers)
from activepu.audit import Audit
from activepu.certificate import Certificate
from activepu.classifier import ActivePUClassifier, answer_likelihood
from activepu.errors import (
    ActivePUError,
    AnswerRefused,
    AssumptionsViolated,
    BudgetRefused,
    InvalidInput,
    ModelFailed,
    PoolExhausted,
    PoolTooSmall,
    StorageFailed,
    StudyDamaged,
    StudyDiffers,
)
from activepu.experts import SKIP, TIMEOUT, CallbackExpert, Expert, SimulatedExpert
from activepu.features import TableFeatures
from activepu.hypotheses import (
    Boxes,
    BoxLike,
    ClosedClass,
    Closure,
    Conjunctions,
    FiniteClass,
    Halfspaces,
    Hypothesis,
    HypothesisClass,
    Intervals,
    Orthants,
    Registration,
    Thresholds,
    register,
    registration,
)
from activepu.learners import (
    Cal,
    KnownPrior,
    Learner,
    PassivePU,
    RevealRate,
    UnknownPrior,
)
from activepu.models import ModelLearner, learning_curve, strategies
from activepu.planning import AuditPlan, AuditReach, Plan, Reach, plan
from activepu.pools import Pool, Sampler
from activepu.records import Bounds, Question, StopReason
from activepu.result import Result, load_result
from activepu.run import Run, estimate_rate, learn
from activepu.studies import Leased, Status, Study
from activepu.version_spaces import Frontier, VersionSpace, version_space
from activepu.zcal import ZCal

__version__ = _version("activepu")

__all__ = [
    "SKIP",
    "TIMEOUT",
    "ActivePUClassifier",
    "ActivePUError",
    "AnswerRefused",
    "AssumptionsViolated",
    "Audit",
    "AuditPlan",
    "AuditReach",
    "Bounds",
    "BoxLike",
    "Boxes",
    "BudgetRefused",
    "Cal",
    "CallbackExpert",
    "Certificate",
    "ClosedClass",
    "Closure",
    "Conjunctions",
    "Expert",
    "FiniteClass",
    "Frontier",
    "Halfspaces",
    "Hypothesis",
    "HypothesisClass",
    "Intervals",
    "InvalidInput",
    "KnownPrior",
    "Learner",
    "Leased",
    "ModelFailed",
    "ModelLearner",
    "Orthants",
    "PassivePU",
    "Plan",
    "Pool",
    "PoolExhausted",
    "PoolTooSmall",
    "Question",
    "Reach",
    "Registration",
    "Result",
    "RevealRate",
    "Run",
    "Sampler",
    "SimulatedExpert",
    "Status",
    "StopReason",
    "StorageFailed",
    "Study",
    "StudyDamaged",
    "StudyDiffers",
    "TableFeatures",
    "Thresholds",
    "UnknownPrior",
    "VersionSpace",
    "ZCal",
    "answer_likelihood",
    "channel",
    "estimate_rate",
    "learn",
    "learning_curve",
    "load_result",
    "models",
    "paper",
    "plan",
    "register",
    "registration",
    "strategies",
    "testing",
    "theory",
    "version_space",
]
