"""Contract checks for classes of your own; each raises AssertionError with a sentence that says what is broken.

`check_hypothesis_class` · `check_version_space` · `check_learner` · `check_storage`
"""

from activepu.testing.hypotheses import check_hypothesis_class
from activepu.testing.learners import check_learner
from activepu.testing.storages import check_storage
from activepu.testing.version_spaces import check_version_space

__all__ = ["check_hypothesis_class", "check_learner", "check_storage", "check_version_space"]
