"""Flip costs: how much a hypothesis must change before it labels an item differently.

x lies in the disagreement region of the empirical ball B̂_T(h, r) exactly if some h′ labels x differently from h and
differs from it on at most r|T| items of T. So one number per item decides it for all radii at once, the item's **flip
cost** min {|(h Δ h′) ∩ T| : h′(x) ≠ h(x)}. The ball around a free h is two-sided, as h′ may also drop parts of h. The
version spaces that the learners keep are not.

`flip_costs(h, T)` takes the algorithm that is registered for the class of h:

- `listed`         any class that lists its members
- `boxes`          thresholds, intervals, boxes and orthants, with `plane_boxes` (two-sided, in the plane, all items
                   together) and `box_search` (any dimension, item by item)
- `conjunctions`   monotone conjunctions
- `halfspaces`     exact on the line and in the plane, a search beyond it
"""

from activepu.theory.flips.base import Counts, FlipCosts, flip_costs
from activepu.theory.flips.boxes import BoxFlips
from activepu.theory.flips.conjunctions import ConjunctionFlips
from activepu.theory.flips.halfspaces import HalfspaceFlips
from activepu.theory.flips.listed import ListedFlips

__all__ = ["BoxFlips", "ConjunctionFlips", "Counts", "FlipCosts", "HalfspaceFlips", "ListedFlips", "flip_costs"]
