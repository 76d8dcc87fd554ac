"""The plan of an audit, before anyone is asked.

`bands` is the world in which audits are simulated, `simulate` a simulated audit, `formulas` what no audit can undercut,
`planner` puts these together, and `table` is how a plan prints.
"""

from activepu.planning.audits.planner import plan_audit
from activepu.planning.audits.table import AuditPlan, AuditReach, bound_text

__all__ = ["AuditPlan", "AuditReach", "bound_text", "plan_audit"]
