"""The rules of the project itself: pins, layers, sizes, and nothing that ties it to one machine."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
from enum import Enum
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import activepu

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "activepu").rglob("*.py"))
PIN = re.compile(r"([A-Za-z0-9._-]+)==([0-9][A-Za-z0-9.]*)")

# A file over 300 lines, docstrings not counted, has a reason, given here.
LONGEST = 300
LONG_FILES: dict[str, str] = {}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def project_files() -> list[Path]:
    """The files under version control; without git, everything in the project's own places."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]
    places = [ROOT / place for place in (".ci", "benchmarks", "docs", "scripts", "src", "tests")]
    deep = [path for place in places for path in place.rglob("*") if path.is_file()]
    own = [path for path in deep if "__pycache__" not in path.parts and ".egg-info" not in relative(path)]
    return sorted(own + [path for path in ROOT.iterdir() if path.is_file()])


def pins() -> dict[str, str]:
    matches = [PIN.fullmatch(line) for line in (ROOT / "constraints.txt").read_text().splitlines()]
    return {canonicalize_name(match[1]): match[2] for match in matches if match}


def required(name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> set[str]:
    """Every distribution that installing `name[extras]` here brings in."""
    if (name, extras) in seen:
        return set()
    seen.add((name, extras))
    found = {name}
    for line in metadata.requires(name) or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            found |= required(canonicalize_name(requirement.name), frozenset(requirement.extras), seen)
    return found


def test_constraints_are_plain_pins_sorted_by_name():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    assert lines == sorted(lines, key=str.lower)


def test_every_distribution_that_the_project_needs_is_pinned():
    needed = required("activepu", frozenset({"dev"}), set()) - {"activepu"}
    assert "numpy" in needed
    assert "pytest" in needed
    assert needed - pins().keys() == set()


def test_the_installed_version_is_the_declared_one():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert metadata.version("activepu") == declared


def test_every_module_has_a_docstring():
    assert len(SOURCES) > 10
    assert [relative(path) for path in SOURCES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def takes_parameters(named: Any) -> bool:
    """Whether a caller passes arguments by name; an enumeration and an error without more than its sentence do not."""
    if isinstance(named, type) and issubclass(named, Enum):
        return False
    if isinstance(named, type) and issubclass(named, Exception) and "__init__" not in vars(named):
        return False
    parameters = inspect.signature(named).parameters.values()
    return any(p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def taught(named: Any) -> bool:
    """Whether its docstring is a page: an example, and every argument (or every field of a record) explained."""
    page = named.__doc__ or ""
    sections = {line.strip() for line, below in pairwise(page.splitlines()) if re.fullmatch(r"\s*-{4,}", below)}
    explained = {"Parameters", "Attributes"} if isinstance(named, type) else {"Parameters"}
    return "Examples" in sections and (not takes_parameters(named) or bool(sections & explained))


def test_every_public_name_is_taught_with_an_example():
    public = {name: getattr(activepu, name) for name in activepu.__all__}
    pages = {name: named for name, named in public.items() if inspect.isclass(named) or inspect.isfunction(named)}
    assert len(pages) > 40
    assert {name for name, named in pages.items() if not taught(named)} == set()


def test_only_the_command_line_prints():
    offenders = [
        f"{relative(path)}:{node.lineno}"
        for path in SOURCES
        if path.relative_to(ROOT / "src" / "activepu").parts[0] not in {"cli", "cli.py"}
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert offenders == []


def imports(path: Path) -> set[str]:
    """The modules that a file imports, with every name that it takes from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_only_the_storage_of_studies_knows_sql():
    corner = ROOT / "src" / "activepu" / "studies" / "storage"
    inner = tuple(f"activepu.studies.storage.{name}" for name in ("tables", "statements", "database", "migrations"))
    known = {path: imports(path) for path in SOURCES}
    assert any("sqlalchemy" in names for path, names in known.items() if corner in path.parents)
    assert [
        f"{relative(path)}: {name}"
        for path, names in known.items()
        if corner not in path.parents
        for name in sorted(names)
        if name.partition(".")[0] in ("sqlalchemy", "sqlite3", "psycopg") or name.startswith(inner)
    ] == []


def lines_of_code(text: str) -> int:
    """The lines of a module without its docstrings, which may take the room that they need."""
    strings = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return len(text.splitlines()) - sum((node.end_lineno or 0) - node.lineno + 1 for node in strings)


def test_docstrings_do_not_make_a_file_long():
    assert lines_of_code('"""One.\n\nTwo.\n"""\nx = "a"\n\n\ndef f():\n    """Three."""\n    return x\n') == 5


def test_long_files_have_a_reason():
    lines = {relative(path): lines_of_code(path.read_text("utf-8")) for path in project_files() if path.suffix == ".py"}
    long = {name for name, count in lines.items() if count > LONGEST}
    assert long == set(LONG_FILES), "split the file or give its reason in LONG_FILES; drop reasons no longer needed"


# Written so that the patterns do not match themselves.
PLACES = re.compile(r"(?<![\w.~/-])/(home|root|work|Users)/\w")
INDEXES = re.compile(r"py[p]i\.(org|python)|python[h]osted|index[-_]ur[l]|trusted[-_]hos[t]")


@pytest.mark.parametrize("pattern", [PLACES, INDEXES], ids=["home or work directory", "package index"])
def test_no_file_names_a_place_outside_the_project(pattern):
    found = []
    for path in project_files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{relative(path)}: {match[0]}" for match in pattern.finditer(text)]
    assert found == []


def test_the_place_patterns_recognise_what_they_forbid():
    slash = "/"
    assert PLACES.search(f"open('{slash}home{slash}ann/pool.csv')")
    assert not PLACES.search("docs/home/index.md")
    assert INDEXES.search("--index" + "-url x")


def test_vision_is_three_lines():
    assert len((ROOT / "VISION.md").read_text("utf-8").splitlines()) == 3


def lint_imports_of_a_copy(folder: Path, edit: dict[str, str]) -> str:
    """What the import linter says of the package once the files in `edit` have these lines added."""
    shutil.copytree(ROOT / "src" / "activepu", folder / "activepu", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, text in edit.items():
        with (folder / "activepu" / name).open("a", encoding="utf-8") as file:
            file.write(text)
    program = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    run = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return "kept" if run.returncode == 0 else run.stdout


def test_layers_hold(tmp_path):
    assert lint_imports_of_a_copy(tmp_path, {}) == "kept"


def test_a_module_without_a_layer_fails_the_linter(tmp_path):
    assert "activepu.stray" in lint_imports_of_a_copy(tmp_path, {"stray.py": '"""Nobody gave it a layer."""\n'})


def test_an_upward_import_fails_the_linter(tmp_path):
    said = lint_imports_of_a_copy(tmp_path, {"errors.py": "\nimport activepu.hashing\n"})
    assert "activepu.errors is not allowed to import activepu.hashing" in said
