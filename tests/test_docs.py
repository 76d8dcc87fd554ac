"""The documents cannot drift: their code runs, their output is real, their links and names exist.

    python tests/test_docs.py [headlines.csv.gz]

runs the code and writes what it prints today into the pages, for a reader of the difference to judge. The page about
headlines shows real data, which the project does not hold: its numbers are renewed if the file is given, and the tests
run its code on a table made up in the same columns.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

import activepu as apu
from activepu import errors as errors_of
from activepu.cli.app import app

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
OUTPUTS = {
    "README.md": 5,
    "docs/audit.md": 11,
    "docs/extending.md": 7,
    "docs/guide.md": 11,
    "docs/models.md": 11,
    "docs/screening.md": 5,
    "docs/studies.md": 3,
}
"""Pages with code that runs, and how often it prints."""
HEADLINES, ITS_OUTPUTS = "docs/headlines.md", 7
"""The page whose data are not the project's."""
IMPORTED_AS = {"scikit-learn": "sklearn"}
SETTING = {"delta": 0.1, "rate": 0.5, "prior": 0.3}
"""Of the plans that the README shows."""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def renewed(page: str) -> tuple[str, int]:
    """The page with what its code prints now in the text blocks, and how many of these there are."""
    text, namespace, filled = text_of(page), {}, 0
    printed = ""

    def renew(block: re.Match[str]) -> str:
        nonlocal printed, filled
        kind, body = block.groups()
        if kind == "text" and printed:
            body, filled = printed, filled + 1
        else:
            assert not printed, f"{page} does not show what its code prints: {printed}"
        printed = ""
        if kind == "python":
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown), threadpool_limits(1):  # more threads round differently
                exec(compile(body, page, "exec"), namespace)
            printed = shown.getvalue()
        return f"```{kind}\n{body}```"

    return BLOCK.sub(renew, text), filled


@pytest.mark.parametrize("page", OUTPUTS)
def test_the_code_on_a_page_runs_and_prints_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, filled = renewed(page)
    assert text == text_of(page)
    assert filled == OUTPUTS[page]


def made_up_headlines(n: int = 1_200) -> pd.DataFrame:
    """A table with the columns of the headlines; in one topic the model says yes more often, and sometimes wrongly."""
    rng = np.random.default_rng(0)
    covid, false = rng.random(n) < 0.5, rng.random(n) < 0.4
    words = [rng.choice(["cure", "hoax", "plot"] if bad else ["report", "study", "data"], 4) for bad in false]
    noise = [rng.choice(["the", "new", "of", "world", "cure", "study"], 6) for _ in range(n)]
    text = [" ".join([*some, *more, str(k)]) for k, (some, more) in enumerate(zip(words, noise, strict=True))]
    says = rng.random(n) < np.where(false, np.where(covid, 0.85, 0.3), 0.05)
    topic = np.where(covid, "covid", "climate")
    columns = {"headline": text, "topic": topic, "misinformation": false.astype(int), "llm_says": says.astype(int)}
    return pd.DataFrame(columns)


def test_the_code_of_the_headlines_runs_and_raises_the_alarm_on_a_table_like_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made_up_headlines().to_csv("headlines.csv.gz", index=False)
    text, filled = renewed(HEADLINES)
    assert filled == ITS_OUTPUTS
    assert "Doubtful: the answers contradict that each positive is equally likely" in text
    assert Path("headlines.png").is_file()


def test_the_readme_shows_the_formulas_of_the_plan_as_they_are() -> None:
    readme = text_of("README.md").splitlines()
    for line in str(apu.plan(apu.Boxes(dim=2), 0.1, **SETTING, runs=0)).splitlines():
        assert line in readme


@pytest.mark.slow
def test_the_readme_shows_what_is_simulated_as_it_is() -> None:
    for plan in plans():
        assert f"```text\n{plan}\n```" in text_of("README.md")


def plans() -> list[str]:
    """The plans that the README shows, simulated."""
    H = apu.Boxes(dim=2)
    return [str(apu.plan(H, 0.1, **SETTING)), str(apu.plan(H, budget=200, **SETTING))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_all_brings_what_the_code_on_a_page_imports(page: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["all"]]
    for inner in re.findall(r"activepu\[(.*?)\]", " ".join(lines)):
        lines += [line for extra in inner.split(",") for line in extras[extra]]
    named = {re.split(r"[\[>=<]", line)[0] for line in lines}
    brought = {IMPORTED_AS.get(name, name) for name in named} | {"activepu"} | sys.stdlib_module_names
    code = "".join(body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == "python")
    wanted = set(re.findall(r"^\s*(?:import|from) (\w+)", code, re.MULTILINE))
    assert wanted - brought == set()


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


def test_every_error_is_in_the_table_of_the_guide() -> None:
    part = text_of("docs/guide.md").split("## When something is refused")[1]
    errors = [name for name, found in vars(errors_of).items() if isinstance(found, type) and name != "ActivePUError"]
    assert "StorageFailed" in errors
    assert [name for name in errors if f"| `{name}`" not in part] == []


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__  # type: ignore[union-attr]
        assert f"activepu {name}" in readme or f"make {name}" in readme


def test_every_public_name_is_exported_and_documented() -> None:
    for name in apu.__all__:
        assert getattr(apu, name).__doc__ or isinstance(getattr(apu, name), apu.SKIP.__class__)


if __name__ == "__main__":
    data = [Path(name).absolute() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in data:
            shutil.copy(path, "headlines.csv.gz")
        for name in [*OUTPUTS, *([HEADLINES] if data else [])]:
            (ROOT / name).write_text(renewed(name)[0], encoding="utf-8")
    readme = text_of("README.md")
    for plan in plans():
        start = re.escape(" ".join(plan.split()[:3]))  # the class, and which of the two plans it is
        readme = re.sub(
            rf"```text\n{start}.*?```", lambda _, plan=plan: f"```text\n{plan}\n```", readme, flags=re.DOTALL
        )
    (ROOT / "README.md").write_text(readme, encoding="utf-8")
