"""Plan: how many questions it takes, what a number of questions certifies, or what it would do to a model."""

from activepu.planning.audits import AuditPlan, AuditReach, bound_text
from activepu.planning.models import ModelPlan, ModelStep
from activepu.planning.planner import POOL, RUNS, plan
from activepu.planning.table import CAVEAT, Plan, Reach, Row, caveats, error_text, readable

__all__ = [
    "CAVEAT",
    "POOL",
    "RUNS",
    "AuditPlan",
    "AuditReach",
    "ModelPlan",
    "ModelStep",
    "Plan",
    "Reach",
    "Row",
    "bound_text",
    "caveats",
    "error_text",
    "plan",
    "readable",
]
