"""What is known about the error, with which confidence, under which assumptions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Scope = Literal["pool", "population"]
Method = Literal["exact", "sampled", "estimate"]

VACUOUS = 0.9995
"""A bound that would print as 100%."""

SAMPLED = " The undecided region was found by sampling hypotheses, so this is not a proof."


@dataclass(frozen=True)
class Certificate:
    """error ≤ `error_bound` with probability `confidence`, on the `scope`, if the `assumptions` hold.

    `method`: "exact" is proved; "sampled" rests on a sample of the version space; "estimate" is a guess, and its
    sentence speaks of no confidence. `abstains` bounds the share of undecided items, on which
    `result.predict(X, abstain=True)` abstains: with the same probability it is right on all others. None where nothing
    is said of that.
    """

    error_bound: float
    confidence: float
    scope: Scope
    method: Method
    assumptions: tuple[str, ...] = ()
    abstains: float | None = None

    def __str__(self) -> str:
        where = "all future items like these" if self.scope == "population" else "the items of this pool"
        if self.error_bound >= VACUOUS:
            why = f": {'; '.join(self.assumptions)}" if self.method == "estimate" and self.assumptions else ""
            return f"No bound on the error is certified{why}."
        bound, confidence = f"{100 * self.error_bound:.3g}%", f"{100 * self.confidence:.4g}%"
        claim = f"at most {bound} of {where} are misclassified"
        if self.method == "estimate":
            condition = f", if {'; '.join(self.assumptions)}" if self.assumptions else ""
            return f"This is an estimate, not a guarantee: {claim}{condition}."
        given = f" This holds if {'; '.join(self.assumptions)}." if self.assumptions else ""
        rest = SAMPLED if self.method == "sampled" else ""
        return f"With {confidence} confidence, {claim}{self._decided}.{given}{rest}"

    @property
    def _decided(self) -> str:
        if self.abstains is None or self.abstains >= VACUOUS:
            return ""
        more = " or more" if self.scope == "population" else ""
        return f", and all of the {100 * (1 - self.abstains):.3g}%{more} that are decided are right"

    def given(self, assumption: str) -> Certificate:
        """The same under one more assumption."""
        return self if assumption in self.assumptions else replace(self, assumptions=(*self.assumptions, assumption))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"assumptions": list(self.assumptions), "sentence": str(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Certificate:
        """Reads `to_dict` back."""
        given = {name: data[name] for name in ("error_bound", "confidence", "scope", "method", "abstains")}
        return cls(**given, assumptions=tuple(data["assumptions"]))
