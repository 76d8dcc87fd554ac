"""The commands of `activepu study`, called from tests."""

from typer.testing import CliRunner

from activepu.cli.app import app


def call(*words, keys=""):
    return CliRunner().invoke(app, ["study", *words], input=keys)


def made():
    found = call("create", "t.csv", "--class", "boxes", "--columns", "a,b", "--id", "name", "--epsilon", "0.1", "--check", "5")
    assert found.exit_code == 0, found.output
    return found
