"""The Z-channel: what one question can tell.

A question about x is one use of a channel with input h(x) ∈ {0, 1} and P(reveal) = ω·h(x): a 0 always arrives as ★, a 1
arrives with probability ω (Cover and Thomas 2006, chapter 7). All functions take numbers or arrays, element by element.
Information is in bits.

>>> import activepu as apu
>>> round(float(apu.channel.capacity(0.5)), 4)
0.3219
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

_LN2 = np.log(2.0)
_NATS = {"bits": _LN2, "nats": 1.0}
"""How many nats a unit is."""

Values = NDArray[np.float64]
"""Of the shape of the arguments; 0-dimensional for plain numbers."""


def entropy(p: Any, unit: Literal["bits", "nats"] = "bits") -> Values:
    """Entropy of a coin that shows heads with probability p.

    H_b(p) = −p log p − (1 − p) log(1 − p), with 0 log 0 = 0.

    Parameters
    ----------
    p : float or array
        Probabilities, in [0, 1].
    unit : {"bits", "nats"}
        Logarithms to base 2, or natural ones.

    Returns
    -------
    array of the shape of `p`

    Examples
    --------
    >>> import activepu as apu
    >>> apu.channel.entropy([0.0, 0.5, 1.0]).tolist()
    [0.0, 1.0, 0.0]
    >>> round(float(apu.channel.entropy(0.5, unit="nats")), 4)
    0.6931
    """
    p = np.asarray(p, np.float64)
    return np.asarray((entr(p) + entr(1.0 - p)) / _NATS[unit])


def information(p: Any, rate: Any) -> Values:
    """Bits that one answer tells about the label of an item.

    The mutual information of the label and the answer, I(p) = H_b(ωp) − p·H_b(ω), for an item that is positive with
    probability p. A question cannot tell more, whatever the learner does with the answer. It is largest, and equal to
    `capacity`, at p = `best_input`.

    Parameters
    ----------
    p : float or array
        Probability that the item is positive.
    rate : float or array
        The reveal rate ω, in (0, 1].

    Returns
    -------
    array of the shape of `p` and `rate`, broadcast

    Examples
    --------
    A coin flip is worth a whole bit if every positive is revealed, and about a third if every second one is:

    >>> import activepu as apu
    >>> apu.channel.information(0.5, [1.0, 0.5]).round(3).tolist()
    [1.0, 0.311]

    See Also
    --------
    activepu.models.strategies.ValueOfInformation : What an answer is worth for the decision, not in bits.
    """
    p, rate = np.asarray(p, np.float64), np.asarray(rate, np.float64)
    return np.asarray(entropy(rate * p) - p * entropy(rate))


def best_input(rate: Any) -> Values:
    """Probability of being positive at which an answer tells most.

    p* = 1/(ω(1 + 2^{H_b(ω)/ω})), where `information` is largest. It is 1/2 only if every positive is revealed; the more
    the channel hides, the more it pays to ask items that are probably negative, down to 1/e as ω → 0.

    Parameters
    ----------
    rate : float or array
        The reveal rate ω, in (0, 1].

    Returns
    -------
    array of the shape of `rate`

    Examples
    --------
    >>> import activepu as apu
    >>> apu.channel.best_input([1.0, 0.5, 0.2]).round(3).tolist()
    [0.5, 0.4, 0.379]
    """
    rate = np.asarray(rate, np.float64)
    # ω·2^{H_b(ω)/ω} = (1 − ω)^{−(1−ω)/ω}: this form neither overflows nor loses digits for small ω.
    return np.asarray(1.0 / (rate + np.exp(-_log_survival(rate))))


def capacity(rate: Any) -> Values:
    """Capacity of the channel: the most bits that one question can tell.

    C_Z = log2(1 + ω(1 − ω)^{(1−ω)/ω}), the `information` at `best_input`. No choice of questions gains more than C_Z
    bits per question on average, so that telling N rules apart with little chance of error takes about log2(N) / C_Z
    questions or more. This is the row "limit" of `activepu.plan`.

    Parameters
    ----------
    rate : float or array
        The reveal rate ω, in (0, 1].

    Returns
    -------
    array of the shape of `rate`

    Examples
    --------
    >>> import activepu as apu
    >>> apu.channel.capacity([1.0, 0.5, 0.2]).round(4).tolist()
    [1.0, 0.3219, 0.1136]

    References
    ----------
    T. M. Cover and J. A. Thomas (2006), Elements of Information Theory, 2nd edition, chapter 7.
    """
    rate = np.asarray(rate, np.float64)
    return np.asarray(np.log1p(rate * np.exp(_log_survival(rate))) / _LN2)


def _log_survival(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """((1 − ω)/ω)·ln(1 − ω), with its limit 0 at ω = 1."""
    safe = np.where(rate < 1.0, rate, 0.5)
    return np.where(rate < 1.0, (1.0 - safe) / safe * np.log1p(-safe), 0.0)
