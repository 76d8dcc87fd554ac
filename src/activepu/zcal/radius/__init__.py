"""How far a member of a version space can be from the rule that is returned: a ball around all members."""

from activepu.zcal.radius.bounding_ball import Ball, ball

__all__ = ["Ball", "ball"]
