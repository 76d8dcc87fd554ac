"""Run a learner: by hand with `Run`, or with an expert in a loop with `learn`."""

from activepu.run.driver import Run
from activepu.run.loop import MOST_SKIPS, estimate_rate, learn

__all__ = ["MOST_SKIPS", "Run", "estimate_rate", "learn"]
