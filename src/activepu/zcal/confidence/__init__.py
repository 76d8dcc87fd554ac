"""Confidence sets: which hypotheses, and which reveal rates, the answers have not excluded.

The file of each class and kind of rate; `activepu.registry` makes the choice:

    class            rate known      unknown, or in a range   one per expert     reveals can be wrong
    box-like         known_rate      unknown_rate             rate_per_expert    –
    finite           finite          finite                   finite             finite
    halfspaces       halfspaces      halfspaces               halfspaces         wrong_reveals
    any other        capped          capped                   capped             –

A box-like class whose version space has caps before the first answer also has `capped`, of which `halfspaces` is the
form with rivals. The other files are parts: `boxlike` is common to the three sets of box-like classes, `sorted_rows`
belongs to the first two, `star_caps` to those that count stars, and `stars_held`, `near_stars`, `prices` and `moments`
to `rate_per_expert`. With many experts an answer changes one term of each sum over them: `prices` and `moments` add
whole numbers, and `terms`, for `finite`, adds rows in blocks.

`bets`, `confidence` and `rivals` each have a `known_rate` and an `unknown_rate`, all for box-like classes. The file in
`bets` computes the evidence against a member, side by side, and has the proof. That in `confidence` keeps the members
that the evidence has not excluded, and decides the items. That in `rivals` says what an answer would add to the
evidence against members too far from the rule, and only helps to choose a question.
"""

from activepu.zcal.confidence.base import ConfidenceSet

__all__ = ["ConfidenceSet"]
