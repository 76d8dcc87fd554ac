"""What is known about the reveal rate beside the answers of the lot, and on which rung that puts a statement."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

EQUAL = "each positive is equally likely to be confirmed, whatever it is, by any expert at any time"
EQUAL_WITHIN = "each positive of the group is equally likely to be confirmed, whatever it is, by any expert at any time"
EACH = "an expert is equally likely to confirm each positive, whatever it is, at any time; experts may differ"
EACH_WITHIN = (
    "an expert is equally likely to confirm each positive of the group, whatever it is, at any time; experts may differ"
)
TURNS = "who was asked about an item did not depend on that item or on what the earlier ones are"
EYES = (
    "whether one expert confirms a positive does not depend on whether another did, and nobody could tell which items "
    "were asked twice"
)
EASY_GOLD = "the gold items are as easy to confirm as the other positives, and the expert could not tell them"
CONFIRMED_IN_TIME = (
    "an item that was not answered in time counts as one that the expert does not confirm, and would not have been "
    "confirmed if it had been asked at another time"
)
RATE_IN_TIME = ", and the reveal rate that was given is the share of the positives that are confirmed in time"


@dataclass(frozen=True)
class Knowledge:
    """What is known about the reveal rate: its range, whether there is gold, the purity of the top band.

    `per_expert` says that each expert has a rate of their own.
    """

    low: float = 0.0
    high: float = 1.0
    purity: float | None = None
    gold: int = 0
    per_expert: bool = False

    @property
    def known(self) -> bool:
        """Whether the rate is known exactly."""
        return self.low == self.high

    @property
    def identifies(self) -> bool:
        """Whether anything is known about the rate, so that the error can be bounded well."""
        return self.low > 0 or self.high < 1 or self.purity is not None or self.gold > 0

    @property
    def rung(self) -> str:
        """The rung of statements about the error."""
        return "2g" if self.gold else "2p" if self.purity is not None else "2"

    def equally(self, within: bool) -> tuple[str, ...]:
        """Return in words that positives are equally likely to be confirmed, all of them or `within` a group."""
        if self.per_expert:
            return (EACH_WITHIN if within else EACH), TURNS
        return (EQUAL_WITHIN if within else EQUAL,)

    def assumptions(self, twice: bool = False) -> tuple[str, ...]:
        """Return in words what is assumed about the rate; `twice` says that some item was put to two experts.

        Their answers about one positive are multiplied as if they were independent, whether it is gold or an item of
        the lot that one revealed. With one rate for all, each gold item is put to one expert only, and it is enough
        that all are equally likely to be confirmed "by any expert".
        """
        said = []
        if self.known:
            said.append(f"the reveal rate is {self.low:g}")
        elif self.low > 0 or self.high < 1:
            said.append(f"the reveal rate lies between {self.low:g} and {self.high:g}")
        if self.purity is not None:
            said.append(
                f"at least {100 * self.purity:g}% of the audited items in the highest band are positive, in each of "
                "its groups and for each number of rows alike"
            )
        if self.gold:
            said.append(EASY_GOLD)
        if twice:
            said.append(EYES)
        return tuple(said)


def rate_of(expert: Hashable) -> str:
    """Return how the statement about an expert's rate is called."""
    return "rate" if expert is None else f"rate of {expert}"
