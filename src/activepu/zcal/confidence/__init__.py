"""Confidence sets: which hypotheses, and which reveal rates, the answers have not excluded."""

from activepu.zcal.confidence.base import ConfidenceSet

__all__ = ["ConfidenceSet"]
