"""What flip costs of a class are, and where to find those of a given hypothesis."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, Points
from activepu.hypotheses.registration import registration

Counts = NDArray[np.int64]


class FlipCosts(ABC):
    """Flip costs of items with respect to a hypothesis h and a sample T: min {|(h Δ h′) ∩ T| : h′(x) ≠ h(x)}.

    Subclass it to give your own class flip costs, and register the subclass as `Registration.flip_costs`. Two numbers
    per item are wanted because the exact cost can be hard to find: a cost that is too high makes a region of
    disagreement too small, and a bound on θ false.

    Parameters
    ----------
    h : Hypothesis
        The center of the balls.
    T : array
        The sample on which differences are counted, as points of the class of h.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Thresholds().bind(1)
    >>> T = H.encode([[1.0], [2.0], [3.0], [4.0]])
    >>> costs = apu.theory.flip_costs(H.closure(T[2:]), T)  # {x : x ≥ 3}
    >>> costs.least(T).tolist()
    [2, 1, 1, 2]
    """

    def __init__(self, h: Hypothesis, T: Points) -> None:
        self.h, self.T = h, T

    @abstractmethod
    def bounds(self, X: Points) -> tuple[Counts, Counts]:
        """Return two costs per row of X: one never above the true cost, and one never below it.

        The second is the cost of a member that was found. Where both are equal, the cost is exact. Both are |T| + 1
        where no member labels the item differently.
        """

    def least(self, X: Points) -> Counts:
        """Return a cost per row of X that is never above the true one, so that no region is too small.

        Raises
        ------
        InvalidInput
            If nothing useful is known from below.
        """
        return self.bounds(X)[0]

    def _no_useful_bound(self) -> InvalidInput:
        return InvalidInput(
            f"No useful lower bound of flip costs is known for {self.h.hypotheses!r}; use halfspaces in the plane, "
            "conjunctions of up to 20 features, or a FiniteClass of the hypotheses of interest."
        )


def flip_costs(h: Hypothesis, T: Points) -> FlipCosts:
    """Return the flip costs with respect to h and T, by the algorithm that is registered for the class of h.

    Parameters
    ----------
    h : Hypothesis
        A member of a bound class.
    T : array
        The sample, as points of that class (`HypothesisClass.encode`).

    Returns
    -------
    FlipCosts
        They are exact for classes that list their members, thresholds, intervals, conjunctions of up to 20 features
        and halfspaces on the line and in the plane; for boxes and orthants wherever the search is complete.

    Raises
    ------
    InvalidInput
        If the class has no algorithm and does not list its members.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Intervals().bind(1)
    >>> T = H.encode([[1.0], [2.0], [3.0], [4.0], [9.0]])
    >>> least, found = apu.theory.flip_costs(H.closure(T[1:4]), T).bounds(T)  # the interval [2, 4]
    >>> least.tolist(), found.tolist()
    ([1, 1, 2, 1, 1], [1, 1, 2, 1, 1])
    """
    costs: FlipCosts = registration(h.hypotheses).flip_costs(h, T)
    return costs
