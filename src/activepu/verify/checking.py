"""`verify`: is a saved audit what it says? Each check is one line.

1. The evidence agrees with itself: answers, draws and counts. What was asked while a model learned is not in the lot.
2. The lot, drawn again from the seed, gives every question that was asked.
3. The capital of the bet, if there was one, follows from the draws, and decided.
4. No bound is tighter than a plain recomputation by more than `TOLERANCE`. Both implementations approximate, the audit
   towards wider bounds, this one towards tighter ones; so the audit's may be wider, and agreement means just this.
5. What the answers contradict is called doubtful (`words`). All that is printed follows: the certificate, what each
   statement assumes, remarks, estimates, and why the run ended (`printed`).
6. With the table, its columns give the same strata.

What no file can show: that the answers are the expert's, whose classifier it was, that it was fixed before, and that
this was the only audit that was made. The weights and guesses of the plans are read from the file; that they follow
from earlier answers by the published rule is not recomputed. The mean probabilities of the strata, which enter Q, are
checked only with a table whose score is a probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.verify import bet, bounds, experts, lot, printed, tables, words
from activepu.verify import found as found_so_far
from activepu.verify.evidence import AGAIN, Evidence, load, parsed

TOLERANCE = 1e-4
"""How much tighter than recomputed a bound may be, as a share: room for rounding."""
AGREE = 1e-8
"""How far a recorded weight may be from that of its plan, as a share of it, for a bet to stand."""
NATS = 1e-6
"""How much less than needed the recomputed ln of the capital may be: room for rounding."""

SetOf = Callable[[Evidence, int, str], bounds.PlainSet]
"""Gives the set that speaks of a quantity, by the evidence about all or about a group, after so many answers."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked: what, and what was found. `ok` is None for something that could not be checked."""

    what: str
    ok: bool | None
    found: str = ""

    def __str__(self) -> str:
        mark = {True: "ok", False: "WRONG", None: "not checked"}[self.ok]
        return f"{mark}: {self.what}{': ' if self.found else ''}{self.found}."


def verify(path: str | Path, table: str | Path | None = None) -> list[Check]:
    """Check a saved audit by a second implementation.

    Parameters
    ----------
    path : str or Path
        What `Result.save` wrote for an audit.
    table : str or Path, optional
        The pool's file, to check that its columns give the same strata. For an audit of a classifier only.

    Returns
    -------
    list of Check
        The audit is verified if `all(check.ok is not False for check in checks)`.

    Raises
    ------
    InvalidInput
        If the file is not a saved audit, or a table is passed for an audit of what was found so far.
    """
    data = load(path)
    if data["findings"]["evidence"].get("engine") == "found":
        if table is not None:
            raise InvalidInput("What was found so far is checked without its table, which has no strata; leave it out.")
        return [Check(*line) for line in found_so_far.lines(parsed(path, data, found_so_far.Saved))]
    evidence = parsed(path, data, Evidence)
    found = [_consistent(evidence)]
    if not found[0].ok:
        return found  # all else rests on the counts
    drawn_by, wrong = lot.redraw(evidence, evidence.items)
    wrong = wrong or ("" if lot.digest(evidence.items) == evidence.digest else "the strata are not those of the digest")
    found.append(Check(f"the lot of seed {evidence.seed} gives all {len(evidence.draws):,} draws", not wrong, wrong))
    if evidence.recorded:
        what = f"the strata of {len(evidence.recorded):,} draws are those that were recorded when they were put"
        found.append(Check(what, None, "the plans of this file give others"))
    found += [Check(*each) for each in tables.check(evidence, table)]
    found += _learned(evidence)
    won = False
    if evidence.bet is not None and not wrong:
        betted = _bet(evidence, drawn_by)
        won = bool(betted.ok and evidence.bet["won"])
        found.append(betted)
    elif evidence.bet is not None:
        found.append(Check("the capital of the bet", None, "it needs the lot; what rests on the bet is not certified"))
    made: dict[tuple[str | None, int, str], bounds.PlainSet] = {}

    def set_of(part: Evidence, answers: int, what: str) -> bounds.PlainSet:
        wanted = (part.group, answers, bounds.rung_of(part, what))
        if wanted not in made:
            make = experts.experts_set if part.per_expert else bounds.plain_set
            made[wanted] = make(part, part.after(answers), wanted[2])
        return made[wanted]

    of_all = _statements(evidence, won, set_of)
    found += of_all
    for group in evidence.names():
        found += _statements(evidence.only(group), False, set_of)
    told = words.told(evidence, lambda part: set_of(part, len(part.history), "error"))
    said = [*words.rates(evidence), *told, *printed.lines(evidence, [each.what for each in of_all if not each.ok])]
    return [*found, *_cuts(evidence, set_of), *(Check(*line) for line in said)]


