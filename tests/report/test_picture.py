"""Pictures of results with one or two features."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import activepu as apu
from activepu.report import Panel, picture, pictures
from activepu.report.picture import REGIONS


def truth(X):
    return ((X >= 0.3) & (X <= 0.9)).all(axis=1)


def learned(dim):
    X = np.random.default_rng(0).random((2000, dim))
    pool = apu.Pool(X)
    learner = apu.KnownPrior(apu.Boxes(), 0.2, 0.2, prior=0.6**dim)
    return apu.learn(learner, pool, apu.SimulatedExpert(truth(X))), pool


@pytest.fixture(scope="module")
def plane():
    return learned(2)


@pytest.fixture(scope="module")
def line():
    return learned(1)


def texts(path):
    return [element.text for element in ElementTree.parse(path).iter() if element.tag.endswith("}text")]


def test_one_drawing_is_written_to_every_path(plane, tmp_path):
    result, pool = plane
    paths = picture(result, pool, [tmp_path / "a.svg", tmp_path / "a.png"], truth=truth, title="A box")
    assert paths == [tmp_path / "a.svg", tmp_path / "a.png"]
    assert paths[1].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    found = texts(paths[0])
    assert {"A box", "x0", "x1", "truth", "learned rule", *REGIONS} <= set(found)


def test_the_legend_names_only_what_is_drawn(plane, tmp_path):
    result, _ = plane
    (path,) = picture(result, [[0, 0], [1, 1]], tmp_path / "a.svg")
    found = texts(path)
    assert "truth" not in found
    assert not any(text.startswith("asked") for text in found)


def test_every_colour_is_where_the_version_space_says(plane, tmp_path):
    from matplotlib.colors import to_hex
    from matplotlib.image import imread

    result, _ = plane
    (path,) = picture(result, [[0, 0], [1, 1]], tmp_path / "a.png")
    pixels = imread(path)[..., :3].reshape(-1, 3)
    colours, counts = np.unique((pixels * 255).round().astype(int), axis=0, return_counts=True)
    drawn = {to_hex(c / 255).upper(): n for c, n in zip(colours, counts, strict=True)}
    shares = np.array([drawn.get(colour, 0) for colour in REGIONS.values()], float)
    grid = np.random.default_rng(1).random((50_000, 2))
    status = result.predict(grid, abstain=True)
    expected = [np.mean(status == code) for code in (0, -1, 1)]
    np.testing.assert_allclose(shares / shares.sum(), expected, atol=0.03)


def test_a_line_and_a_plane_share_a_picture(plane, line, tmp_path):
    panels = [Panel(*plane, truth=truth, title="Two"), Panel(*line, truth=truth, title="One")]
    (path,) = pictures(panels, tmp_path / "both.svg")
    found = texts(path)
    assert {"Two", "One", "question"} <= set(found)
    assert found.count("undecided") == 1


def test_the_same_result_is_the_same_file(plane, tmp_path):
    first, second = (picture(*plane, tmp_path / f"{name}.svg")[0].read_bytes() for name in "ab")
    assert first == second


def test_a_result_that_calls_nothing_positive_can_be_drawn(tmp_path):
    X = np.random.default_rng(0).random((2000, 2))
    pool = apu.Pool(X)
    result = apu.Run(apu.KnownPrior(apu.Boxes(), 0.2, 0.2, prior=0.3), pool).result()
    assert picture(result, pool, tmp_path / "a.png")[0].is_file()


def test_bad_input_is_refused_with_a_sentence(plane, tmp_path):
    result, pool = plane
    with pytest.raises(apu.InvalidInput, match=r"one or two features, got 3"):
        picture(result, np.eye(3), tmp_path / "a.png")
    with pytest.raises(apu.InvalidInput, match=r"\.svg, \.png or \.pdf"):
        picture(result, pool, tmp_path / "a.gif")
    with pytest.raises(apu.InvalidInput, match="single value"):
        picture(result, [[0, 0], [0, 1]], tmp_path / "a.png")
    with pytest.raises(apu.InvalidInput, match="a row per question"):
        picture(result, pool, tmp_path / "a.png", asked=[[0.5, 0.5]])
    with pytest.raises(apu.InvalidInput, match="at least one panel"):
        pictures([], tmp_path / "a.png")


def test_without_matplotlib_one_sentence_says_what_to_install(plane, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(apu.ActivePUError, match=r"pip install 'activepu\[report\]'"):
        picture(*plane, tmp_path / "a.png")


def test_matplotlib_is_loaded_only_for_a_picture():
    import subprocess

    program = "import sys, activepu.cli, activepu.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_questions_are_counted_in_whole_numbers(tmp_path):
    x = np.random.default_rng(0).random((500, 1))
    learner = apu.ZCal(apu.Thresholds(), 0.1, 0.1, check=0)
    for budget in (1, 3, 12, 19):
        result = apu.learn(learner, x, apu.SimulatedExpert(x[:, 0] > 0.7, rate=0.5), budget=budget)
        (path,) = picture(result, apu.Pool(x), tmp_path / "a.svg")
        ticks = [text for text in texts(path) if text.replace(".", "").isdigit()]
        assert [tick for tick in ticks if "." in tick and float(tick) > 1] == []


DIMENSIONS = pytest.mark.parametrize("dim", [1, 2], ids=["cut", "plane"])


@DIMENSIONS
def test_the_picture_of_a_doubtful_certificate_says_so_and_hatches_what_is_decided(dim, tmp_path):
    X = np.random.default_rng(0).random((600, dim))
    learner = apu.ZCal(apu.Boxes(), 0.1, 0.1)
    result = apu.learn(learner, X, apu.SimulatedExpert(truth(X), rate=0.25))
    doubt = result.certificate.doubt
    assert doubt
    (path,) = picture(result, apu.Pool(X), tmp_path / "a.svg", title="Ours")
    found = texts(path)
    assert {"Ours", "hatched: doubtful"} <= set(found)
    assert doubt.partition(". ")[0] in " ".join(text for text in found if text)
    assert path.read_text().count("fill: url(#") >= 2  # a region, and the legend


@DIMENSIONS
def test_without_doubt_nothing_is_hatched(dim, plane, line, tmp_path):
    result, pool = (line, plane)[dim - 1]
    text = picture(result, pool, tmp_path / "a.svg")[0].read_text()
    assert "oubtful" not in text
    assert "<pattern" not in text
