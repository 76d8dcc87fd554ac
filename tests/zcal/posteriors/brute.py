"""An oracle for posteriors: members are listed with their prior, and weighed answer by answer at every rate."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.special import xlog1py, xlogy

from activepu.zcal.rates import Rates

RATES = st.sampled_from([None, 0.3, 0.5, 0.9, (0.2, 0.7), (0.5, 1.0), "per expert"]).map(Rates.parse)
NODES = 4000


def entropy(w):
    return -(xlogy(w, w) + xlog1py(1 - w, -w))


def nodes(rates):
    """Many rates, spread by the arcsine law between the ends."""
    if rates.known:
        return np.array([rates.low])
    low, high = np.arcsin(np.sqrt([rates.low, rates.high]))
    return np.sin(low + (high - low) * (np.arange(NODES) + 0.5) / NODES) ** 2


def predictions(labels, prior, answers, rates, expert, eta=0.0):
    """(p, q, noise) of every item; `labels` (members, items), answers as (item, revealed, expert)."""
    weight, mean = prior.astype(float).copy(), np.full(len(prior), nodes(rates).mean())
    for one in {e if rates.per_expert else 0 for _, _, e in answers} | {expert if rates.per_expert else 0}:
        likelihood = np.ones((len(prior), len(nodes(rates))))
        for item, revealed, asked in answers:
            if rates.per_expert and asked != one:
                continue
            reveal = np.where(labels[:, item][:, None], nodes(rates), eta)
            likelihood *= reveal if revealed else 1 - reveal
        total = likelihood.mean(axis=1)
        weight *= total
        if one == (expert if rates.per_expert else 0):
            mean = likelihood @ nodes(rates) / len(nodes(rates)) / np.where(total > 0, total, 1)
    weight /= weight.sum()
    p = weight @ labels
    return p, (weight * mean) @ labels + (1 - p) * eta, (weight * entropy(mean)) @ labels + (1 - p) * entropy(eta)


@st.composite
def questions(draw, n, most=8):
    """Answers to items 0…n−1, by up to three experts."""
    return draw(st.lists(st.tuples(st.integers(0, n - 1), st.booleans(), st.integers(0, 2)), max_size=most))


def fold(posterior, points, answers):
    for item, revealed, expert in answers:
        posterior.fold(points[item : item + 1], revealed, expert)
    return posterior


def close(prediction, expected, tolerance=1e-4):
    for got, want in zip((prediction.p, prediction.q, prediction.noise), expected, strict=True):
        np.testing.assert_allclose(got, want, atol=tolerance, rtol=0)
