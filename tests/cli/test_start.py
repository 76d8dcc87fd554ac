"""What starts quickly: the package, the version, the help and completion load nothing that they do not need."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import activepu

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "sqlalchemy", "pyarrow", "joblib", "matplotlib", "threadpoolctl")
SOURCE = Path(activepu.__file__)


def run(code: str, **environment: str) -> str:
    """What a new Python prints."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout


def loaded_by(program: str, *words: str) -> set[str]:
    """The heavy packages that a program has imported when it ends."""
    end = f"print('LOADED', *sorted({{name.split('.')[0] for name in sys.modules}} & {set(HEAVY)!r}))"
    code = f"import sys\nsys.argv[1:] = {list(words)!r}\ntry:\n    {program}\nexcept SystemExit as done:\n"
    code += f"    assert not done.code, done.code\n{end}"
    return set(run(code).rpartition("LOADED")[2].split())


def test_the_package_alone_loads_nothing():
    assert loaded_by("import activepu; dir(activepu)") == set()
    assert "numpy" in loaded_by("import activepu; activepu.Pool")


@pytest.mark.parametrize(
    "words",
    [("--version",), ("--help",), ("learn", "--help"), ("study", "--help"), ("study", "create", "--help")],
    ids=" ".join,
)
def test_help_and_the_version_load_nothing(words):
    assert loaded_by("from activepu.cli import main; main()", *words) == set()


def test_completion_loads_nothing_and_knows_the_names():
    code = "import sys\nfrom activepu.cli import app\ntry:\n    app(prog_name='activepu')\n"
    code += "except SystemExit:\n    pass\nprint('numpy' in sys.modules)"
    words = {"COMP_WORDS": "activepu learn t.csv --model ", "COMP_CWORD": "4"}
    found = run(code, _ACTIVEPU_COMPLETE="complete_bash", **words)
    assert {"forest", "boosting", "False"} <= set(found.split())


def test_python_and_type_checkers_are_told_the_same_names():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    (typed,) = (
        node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    )
    told = {
        (node.module, alias.name) for node in typed.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    modules = {name for module, name in told if module == "activepu"}
    assert {(module, name) for module, names in activepu._HOMES.items() for name in names} == {
        each for each in told if each[0] != "activepu"
    }
    assert sorted(activepu.__all__) == sorted(name for _, name in told)
    assert all(getattr(activepu, name).__name__ == f"activepu.{name}" for name in modules)


def test_public_names_are_there_whether_they_were_used_or_not():
    code = "import activepu as apu; print(*dir(apu)); from activepu import *; print(Boxes, apu.zcal, apu.__version__)"
    listed = run(code).splitlines()[0].split()
    assert set(activepu.__all__) | {"__version__"} <= set(listed)
    with pytest.raises(AttributeError, match="module 'activepu' has no attribute 'Boxen'"):
        activepu.Boxen  # noqa: B018


@pytest.mark.parametrize("module", ["hypotheses"])
def test_built_in_classes_are_registered_whatever_is_imported_first(module):
    code = f"import activepu.{module}\nfrom activepu.hypotheses import Boxes, registration\n"
    code += "print(registration(Boxes).posterior.__name__)"
    assert run(code) == "box_posterior\n"


def test_what_is_registered_by_a_user_first_stays():
    code = "from activepu.hypotheses import Boxes, Registration, register, registration\n"
    code += (
        "def mine(*_): ...\nregister(Boxes, Registration(posterior=mine))\nassert registration(Boxes).posterior is mine"
    )
    run(code)
