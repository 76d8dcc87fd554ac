"""`Certificate`: what is known about the error, with which confidence, under which assumptions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, cast, get_args

from activepu.saved import Field

Scope = Literal["pool", "population"]
Method = Literal["exact", "sampled", "estimate"]

VACUOUS = 0.9995
"""A bound from here on would print as 100%."""

SAMPLED = " The undecided region was found by sampling hypotheses, so this is not a proof."


@dataclass(frozen=True)
class Certificate:
    """A bound on the error of a rule, and what it rests on. `str()` is a sentence.

    It states: error ≤ `error_bound` with probability `confidence`, on the `scope`, if all `assumptions` hold. The
    probability is over the random choices of the run (which rows are drawn, which positives the expert reveals), before
    they are made. With a method other than "exact" nothing is proved.

    Attributes
    ----------
    error_bound : float
        The share of items that the rule misclassifies is at most this; 1 if nothing is known.
    confidence : float
        1 − δ, the probability with which the bound holds.
    scope : {"pool", "population"}
        Whether the bound is about the items of the pool, or about future items that are drawn like these.
    method : {"exact", "sampled", "estimate"}
        "exact" is proved; "sampled" rests on a sample of the hypotheses that fit the answers; "estimate" is a guess,
        and its sentence states no confidence.
    assumptions : tuple of str
        What must be true for the bound to hold, as clauses of a sentence.
    claim : str
        For an audit: what is certified, in words; the sentence then says this and not the error.
    abstains : float or None
        A bound on the share of undecided items, on which `result.predict(X, abstain=True)` abstains. With the same
        probability it is right on all others. None if nothing is stated about that.
    doubt : str
        A sentence about answers that contradict an assumption; empty if none does. It is printed first.
    remarks : tuple of str
        Sentences that are printed last: how assumptions were checked, what the bound is worth, and what is not assumed.
    unshown : tuple of (str, str)
        For an audit: each target that is not certified, and what is certified about it so far (empty if nothing is).
        They are printed right after a doubt.
    ended : bool
        Whether the run ended with these targets unshown.

    See Also
    --------
    Result : Has a certificate, and sometimes a second one in `population`.

    Examples
    --------
    >>> import activepu as apu
    >>> certificate = apu.Certificate(error_bound=0.1, confidence=0.95, scope="pool", method="exact")
    >>> print(certificate)
    With 95% confidence, at most 10% of the items of this pool are misclassified.
    >>> certificate.given("the truth is one of the boxes").assumptions
    ('the truth is one of the boxes',)
    >>> str(certificate.doubted("Doubtful: a box cannot hold all that was revealed."))[:70]
    'Doubtful: a box cannot hold all that was revealed. With 95% confidence'
    """

    error_bound: float
    confidence: float
    scope: Scope
    method: Method
    assumptions: tuple[str, ...] = ()
    abstains: float | None = None
    claim: str | None = None
    doubt: str = ""
    remarks: tuple[str, ...] = ()
    unshown: tuple[tuple[str, str], ...] = ()
    ended: bool = False

    def __str__(self) -> str:
        parts = [self.doubt, *self._missed(), self._sentence, *self.remarks]
        return " ".join(part for part in parts if part)

    def _missed(self) -> list[str]:
        """The targets that are not certified, a sentence each."""
        if self.ended:
            told = [(what, f"only {so_far} is" if so_far else "nothing about it is") for what, so_far in self.unshown]
            return [f"Not shown: {what}; {so_far} certified." for what, so_far in told]
        return [f"Not shown yet: {target}; so far {so_far or 'nothing'}." for target, so_far in self.unshown]

    @property
    def _sentence(self) -> str:
        """What is certified, apart from any doubt."""
        if self.claim is not None:
            return self._audited()
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

    def _audited(self) -> str:
        """The sentence of an audit."""
        if not self.claim:
            return "" if self.ended or self.remarks else "Nothing is certified yet; more answers are needed."
        given = f" This holds if {'; '.join(self.assumptions)}." if self.assumptions else ""
        return f"With {100 * self.confidence:.4g}% confidence {self.claim}.{given}"

    @property
    def _decided(self) -> str:
        if self.abstains is None or self.abstains >= VACUOUS:
            return ""
        more = " or more" if self.scope == "population" else ""
        return f", and all of the {100 * (1 - self.abstains):.3g}%{more} that are decided are right"

    def given(self, assumption: str) -> Certificate:
        """Return the same certificate under one more assumption."""
        return self if assumption in self.assumptions else replace(self, assumptions=(*self.assumptions, assumption))

    def doubted(self, doubt: str) -> Certificate:
        """Return the same certificate with a sentence that is printed first: what speaks against an assumption."""
        return replace(self, doubt=f"{self.doubt} {doubt}".strip())

    def at_the_end(self) -> Certificate:
        """Return the same certificate of a run that is over: what is not shown now will not be."""
        return replace(self, ended=bool(self.unshown))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the sentence."""
        lists = {"assumptions": list(self.assumptions), "remarks": list(self.remarks)}
        lists["unshown"] = [list(each) for each in self.unshown]  # type: ignore[misc]
        return asdict(self) | lists | {"sentence": str(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any], place: str = "certificate") -> Certificate:
        """Make a certificate of what `to_dict` returned; a message about it names its place in a file."""
        said = Field(data, place).only([one.name for one in fields(cls)] + ["sentence"])
        return cls(
            error_bound=said["error_bound"].share(),
            confidence=said["confidence"].share(),
            scope=cast(Scope, said["scope"].text(get_args(Scope))),
            method=cast(Method, said["method"].text(get_args(Method))),
            assumptions=said["assumptions"].texts(),
            abstains=said["abstains"].or_none(Field.share),
            claim=said["claim"].or_none(Field.text),
            doubt=said["doubt"].text(),
            remarks=said["remarks"].texts(),
            unshown=tuple((target.text(), so_far.text()) for target, so_far in map(_pair, said["unshown"].each())),
            ended=said["ended"].flag(),
        )


def _pair(said: Field) -> tuple[Field, Field]:
    first, second = said.each(2)
    return first, second
