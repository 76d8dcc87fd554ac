"""A scene is a learner, a pool and an expert; it is played, or its recorded answers are told again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from recorded.comparing import Kind
from recorded.statements import Record, ending, questions, refusal, statement, whole

import activepu as apu


class Answers:
    """An expert whose answers are fixed beforehand, one a row: 1, 0, or −1 for a skip."""

    def __init__(self, answers: Any) -> None:
        self.answers = np.asarray(answers, int)

    def answer(self, items: Any, rows: Any) -> Any:
        return self.answers[np.asarray(items)]


@dataclass(frozen=True)
class Scene:
    """`at` are the numbers of answers after which the run is asked what it knows."""

    learner: apu.Learner
    pool: Any
    expert: Any
    at: tuple[int, ...] = (7, 25)
    settings: Mapping[str, Any] = field(default_factory=dict)
    again: Any = None
    table: Any = None

    @property
    def rows(self) -> Any:
        return self.pool if self.table is None else self.table

    def play(self) -> Record:
        """Learns, looking on; an error is what is recorded of a run that ends in one."""
        diary = Diary(self.at, self.rows)
        try:
            result = apu.learn(self.learner, self.pool, self.expert, progress=diary.look, **self.settings)
        except apu.ActivePUError as error:
            return diary.record() | refusal(error)
        return diary.record() | ending(result, self.rows, self.again)

    def replay(self, asked: Record) -> Record:
        """Tells the recorded answers to the recorded questions: nothing is chosen."""
        run = apu.Run(self.learner, self.pool, self.settings.get("positives", ()), self.settings.get("seed", 0))
        diary = Diary(self.at, self.rows)
        for item, expert, answer in zip(*(whole(asked[name]) for name in ("item", "expert", "answer")), strict=True):
            if answer != "skip":
                run.tell(run.put(item, expert), bool(answer))
                diary.look(run)
        return {"moments": diary.moments, "end": statement(run.result(), self.rows)}


class Diary:
    """Looks on while a run goes on."""

    def __init__(self, at: tuple[int, ...], table: Any) -> None:
        self.at, self.table = list(at), table
        self.moments: list[Record] = []
        self.run: apu.Run | None = None

    def look(self, run: apu.Run) -> None:
        self.run = run
        if self.at and run.n_answered >= self.at[0]:
            self.moments.append(statement(run.result(), self.table))
            self.at = [number for number in self.at if number > run.n_answered]

    def record(self) -> Record:
        return {"questions": questions(self.run.questions if self.run else ()), "moments": self.moments}


@dataclass(frozen=True)
class Case:
    """`make` makes a scene, or is the case itself; `kind` says what another machine may do (`comparing`)."""

    make: Callable[[], Scene | Record]
    kind: Kind = "steady"

    def record(self) -> Record:
        """As it goes on this machine; where another may ask other items also what its answers say when told again."""
        made = self.make()
        if not isinstance(made, Scene):
            return made
        record = made.play()
        return record if self.kind == "steady" else record | {"replay": made.replay(record["questions"])}

    def elsewhere(self, record: Record) -> tuple[Record, Record]:
        """What was recorded, and what must be the same on every machine."""
        made = self.make()
        if not isinstance(made, Scene):
            return record, made
        if self.kind == "steady":
            return record, made.play()
        return record["replay"], made.replay(record["questions"])
