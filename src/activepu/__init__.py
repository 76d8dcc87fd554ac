"""Active learning from positive and unlabeled data, with certificates.

import activepu as apu

result = apu.learn(apu.ZCal(apu.Boxes(), epsilon=0.1, delta=0.05), pool, expert)
print(result.hypothesis, result.certificate)

Importing the package costs next to nothing: what a name needs is imported when the name is first used.
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers and editors; `_HOMES` says the same to Python
    from activepu import channel, models, paper, testing, theory
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
        Thresholds,
    )
    from activepu.hypotheses.registration import Registration, register, registration
    from activepu.learners import (
        Cal,
        KnownPrior,
        Learner,
        PassivePU,
        RevealRate,
        UnknownPrior,
    )
    from activepu.loading import load_result
    from activepu.models import ModelLearner, learning_curve, strategies
    from activepu.planning import AuditPlan, AuditReach, ModelPlan, Plan, Reach, plan
    from activepu.pools import Pool, Sampler
    from activepu.records import Bounds, Question, StopReason
    from activepu.result import Result
    from activepu.run import Run, estimate_rate, learn
    from activepu.studies import Leased, Status, Study
    from activepu.version_spaces import Frontier, VersionSpace, version_space
    from activepu.zcal import ZCal

    __version__: str

_HOMES = {
    "activepu.audit": ("Audit",),
    "activepu.certificate": ("Certificate",),
    "activepu.classifier": (
        "ActivePUClassifier",
        "answer_likelihood",
    ),
    "activepu.errors": (
        "ActivePUError",
        "AnswerRefused",
        "AssumptionsViolated",
        "BudgetRefused",
        "InvalidInput",
        "ModelFailed",
        "PoolExhausted",
        "PoolTooSmall",
        "StorageFailed",
        "StudyDamaged",
        "StudyDiffers",
    ),
    "activepu.experts": (
        "SKIP",
        "TIMEOUT",
        "CallbackExpert",
        "Expert",
        "SimulatedExpert",
    ),
    "activepu.features": ("TableFeatures",),
    "activepu.hypotheses": (
        "Boxes",
        "BoxLike",
        "ClosedClass",
        "Closure",
        "Conjunctions",
        "FiniteClass",
        "Halfspaces",
        "Hypothesis",
        "HypothesisClass",
        "Intervals",
        "Orthants",
        "Thresholds",
    ),
    "activepu.hypotheses.registration": ("Registration", "register", "registration"),
    "activepu.learners": (
        "Cal",
        "KnownPrior",
        "Learner",
        "PassivePU",
        "RevealRate",
        "UnknownPrior",
    ),
    "activepu.models": (
        "ModelLearner",
        "learning_curve",
        "strategies",
    ),
    "activepu.planning": (
        "AuditPlan",
        "AuditReach",
        "ModelPlan",
        "Plan",
        "Reach",
        "plan",
    ),
    "activepu.pools": (
        "Pool",
        "Sampler",
    ),
    "activepu.records": (
        "Bounds",
        "Question",
        "StopReason",
    ),
    "activepu.loading": ("load_result",),
    "activepu.result": ("Result",),
    "activepu.run": (
        "Run",
        "estimate_rate",
        "learn",
    ),
    "activepu.studies": (
        "Leased",
        "Status",
        "Study",
    ),
    "activepu.version_spaces": (
        "Frontier",
        "VersionSpace",
        "version_space",
    ),
    "activepu.zcal": ("ZCal",),
}
"""The modules that the public names come from."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name, or a module of the package, when it is first used (PEP 562)."""
        if name == "__version__":
            found = _import("importlib.metadata").version("activepu")
        elif name in _HOME_OF:
            found = getattr(_import(_HOME_OF[name]), name)
        elif not name.startswith("_") and _import("importlib.util").find_spec(f"activepu.{name}") is not None:
            found = _import(f"activepu.{name}")
        else:
            raise AttributeError(f"module 'activepu' has no attribute {name!r}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Return the public names, imported or not."""
        return sorted({*globals(), *__all__, "__version__"})


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
    "ModelPlan",
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
