"""Information through the channel: what the answer is expected to tell about the model.

The members of the committee are draws of what the labels and the reveal rate may be, given the answers. If member k is
right, x is revealed with probability ω_k·p_k(x); what the answer tells about which member is right is

    I(x) = H_b(mean_k ω_k·p_k) − mean_k H_b(ω_k·p_k),

the mutual information of Houlsby et al. (2011, BALD), with the answer in place of the label. Where all members agree on
the chance of a reveal, the answer is noise and tells nothing; where they agree that x is positive, it tells about ω.
For members with one ω that vote 0 or 1, a share p of them for 1, it is I(p) = H_b(ω·p) − p·H_b(ω), the information of
a Z-channel: largest at p = 0.5, 0.4, 0.379 for ω = 1, 0.5, 0.2.

What is wanted in the end is the item's label, and a positive shows it with probability ω alone. Where all do, to ask
where the two classes are closest is hard to beat; the more the channel hides, the more counts what the answer tells
about the model. So the utility is the geometric mean of the margin and of √I, with weights ω and 1 − ω,

    (1 − |2p(x) − 1|)^ω · √I(x)^(1 − ω),

and margin sampling if ω is known to be 1. The root is there because to second order, in nats and with q the mean,
I(x) = Var_k(ω_k·p_k) / (2·q·(1 − q)): the square of how far the members are apart, where the margin is a distance. I(x)
alone asks where members differ although hardly any of them expects a positive, and finds few positives where these are
rare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu import channel
from activepu.strategies.base import Strategy, Vector, View
from activepu.strategies.margin import Margin


def about_the_model(reveals: NDArray[np.float64]) -> Vector:
    """I(x), in bits, of the members' P(reveal | x)."""
    return np.asarray(np.maximum(channel.entropy(reveals.mean(axis=0)) - channel.entropy(reveals).mean(axis=0), 0.0))


class Information(Strategy):
    """The default."""

    name = "information"

    def utility(self, view: View) -> Vector:
        """By the margin where the answer is the label, by what it tells about the model where it hardly ever is."""
        margin = np.maximum(Margin().utility(view), 0.0)  # rounding
        return np.asarray(margin**view.rate * about_the_model(view.reveals) ** ((1.0 - view.rate) / 2))
