"""Several processes work on one study while they die, lose their lines and think for long: nothing acknowledged is lost
or doubled, and the certificate is that of an undisturbed run with the same answers."""

import itertools
import json
import os
import time
from collections import Counter
from contextlib import closing, contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from studies.faults import without_clocks
from studies.scenes import Y, pool, says, state, zcal
from studies.schedules import Scene
from studies.steps import EXPERTS, steps

import activepu as apu
from activepu.records import Note
from activepu.studies import check
from activepu.studies.storage import events

LEARNERS = {
    "zcal": (zcal(), says),
    "cal": (apu.Cal(apu.Boxes(), 0.1, 0.2), lambda item: bool(Y[item])),
}
"""Z-CAL's questions are over at their deadlines; those of CAL go on to others, and lie where answers left a doubt."""
QUICK, ROUND = {"sqlite": 20, "postgresql": 10}, 100
"""So many schedules are played in the quick test, and in each round of the long one."""
SECONDS = float(os.environ.get("ACTIVEPU_FIRE_SECONDS", "1800"))
"""So long the long tests take together."""


def happened(study):
    with study.storage.read(study.key) as reading:
        return events.since(reading, 0)


def check_owners(log):
    """A question that one expert was shown is never another's, unless they skip it."""
    owners = {}
    for event in log:
        if event.kind in ("shown", "answer", "timeout", "late", "undo", "unskip"):
            owner = owners.setdefault(event.sequence, event.expert)
            assert owner == event.expert, f"{event}, but it is {owner}'s"
        elif event.kind == "skip" and owners.get(event.sequence) == event.expert:
            del owners[event.sequence]


def check_sent(log, sent):
    """What was acknowledged is there once, what was not at most once, and nothing else."""
    over = {event.sequence for event in log if event.kind == "timeout"}
    surely, perhaps = Counter(), Counter()
    for one in sent:
        if one.kind == "tell" and one.acknowledged and (one.returned or one.answer):
            surely[one.number, "answer" if one.returned else "late", one.expert, one.answer] += 1
        elif one.kind == "tell" and one.doubted and not one.acknowledged:
            perhaps.update((one.number, kind, one.expert, one.answer) for kind in ("answer", "late"))
        elif one.kind == "skip":  # of a question that is over it adds nothing
            certain = one.acknowledged and one.number not in over
            (surely if certain else perhaps)[one.number, "skip", one.expert, None] += one.acknowledged or one.doubted
    there = Counter(
        (event.sequence, event.kind, event.expert, {"answer": bool(event.answer), "late": True}.get(event.kind))
        for event in log
        if event.kind in ("answer", "late", "skip")
    )
    for what in there.keys() | surely.keys():
        assert surely[what] <= there[what] <= surely[what] + perhaps[what], f"{what}: {there[what]} times"
    skips = {(event.number, event.sequence) for event in log if event.kind == "unskip"}
    undone = Counter(
        event.expert
        for event in log  # a skip that withdrew the question is taken back by two events
        if event.kind == "unskip" or (event.kind == "undo" and (event.number + 1, event.sequence) not in skips)
    )
    for expert in EXPERTS:
        undos = [one for one in sent if one.kind == "undo" and one.expert == expert]
        acknowledged, doubted = (sum(one.acknowledged for one in undos), sum(one.doubted for one in undos))
        both = sum(one.acknowledged and one.doubted for one in undos)
        assert acknowledged <= undone[expert] <= acknowledged + doubted - both


def undisturbed(log, questions, learner, table):
    """A run in which every question was put, and answered once, in the order of asking.

    A late yes comes when it came: before its question had its turn, or after so many answers.
    """
    run, final, late = apu.Run(learner, table), {}, set()
    for event in log:
        number = event.sequence
        if event.kind == "ask":
            note = json.loads(event.note)
            drawn = note.pop("drawn")
            run.recall(event.item, Note(**note), event.expert, drawn)
        elif event.kind in ("answer", "timeout", "withdraw"):
            final[number] = {"timeout": apu.TIMEOUT, "withdraw": apu.SKIP}.get(event.kind, bool(event.answer))
            run.questions[number].expert = event.expert or run.questions[number].expert
        elif event.kind == "late":
            late.add(number)
        elif event.kind == "undo" and number in late:
            late.remove(number)
        elif event.kind == "undo":
            del final[number]
    came = sorted((questions[number] for number in late), key=lambda question: question.came)
    for q in came:
        if q.came[0] <= q.number:
            run.tell(run.questions[q.number], apu.TIMEOUT)
            run.tell(run.questions[q.number], True)
    came = [q for q in came if q.came[0] > q.number]
    for q in run.questions:
        if q.number in final and q.answer is None:
            run.tell(q, final[q.number])
        counted = next((other.number for other in run.questions if other.answer is None), len(run.questions))
        while came and came[0].came[0] <= counted:
            run.tell(run.questions[came.pop(0).number], True)
    assert not came
    return run


def certified(run):
    result = run.result()
    return result.certificate, result.population, result.rate, result.prior, run.history, result.n_queries


def check_scene(scene, learner):
    log = happened(scene.watch)
    check_sent(log, scene.sent)
    if learner.allows_timeouts:
        check_owners(log)
    assert check(scene.url, scene.name).damaged == ()
    with apu.Study.load(scene.url, scene.name, scene.table) as fresh:
        run = fresh.run()
        assert certified(undisturbed(log, run.questions, run.learner, scene.table)) == certified(run)
        left, next_one = state(fresh), put(run)
    for study in (scene.watch, *scene.living()):
        assert state(study) == left
        assert put(study.run()) == next_one


def put(run):
    return [(question.item, question.note) for question in run.ask(3, "new")]


@contextmanager
def urls(request, url):
    """Where the tests and where the clients find the database, and what is between."""
    if url.startswith("sqlite"):
        yield (url, url), None
    else:
        line = request.getfixturevalue("line")
        yield (url, line.url), line


def play(request, url, kind, name, examples, **how):
    """Play so many schedules, each with a study of its own; return how often what happened."""
    (learner, answers), table, names, played = LEARNERS[kind], pool(), itertools.count(), Counter()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), **how)
    @given(st.lists(steps, min_size=30, max_size=70))
    def schedule(drawn):
        with urls(request, url) as (where, line):
            scene = Scene(where, f"{name} {next(names)}", table, learner, answers, line)
            with closing(scene):
                scene.play(drawn)
                scene.settle()
                check_scene(scene, learner)
                played.update(event.kind for event in happened(scene.watch))

    schedule()
    return played


@pytest.mark.parametrize("learner", LEARNERS)
def test_whatever_fails_nothing_acknowledged_is_lost_or_doubled(request, url, learner, monkeypatch):
    without_clocks(monkeypatch)
    schedules = QUICK[url.partition(":")[0]]
    played = play(request, url, learner, "s", schedules)
    assert played["answer"] > 3 * schedules
    assert played["undo"] > schedules / 5


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_for_half_an_hour_nothing_acknowledged_is_lost_or_doubled(request, url, learner, monkeypatch):
    without_clocks(monkeypatch)
    played, rounds = Counter(), itertools.count()
    end = time.monotonic() + SECONDS / 4
    while time.monotonic() < end:
        how = {"derandomize": False, "database": None}
        played += play(request, url, learner, f"round {next(rounds)}", ROUND, **how)
    print(f"\n{url.split(':')[0]}, {learner}: {next(rounds) * ROUND} schedules, {dict(played)}")
    assert played["answer"] > 3 * ROUND
