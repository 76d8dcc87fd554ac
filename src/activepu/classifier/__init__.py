"""Active learning behind scikit-learn's conventions: an estimator, and a scorer for searches over answers."""

from activepu.classifier.estimator import ActivePUClassifier
from activepu.classifier.scoring import answer_likelihood

__all__ = ["ActivePUClassifier", "answer_likelihood"]
