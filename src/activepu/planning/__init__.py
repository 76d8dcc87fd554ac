"""Plan before anyone is asked: how many questions it takes, or what a number of questions certifies."""

from activepu.planning.audits import AuditPlan, AuditReach, bound_text
from activepu.planning.planner import POOL, RUNS, plan
from activepu.planning.table import CAVEAT, Plan, Reach, Row, caveats, error_text, readable

__all__ = [
    "CAVEAT",
    "POOL",
    "RUNS",
    "AuditPlan",
    "AuditReach",
    "Plan",
    "Reach",
    "Row",
    "bound_text",
    "caveats",
    "error_text",
    "plan",
    "readable",
]
