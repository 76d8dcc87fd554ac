"""The evidence that a saved audit carries, read from its file and checked against itself."""

from __future__ import annotations

import base64
import copy
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput

LEARNING = ("model", "recorded")
"""The phases of questions that come before an audit, while a model learns."""
AGAIN = ("gold", "overlap")
"""The phases of questions about known positives."""
PRINTED = ("rate", "prior", "rates", "population", "estimates", "stop_reason", "hypothesis")
"""What else a file says that is printed, or that its reader sees."""

Floats = NDArray[np.float64]
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Draw:
    """One question of the lot; `answer` is None while there is none."""

    item: int
    stratum: int
    answer: bool | None


@dataclass(frozen=True)
class OfExpert:
    """How many items one expert was asked and revealed in each stratum, and of the known positives."""

    asked: list[int]
    revealed: list[int]
    again: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Known:
    """An answer about a known positive, and the cells ("group", "band", "expert") in which rates are compared."""

    cells: dict[str, str]
    revealed: bool


@dataclass(frozen=True)
class Answers:
    """How many items were asked and revealed in each stratum, and of the gold, after some of the answers."""

    asked: list[int]
    revealed: list[int]
    gold: tuple[int, int]
    experts: dict[Any, OfExpert] = field(default_factory=dict, compare=False)
    """The same by expert, in the order of their first answer in the whole history."""


