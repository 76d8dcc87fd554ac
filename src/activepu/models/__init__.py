"""Classifiers that learn from reveals and stars."""

from activepu.models.base import ChannelModel
from activepu.models.channel_fit import fit
from activepu.models.committees import check_classifier, check_columns, last_step, take
from activepu.models.curve import learning_curve
from activepu.models.fitted import FittedModel, Models
from activepu.models.learner import ModelLearner
from activepu.models.logistic import ChannelLogistic, not_binary
from activepu.models.novelty import novelty

__all__ = [
    "ChannelLogistic",
    "ChannelModel",
    "FittedModel",
    "ModelLearner",
    "Models",
    "check_classifier",
    "check_columns",
    "fit",
    "last_step",
    "learning_curve",
    "not_binary",
    "novelty",
    "take",
]
