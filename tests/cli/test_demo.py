"""`activepu demo`, in its quick form."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from typer.testing import CliRunner

from activepu import run
from activepu.cli import app, worlds
from activepu.errors import AssumptionsViolated
from activepu.zcal import ZCal

PNG = b"\x89PNG\r\n\x1a\n"


def demo(*arguments, columns="80"):
    return CliRunner(env={"COLUMNS": columns}).invoke(app, ["demo", "--quick", *arguments])


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "pictures"
    return demo("--out", str(out)), out


def test_every_learner_has_a_line_in_every_world(shown):
    result, _ = shown
    assert result.exit_code == 0, result.output
    for entry in worlds.ENTRIES:
        lines = [line for line in result.stdout.splitlines() if line.strip().startswith(f"{entry.label} ")]
        assert len(lines) == len(worlds.WORLDS), entry.label
        for line in lines:
            asked, revealed = (int(n.replace(",", "")) for n in line.strip()[len(entry.label) :].split()[:2])
            assert 0 < revealed <= asked


def test_zcal_comes_first_and_is_explained(shown):
    lines = [line.strip() for line in shown[0].stdout.splitlines()]
    for world in worlds.WORLDS:
        assert lines[lines.index(world.name) + 1].startswith("ZCal†")
    assert any(line.startswith("† asks among 20,000 rows") for line in lines)
    words = " ".join(lines)
    assert "ZCal, a box in a square, which was told nothing beforehand: Positive if 0." in words
    assert "of the items of this pool are misclassified" in words
    assert re.search(r"Reveal rate: 0\.\d+ to [01]\.\d+ .*Share of positives: 0\.\d+ to 0\.\d+", words)


def test_the_table_fits_eighty_columns_and_nothing_is_cut_off(shown):
    result, _ = shown
    assert max(len(line.rstrip()) for line in result.stdout.splitlines() if "Picture" not in line) <= 80
    assert "…" not in result.stdout


def test_the_true_error_keeps_what_is_certified(shown):
    result, _ = shown
    pairs = re.findall(r"(0\.\d{4})\s+≤ (0\.\d{3})", result.stdout)
    assert len(pairs) >= 8
    assert all(float(error) <= float(bound) for error, bound in pairs)


def test_the_pictures_are_a_png_and_an_svg_and_their_paths_are_printed(shown):
    result, out = shown
    assert (out / "demo.png").read_bytes().startswith(PNG)
    assert ElementTree.parse(out / "demo.svg").getroot().tag.endswith("svg")
    assert str(out / "demo.png") in result.stdout
    assert str(out / "demo.svg") in result.stdout


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").touch()
    refused = demo("--out", str(tmp_path / "file"))
    assert refused.exit_code == 2
    assert "must be a folder" in refused.stderr


@pytest.fixture
def short(monkeypatch):
    """The demo with the two learners that its picture shows, Z-CAL among fewer rows."""
    monkeypatch.setattr("activepu.cli.demonstration.ENTRIES", (worlds.ZCAL, worlds.KNOWN))
    monkeypatch.setattr("activepu.cli.worlds.POOL", 1000)


def test_without_matplotlib_the_table_is_shown_and_a_sentence_says_what_to_install(short, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown = demo("--out", str(tmp_path))
    assert shown.exit_code == 0
    assert "KnownPrior" in shown.stdout
    assert "pip install 'activepu[report]'" in shown.stderr


def test_the_same_seed_prints_the_same(short, tmp_path):
    once, again = (demo("--out", str(tmp_path)) for _ in range(2))
    assert once.exit_code == 0
    assert once.stdout == again.stdout


def test_on_a_terminal_every_learner_has_a_bar(short, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich takes this for a terminal
    shown = demo("--out", str(tmp_path), columns="100")
    for world in worlds.WORLDS:
        assert f"{world.short}: ZCal" in shown.stderr
    assert re.search(r"[\d,]+ questions, \d+ revealed, [\d.]+% undecided", shown.stderr)


def test_an_interrupt_ends_the_demo(short, tmp_path, monkeypatch):
    def tired(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("activepu.experts.SimulatedExpert.answer", tired)
    shown = demo("--out", str(tmp_path))
    assert shown.exit_code != 0
    assert "learner" not in shown.stdout


def test_a_learner_that_is_left_without_a_hypothesis_has_its_line_and_the_others_go_on(short, tmp_path, monkeypatch):
    learn = run.learn

    def unlucky(learner, *arguments, **settings):
        if isinstance(learner, ZCal):
            raise AssumptionsViolated("No hypothesis is left.")
        return learn(learner, *arguments, **settings)

    monkeypatch.setattr("activepu.cli.demonstration.run_learner", unlucky)
    shown = demo("--out", str(tmp_path))
    assert shown.exit_code == 0, shown.output
    assert len(re.findall(r"ZCal† +– +– +– +– +– +lost truth", shown.stdout)) == 2
    assert len(re.findall(r"KnownPrior +\d+ .*certified", shown.stdout)) == 2
    assert (tmp_path / "demo.png").read_bytes().startswith(PNG)
