"""One key press at a terminal."""

import os
import select
import sys

import numpy as np
import pytest

import activepu as apu
from activepu.cli import keys

fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
GUARD = 600
"""Seconds after which a test is taken to hang, however slow the machine; what it waits for comes far sooner."""
PROGRAM = "from activepu.cli import main; main()"


@pytest.fixture
def terminal(monkeypatch):
    """Where keys are typed; standard input is the other end."""
    master, slave = pty.openpty()
    with os.fdopen(slave) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        before = termios.tcgetattr(slave)
        yield master
        assert termios.tcgetattr(slave) == before
    os.close(master)


def pressed(monkeypatch, terminal, typed):
    """What is read when this is typed once the prompt is there."""
    read = os.read

    def late(file, n):
        monkeypatch.setattr(os, "read", read)
        os.write(terminal, typed)
        while int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), sys.byteorder) < len(typed):
            pass  # the bytes of one key arrive together
        return read(file, n)

    monkeypatch.setattr(os, "read", late)
    return keys.press("> ")


def test_a_key_needs_no_enter(monkeypatch, terminal):
    assert pressed(monkeypatch, terminal, b"y") == "y"


def test_what_was_typed_before_the_item_was_shown_is_dropped(monkeypatch, terminal):
    os.write(terminal, b"y\n")
    assert select.select([sys.stdin], [], [], GUARD)[0]
    assert pressed(monkeypatch, terminal, b"n") == "n"


def test_an_arrow_is_one_key_and_no_letter(monkeypatch, terminal):
    assert pressed(monkeypatch, terminal, b"\x1b[1;5n") == "\x1b[1;5n"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError, SystemExit])
def test_the_terminal_is_put_right_whatever_happens(monkeypatch, terminal, failure):
    def fail(*_):
        raise failure

    monkeypatch.setattr(os, "read", fail)
    with pytest.raises(failure):
        keys.press("> ")


def test_ctrl_d_is_the_end(monkeypatch, terminal):
    with pytest.raises(EOFError):
        pressed(monkeypatch, terminal, b"\x04")


def test_input_that_is_no_terminal_is_read_by_lines(monkeypatch):
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert keys.reader() is keys.line


def until(terminal, what, shown=b""):
    """All that is shown until this is."""
    while what not in shown:
        assert select.select([terminal], [], [], GUARD)[0], shown
        shown += os.read(terminal, 4096)
    return shown


def test_labelling_at_a_terminal_ends_well_with_ctrl_c(tmp_path):
    np.savetxt(tmp_path / "t.csv", np.random.default_rng(0).random((400, 2)), delimiter=",", header="a,b", comments="")
    url = f"sqlite:///{tmp_path}/activepu.db"
    apu.Study.create(url, "t", apu.Pool(tmp_path / "t.csv"), apu.ZCal(apu.Boxes(), 0.1, 0.1, check=0)).close()
    environment = os.environ | {"TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", PROGRAM, "study", "label", "t", "--expert", "ann", "--db", url]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, words, environment)
    for key in (b"y", b"n", b"\x03"):
        assert b"question" in until(terminal, b"y/n/s/u/q > ")
        os.write(terminal, key)
    shown = until(terminal, b"Go on with").decode()
    assert "You answered 2; all of it is safe." in shown
    assert "Traceback" not in shown
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    with apu.Study.load(url, "t") as study:
        assert study.status().answered == 2


def test_a_narrow_terminal_without_the_letters_shows_a_bar(tmp_path):
    X = np.random.default_rng(0).random((400, 2))
    np.savetxt(tmp_path / "t.csv", X, delimiter=",", header="a,b", comments="")
    url = f"sqlite:///{tmp_path}/activepu.db"
    with apu.Study.create(
        url, "t", apu.Pool(tmp_path / "t.csv"), apu.ZCal(apu.Boxes(), 0.1, 0.1, rate=1.0, check=0)
    ) as study:
        study.record([(item, bool(X[item, 0] < 0.5), "ann") for item in range(20)])
    narrow = {"TERM": "xterm", "COLUMNS": "40", "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", PROGRAM, "study", "label", "t", "--expert", "ann", "--db", url]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, words, os.environ | narrow)
    shown = until(terminal, b"y/n/s/u/q > ").decode()
    os.write(terminal, b"q")
    until(terminal, b"Go on with")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    (bar,) = (line for line in shown.splitlines() if "##" in line)
    assert bar.lstrip("#").lstrip("-").startswith(" error at most")
    assert "#-" in bar
    assert len(bar) == 40
    assert "| n can't tell | s skip" in " ".join(shown.split())
