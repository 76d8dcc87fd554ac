"""Run a learner: by hand with `Run`, or with an expert in a loop with `learn`."""

from activepu.run.driver import Run, RunAgain
from activepu.run.loop import MOST_SKIPS, estimate_rate, learn

__all__ = ["MOST_SKIPS", "Run", "RunAgain", "estimate_rate", "learn"]
