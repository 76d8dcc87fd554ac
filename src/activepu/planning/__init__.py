"""Plan before anyone is asked: how many questions an error takes, or which error a number of questions certifies."""

from activepu.planning.planner import RUNS, plan
from activepu.planning.table import CAVEAT, Plan, Reach, Row, caveats, error_text, readable

__all__ = ["CAVEAT", "RUNS", "Plan", "Reach", "Row", "caveats", "error_text", "plan", "readable"]
