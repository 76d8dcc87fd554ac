"""Information through the channel: what the answer is expected to tell about the model.

The members of the committee are draws of what the labels and the reveal rate may be, given the answers. If member k is
right, x is revealed with probability ω_k·p_k(x); what the answer tells about which member is right is

    I(x) = H_b(mean_k ω_k·p_k) − mean_k H_b(ω_k·p_k),

the mutual information of Houlsby et al. (2011, BALD), with the answer in place of the label. Where all members agree on
the chance of a reveal, the answer is noise and tells nothing; where they agree that x is positive, it tells about ω.
For members with one ω that vote 0 or 1, a share p of them for 1, it is I(p) = H_b(ω·p) − p·H_b(ω), the information of
a Z-channel: largest at p = 0.5, 0.4, 0.379 for ω = 1, 0.5, 0.2.

Where positives are rare this alone asks where members differ although hardly any of them expects a positive, and finds
few. So it is weighed with what the answer tells about the item's own label, I(p) of the mean p(x) and ω: the utility is

    √(I(x) · I(p(x))),

the geometric mean of the two, in bits. To second order I(x) = Var_k(ω_k·p_k) / (2·q·(1 − q)), in nats, with q the mean:
the square of how far the members are apart; under the root it is that distance, which spreads wider batches where
utilities are multiplied by 1 − ρ² (`strategies.spread`).
"""

from __future__ import annotations

import numpy as np

from activepu import channel
from activepu.strategies.base import Strategy, Vector, View


class Information(Strategy):
    """The default."""

    name = "information"

    def utility(self, view: View) -> Vector:
        """√(I(x)·I(p)), in bits."""
        model = channel.entropy(view.reveals.mean(axis=0)) - channel.entropy(view.reveals).mean(axis=0)
        label = channel.information(view.probability, view.rate)
        return np.asarray(np.sqrt(np.maximum(model, 0.0) * np.maximum(label, 0.0)))
