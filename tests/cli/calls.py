"""The commands of `activepu study`, called from tests."""

from typer.testing import CliRunner

from activepu.cli.app import app


def call(*words, keys=""):
    return CliRunner().invoke(app, ["study", *words], input=keys)


def made():
    learner = ("--class", "boxes", "--columns", "a,b", "--epsilon", "0.1", "--check", "5")
    found = call("create", "t.csv", *learner, "--id", "name")
    assert found.exit_code == 0, found.output
    return found
