"""A small study with a bit of everything, and its file with one bit flipped."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from studies.scenes import pool, says, turn, zcal

import activepu as apu
from activepu.studies.storage import experts

BITS = 8


def busy(study):
    """Nearly every kind of event: three experts answer, skip, take back, come too late, and one leaves."""
    for k in range(12):
        for q in study.ask(("ann", "bob")[k % 2]):
            study.tell(q, says(q.item))
    (first,), (second,) = study.ask("ann"), study.ask("bob")
    study.skip(first)
    study.tell(second, True)
    study.undo("bob")
    study.record([(5, True, "cyd"), (9, False, "cyd")])
    (slow,) = study.ask("ann")
    turn(study, 1e9)
    study.tell(slow, True)
    study.leave("cyd")
    study.ask("ann", 2, shown=False)
    study.ask("bob", 2)


def state(study):
    """What a study says: its questions, its certificate, and whether one was passed on."""
    run = study.run()
    with study.storage.read(study.key) as reading:
        passed_on = experts.changed_hands(reading)
        skips = experts.skips(reading)
    told = [(q.number, q.item, q.note, q.answer, q.expert, q.late) for q in run.questions]
    return study.name, told, str(run.result()), run.history, passed_on, skips


def flipped(file: Path, copy: Path, rng: np.random.Generator) -> int:
    """Write a copy with one bit flipped, of a byte that is not zero or is next to such a byte; return its place."""
    data = bytearray(file.read_bytes())
    used = np.flatnonzero(np.frombuffer(bytes(data), np.uint8))
    at = int(rng.choice(used)) if rng.random() < 0.8 else int(rng.integers(len(data)))
    data[at] ^= 1 << int(rng.integers(BITS))
    for old in copy.parent.glob(f"{copy.name}*"):
        old.unlink()
    shutil.copy(file, copy)
    copy.write_bytes(bytes(data))
    return at


def loaded(copy: Path):
    """The state of the study in a copy, or the sentence with which it is refused."""
    try:
        with apu.Study.load(f"sqlite:///{copy}", "s", pool(), zcal()) as study:
            return state(study), None
    except apu.ActivePUError as error:
        return None, str(error)