class Evidence:
    """What the file says: `statements`, `cuts`, `certificate`, `split` and `printed` are to be checked.

    All else is what they rest on.
    `history` are the answers of the audit in their order, `learned` those of the learning before it, if there was any.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        found, given = data["findings"], data["findings"]["evidence"]
        self.statements: list[dict[str, Any]] = found["statements"]
        self.cuts: list[dict[str, Any]] = found["cuts"]
        self.certificate: dict[str, Any] = data["certificate"]
        self.printed: dict[str, Any] = {name: data[name] for name in PRINTED}
        self.split: str = found.get("split", "")
        told = data["history"]
        kept = [phase not in LEARNING for phase in told["phase"]]
        asked = list(zip(told["item"], told["answer"], strict=True))
        self.history = [each for each, audit in zip(asked, kept, strict=True) if audit]
        self.learned = [each for each, audit in zip(asked, kept, strict=True) if not audit]
        self.phases = [str(phase) for phase, audit in zip(told["phase"], kept, strict=True) if audit]
        self.by = [name for name, audit in zip(told["expert"], kept, strict=True) if audit]
        self.per_expert = bool(given["per_expert"])
        self.overlap = self.per_expert and "overlap" in self.phases
        self.seed, self.delta, self.engine = int(given["seed"]), float(given["delta"]), str(given["engine"])
        self.targets = [(str(kind), float(value)) for kind, value in given["targets"]]
        self.sizes: list[int] = [int(size) for size in given["sizes"]]
        self.weights = np.array(given["weights"], np.float64)
        self.inside = np.array(given["inside"], bool)
        self.bands = np.array(given["bands"], np.int64)
        self.borders = np.array(given["borders"], np.float64)
        self.means = np.array(given["means"], np.float64)
        self.draws = [Draw(int(item), int(k), answer) for item, k, answer in given["draws"]]
        self.counts = Answers(given["asked"], given["revealed"], (given["gold"][0], given["gold"][1]))
        self.low, self.high = float(given["rate"][0]), float(given["rate"][1])
        self.purity: float | None = given["purity"]
        self.columns: tuple[str | None, str | None] = (given["columns"][0], given["columns"][1])
        self.items = items_of(given["items"], len(self.sizes))
        self.digest = str(given["digest"])
        self.gold_items: list[int] = given["gold_items"]
        self.confirmed: dict[int, int] = {int(item): int(rows) for item, rows in given["confirmed"]}
        self.gold_groups: list[str | None] = given["gold_groups"]
        self.groups: list[str] | None = given["groups"]
        self.groups_column: str | None = given["groups_column"]
        self.group: str | None = None
        self.known = [Known(dict(cells), bool(revealed)) for cells, revealed in given["known"]]
        self.top = int(self.bands.max())
        self.plans = [np.array(weights, np.float64) for weights in given["plans"]]
        self.guesses = [np.array(shares, np.float64) for shares in given["guesses"]]
        self.earlier: dict[str, Any] = given["earlier"]
        self.bet: dict[str, Any] | None = given["bet"]
        self.recorded: dict[int, float] = {int(t): float(weight) for t, weight in given["recorded"]}
        """Draws whose stratum the plans do not give, and the probability with which it was drawn."""
        self.rows = int((np.array(self.sizes) * self.weights).sum())
        self.called = int((np.array(self.sizes) * self.weights)[self.inside].sum())

    def after(self, answers: int) -> Answers:
        """Return what was counted after the first so many answers of the history."""
        stratum, K = {draw.item: draw.stratum for draw in self.draws}, len(self.sizes)
        names = list(dict.fromkeys(self.by)) or [None]
        asked, revealed, again = ({name: [0] * n for name in names} for n in (K, K, 2))
        golden, gold = set(self.gold_items), [0, 0]
        for (item, answer), phase, name in zip(self.history[:answers], self.phases, self.by, strict=False):
            if phase == "lot" and item in stratum:
                asked[name][stratum[item]] += 1
                revealed[name][stratum[item]] += bool(answer)
            elif phase in AGAIN and (item in golden if phase == "gold" else item in stratum):
                for counted in (again[name], gold) if phase == "gold" else (again[name],):
                    counted[0] += 1
                    counted[1] += bool(answer)
        return Answers(
            [sum(asked[name][k] for name in names) for k in range(K)],
            [sum(revealed[name][k] for name in names) for k in range(K)],
            (gold[0], gold[1]),
            {name: OfExpert(asked[name], revealed[name], (again[name][0], again[name][1])) for name in names},
        )

    def names(self) -> list[str]:
        """Return the groups, each once."""
        return list(dict.fromkeys(self.groups or ()))

    def only(self, group: str) -> Evidence:
        """Return the evidence about one group: its strata, its draws and its gold."""
        assert self.groups is not None
        mine = [k for k, name in enumerate(self.groups) if name == group]
        place = {k: i for i, k in enumerate(mine)}
        part = copy.copy(self)
        part.group, part.sizes = group, [self.sizes[k] for k in mine]
        part.weights, part.inside = self.weights[mine], self.inside[mine]
        part.bands, part.means = self.bands[mine], self.means[mine]
        part.draws = [Draw(d.item, place[d.stratum], d.answer) for d in self.draws if d.stratum in place]
        part.gold_items = [i for i, name in zip(self.gold_items, self.gold_groups, strict=True) if name == group]
        part.known = [answer for answer in self.known if answer.cells["group"] == group]
        part.earlier, drawn = {}, {draw.item for draw in part.draws}
        again = (item for (item, _), phase in zip(self.history, self.phases, strict=True) if phase == "overlap")
        part.overlap = self.per_expert and not drawn.isdisjoint(again)
        part.rows = int((np.array(part.sizes) * part.weights).sum())
        part.called = int((np.array(part.sizes) * part.weights)[part.inside].sum())
        return part


def items_of(given: Any, strata: int) -> list[NDArray[np.int64]]:
    """Return the rows of each stratum: listed in the file, or packed as the stratum of each row (−1: none)."""
    if not isinstance(given, str):
        return [np.array(rows, np.int64) for rows in given]
    codes = np.frombuffer(zlib.decompress(base64.b64decode(given)), "<i4")
    return [np.flatnonzero(codes == k) for k in range(strata)]


def read(path: str | Path) -> Evidence:
    """Read the file of a saved audit of a classifier; refuse one that is something else."""
    return parsed(path, load(path), Evidence)


def load(path: str | Path) -> dict[str, Any]:
    """Read the file of a saved audit; refuse one that is something else."""
    file = checks.path("path", path)
    if not file.is_file():
        raise InvalidInput(f"There is no file {str(file)!r} to verify.")
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = data["findings"]
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(f"{str(file)!r} is not a result that Result.save wrote.") from None
    if found is None:
        raise InvalidInput(f"{str(file)!r} is the result of a learner; only the results of an Audit can be verified.")
    return dict(data)


def parsed(path: str | Path, data: dict[str, Any], kind: Callable[[dict[str, Any]], Kind]) -> Kind:
    """Return what a file says; refuse one that lacks some of it."""
    try:
        return kind(data)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, zlib.error) as error:
        raise InvalidInput(f"{str(path)!r} lacks some of the evidence ({error}); save the audit again.") from None