def _consistent(evidence: Evidence) -> Check:
    """Whether history, draws and counts tell the same, and all shapes and settings are possible."""
    what = f"{len(evidence.history):,} answers agree with the draws and the counts"
    K = len(evidence.sizes)
    answers = {
        item: said for (item, said), phase in zip(evidence.history, evidence.phases, strict=True) if phase == "lot"
    }
    lengths = [len(evidence.weights), len(evidence.inside), len(evidence.bands), len(evidence.means)]
    lengths += [len(evidence.counts.asked), len(evidence.counts.revealed)]
    lengths += [len(each) for each in (*evidence.plans, *evidence.guesses)]
    lengths += [] if evidence.groups is None else [len(evidence.groups)]
    if any(length != K for length in lengths) or len(evidence.gold_groups) != len(evidence.gold_items):
        return Check(what, False, "not everything is given for every stratum")
    if not 0 < evidence.delta < 1 or not 0 <= evidence.low <= evidence.high <= 1:
        return Check(what, False, "delta or the range of the rate is impossible")
    if (evidence.bet is None) != (evidence.engine == "set") or (evidence.bet and len(evidence.targets) != 1):
        return Check(what, False, "it is not clear whether one target was bet on")
    drawn = {draw.item: draw.answer for draw in evidence.draws if draw.answer is not None}
    if len(answers) < evidence.phases.count("lot") or len({draw.item for draw in evidence.draws}) < len(evidence.draws):
        return Check(what, False, "an item was asked twice")
    if wrong := _again(evidence):
        return Check(what, False, wrong)
    if any(not 0 <= draw.stratum < K for draw in evidence.draws):
        return Check(what, False, "a draw names a stratum that does not exist")
    for item, answer in answers.items():
        if item not in drawn:
            return Check(what, False, f"item {item} was answered and is neither in the lot nor gold")
        if bool(answer) != bool(drawn[item]):
            return Check(what, False, f"the answer about item {item} differs from the one of the lot")
    if missing := drawn.keys() - answers.keys():
        return Check(what, False, f"the draw of item {min(missing)} has an answer that is not in the history")
    if set(evidence.gold_items) & drawn.keys():
        return Check(what, False, "a gold item was drawn by lot")
    told = [
        (item, bool(said)) for (item, said), ph in zip(evidence.history, evidence.phases, strict=True) if ph in AGAIN
    ]
    groups = dict(zip(evidence.gold_items, evidence.gold_groups, strict=True))
    if evidence.groups is not None:
        groups |= {draw.item: evidence.groups[draw.stratum] for draw in evidence.draws}
    known = [(answer.cells.get("group"), answer.revealed) for answer in evidence.known]
    if known != [(groups.get(item), answer) for item, answer in told]:
        return Check(what, False, "the answers about gold differ from those that the alarm rests on")
    if (counted := evidence.after(len(evidence.history))) != evidence.counts:
        return Check(what, False, f"the answers add up to {counted}, but the file says {evidence.counts}")
    return Check(what, True)


def _learned(evidence: Evidence) -> list[Check]:
    """Check that the learning came before the lot and is left out of it, and what it confirmed."""
    asked, confirmed = dict(evidence.learned), evidence.confirmed
    if not asked and not confirmed:
        return []
    what = f"the audit leaves out the {len(asked):,} items asked before it, and counts {len(confirmed):,} as confirmed"
    before = list(asked.keys() | confirmed.keys())
    in_lot = np.concatenate([*evidence.items, np.array(evidence.gold_items, np.int64)])
    if (both := in_lot[np.isin(in_lot, before)]).size:
        return [Check(what, False, f"item {both[0]} was asked before the audit and is in it, too")]
    if len(asked) < len(evidence.learned):
        return [Check(what, False, "an item was asked twice")]
    if not asked:
        return [Check(what, None, "they were asked in an earlier run, whose answers are not in this file")]
    if confirmed.keys() != {item for item, answer in asked.items() if answer}:
        return [Check(what, False, "the items that are counted are not those that were revealed")]
    alike = sum(confirmed.values()) - len(confirmed)
    rows = [Check("rows alike", None, f"{alike:,} rows count because they look like confirmed ones")] if alike else []
    return [Check(what, True), *rows]


def _again(evidence: Evidence) -> str:
    """Return what is wrong with the questions about known positives, or nothing."""
    revealed_by: dict[int, object] = {}
    put: set[tuple[object, int]] = set()
    for (item, answer), phase, name in zip(evidence.history, evidence.phases, evidence.by, strict=True):
        if phase == "lot" and answer:
            revealed_by[item] = name
        if phase not in ("lot", *AGAIN):
            return f"item {item} was asked in a phase that no audit has"
        if phase not in AGAIN:
            continue
        if phase == "gold" and item not in evidence.gold_items:
            return f"item {item} was asked as gold and is none"
        if phase == "overlap" and (not evidence.per_expert or revealed_by.get(item, name) == name):
            return f"item {item} was asked again, and no other expert had revealed it"
        if (name, item) in put:
            return f"an item was asked twice of the same expert, {item}"
        put.add((name, item))
    return ""


