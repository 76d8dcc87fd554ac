"""Processes that tests can stop, starve or kill. They say what they do, and wait for a line."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from studies.scenes import pool, says

import activepu as apu
from activepu.studies.storage import experts

TESTS = Path(__file__).parents[1]


@contextlib.contextmanager
def client(*arguments):
    """A process that runs one of the functions below, and is killed at the end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])}
    command = [sys.executable, "-m", "studies.clients", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def say(word):
    print(word, flush=True)


def hold(url):
    """Hold the study in the middle of a change, until a line comes."""
    with apu.Study.load(url, "s", pool()) as study:
        try:
            with study.storage.write(study.key) as transaction:
                experts.join(transaction, "eve")
                say("holding")
                sys.stdin.readline()
            say("done")
        except apu.StorageFailed as error:
            say(error)


def starve(url):
    """Answer until no file may grow any more; then files may grow again, and one more answer is given."""
    with apu.Study.load(url, "s", pool()) as study:
        (kept,) = study.ask("bob")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), most))
        answer(study)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        study.tell(kept, True)
        say(f"told {kept.number} 1")


def answer(study):
    try:
        while True:
            for q in study.open("ann") or study.ask("ann"):
                study.tell(q, says(q.item))
                say(f"told {q.number} {int(says(q.item))}")
    except apu.StorageFailed as error:
        say(error)


if __name__ == "__main__":
    {"hold": hold, "starve": starve}[sys.argv[1]](sys.argv[2])
