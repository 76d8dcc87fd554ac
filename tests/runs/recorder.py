"""A learner that writes down what it is sent."""

import numpy as np

from activepu.certificate import Certificate
from activepu.hypotheses import Intervals
from activepu.learners import Learner
from activepu.learners.base import questions
from activepu.pools import Pool, everywhere
from activepu.records import Ask, Gauges, Report
from activepu.run import Run


class Recorder(Learner):
    """Asks at random, writes down what it is sent, and stops after `enough` answers."""

    def __init__(self, enough=10**9, sample=0):
        super().__init__(Intervals(), 0.1, 0.1)
        self.enough = enough
        self.sample = sample
        self.log = []

    def steps(self, draws):
        V = self.everything(draws)
        sent = []
        self.log.append(sent)

        def report():
            return Report(V, V.smallest(draws.positives), Certificate(1.0, 0.9, "population", "exact"))

        items = questions(draws, everywhere, "random")
        while len(sent) < self.enough:
            question = yield Ask(items, report, Gauges(undecided=1 / (1 + len(sent))))
            sent.append((question.number, question.answer))
            if question.revealed:
                V = V.require(draws.points([question.item]))
            if self.sample:
                draws.unlabeled(self.sample, "the recorder")
        return report()


def number_pool(n=50):
    return Pool(np.arange(float(n)))


def run_of(n=50, **settings):
    learner = Recorder(**settings)
    return Run(learner, number_pool(n)), learner.log[0]
