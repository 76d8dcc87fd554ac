from __future__ import annotations

import numpy as np
import pytest
from scipy.special import entr

from activepu import channel


@pytest.mark.parametrize(("rate", "best", "capacity"), [(1.0, 0.5, 1.0), (0.5, 0.4, 0.3219), (0.2, 0.379, 0.1136)])
def test_the_values_of_the_page(rate, best, capacity):
    assert channel.best_input(rate) == pytest.approx(best, abs=5e-4)
    assert channel.capacity(rate) == pytest.approx(capacity, abs=5e-5)


@pytest.mark.parametrize("rate", [1.0, 0.9, 0.5, 0.2, 0.01])
def test_the_best_input_is_the_maximum_of_the_information_and_its_value_the_capacity(rate):
    p = np.linspace(0, 1, 100_001)
    bits = channel.information(p, rate)
    assert p[bits.argmax()] == pytest.approx(float(channel.best_input(rate)), abs=2e-5)
    assert bits.max() == pytest.approx(float(channel.capacity(rate)), rel=1e-8)


def test_information_is_the_mutual_information_of_input_and_answer():
    p, rate = 0.3, 0.4
    joint = np.array([[1 - p, 0.0], [p * (1 - rate), p * rate]])
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    mutual = (joint[seen] * np.log2(joint[seen] / product[seen])).sum()
    assert channel.information(p, rate) == pytest.approx(mutual)


def test_arrays_are_taken_elementwise_and_the_ends_are_exact():
    rates = np.array([1.0, 0.5])
    assert channel.capacity(rates).shape == (2,)
    assert channel.capacity(1.0) == 1.0
    assert channel.best_input(1.0) == 0.5
    assert channel.entropy(np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 1.0, 0.0]
    assert channel.information(np.array([0.0, 1.0]), 0.3).tolist() == pytest.approx([0.0, 0.0])


def test_rare_reveals_are_best_spent_where_the_chance_is_one_over_e():
    assert channel.best_input(1e-9) == pytest.approx(1 / np.e, abs=1e-6)
    assert channel.capacity(1e-9) == pytest.approx(1e-9 / (np.e * np.log(2)), rel=1e-6)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
def test_entropy_has_two_units(p):
    nats = channel.entropy(p, unit="nats")
    assert nats == entr(p) + entr(1 - p)
    assert channel.entropy(p, unit="bits") == channel.entropy(p) == nats / np.log(2.0)