def _bet(evidence: Evidence, drawn_by: list[NDArray[np.float64]]) -> Check:
    assert evidence.bet is not None
    kind, value = evidence.targets[0]
    what = f"the capital of the bet on {kind} {value:g}"
    if evidence.gold_items or evidence.purity is not None or (evidence.weights != 1).any():
        return Check(what, False, "nothing is bet with gold, purity or rows that look alike")
    if kind != "recall" and (evidence.low, evidence.high) == (0.0, 1.0):
        return Check(what, False, f"nothing is bet on the {kind} while nothing is known of the rate")
    if not _fair(evidence, drawn_by):
        return Check(what, not evidence.bet["won"], "it is void, for a draw was not made with the weights of its plan")
    try:
        best, needed = bet.best_capital(evidence, drawn_by), bet.needed(evidence)
    except (ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        return Check(what, False, f"it cannot be recomputed ({error})")
    said = bool(evidence.bet["won"])
    reached = f"it rose to {math.exp(min(best, 50)):.3g}, and {math.exp(needed):.3g} certify the target"
    return Check(what, not said or best >= needed - NATS, f"{reached}; the file says {'won' if said else 'not won'}")


def _fair(evidence: Evidence, drawn_by: list[NDArray[np.float64]]) -> bool:
    """Whether every recorded stratum was drawn with the probability that its plan gives."""
    weights = {t: float(drawn_by[t][evidence.draws[t].stratum]) for t in evidence.recorded}
    return all(abs(weights[t] - weight) <= AGREE * weight for t, weight in evidence.recorded.items())


def _statements(evidence: Evidence, won: bool, set_of: SetOf) -> list[Check]:
    own = evidence.after(len(evidence.history)).experts.values()
    names = {f"rate of {name}": k for k, name in enumerate(dict.fromkeys(evidence.by))}

    def plain(what: str, answers: int) -> tuple[float, float]:
        found, confirmed = set_of(evidence, answers, what), sum(evidence.confirmed.values())
        if what in names:
            return found.rate(names[what]) if found.possible.any() else (0.0, 1.0)
        return bounds.quantity(found, what, evidence.inside, evidence.rows, evidence.called, confirmed)

    checks = []
    for statement in evidence.statements:
        if statement["group"] != evidence.group:
            continue
        what, low, high = statement["what"], float(statement["low"]), float(statement["high"])
        about = what if evidence.group is None else f"{what} in group {evidence.group}"
        if statement["rung"] != bounds.rung_of(evidence, what):
            checks.append(Check(about, False, f"it stands on rung {bounds.rung_of(evidence, what)}"))
            continue
        if what == "confirmable recall" and sum(any(expert.asked) for expert in own) > 1:
            checks.append(
                Check(what, False, "of several experts nobody knows who would be asked about the other items")
            )
            continue
        if abs(statement["confidence"] - (1 - evidence.delta)) > 1e-9:
            checks.append(Check(about, False, f"its confidence is {1 - evidence.delta:g}"))
            continue
        least, most = (0.0, 1.0) if (low, high) == (0.0, 1.0) else plain(what, len(evidence.history))
        if what in evidence.earlier:  # a bound that was certified once stays
            at_low, at_high = evidence.earlier[what][1]
            least = max(least, plain(what, at_low)[0]) if low > least + TOLERANCE else least
            most = min(most, plain(what, at_high)[1]) if high < most - TOLERANCE else most
        if won and what.split()[-1] == evidence.targets[0][0]:
            value = evidence.targets[0][1]
            least, most = (least, min(most, value)) if what == "error" else (max(least, value), most)
        checks.append(_compared(about, (low, high), (least, most)))
    return checks


def _cuts(evidence: Evidence, set_of: SetOf) -> list[Check]:
    """Check what is stated about every cut of the score."""
    if not evidence.cuts:
        return []
    sets = {what: set_of(evidence, len(evidence.history), what) for what in ("recall", "precision")}
    rows = np.array(evidence.sizes) * evidence.weights
    wrong = []
    for cut in evidence.cuts:
        score = -math.inf if cut["score"] is None else float(cut["score"])
        inside = evidence.bands >= int(np.searchsorted(evidence.borders, score, side="right"))
        called = int(rows[inside].sum())
        name = "all rows" if cut["score"] is None else f"score {score:g}"
        if called != cut["called"]:
            wrong.append(f"from {name} on {called:,} rows are called positive, not {cut['called']:,}")
            continue
        for what, found in sets.items():
            stated = (float(cut[what][0]), float(cut[what][1]))
            if stated == (0.0, 1.0):
                continue
            plain = bounds.quantity(found, what, inside, evidence.rows, called)
            check = _compared(f"{what} from {name} on", stated, plain)
            wrong += [] if check.ok else [f"{check.what}: {check.found}"]
    return [Check(f"{len(evidence.cuts)} cuts of the score", not wrong, "; ".join(wrong))]


def _compared(what: str, stated: tuple[float, float], plain: tuple[float, float]) -> Check:
    fits = stated[0] <= plain[0] + TOLERANCE and stated[1] >= plain[1] - TOLERANCE
    fits = fits and 0 <= stated[0] <= stated[1] + TOLERANCE
    return Check(what, fits, f"stated {stated[0]:.4f} to {stated[1]:.4f}, recomputed {plain[0]:.4f} to {plain[1]:.4f}")
