"""The docstrings of studies: their examples run, and they name every parameter."""

import doctest
import inspect

import pytest

from activepu import studies
from activepu.studies import exchange, study

PUBLIC = {name: getattr(studies, name) for name in studies.__all__}
PUBLIC |= {name: getattr(exchange, name) for name in exchange.__all__}
METHODS = {
    f"{name}.{method}": getattr(cls, method)
    for name, cls in PUBLIC.items()
    if inspect.isclass(cls)
    for method in dir(cls)
    if not method.startswith("_") and inspect.isroutine(getattr(cls, method))
}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)} | METHODS


def sections(thing):
    """The text of each section by its title."""
    lines = inspect.getdoc(thing).splitlines()
    starts = [k for k in range(len(lines) - 1) if set(lines[k + 1]) == {"-"}]
    return {
        lines[start]: "\n".join(lines[start + 2 : end])
        for start, end in zip(starts, [*starts[1:], len(lines)][: len(starts)], strict=True)
    }


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = doctest.testmod(study)
    assert (found.failed, found.attempted >= 8) == (0, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_and_what_is_returned_are_described(name):
    signature, described = inspect.signature(FUNCTIONS[name]), sections(FUNCTIONS[name])
    wanted = [parameter for parameter in signature.parameters if parameter != "self"]
    text = described.get("Parameters", "")
    assert [line.split(" : ")[0] for line in text.splitlines() if line[:1].strip()] == wanted
    assert ("Returns" in described) == (signature.return_annotation not in ("None", None))


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if inspect.isclass(thing)])
def test_attributes_are_described(name):
    text = sections(PUBLIC[name])["Attributes"]
    heads = [line.split(" : ")[0] for line in text.splitlines() if line[:1].strip()]
    described = {name for head in heads for name in head.split(", ")}
    assert described >= set(getattr(PUBLIC[name], "__dataclass_fields__", ()))
