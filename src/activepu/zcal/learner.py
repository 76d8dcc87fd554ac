"""Z-CAL: learning through a Z-channel, with the likelihood version space.

    loop: if every possible hypothesis is within ε of the rule on the pool: return the rule
          ask the item whose answer promises most; predict the answer; fold the answers in the order of asking
    then: ask some decided items by lot; raise if their answers contradict the class

The parts lie side by side in this package: `state` holds a run, `confidence` says what is possible, `posteriors` what
is likely, `rivals` what the certificate waits for, `acquisition` which item to ask, `radius` how far a member can be
from the rule, `stopping` when to end, `check` whether the class is contradicted, and `report` what is certified.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Self

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.hypotheses.registration import registration
from activepu.learners.base import Learner
from activepu.pools import Draws
from activepu.records import Ask, Steps
from activepu.zcal.check import default
from activepu.zcal.rates import Rates
from activepu.zcal.report import report
from activepu.zcal.state import State

IN_TIME_WRONG = ", and the share of wrong reveals that of the negatives that are"


class ZCal(Learner):
    """Find a rule by asking an expert who reveals only some of the positives, and certify its error at every moment.

    Z-CAL chooses which items of a pool to ask about, keeps the rules that the answers have not excluded, and ends when
    all of these are within ε (`epsilon`) of the one that it returns. The certificate holds with probability ≥ 1 − δ
    (`delta`). It can be read at any moment, also if the run is ended early.

    **Assumes** that the truth is in the class, and that every positive is revealed with one and the same probability ω,
    or one per expert, independently of all others. It needs neither continuity nor i.i.d. rows, and neither the share
    π of positives nor the disagreement coefficient θ. Everything reported holds at every moment at once: the pool's
    error, its share of positives, and ω. If the rows are i.i.d., an error is certified for new rows too.

    Parameters
    ----------
    hypotheses : HypothesisClass
        The rules that are considered, such as ``Boxes()``.
    epsilon : float
        The error that is to be certified, between 0 and 1.
    delta : float
        The chance of a false certificate, between 0 and 1.
    rate : None, float, (float, float) or "per expert"
        The reveal rate ω: unknown, known, known to lie between two numbers, or unknown and different for each expert.
    false_reveal : float
        An upper bound on the rate at which items that are not positive are revealed. Only for classes whose
        registration allows for it: finite classes and halfspaces.
    check : int, optional
        How many decided items are asked by lot once ε is certified, to check the assumption about the class: 40 by
        default, and 100 if the rate is not known exactly, because false positives are then harder to see. A fifth of
        δ pays for the alarm. The certificate says which violation so many checks would show, and what they cannot tell.
        With 0 the class is not checked.

    Raises
    ------
    InvalidInput
        If a setting is out of range, or `false_reveal` is not offered for the class.
    AssumptionsViolated
        In a run, if the answers contradict the class.

    Notes
    -----
    Let ℓ be the truth, the rule that is sought, and ω the reveal rate. An expert who is asked about x reveals it with
    probability ω if x is in ℓ, and is silent otherwise: P(reveal at x | h) = ω·h(x) if a rule h is the truth. Let Q_t
    be the product of the predictions of the first t answers, each fixed when its question was put, and L_t(h, ω) the
    likelihood of these answers. Then Q_t / L_t(ℓ, ω) is a nonnegative supermartingale for *any* adaptive questions. So
    by Ville's inequality, with probability ≥ 1 − δ and for all t at once, ℓ is in

        V_t = {h ⊇ R : max_ω L_t(h, ω) ≥ δ·Q_t},

    where R is the set of the positives that were known beforehand or revealed. Box-like classes with one rate for all
    experts have separate bets against every side of h, and finite classes against every member, which makes V_t
    smaller.

    For the certificate of new rows a reserved sample T, at most a tenth of the pool, influences nothing but reports and
    the stop. DIS is the set of items on which the rules that are possible at level δ/2 differ. Its probability bounds
    the error of each of these rules, and is itself bounded at δ/2 by the share of T that lies in DIS (Clopper–Pearson,
    for ε and its doublings).

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((2_000, 1))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0.7, rate=0.5)
    >>> learner = apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05, rate=0.5)
    >>> result = apu.learn(learner, X, expert)
    >>> result.certificate.error_bound <= 0.1
    True
    >>> print(result.stop_reason)
    The error is certified to be at most epsilon.

    An interval is no threshold. Enough checks notice that:

    >>> inside = apu.SimulatedExpert((X[:, 0] > 0.3) & (X[:, 0] < 0.7), rate=0.5)
    >>> try:
    ...     apu.learn(apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05, rate=0.5, check=100), X, inside)
    ... except apu.AssumptionsViolated as error:
    ...     print(str(error).split(":")[0])
    The answers contradict the assumption that the truth is one of the thresholds

    References
    ----------
    Ville, *Étude critique de la notion de collectif*, 1939, for the inequality. Mansouri, Zilles and Ben-David, "Active
    learning from positive and unlabeled examples", 2026, for the problem; Z-CAL is not in that paper.

    See Also
    --------
    KnownPrior, UnknownPrior : certify the population from i.i.d. rows.
    ModelLearner : any classifier, without a certificate.
    """

    rests_on_chance = True
    hears_timeouts = True
    runs_ahead = ("search",)
    in_time = (
        "which positives are answered in time does not depend on which they are, and the reveal rate is that of the "
        "positives that are answered in time"
    )
    when_dry = (
        "The positives have dried up: no further question can decide the items that are still undecided; each of them "
        "was asked, looks the same to the expert as one that was, or is kept for the population's certificate."
    )

    def __init__(
        self,
        hypotheses: HypothesisClass,
        epsilon: float,
        delta: float,
        rate: float | tuple[float, float] | str | None = None,
        false_reveal: float = 0.0,
        check: int | None = None,
    ) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self._rates = Rates.parse(rate)
        self.rate = rate
        self.false_reveal = checks.share("false_reveal", false_reveal)
        if self.false_reveal:
            self.in_time += IN_TIME_WRONG
        self.check = default(self._rates) if check is None else checks.count("check", check)
        if self.false_reveal and not registration(hypotheses).false_reveals:
            raise InvalidInput(
                f"false_reveal = {false_reveal:g} needs a FiniteClass or Halfspaces, got {hypotheses!r}, where a "
                "revealed item must lie inside the rule; pass a list of candidate rules, or false_reveal=0."
            )
        if self.false_reveal and self.false_reveal >= self._rates.high:
            raise InvalidInput(f"false_reveal must be below the reveal rate, got {false_reveal!r} and rate = {rate!r}.")

    def with_deadlines(self, rate_in_time: bool = False) -> Self:
        """Return the learner for answers before a deadline: the rate is unknown, unless every positive is revealed.

        Refuse a share of wrong reveals: of the answers in time more may be wrong. What was stated of the answers in
        time is used as it is, because the others count as not asked.
        """
        if rate_in_time:
            return self
        if self.false_reveal:
            raise InvalidInput(
                f"false_reveal = {self.false_reveal:g} is of all answers, and of those before a deadline more may be "
                "wrong; say that it is of these (rate_in_time), or set no deadline."
            )
        if self._rates.per_expert or self._rates.is_any or self._rates.low == 1:
            return self
        again = copy(self)
        again._rates = Rates()
        return again

    def steps(self, draws: Draws) -> Steps:
        """Ask until every possible hypothesis is near the rule, then check; later answers are still folded."""
        V = self.everything(draws)
        state = State(draws, V, self._rates, self.epsilon, self.delta, self.false_reveal, self.check)
        now = partial(report, state, self.epsilon, self.delta, self.false_reveal)
        while True:
            done = state.stopping.reached() and state.check.done
            items = iter(()) if done else state.questions()
            question = yield Ask(items, now, state.gauges(), done, state.recall)
            state.fold(question)
