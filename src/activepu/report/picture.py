"""Draw what is decided where: the version space of one or two features, with the questions that led to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.pools import Pool
from activepu.report.files import DOUBT, HATCH, targets, wrapped, written
from activepu.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colours of Okabe and Ito, which people with any kind of colour vision can tell apart; the regions are tints.
REGIONS = {"certain negative": "#EBEBEB", "undecided": "#FBEFC0", "certain positive": "#B5DBF2"}
REVEALED, SILENT, INK = "#0072B2", "#D55E00", "#222222"
CELLS = 600
"""Grid points along a side."""


@dataclass(frozen=True)
class Panel:
    """One result to draw with `pictures`.

    Attributes
    ----------
    result : Result
        What a run found, on one or two features.
    where : Pool or array
        The part of the space to show: the bounding box of a pool or of rows of features (two opposite corners will do).
    truth : callable, optional
        A function of features that is true for positives; its outline is drawn.
    asked : array, optional
        The features of the questions, in the order of asking. By default they are looked up in the pool; without a pool
        no questions are drawn.
    title : str
        The title of the panel.
    """

    result: Result
    where: Pool | Any
    truth: Callable[[NDArray[np.float64]], Any] | None = None
    asked: Any = None
    title: str = ""

    @property
    def corners(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The smallest and the largest value of every feature."""
        rows = checks.matrix("where", self.where.features() if isinstance(self.where, Pool) else self.where)
        if not 1 <= rows.shape[1] <= 2:
            raise InvalidInput(f"A picture shows one or two features, got {rows.shape[1]}; learn on fewer columns.")
        low, high = rows.min(axis=0), rows.max(axis=0)
        if not (low < high).all():
            raise InvalidInput("A picture needs features that vary, but where has a column with a single value.")
        return low, high

    @property
    def questions(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The features of the items that were asked, and whether they were revealed."""
        history = self.result.history
        if self.asked is not None:
            asked = checks.matrix("asked", self.asked)
        elif isinstance(self.where, Pool):
            asked = self.where.features(history["item"])
        else:
            return np.empty((0, len(self.corners[0]))), np.empty(0, bool)
        if len(asked) != len(history["answer"]):
            raise InvalidInput(f"asked must have a row per question ({len(history['answer'])}), got {len(asked)}.")
        return asked, np.asarray(history["answer"], bool)


def picture(
    result: Result,
    where: Pool | Any,
    path: str | Path | Sequence[str | Path],
    truth: Callable[[NDArray[np.float64]], Any] | None = None,
    asked: Any = None,
    title: str = "",
) -> list[Path]:
    """Draw what a result decides where, for one or two features, with the questions that were asked.

    If the certificate is doubtful, the panel says so first, and the decided regions are hatched.
    Needs Matplotlib: pip install 'activepu[report]'.

    Parameters
    ----------
    result : Result
        What a run found.
    where : Pool or array
        The part of the space to show: the bounding box of a pool or of rows of features (two opposite corners will do).
    path : path or sequence of paths
        The files to write: .svg, .png or .pdf.
    truth : callable, optional
        A function of features that is true for positives; its outline is drawn.
    asked : array, optional
        The features of the questions, in the order of asking. By default they are looked up in the pool; without a pool
        no questions are drawn.
    title : str
        The title of the picture.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    InvalidInput
        If there are more than two features, or the path has another ending.
    ActivePUError
        If Matplotlib is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.report import picture
    >>> pool = apu.Pool(np.random.default_rng(0).random(500))
    >>> expert = apu.SimulatedExpert(lambda X: X[:, 0] > 0.7, rate=0.5)
    >>> result = apu.learn(apu.ZCal(apu.Thresholds(), 0.1, 0.05), pool, expert, budget=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path] = picture(result, pool, f"{folder}/cut.svg", truth=lambda X: X[:, 0] > 0.7)
    ...     path.name, path.stat().st_size > 1000
    ('cut.svg', True)
    """
    return pictures([Panel(result, where, truth, asked)], path, title)


def pictures(panels: Sequence[Panel], path: str | Path | Sequence[str | Path], title: str = "") -> list[Path]:
    """Draw results side by side under one title, with one legend below.

    Parameters
    ----------
    panels : sequence of Panel
        The results, from left to right.
    path : path or sequence of paths
        The files to write: .svg, .png or .pdf.
    title : str
        The title of the picture.

    Returns
    -------
    list of Path
        The files that were written.

    See Also
    --------
    picture : Draws one result.
    """
    if not panels:
        raise InvalidInput("There is nothing to draw: pass at least one panel.")
    paths = targets(path)
    for panel in panels:
        _ = panel.corners, panel.questions  # check every panel before anything is drawn
    return written(paths, lambda: _figure(panels, title))


def _figure(panels: Sequence[Panel], title: str) -> Figure:
    from matplotlib.figure import Figure

    lines = max(_lines(panel).count("\n") for panel in panels)
    figure = Figure(figsize=(0.4 + 4.2 * len(panels), 5.2 + 0.22 * max(0, lines - 1)), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.06)  # type: ignore[union-attr,call-arg]
    every = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, panel in zip(every, panels, strict=True):
        (_line if len(panel.corners[0]) == 1 else _plane)(axes, panel)
        colour = DOUBT if panel.result.certificate.doubt else INK
        axes.set_title(_lines(panel), fontsize=10.5, loc="left", color=colour, linespacing=1.5, pad=8)
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=INK)
    entries = _legend(panels)
    columns = min(len(entries), {1: 3, 2: 4}.get(len(panels), len(entries)))
    figure.legend(handles=entries, loc="outside lower center", ncols=columns, frameon=False, columnspacing=1.8)
    return figure


def _lines(panel: Panel) -> str:
    """Return the title of a panel; that of a doubtful certificate ends with the first sentence of the doubt."""
    doubt = _first_sentence(panel.result.certificate.doubt)
    return f"{panel.title}\n{wrapped(doubt, 3.8, 10.5)}".strip() if doubt else panel.title


def _first_sentence(text: str) -> str:
    head, stop, _ = text.partition(". ")
    return head + stop.strip()


def _doubtful(axes: Axes, x: Any, y: Any, decided: NDArray[np.bool_]) -> None:
    """Hatch the region where items are decided, if these decisions are doubtful."""
    if decided.any():
        drawn = axes.contourf(x, y, decided.astype(float), levels=[0.5, 1.5], colors="none", hatches=[HATCH])
        drawn.set(edgecolor="#999999", linewidth=0)


def _plane(axes: Axes, panel: Panel) -> None:
    """Draw two features: the regions as an image, boundaries and questions on top of it."""
    low, high = panel.corners
    sides = [(np.arange(CELLS) + 0.5) / CELLS * (high[axis] - low[axis]) + low[axis] for axis in (0, 1)]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    extent = (low[0], high[0], low[1], high[1])
    axes.imshow(
        _regions(panel, grid).reshape(CELLS, CELLS, 3),
        extent=extent,
        origin="lower",
        aspect="auto",
        interpolation="nearest",
    )
    if panel.result.certificate.doubt:
        decided = panel.result.predict(grid, abstain=True) >= 0
        _doubtful(axes, sides[0], sides[1], decided.reshape(CELLS, CELLS))
    _outline(axes, sides, panel.result.predict(grid), REVEALED, "solid")
    if panel.truth is not None:
        _outline(axes, sides, panel.truth(grid), INK, "dashed")
    asked, revealed = panel.questions
    _markers(axes, asked[:, 0], asked[:, 1], revealed)
    axes.set(xlim=extent[:2], ylim=extent[2:], xlabel=_name(panel, 0), ylabel=_name(panel, 1))
    axes.set_box_aspect(1)


def _line(axes: Axes, panel: Panel) -> None:
    """Draw one feature: the regions as bands, the questions in the order of asking from the bottom up."""
    from matplotlib.ticker import MaxNLocator

    low, high = panel.corners[0][0], panel.corners[1][0]
    grid = ((np.arange(8 * CELLS) + 0.5) / (8 * CELLS) * (high - low) + low)[:, None]
    asked, revealed = panel.questions
    top = max(1.0, 1.03 * len(asked))
    axes.imshow(
        _regions(panel, grid)[None], extent=(low, high, 0, top), origin="lower", aspect="auto", interpolation="nearest"
    )
    if panel.result.certificate.doubt:
        decided = panel.result.predict(grid, abstain=True) >= 0
        _doubtful(axes, grid[:, 0], [0, top], np.stack([decided, decided]))
    rules = [(panel.result.predict(grid), REVEALED, "solid")]
    rules += [] if panel.truth is None else [(np.asarray(panel.truth(grid), bool), INK, "dashed")]
    for positive, colour, dashes in rules:
        for step in np.flatnonzero(positive[1:] != positive[:-1]):
            axes.axvline((grid[step, 0] + grid[step + 1, 0]) / 2, color=colour, linestyle=dashes, linewidth=1.4)
    _markers(axes, asked[:, 0], np.arange(1, len(asked) + 1), revealed)
    axes.set(xlim=(low, high), ylim=(0, top), xlabel=_name(panel, 0), ylabel="question")
    axes.yaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
    axes.set_box_aspect(1)


def _regions(panel: Panel, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colour of every point: negative, undecided or positive."""
    from matplotlib.colors import to_rgb

    negative, undecided, positive = (to_rgb(colour) for colour in REGIONS.values())
    colours = np.array([negative, positive, undecided])  # the statuses 0, 1 and −1
    return np.asarray(colours[panel.result.predict(grid, abstain=True)])


def _outline(axes: Axes, sides: list[NDArray[np.float64]], inside: Any, colour: str, dashes: str) -> None:
    """Draw the boundary of a set; nothing if it is empty or everything."""
    values = np.asarray(inside, float).reshape(CELLS, CELLS)
    if 0 < values.mean() < 1:
        axes.contour(*sides, values, levels=[0.5], colors=colour, linestyles=dashes, linewidths=1.4)


def _markers(axes: Axes, x: NDArray[np.float64], y: NDArray[Any], revealed: NDArray[np.bool_]) -> None:
    """Draw ★ below and reveals on top; smaller if there are many."""
    size = float(np.clip(30 * (60 / max(1, len(x))) ** 0.4, 6, 30))
    axes.scatter(x[~revealed], y[~revealed], marker="*", s=size, color=SILENT, alpha=0.75, linewidths=0, zorder=3)
    axes.scatter(
        x[revealed], y[revealed], marker="o", s=size, color=REVEALED, edgecolors="white", linewidths=0.4, zorder=4
    )


def _legend(panels: Sequence[Panel]) -> list[Any]:
    """Return one entry for everything that some panel shows."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Patch(facecolor=colour, edgecolor="#AAAAAA", linewidth=0.6, label=label) for label, colour in REGIONS.items()
    ]
    if any(panel.result.certificate.doubt for panel in panels):
        entries.append(
            Patch(facecolor="none", edgecolor="#999999", hatch=HATCH, linewidth=0, label="hatched: doubtful")
        )
    if any(len(panel.questions[0]) for panel in panels):
        entries.append(Line2D([], [], linestyle="", marker="o", color=REVEALED, markersize=6, label="asked: revealed"))
        entries.append(Line2D([], [], linestyle="", marker="*", color=SILENT, markersize=8, label="asked: silent (★)"))
    entries.append(Line2D([], [], color=REVEALED, linewidth=1.4, label="learned rule"))
    if any(panel.truth is not None for panel in panels):
        entries.append(Line2D([], [], color=INK, linewidth=1.4, linestyle="dashed", label="truth"))
    return entries


def _name(panel: Panel, axis: int) -> str:
    return panel.result.hypothesis.hypotheses.column(axis)
