"""What an audit found: statements about a classifier, each with what it rests on, in plain values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from activepu.errors import InvalidInput
from activepu.saved import Field

COLUMNS = ("what", "group", "at least", "at most", "estimate", "confidence", "rung", "holds if", "doubt")
FEW = 4
"""All statements about so many groups are printed; of more groups only the recall."""


RUNGS = {
    "0": "nothing about which positives are confirmed",
    "1": "every positive is equally likely to be confirmed, whatever it is, and only positives are",
    "2": "the same as 1, and what was told about the reveal rate",
    "2g": "the same as 1, and gold (known positives asked among the others) is as easy to confirm as they are",
    "2o": "the same as 1 for each expert, and whether one confirms a positive does not depend on whether another did",
    "2p": "the same as 1, and the purity of the highest band that was told",
}
"""What the statements of each rung assume beside the lot, in short."""


def percent(value: float, up: bool = False) -> str:
    """Return a share in percent, with one decimal, rounded down or `up`: to the side on which it stays true."""
    tenths = math.ceil(1000 * value - 1e-9) if up else math.floor(1000 * value + 1e-9)
    return f"{tenths / 10:g}%"


@dataclass(frozen=True)
class Statement:
    """One certified statement about a classifier: a quantity lies between two bounds. `str()` is a sentence.

    Attributes
    ----------
    what : str
        The quantity: "recall", "precision", "error", "prior", "rate", "confirmable recall", or "overall confirmable
        recall", in which items that were confirmed outside the lot count as found; with a rate per expert "rate of
        ann", and so on.
    low, high : float
        The bounds.
    confidence : float
        The probability with which both hold, together with all other statements of the same rung.
    rung : str
        What is assumed beside the lot, from little to much: "0" nothing, "1" that all positives are equally likely to
        be revealed, "2" also something about that rate (given, "2g" from gold, "2o" from items put to two experts, "2p"
        from the purity of the top band). `RUNGS` has this in words.
    assumptions : tuple of str
        The assumptions in words.
    estimate : float or None
        A best guess, without a guarantee.
    remark : str
        What else a reader should know, in a sentence.
    group : str or None
        The group of items of which it speaks; None for all items.
    doubt : str
        A sentence about answers that contradict an assumption; empty if none does. It is printed first.

    Examples
    --------
    >>> from activepu.findings import Statement
    >>> print(Statement("recall", 0.91, 1.0, 0.95, "1", ("every positive is equally likely to be revealed",)))
    Recall: at least 91%, with 95% confidence (rung 1).
    >>> print(Statement("recall", 0.7, 0.9, 0.95, "1", group="north"))
    Recall in group north: 70% to 90%, with 95% confidence (rung 1).
    """

    what: str
    low: float
    high: float
    confidence: float
    rung: str
    assumptions: tuple[str, ...] = ()
    estimate: float | None = None
    remark: str = ""
    group: str | None = None
    doubt: str = ""

    def __str__(self) -> str:
        return f"{self.line} {self.remark}".strip()

    @property
    def line(self) -> str:
        """The sentence without the remark."""
        return f"{self.doubt} {self.name}: {self._bounds} (rung {self.rung}).".strip()

    @property
    def name(self) -> str:
        """What it speaks of, and of which group."""
        what = self.what[:1].upper() + self.what[1:]
        return what if self.group is None else f"{what} in group {self.group}"

    @property
    def at_least(self) -> str | None:
        """The lower bound in percent, rounded down; None where it says nothing."""
        low = percent(self.low)
        return None if low == "0%" else low

    @property
    def at_most(self) -> str | None:
        """The upper bound in percent, rounded up; None where it says nothing."""
        high = percent(self.high, up=True)
        return None if high == "100%" else high

    @property
    def _bounds(self) -> str:
        low, high = self.at_least, self.at_most
        if low is None and high is None:
            return "nothing is certified"
        between = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        return f"{low if low == high else between}, with {100 * self.confidence:.4g}% confidence"

    def given(self, assumption: str) -> Statement:
        """Return the same statement under one more assumption."""
        return self if assumption in self.assumptions else replace(self, assumptions=(*self.assumptions, assumption))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self) | {"assumptions": list(self.assumptions)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], place: str = "statement") -> Statement:
        """Make a statement of what `to_dict` returned; a message about it names its place in a file."""
        said = Field(data, place).only([one.name for one in fields(cls)])
        said.between(said["low"].share(), said["high"].share())
        said["confidence"].share(), said.get("estimate", None).or_none(Field.share)
        said["what"].text(), said["rung"].text(), said.get("remark", "").text(), said.get("doubt", "").text()
        said.get("group", None).or_none(Field.text)
        return cls(**{**data, "assumptions": said["assumptions"].texts()})


class Statements(tuple[Statement, ...]):
    """The statements of an audit: a tuple that prints as lines and that a DataFrame takes as columns.

    Examples
    --------
    >>> from activepu.findings import Statement, Statements
    >>> found = Statements([Statement("recall", 0.91, 1.0, 0.95, "1")])
    >>> found.columns()["at least"]
    [0.91]
    >>> found.groups, found.about() == found
    ((), True)
    """

    def columns(self) -> dict[str, list[Any]]:
        """Return the statements as columns, ready for `pd.DataFrame`."""
        rows = [
            (s.what, s.group, s.low, s.high, s.estimate, s.confidence, s.rung, "; ".join(s.assumptions), s.doubt)
            for s in self
        ]
        return {name: [row[k] for row in rows] for k, name in enumerate(COLUMNS)}

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that have statements of their own."""
        return tuple(dict.fromkeys(s.group for s in self if s.group is not None))

    def about(self, group: str | None = None) -> Statements:
        """Return the statements about one group; without a group those about all items. A group must be there."""
        if group is not None and str(group) not in self.groups:
            known = f"the groups are {', '.join(map(repr, self.groups))}" if self.groups else "this audit has no groups"
            raise InvalidInput(f"There is no group {str(group)!r}; {known}.")
        return Statements(s for s in self if s.group == (None if group is None else str(group)))

    def printed(self) -> tuple[Statements, str]:
        """Return the statements that are worth printing, and what to say about the others."""
        if len(self.groups) <= FEW:
            return self, ""
        shown = Statements(s for s in self if s.group is None or s.what == "recall")
        return shown, f"More about each of the {len(self.groups)} groups is in the table of statements().columns()."

    @property
    def rungs(self) -> str:
        """What the rungs that occur assume, in one sentence."""
        told = [f"Rung {rung}: {words}." for rung, words in RUNGS.items() if any(s.rung == rung for s in self)]
        return " ".join(["The rung says what is assumed.", *told]) if told else ""

    def __str__(self) -> str:
        shown, more = self.printed()
        about: dict[str, list[str]] = {}
        for each in shown:
            if each.remark:
                about.setdefault(each.remark, []).append(each.name)
        lines = [str(each) if len(about.get(each.remark, ())) == 1 else each.line for each in shown]
        lines += [
            f"{_listed(names)}: {remark[0].lower()}{remark[1:]}" for remark, names in about.items() if len(names) > 1
        ]
        return "\n".join(line for line in [*lines, more, shown.rungs] if line)


