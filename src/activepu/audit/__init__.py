"""The audit: how good is a classifier, certified without assuming that any class contains the truth.

Read `learner` first. `strata` are the bands in which items are drawn by lot, `state` is the lot, `likelihood` the
probability of the answers in a stratum, `prediction` what they must compete with, `confidence` the set of counts that
fit them, `report` what follows. `bet` needs fewer questions for a single target, and `allocation` says where to ask.
"""

from activepu.audit.learner import Audit

__all__ = ["Audit"]
