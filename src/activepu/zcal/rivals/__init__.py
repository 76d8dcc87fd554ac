"""Rivals: members that are still possible although they are too far from the rule that would be returned."""

from activepu.zcal.rivals.base import Rivals, Scene

__all__ = ["Rivals", "Scene"]
