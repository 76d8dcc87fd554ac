"""Information through the channel: what the answer is expected to tell about the label.

Labels are taken as a function of x that is not known yet, as in the paper: p(x) is what the answers leave open, not
noise. The answer to x is then one use of a Z-channel, and what it tells is

    I(p) = H_b(ω·p) − p·H_b(ω),

which is the mutual information of Houlsby et al. (2011, BALD) for members that vote 0 or 1, of which a share p says 1.
It is largest at p = 0.5, 0.4, 0.379 for ω = 1, 0.5, 0.2: a silent expert is asked about likelier positives.
"""

from __future__ import annotations

from activepu import channel
from activepu.strategies.base import Strategy, Vector, View


class Information(Strategy):
    """The default."""

    name = "information"

    def utility(self, view: View) -> Vector:
        """I(p), in bits."""
        return channel.information(view.probability, view.rate)
