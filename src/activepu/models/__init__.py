"""Classifiers that learn from reveals and stars.

`ModelLearner` chooses the questions, `fit` learns from answers that are there, `strategies` say which item to ask. The
rest is what these give back. See docs/models.md.
"""

from activepu.models import strategies
from activepu.models.base import ChannelModel, Opinions
from activepu.models.channel_fit import fit
from activepu.models.curve import learning_curve
from activepu.models.fitted import FittedModel, Models
from activepu.models.learner import ModelLearner
from activepu.models.logistic import ChannelLogistic

__all__ = [
    "ChannelLogistic",
    "ChannelModel",
    "FittedModel",
    "ModelLearner",
    "Models",
    "Opinions",
    "fit",
    "learning_curve",
    "strategies",
]
