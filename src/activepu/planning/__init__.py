"""Before anyone is asked: how many questions it will take, or how small an error so many questions can certify."""

from activepu.planning.planner import RUNS, plan
from activepu.planning.table import CAVEAT, Plan, Reach, Row, caveats, error_text, readable

__all__ = ["CAVEAT", "RUNS", "Plan", "Reach", "Row", "caveats", "error_text", "plan", "readable"]
