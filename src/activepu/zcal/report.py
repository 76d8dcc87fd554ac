"""The report of Z-CAL at any moment of a run: the rule, its certificates, and bounds on ω and π."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from activepu.certificate import VACUOUS, Certificate, Scope
from activepu.hypotheses.base import Hypothesis
from activepu.learners.base import FOUND, GIVEN, IID, KNOWN, REVEALS, SCAR
from activepu.records import Bounds, Report, StopReason
from activepu.theory import binomial
from activepu.zcal.doubts import doubts, remarks
from activepu.zcal.rates import Rates
from activepu.zcal.state import State


def report(state: State, epsilon: float, delta: float, false_reveal: float) -> Report:
    """Return what is certified now; it holds at every moment at once."""
    found = state.stopping.smallest_ball()
    pool, T = state.pool, state.reserved_in_pool
    n, n_undecided = len(state.points) + len(T), pool.n_undecided + T.n_undecided
    most = found.radius if found.center == pool.version_space.least else n_undecided  # all members contain the least
    n_positive = pool.n_positive + T.n_positive
    confidence = 1 - delta if pool.version_space.method == "exact" else 0.0
    prior = Bounds(n_positive / n, (n_positive + most) / n, confidence)
    prior = _population_prior(state, delta) if state.endless else prior
    inside = np.bincount(pool.star_groups[found.center.contains(pool.stars)], minlength=1 + len(state.experts))
    rates = {name: _rate(state, group, int(inside[group]), delta) for name, group in state.experts.items()}
    rate = None if state.rates.per_expert else _rate(state, 0, int(inside[0]), delta)
    pool_certificate, population = _certificates(state, found.center, found.radius / n, delta, false_reveal)
    told = _told(state, [rate] if rate else list(rates.values()), prior, epsilon)
    pool_certificate = told(replace(pool_certificate, abstains=n_undecided / n))
    population = population and told(population)
    certificate = population if state.endless and population else pool_certificate
    return Report(
        pool.version_space,
        found.center,
        certificate,
        StopReason.TARGET if certificate.error_bound <= epsilon else StopReason.RUNNING,
        rate=rate,
        prior=prior,
        gauges=state.gauges(),
        population=None if state.endless else population,
        rates=rates if state.rates.per_expert else None,
    )


def _certificates(
    state: State, rule: Hypothesis, error: float, delta: float, false_reveal: float
) -> tuple[Certificate, Certificate | None]:
    """Return a certificate for the pool, and one for the population if T is not empty."""
    method, given = state.pool.version_space.method, len(state.draws.positives) > 0
    assumed = (
        f"the truth is one of the {state.draws.hypotheses.plural}",
        _wrong_reveals(false_reveal) if false_reveal else REVEALS,
        _assumed_rate(state.rates),
        *((GIVEN, FOUND) if given else ()),
    )

    def certificate(bound: float, scope: Scope, *more: str) -> Certificate:
        return Certificate(min(1.0, bound), 1 - delta, scope, method, (*assumed, *more))

    on_pool = certificate(error, "pool")
    if not len(state.T):
        return on_pool, None
    region = state.stopping.population()
    shared = state.reserved.permanent.allows(rule)  # otherwise the rule may err on items that are decided at δ/2
    wide = certificate(region if shared else 1.0, "population", IID, *((KNOWN,) if given else ()))
    return on_pool, replace(wide, abstains=region) if state.endless else wide  # V itself has level δ/2 there


def _told(state: State, rates: Sequence[Bounds], prior: Bounds, epsilon: float) -> Callable[[Certificate], Certificate]:
    """Return a function that adds to a certificate what a reader should know beside it, if it bounds anything."""
    pool, check = state.pool, state.check
    highest = max((bounds.high for bounds in rates), default=1.0)

    def told(certificate: Certificate) -> Certificate:
        if certificate.error_bound >= VACUOUS:
            return certificate
        doubted = certificate.doubted(doubts(check, sum(pool.revealed), highest))
        return replace(doubted, remarks=remarks(check, prior, epsilon))

    return told


def _rate(state: State, group: int, silent: int, delta: float) -> Bounds:
    """Return bounds on ω, with the share of reveals among the questions inside the rule as an estimate."""
    pool = state.pool
    low, high = pool.rate_bounds(group)
    revealed = pool.revealed[group] if group < len(pool.revealed) else 0
    guess = revealed / (revealed + silent) if revealed else None
    confidence = 1 - (delta / 2 if state.endless else delta) if pool.version_space.method == "exact" else 0.0
    return Bounds(low, high, confidence, None if guess is None else min(max(guess, low), high))


def _population_prior(state: State, delta: float) -> Bounds:
    """Return bounds on π in the population: δ/2 for what is possible, δ/4 for each of the two bounds on T."""
    reserved, share = state.reserved, delta / 4
    n = len(reserved.status)
    low = binomial.lower(reserved.n_positive, n, share)
    high = binomial.upper(reserved.n_positive + reserved.n_undecided, n, share)
    return Bounds(low, high, 1 - delta if reserved.version_space.method == "exact" else 0.0)


def _wrong_reveals(rate: float) -> str:
    return f"an item that is not positive is revealed with one and the same probability, {rate:g} at most"


def _assumed_rate(rates: Rates) -> str:
    independently = "whatever it is, independently of all others"
    if rates.per_expert:
        return f"each expert reveals a positive with a probability of their own {independently}"
    if rates.known:
        return f"a positive is revealed with probability {rates.low:g} {independently}"
    between = f", between {rates.low:g} and {rates.high:g}" if (rates.low, rates.high) != (0.0, 1.0) else ""
    return SCAR + between
