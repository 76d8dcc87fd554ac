"""The certificate of an audit: one sentence, about the targets, that a manager can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from activepu.audit.report import Audited
from activepu.audit.targets import Target
from activepu.audit.trivial import likely, warning
from activepu.certificate import Certificate
from activepu.findings import Statement, Statements
from activepu.records import Bounds

UNASSUMED = "Nothing is assumed about the classifier or about what makes an item positive."
BY_BET = "A bet on this one target has shown it."
BY_SET = "A confidence set has shown it: all statements of one rung hold at once."


def certificate(statements: Statements, targets: Sequence[Target], audited: Audited) -> Certificate:
    """Return the certificate whose sentence a manager can read: about every target or, without one, the recall.

    It rests on all that the claimed statements assume together. A target that is not shown is named beside what is.
    """
    kinds = [target.kind for target in targets] or ["recall"]
    stated = {s.what: s for s in statements.about()}
    told = [kind for kind in kinds if _bound(stated[kind]) is not None]
    rests = [stated[kind] for kind in told or kinds]
    easy = warning(targets, likely(stated["prior"]), "Warning: perhaps")
    made = Certificate(
        stated["error"].high if "error" in kinds else 1.0,
        1 - audited.delta,
        "pool",
        "exact",
        tuple(dict.fromkeys(assumption for each in rests for assumption in each.assumptions)),
        claim=_listed([_claim(stated[kind], audited, "it" if k else "the classifier") for k, kind in enumerate(told)]),
        remarks=(*(_how(targets, stated, audited) if told else ()), *((easy,) if easy else ())),
        unshown=tuple(unshown(target, stated[target.kind]) for target in targets if not _met(target, stated)),
    )
    return made.doubted(audited.doubt)


def _how(targets: Sequence[Target], stated: Mapping[str, Statement], audited: Audited) -> tuple[str, str]:
    """Return what is not assumed, and which of the two engines has shown the claim.

    A bet shows its target and no more: a claim that says more is that of the set.
    """
    bet = audited.state.bet
    if bet is None or not bet.won(audited.delta):
        return UNASSUMED, BY_SET
    target, statement = targets[0], stated[targets[0].kind]
    claimed = statement.high if target.kind == "error" else statement.low
    return UNASSUMED, BY_BET if claimed == target.value else BY_SET


def unshown(target: Target, statement: Statement) -> tuple[str, str]:
    """Return in words a target that is not certified, and what is certified about it; empty if nothing is."""
    so_far = _bound(statement)
    side = "at most" if target.kind == "error" else "at least"
    return str(target), "" if so_far is None else f"{side} {so_far}"


def _met(target: Target, stated: Mapping[str, Statement]) -> bool:
    return target.met(stated[target.kind].low, stated[target.kind].high)


def _bound(statement: Statement) -> str | None:
    """Return the bound that a target is about, in percent; None where it says nothing."""
    return statement.at_most if statement.what == "error" else statement.at_least


def _claim(statement: Statement, audited: Audited, who: str) -> str:
    """Return a bound as a clause; `activepu verify` reads its number by these words."""
    rows, called, bound = f"these {audited.strata.rows:,} items", f"{audited.strata.called:,}", _bound(statement)
    return {
        "recall": f"{who} finds at least {bound} of the positives among {rows}",
        "precision": f"at least {bound} of the {called} items that {who} calls positive are",
        "error": f"{who} is wrong on at most {bound} of {rows}",
    }[statement.what]


def _listed(claims: Sequence[str]) -> str:
    """Return clauses as one; the comma parts clauses that have a subject of their own."""
    return claims[0] if len(claims) == 1 else f"{', '.join(claims[:-1])}, and {claims[-1]}" if claims else ""


def as_bounds(statement: Statement) -> Bounds:
    """Return a statement as bounds."""
    guess = statement.estimate
    guess = None if guess is None else min(max(guess, statement.low), statement.high)
    return Bounds(statement.low, statement.high, statement.confidence, guess)
