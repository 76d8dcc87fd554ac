"""A class of a stranger, with nothing registered, goes through the theory correctly or with one clear sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from strangers.prefixes import Prefix, Prefixes

import activepu as apu
from activepu.theory import radii


class ListedPrefixes(Prefixes):
    """Prefixes of binary digits, listed: one prefix per node of the tree."""

    def members(self) -> Sequence[Prefix]:
        lengths = range(self.bound_dim + 1)
        return [Prefix(self, digits) for length in lengths for digits in product((0, 1), repeat=length)]


class Unlisted(apu.HypothesisClass):
    """A class without a closure that can neither list its members nor sample them."""

    name: ClassVar[str] = "unlisted"
    vc_dimension = 2

    def log_growth(self, n: int) -> float:
        return float(np.log(max(1, 2 * n)))

    def hypothesis_from_dict(self, data: dict[str, Any]) -> apu.Hypothesis:
        raise NotImplementedError


DIM = 4
BITS = np.array(list(product((0, 1), repeat=DIM)), float)


def rows(n: int, seed: int) -> np.ndarray:
    """Distinct rows of 20 decimal digits; a third starts with 7."""
    rng = np.random.default_rng(seed)
    table = rng.integers(10, size=(n, 20)).astype(float)
    table[rng.random(n) < 0.3, 0] = 7.0
    return table


TABLE = rows(3000, seed=0)
TRUTH = TABLE[:, 0] == 7
PRIOR = 0.4
LEARNERS = {
    "KnownPrior": lambda H: apu.KnownPrior(H, 0.2, 0.1, prior=PRIOR),
    "PassivePU": lambda H: apu.PassivePU(H, 0.2, 0.1),
    "UnknownPrior": lambda H: apu.UnknownPrior(H, 0.2, 0.1),
    "Cal": lambda H: apu.Cal(H, 0.2, 0.1),
    "the paper's KnownPrior": lambda H: apu.paper.KnownPrior(H, 0.4, 0.1, PRIOR, 1.5, apu.paper.Constants(scale=1e-5)),
    "the paper's EstRate": lambda H: apu.paper.EstRate(H, 0.1, limit=1500),
}


def test_the_growth_function_counts_the_labellings_of_the_tree():
    H = ListedPrefixes().bind(DIM)
    held = np.array([h.contains(BITS) for h in (*H.members(), H.empty)])
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 5, 9, 16):
        most = max(len(np.unique(held[:, rng.permutation(16)[:n]], axis=0)) for _ in range(50))
        assert most <= math.exp(H.log_growth(n)) + 1e-9
    assert math.exp(H.log_growth(16)) == pytest.approx(len(np.unique(held, axis=0)))  # and it is attained


def test_a_closure_without_sides_has_the_general_radius():
    H = Prefixes().bind(DIM)
    assert H.n_sides is None
    assert radii.closure_radius(H, 50, 0.1) == radii.realizable_radius(H, 50, 0.1)
    assert radii.closure_radius(apu.Boxes(dim=1), 50, 0.1) < radii.realizable_radius(apu.Boxes(dim=1), 50, 0.1)


def most_failures(t: float, K: int) -> float:
    """The largest probability, over all D, that the closure of K draws misses more than t < 1/2 of ℓ.

    That is so if all draws lie in one node of mass below 1 − t. The largest such nodes are disjoint, and Σ p^K is
    largest for two of them, with masses 1 − t and t.
    """
    return (1 - t) ** K + t**K


@pytest.mark.parametrize(("K", "delta"), [(40, 0.3), (80, 0.05), (400, 0.01)])
def test_the_general_radius_holds_for_a_tree_and_that_of_one_side_would_not(K, delta):
    radius = radii.closure_radius(Prefixes().bind(DIM), K, delta)
    assert radius < 0.5
    assert most_failures(radius, K) <= delta
    one_side = radii.closure_radius(apu.Thresholds(), 5, 0.3)
    assert most_failures(one_side, 5) > 0.3


def test_deviations_and_sizes_come_from_the_growth_function():
    H = Prefixes().bind(DIM)
    assert not H.is_chain
    assert apu.theory.uniform_deviation(H, 10_000, 0.1) == apu.theory.deviations.vc_deviation(H, 10_000, 0.1)
    K, n = apu.theory.passive_sizes(H, 0.1, 0.1)
    assert n == 0
    assert apu.theory.passive_error(H, K, 0, 0.1) <= 0.1


def test_no_closed_form_is_invented_and_a_registered_one_is_used():
    class Own(Prefixes):
        pass

    assert apu.theory.coefficient(Own(dim=3), 0.3) is None
    with pytest.raises(apu.InvalidInput, match="No closed form"):
        apu.paper.disagreement_coefficient(Own(dim=3))
    apu.register(Own, apu.Registration(coefficient=lambda H, prior: apu.theory.ClosedForm(3.0, "digits")))
    assert apu.theory.coefficient(Own(dim=3), 0.3, r0=0.5) == 2.0
    assert apu.paper.disagreement_coefficient(Own(dim=3)).about == "digits"


def test_flip_costs_of_a_class_that_lists_its_members_are_exact():
    H = ListedPrefixes().bind(DIM)
    rng = np.random.default_rng(1)
    members = [*H.members(), H.empty]
    for h in members:
        T = BITS[rng.integers(16, size=12)]
        table, own = np.array([g.contains(T) for g in members]), h.contains(T)
        differs = np.array([g.contains(BITS) for g in members]) != h.contains(BITS)
        true = np.where(differs, (table != own).sum(axis=1)[:, None], len(T) + 1).min(axis=0)
        least, found = apu.theory.flip_costs(h, T).bounds(BITS)
        assert least.tolist() == found.tolist() == true.tolist()


def test_balls_of_a_class_that_lists_its_members_are_exact():
    H = ListedPrefixes().bind(DIM)
    truth = BITS[:, 0] == 1
    B = apu.paper.ball(truth, 0.25, BITS, H=H)
    assert B.method == "exact"
    near = [h for h in (*H.members(), H.empty) if np.mean(h.contains(BITS) != truth) <= 0.25]
    held = np.array([h.contains(BITS) for h in near])
    assert B.disagrees(BITS).tolist() == (held.any(axis=0) & ~held.all(axis=0)).tolist()
    theta = apu.paper.disagreement_coefficient(H, BITS, center=truth)
    assert theta.method == "exact"
    T, T_prime = np.random.default_rng(2).integers(2, size=(2, 4000, DIM)).astype(float)
    assert apu.theory.estimate_coefficient(H, B.center, T, T_prime, 0.5, 0.1).value >= 1


def test_registered_flip_costs_give_balls_to_a_class_that_lists_nothing():
    class Own(Prefixes):
        pass

    class ByClosure(apu.theory.FlipCosts):
        """Bounds that hold for every class with a closure, for items outside h; copies of x from below inside it."""

        def bounds(self, X):
            own, H, T = self.h.contains(self.T), self.h.hypotheses, self.T
            alone = np.array([H.closure(x[None]).contains(T) for x in X])
            grown = np.array([H.closure(np.vstack([T[own], x[None]])).contains(T) for x in X])
            found = np.minimum((alone != own).sum(axis=1), (grown != own).sum(axis=1))
            inside, least = self.h.contains(X), (alone & ~own).sum(axis=1)
            same = (T[None] == X[:, None]).all(axis=2).sum(axis=1)
            return np.where(inside, same, least), np.where(inside, own.sum(), found)

    apu.register(Own, apu.Registration(flip_costs=ByClosure))
    truth = BITS[:, 0] == 1
    theta = apu.paper.disagreement_coefficient(Own(), BITS, center=truth)
    exact = apu.paper.disagreement_coefficient(ListedPrefixes(), BITS, center=truth)
    assert theta.method == "sampled"
    assert theta.value <= exact.value <= theta.upper


def test_balls_of_a_class_that_lists_nothing_are_refused_in_a_sentence():
    H = Prefixes().bind(20)
    with pytest.raises(apu.InvalidInput, match=r"does not list its members; define members\(\), register flip_costs"):
        apu.paper.ball(TRUTH, 0.1, TABLE, H=H)
    with pytest.raises(apu.InvalidInput, match="FiniteClass"):
        apu.paper.disagreement_coefficient(H, TABLE, center=TRUTH)
    with pytest.raises(apu.InvalidInput, match=r"define members\(\) or member_with"):
        apu.paper.ball(TRUTH, 0.1, TABLE, H=Unlisted())


def test_a_center_that_is_no_member_is_refused():
    with pytest.raises(apu.InvalidInput, match="none of them has these labels"):
        apu.paper.ball(TABLE[:, 1] == 7, 0.1, TABLE, H=Prefixes())


def test_a_center_of_another_class_stands_for_a_member_of_this_one():
    line = np.arange(8.0)[:, None]
    halfline = apu.Halfspaces(1).member_with(line, line[:, 0] >= 5)
    B = apu.paper.ball(halfline, 0.125, line, H=apu.Thresholds())
    assert type(B.hypotheses) is apu.Thresholds
    square = np.array(list(product(range(4), repeat=2)), float)
    corner = apu.Halfspaces(2).member_with(square, square.sum(axis=1) >= 4)
    with pytest.raises(apu.InvalidInput, match="member of 'boxes'"):
        apu.paper.ball(corner, 0.1, square, H=apu.Boxes())


def test_regions_of_the_whole_class_and_of_its_version_spaces():
    H = Prefixes().bind(20)
    assert apu.paper.disagreement_rate(H, TABLE) == 1.0
    V = apu.version_space(H).require(TABLE[TRUTH][:5])
    assert V.certain(TABLE).tolist() == TRUTH.tolist()
    assert apu.paper.positive_disagreement(V, TRUTH, TABLE).sum() == 0


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_takes_the_class_and_keeps_its_word(name):
    rate = 1.0 if name == "Cal" else 0.5
    result = apu.learn(LEARNERS[name](Prefixes()), TABLE, apu.SimulatedExpert(TRUTH, rate=rate), budget=300)
    wrong = np.mean(result.predict(TABLE) != TRUTH)
    assert wrong <= result.certificate.error_bound
    assert result.n_queries > 0
    if not name.startswith("the paper's"):
        assert result.certificate.error_bound <= 0.2
        assert result.certificate.method == "exact"


@pytest.mark.parametrize("name", LEARNERS)
def test_a_class_that_can_do_nothing_is_refused_in_a_sentence(name):
    table = rows(12_000, seed=1)
    with pytest.raises(apu.InvalidInput, match=r"define members\(\) or sample"):
        apu.learn(LEARNERS[name](Unlisted()), table, apu.SimulatedExpert(table[:, 0] == 7), budget=50)


def test_binary_digits_repeat_and_the_class_may_say_so():
    class Binary(Prefixes):
        always_repeats = True

    with pytest.raises(apu.InvalidInput, match="needs a continuous distribution"):
        apu.learn(apu.PassivePU(Binary(), 0.2, 0.1), TABLE, apu.SimulatedExpert(TRUTH))
    methods = [row.method for row in apu.plan(Binary(dim=20), 0.1, runs=0).rows]
    assert methods == ["limit"]


def test_a_plan_has_the_formulas_that_need_no_coefficient_and_with_it_all():
    methods = [row.method for row in apu.plan(Prefixes(dim=20), 0.1, runs=3).rows]
    assert methods == ["UnknownPrior", "PassivePU", "limit"]
    methods = [row.method for row in apu.plan(Prefixes(dim=20), 0.1, theta=2, runs=0).rows]
    assert {"paper, known prior, θ", "KnownPrior", "Cal"} <= set(methods)
    with pytest.raises(apu.InvalidInput, match="found by simulation"):
        apu.plan(Prefixes(dim=20), budget=100)
