"""The certificate of an audit: one sentence, about the target, that a manager can read."""

from __future__ import annotations

from activepu.audit.report import Audited
from activepu.audit.targets import Target
from activepu.certificate import Certificate
from activepu.findings import Statement, Statements, percent
from activepu.records import Bounds

UNASSUMED = "Nothing is assumed about the classifier or about what makes an item positive."


def certificate(statements: Statements, target: Target | None, audited: Audited) -> Certificate:
    """Return the certificate whose sentence a manager can read: about the target or, without one, the recall."""
    what = target.kind if target is not None else "recall"
    statement = next(s for s in statements if s.what == what)
    rows = f"these {audited.strata.rows:,} items"
    claims = {
        "recall": (
            statement.low,
            f"the classifier finds at least {percent(statement.low)} of the positives among {rows}",
        ),
        "precision": (
            statement.low,
            f"at least {percent(statement.low)} of the {audited.strata.called:,} items that the classifier calls "
            "positive are",
        ),
        "error": (
            1 - statement.high,
            f"the classifier is wrong on at most {percent(statement.high, up=True)} of {rows}",
        ),
    }
    some, claim = claims[what]
    made = Certificate(
        statement.high if what == "error" else 1.0,
        1 - audited.delta,
        "pool",
        "exact",
        statement.assumptions,
        claim=claim if some > 0 else "",
        remarks=(UNASSUMED,) if some > 0 else (),
    )
    return made.doubted(audited.doubt)


def as_bounds(statement: Statement) -> Bounds:
    """Return a statement as bounds."""
    guess = statement.estimate
    guess = None if guess is None else min(max(guess, statement.low), statement.high)
    return Bounds(statement.low, statement.high, statement.confidence, guess)
