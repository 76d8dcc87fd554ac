"""Information through the channel: what the answer is expected to tell about the model.

The members of the committee are draws of what the labels may be, given the answers. If member k is right, x is revealed
with probability ω·p_k(x); the answer is one use of a Z-channel, and what it tells about which member is right is

    I(x) = H_b(ω·p̄) − mean_k H_b(ω·p_k),      p̄ = mean_k p_k,

the mutual information of Houlsby et al. (2011, BALD), with the answer in place of the label. Where all members agree that
x may be either, the answer is noise and tells nothing. For members that vote 0 or 1, a share p of them for 1, it is
I(p) = H_b(ω·p) − p·H_b(ω), largest at p = 0.5, 0.4, 0.379 for ω = 1, 0.5, 0.2: a silent expert is asked about likelier
negatives.
"""

from __future__ import annotations

import numpy as np

from activepu import channel
from activepu.strategies.base import Strategy, Vector, View


class Information(Strategy):
    """The default."""

    name = "information"

    def utility(self, view: View) -> Vector:
        """I(x), in bits."""
        revealed = view.rate * view.members
        told = channel.entropy(revealed.mean(axis=0)) - channel.entropy(revealed).mean(axis=0)
        return np.asarray(np.maximum(told, 0.0))
