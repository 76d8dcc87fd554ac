"""Posteriors: which hypotheses are likely. They only predict."""

from activepu.zcal.posteriors.base import Posterior, Prediction

__all__ = ["Posterior", "Prediction"]
