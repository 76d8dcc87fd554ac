"""Processes answer while others are killed: nothing acknowledged is lost, and nothing is answered twice."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from studies.scenes import expire, pool

import activepu as apu

TESTS = Path(__file__).parents[1]


def crowd(url, folder, rows, experts, answers, kills, seconds):
    """So many experts answer, each a process, while a killer kills them at random moments.

    What is killed when follows the number of answers, not the clock; `seconds` only guards against hanging.
    """
    rng, running, killed = random.Random(0), {}, 0
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])}
    end = time.monotonic() + seconds
    with apu.Study.load(url, "s", pool(rows)) as study:
        while (done := study.status().answered) < answers or killed < kills:
            assert time.monotonic() < end, f"{done} answers and {killed} kills in {seconds} s"
            for k in range(experts):
                if k not in running or running[k].poll() is not None:
                    log = str(folder / f"{k}.log")
                    arguments = [sys.executable, "-m", "studies.crowd", url, f"e{k}", log, str(rows)]
                    running[k] = subprocess.Popen(arguments, env=environment, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.1, 0.6))
            if done > killed * answers / (kills + 1):
                victim = running[rng.randrange(experts)]
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                killed += 1
        for process in running.values():
            process.kill()
            process.wait()
    return killed


def check(url, folder, rows):
    """What was acknowledged is there, once; and the study is what an undisturbed one is after the same answers."""
    acknowledged = [
        line.split() for log in folder.glob("*.log") for line in log.read_text().splitlines() if line.count(" ") == 3
    ]
    with apu.Study.load(url, "s", pool(rows)) as study, apu.Study.load(url, "s", pool(rows)) as same:
        expire(study)
        study.status()  # nobody is there to answer: what they were shown is over from now on
        run = study.run()
        for number, item, answer, in_time in acknowledged:
            question = run.questions[int(number)]
            assert question.item == int(item)
            if int(in_time):
                assert question.answer is bool(int(answer))
            else:
                assert (question.answer, question.late) == (apu.TIMEOUT, bool(int(answer)))
        told = [q.item for q in run.questions if q.answer is not None]
        assert len(set(told)) == len(told) >= len(acknowledged)
        calm = apu.Run(study.learner, pool(rows))
        for q in run.questions:
            calm.recall(q.item, q.note, q.expert)
        for q in run.questions:
            if q.answer is not None:
                calm.tell(calm.questions[q.number], q.answer)
        for q in sorted((q for q in run.questions if q.late), key=lambda q: q.came):
            calm.tell(calm.questions[q.number], True)
        found, undisturbed = study.result(), calm.result()
        assert undisturbed.certificate == found.certificate
        assert str(undisturbed) == str(found)
        assert [q.item for q in run.ask(3, "new")] == [q.item for q in same.run().ask(3, "new")]
    return len(acknowledged)


LEARNERS = {
    "passive": apu.PassivePU(apu.Boxes(), 0.02, 0.05),
    "zcal": apu.ZCal(apu.Boxes(), 0.02, 0.05, check=0),
}


CELLS = [
    ("sqlite", "passive"),
    ("sqlite", "zcal"),
    ("postgresql", "passive"),
    pytest.param("postgresql", "zcal", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("url", "learner"), CELLS, indirect=["url"])
def test_a_few_processes_and_a_few_kills(url, tmp_path, learner):
    with apu.Study.create(url, "s", pool(3000), LEARNERS[learner], deadline=1.0):
        pass
    assert crowd(url, tmp_path, 3000, experts=2, answers=40, kills=3, seconds=1800) >= 3
    assert check(url, tmp_path, 3000) >= 20


@pytest.mark.slow
def test_many_processes_and_many_kills(url, tmp_path):
    with apu.Study.create(url, "s", pool(10_000), apu.PassivePU(apu.Boxes(), 0.005, 0.05), deadline=1.0):
        pass
    kills = crowd(url, tmp_path, 10_000, experts=8, answers=5000, kills=50, seconds=6 * 3600)
    acknowledged = check(url, tmp_path, 10_000)
    print(f"\n{url.split(':')[0]}: {kills} kills, {acknowledged} acknowledged answers, none lost, none twice")
    assert kills >= 50
    assert acknowledged >= 4800  # the others were killed between the commit and the note of it
