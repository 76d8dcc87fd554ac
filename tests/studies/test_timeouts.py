"""A server or a client that stops in the middle hangs nobody: there is a sentence within the timeout."""

import contextlib
import os
import signal
import socket

import pytest
import sqlalchemy as sa
from studies.scenes import impatient, on_server, pool, zcal

import activepu as apu
from activepu.errors import InvalidInput, StorageFailed


@on_server
def test_a_stopped_server_process_hangs_nobody(url, study):
    (q,) = study.ask("ann")
    with apu.Study.load(impatient(url), "s", pool()) as other:
        change = other.storage.write(other.key)
        transaction = change.__enter__()
        ((pid,),) = transaction.all(sa.text("SELECT pg_backend_pid()"))
        os.kill(pid, signal.SIGSTOP)
        try:
            third = apu.Study.load(impatient(url), "s", pool())
            with pytest.raises(StorageFailed, match="nothing was changed"):
                third.tell(q, True)
            third.close()
            with pytest.raises(StorageFailed, match=r"said nothing for 0\.75 seconds"), other.storage.translated():
                transaction.now()
        finally:
            os.kill(pid, signal.SIGCONT)
        with pytest.raises(StorageFailed, match="nothing was changed"):  # no COMMIT was sent
            change.__exit__(None, None, None)
    study.tell(q, True)
    assert study.status().answered == 1


@on_server
def test_a_client_that_vanishes_in_the_middle_of_a_change_is_ended(url, study):
    (q,) = study.ask("ann")
    with apu.Study.load(impatient(url, idle_in_transaction_session_timeout=0.5), "s", pool()) as other:
        silent = other.storage.write(other.key)
        silent.__enter__()
        said = set()
        with apu.Study.load(impatient(url), "s", pool()) as third:
            while not study.status().answered:
                try:
                    third.tell(q, True)
                except StorageFailed as error:
                    said.add(str(error).partition(" has ")[2])
        with pytest.raises(StorageFailed):
            silent.__exit__(None, None, None)
    assert said <= {"been busy for 0.3 seconds, held by another program; nothing was changed: try again."}


@on_server
def test_a_long_statement_is_ended(url, study):
    with apu.Study.load(impatient(url), "s", pool()) as other:
        change = other.storage.write(other.key)
        transaction = change.__enter__()
        sleep = sa.text("SELECT pg_sleep(600)")
        with pytest.raises(StorageFailed, match=r"within 0\.5 seconds"), other.storage.translated():
            transaction.do(sleep)
        with contextlib.suppress(StorageFailed):
            change.__exit__(None, None, None)
        assert other.status().answered == 0


@on_server
def test_a_server_that_does_not_greet_hangs_nobody(url):
    with apu.Study.create(url, "s", pool(), zcal()):
        pass
    mute = socket.create_server(("127.0.0.1", 0))
    with pytest.raises(StorageFailed, match="timeout"):
        apu.Study.load(f"postgresql://u@127.0.0.1:{mute.getsockname()[1]}/d?connect_timeout=2", "s", pool())
    mute.close()


@pytest.mark.parametrize("said", ["0", "-1", "nan", "soon", "1e9"])
def test_timeouts_are_numbers_of_seconds(tmp_path, said):
    for url in (f"sqlite:///{tmp_path}/s.db?lock_timeout={said}", f"postgresql://h/d?statement_timeout={said}"):
        with pytest.raises(InvalidInput, match="is a number of seconds, such as 30"):
            apu.Study.create(url, "s", pool(), zcal())
    with pytest.raises(InvalidInput, match="can set only lock_timeout"):
        apu.Study.create(f"sqlite:///{tmp_path}/s.db?mode=ro", "s", pool(), zcal())
