"""What is known about the reveal rate beside the answers of the lot, and on which rung that puts a statement."""

from __future__ import annotations

from dataclasses import dataclass

EASY_GOLD = "the gold items are as easy to confirm as the other positives, and the expert could not tell them"


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

    def assumptions(self) -> tuple[str, ...]:
        """Return in words what is assumed about the rate."""
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
        return tuple(said)