def _listed(names: Sequence[str]) -> str:
    """Return several names in a row, as they begin a sentence."""
    *first, last = [names[0], *(name[:1].lower() + name[1:] for name in names[1:])]
    return f"{', '.join(first)} and {last}"


@dataclass(frozen=True)
class Cut:
    """What is certified about one cut of the score: everything from `score` on is called positive.

    Attributes
    ----------
    score : float
        The score from which on rows are called positive; minus infinity for all.
    called : int
        How many of the audited rows that are.
    recall, precision : (float, float)
        Bounds; those on recall hold for all cuts together, and so do those on precision, so that you may choose one
        after looking.
    """

    score: float
    called: int
    recall: tuple[float, float]
    precision: tuple[float, float]


@dataclass(frozen=True)
class Findings:
    """All that an audit states, and what is needed to check it.

    Attributes
    ----------
    statements : tuple of Statement
        What is certified.
    cuts : tuple of Cut
        The cuts at the borders of the bands, from the fewest to the most rows.
    evidence : dict
        The strata, the lot and the settings, in plain values: what `activepu verify` needs.
    split : str
        If the run learned the classifier first: how the questions were split, in sentences.
    """

    statements: Statements
    cuts: tuple[Cut, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict, repr=False)
    split: str = ""

    def __iter__(self) -> Iterator[Statement]:
        return iter(self.statements)

    def given(self, assumption: str) -> Findings:
        """Return the same findings under one more assumption."""
        return replace(self, statements=Statements(s.given(assumption) for s in self.statements))

    def find(self, what: str, group: str | None = None) -> Statement | None:
        """Return the statement about this quantity, of all items or of a group, if there is one; a group must be there.

        A quantity that the audit does not state gives None.
        """
        return next((statement for statement in self.statements.about(group) if statement.what == what), None)

    def stated(self, what: str) -> Statement:
        """Return the statement about this quantity; refuse if there is none."""
        if (statement := self.find(what)) is None:
            raise InvalidInput(f"This audit states nothing about the {what}; see result.statements() for what it does.")
        return statement

    def every_cut(self) -> tuple[Cut, ...]:
        """Return all cuts; refuse if none was audited."""
        if not self.cuts:
            raise InvalidInput(
                "No cut was audited: some rows that look the same to the expert have different scores; show a column "
                "in which they differ: Pool(…, show=[…])."
            )
        return self.cuts

    def at_recall(self, wanted: float) -> Cut:
        """Return the tightest cut whose recall is certified to be at least this; refuse if only "everything" has it."""
        cuts = self.every_cut()[:-1]  # the last one calls everything positive
        found = [cut for cut in cuts if cut.recall[0] >= wanted]
        if not found:
            best = max((cut.recall[0] for cut in cuts), default=0.0)
            raise InvalidInput(
                f"No cut of the score is certified to have recall {wanted:g}; the best has {best:.3f} so far. More "
                "answers, or lower borders in bands=[…], may help."
            )
        return min(found, key=lambda cut: cut.called)

    def curve(self) -> dict[str, list[float]]:
        """Return the bounds of every cut, as columns."""
        cuts = self.every_cut()
        return {
            "score": [cut.score for cut in cuts],
            "called positive": [cut.called for cut in cuts],
            "recall at least": [cut.recall[0] for cut in cuts],
            "recall at most": [cut.recall[1] for cut in cuts],
            "precision at least": [cut.precision[0] for cut in cuts],
            "precision at most": [cut.precision[1] for cut in cuts],
        }

    def of_found(self, what: str) -> list[int]:
        """Return what only the audit of what was found knows: which rows are "found", how many are "missing"."""
        if what not in self.evidence:
            raise InvalidInput(f'Only Audit("found") knows what is {what}; this audit is of a classifier.')
        return list(self.evidence[what])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        cuts = [asdict(cut) | {"score": None if cut.score == float("-inf") else cut.score} for cut in self.cuts]
        said = {"statements": [s.to_dict() for s in self.statements], "cuts": cuts, "split": self.split}
        return {**said, "evidence": self.evidence}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Findings:
        """Make findings of what `to_dict` returned."""
        said = Field(data, "findings").only([one.name for one in fields(cls)])
        cuts = tuple(_cut(cut) for cut in said["cuts"].each())
        statements = Statements(Statement.from_dict(s.value, s.place) for s in said["statements"].each())
        evidence = said["evidence"]
        for name in ("found", "missing"):
            [one.count() for one in evidence.get(name, []).each()]
        return cls(statements, cuts, dict(evidence.fields()), said.get("split", "").text())


def _cut(said: Field) -> Cut:
    score = said.only([one.name for one in fields(Cut)])["score"].or_none(Field.number)
    bounds = {name: [one.share() for one in said[name].each(2)] for name in ("recall", "precision")}
    for name, (low, high) in bounds.items():
        said[name].between(low, high)
    (low, high), (least, most) = bounds["recall"], bounds["precision"]
    return Cut(float("-inf") if score is None else score, said["called"].count(), (low, high), (least, most))
