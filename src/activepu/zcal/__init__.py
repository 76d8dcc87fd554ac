"""Z-CAL: the likelihood version space, and which item to ask."""

from activepu.zcal.learner import ZCal

__all__ = ["ZCal"]
