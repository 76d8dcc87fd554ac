"""No message, repr, log or command shows a password."""

import traceback

import pytest
from cli.calls import call
from studies.scenes import on_server, pool, zcal

import activepu as apu
from activepu.cli.opened import command
from activepu.studies.storage import addresses

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}@127.0.0.1:1/d",
        f"postgres://u:{SECRET}@127.0.0.1:1/d",
        f"postgresql+psycopg2://u:{SECRET}@127.0.0.1:1/d",
        f"postgresql://u@127.0.0.1:1/d?password={SECRET}",
        f"postgresql://u@127.0.0.1:1/d?connect_timeout=2&PASSWORD={SECRET}",
        f"postgresql://u@127.0.0.1:1/d?sslpassword={SECRET}",
        f"postgresql://u:{SECRET}@127.0.0.1:port/d",
        f"postgresql://u:{SECRET}@127.0.0.1:99999999/d",
        f"postgresql://u:{SECRET}",
        f"postgresql://u:x@{SECRET}@127.0.0.1:1/d",
        f"postgresql://u:x/{SECRET}@127.0.0.1:1/d",
        f"postgresql://u:x {SECRET}@127.0.0.1:port/d",
        f"postgresql://u:x'{SECRET}@127.0.0.1:port/d",
        f"postgresql://u:{SECRET}@127.0.0.1:1/d?nonsense=1",
        f"postgresql://u:{SECRET}@127.0.0.1:1/d?connect_timeout=soon",
        f"postgresql://u:{SECRET}@127.0.0.1:1/d?port=abc&password={SECRET}",
        f"mysql://u:{SECRET}@h/d",
        f"mysql://h/d?password={SECRET}",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_no_message_shows_a_password(url, caplog):
    caplog.set_level(0)
    with pytest.raises(apu.ActivePUError) as caught:
        apu.Study.create(url, "s", pool(), zcal())
    said, rest = [], [caught.value]
    while rest:
        error = rest.pop()
        if error is not None:
            said += [str(error), repr(error), *traceback.format_exception(error)]
            rest += [error.__cause__, error.__context__, getattr(error, "orig", None)]
    said += [call("list", "--db", url).output, caplog.text]
    assert [text for text in said if SECRET in text.replace("\n", "")] == []


@on_server
def test_no_repr_and_no_command_shows_a_password(url):
    secret = f"{url.replace('postgresql://', 'postgres://')}&password={SECRET}"
    with apu.Study.create(secret, "s", pool(), zcal()) as study:
        shown = [study, study.storage, study.storage.engine, study.storage.engine.url, study.storage.name]
        shown += [command("label", "s", secret), addresses.checked(secret, False), *vars(study.storage).values()]
        assert [one for one in shown if SECRET in f"{one!r} {one}"] == []
        assert "***" in repr(study)


def test_what_a_driver_says_is_redacted_with_all_that_it_is_chained_with(study):
    told = f"cannot reach postgresql://u:{SECRET}@h/d, password={SECRET} sslpassword = '{SECRET} x'"

    def fail():
        with study.storage.translated():
            try:
                raise ValueError(told)
            except ValueError as error:
                raise study.storage.dbapi.OperationalError(told) from error

    with pytest.raises(apu.StorageFailed, match=r"postgresql://u:\*\*\*@h/d") as caught:
        fail()
    assert SECRET not in "".join(traceback.format_exception(caught.value))
