"""A small pool with a known truth, and a server of databases."""

import warnings
from unittest import mock

import numpy as np
import pytest
import sqlalchemy as sa

import activepu as apu
from activepu.hashing import uniforms
from activepu.studies.storage import events

X = np.random.default_rng(0).random((10_000, 2))
Y = ((X > 0.2) & (X < 0.75)).all(axis=1)


on_server = pytest.mark.parametrize("url", ["postgresql"], indirect=True)
"""For tests of what a file does not have."""


def pool(n=400):
    return apu.Pool(X[:n])


def zcal(**settings):
    return apu.ZCal(apu.Boxes(), 0.1, 0.1, **settings, check=0)


def says(item):
    """One coin per item."""
    return bool(Y[item] and uniforms(1, "coin", np.array([item]))[0] < 0.6)


def expire(study):
    """Every lease is over."""
    with study.storage.write() as connection:
        connection.do(sa.text("UPDATE activepu_questions SET expires = 0"))


def turn(study, seconds):
    """Turn the clock of all leases forward."""
    with study.storage.write() as connection:
        connection.do(sa.text(f"UPDATE activepu_questions SET expires = expires - {float(seconds)}"))


def silence(storage, but=""):
    """Whoever chooses at the moment has said nothing for too long, except one process."""
    with storage.write() as connection:
        who = "WHERE choosing_after IS NOT NULL AND chooser <> :_but"
        connection.do(sa.text(f"UPDATE activepu_studies SET chooser_until = 0 {who}"), _but=but)


def impatient(url, **more):
    """The URL with short timeouts."""
    settings = {"lock_timeout": 0.3, **more}
    if url.startswith("postgresql"):
        settings = {"statement_timeout": 0.5, "connect_timeout": 2, **settings}
    return f"{url}{'&' if '?' in url else '?'}{'&'.join(f'{name}={value}' for name, value in settings.items())}"


def started(folder, **how):
    """A PostgreSQL server; its package gives up after 10 seconds by itself, and `pg_ctl` after 60."""
    pgserver = pytest.importorskip("pgserver")
    module = pgserver.postgres_server
    start = module.pg_ctl

    def patient(arguments, timeout=None, **more):
        return start(["-t", "600", *arguments], timeout=600, **more)

    with warnings.catch_warnings(), mock.patch.object(module, "pg_ctl", patient):
        warnings.simplefilter("ignore")
        return pgserver.get_server(folder, **how)


def kinds(study):
    """What happened in a study."""
    with study.storage.read(study.key) as reading:
        return [event.kind for event in events.since(reading, 0)]


def state(study):
    """Where a study is, to the last bit."""
    study.status()  # what lapsed is over from now on
    run = study.run()
    told = [(q.number, q.item, q.note, q.answer, q.late, q.expert) for q in run.questions]
    result = study.result()
    return told, run.history, result.certificate, result.rate, result.prior, str(result), run.drawn, run.finished
