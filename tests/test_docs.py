"""The documents cannot drift: their code runs, their output is real, their links and names exist."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

import activepu as apu
from activepu.cli.app import app

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("page", "outputs"), [("README.md", 2), ("docs/guide.md", 3)])
def test_the_code_on_a_page_runs_and_prints_what_it_shows(
    page: str, outputs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    shown = blocks(ROOT / page)
    compared = 0
    for position, (kind, code) in enumerate(shown):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), namespace)
        if printed.getvalue():
            assert shown[position + 1] == ("text", printed.getvalue())
            compared += 1
    assert compared == outputs


def test_the_readme_shows_the_plan_as_it_is() -> None:
    plan = str(apu.plan(apu.Boxes(dim=2), 0.1, 0.1, rate=0.5, prior=0.3)).rstrip()
    assert plan in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}, which does not exist"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_that_are_named_exist(page: Path) -> None:
    for path in re.findall(r"`((?:src|tests|docs|benchmarks)/[\w/.]+?)(?:::\w+)?`", page.read_text(encoding="utf-8")):
        assert (ROOT / path).exists(), f"{page.name} names {path}, which does not exist"


def test_tests_that_are_named_exist() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    defined = set(re.findall(r"def (test_\w+)", sources)) | {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    for page in PAGES:
        for name in re.findall(r"\b(test_\w+)\b", page.read_text(encoding="utf-8")):
            assert name in defined, f"{page.name} names {name}, which does not exist"


def test_the_architecture_page_lists_every_layer() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", page[page.index("## Layers") : page.index("## How a question flows")]))
    package = ROOT / "src" / "activepu"
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert modules - {"__init__"} <= listed


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__  # type: ignore[union-attr]
        assert f"activepu {name}" in readme or f"make {name}" in readme


def test_every_public_name_is_exported_and_documented() -> None:
    for name in apu.__all__:
        assert getattr(apu, name).__doc__ or isinstance(getattr(apu, name), apu.SKIP.__class__)
