"""Draw what an audit certifies: precision and recall of every cut, and how the bounds closed over the questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from activepu.audit.replay import bounds_after
from activepu.errors import InvalidInput
from activepu.findings import percent
from activepu.report.files import targets, written
from activepu.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID = "#222222", "#DDDDDD"
COLOURS = {"recall": "#0072B2", "precision": "#D55E00", "error": "#009E73"}
"""Of Okabe and Ito, which people with any kind of colour vision can tell apart."""
MOMENTS = 30
"""How many moments of a run are shown."""


def audit_picture(
    result: Result,
    path: str | Path | Sequence[str | Path],
    title: str = "",
    truth: Mapping[str, float] | None = None,
) -> list[Path]:
    """Draw what an audit certifies, in two panels.

    On the left a rectangle for every cut of the score: with the confidence of the audit its recall and its precision
    lie inside, for all cuts together. On the right the bounds after each number of questions. Needs Matplotlib:
    pip install 'activepu[report]'.

    Parameters
    ----------
    result : Result
        What an audit found; a loaded one will do.
    path : path or sequence of paths
        The files to write: .svg, .png or .pdf.
    title : str
        The title of the picture.
    truth : mapping of str to float, optional
        The true "recall", "precision" or "error", where it is known; dashed lines.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    InvalidInput
        If the result is not that of an audit of a classifier, or the path has another ending.
    ActivePUError
        If Matplotlib is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.report import audit_picture
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(2_000)
    >>> expert = apu.SimulatedExpert(rng.random(2_000) < score**3, rate=0.6)
    >>> result = apu.learn(apu.Audit(score > 0.5, score=score), score, expert, budget=60)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path] = audit_picture(result, f"{folder}/audit.svg")
    ...     path.name, path.stat().st_size > 1000
    ('audit.svg', True)
    """
    paths, found = targets(path), result.findings
    evidence = found.evidence
    if "inside" not in evidence:
        raise InvalidInput(
            "There is nothing to draw: what was found so far is no classifier, so it has no cuts; print the result."
        )
    kinds = _kinds(result)
    replayed = not evidence.get("per_expert") and bool(result.n_queries) and "draws" in evidence
    over_time = _over_time(result, kinds) if replayed else None

    def draw() -> Figure:
        from matplotlib.figure import Figure

        panels = bool(found.cuts) + bool(over_time)
        figure = Figure(figsize=(0.6 + 4.8 * max(1, panels), 4.6), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.08)  # type: ignore[union-attr,call-arg]
        every = iter(figure.subplots(1, max(1, panels), squeeze=False)[0])
        if found.cuts:
            _cuts(next(every), result)
        if over_time:
            _bounds(next(every), result, over_time, truth or {})
        figure.legend(loc="outside lower center", ncols=3, frameon=False, columnspacing=1.8, fontsize=9)
        if title:
            figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=INK)
        return figure

    return written(paths, draw)


def _kinds(result: Result) -> list[str]:
    """Return what is shown over time: the targets or, without any, the recall and what else is identified."""
    wanted = [kind for kind, _ in result.findings.evidence["targets"]]
    known = result.findings.find("precision")
    return wanted or ["recall", *(["precision"] if known is not None and known.rung != "1" else [])]


def _over_time(result: Result, kinds: list[str]) -> tuple[list[int], dict[str, list[tuple[float, float]]]]:
    """Return some moments, and the bounds at each; the last are those that the result states."""
    n, history = result.n_queries, result.history
    moments = np.unique(np.linspace(0, n, min(n, MOMENTS) + 1).astype(int)).tolist()
    bounds: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for moment in moments[:-1]:
        now = bounds_after(result.findings.evidence, history["item"][:moment], history["answer"][:moment], kinds)
        for kind in kinds:
            bounds[kind].append(now[kind])
    for kind in kinds:
        stated = result.findings.find(kind)
        assert stated is not None
        bounds[kind].append((stated.low, stated.high))
    return moments, bounds


def _bounds(
    axes: Axes,
    result: Result,
    over_time: tuple[list[int], dict[str, list[tuple[float, float]]]],
    truth: Mapping[str, float],
) -> None:
    moments, bounds = over_time
    given = dict(result.findings.evidence["targets"])
    for kind, pairs in bounds.items():
        low, high = np.array(pairs).T
        colour = COLOURS[kind]
        axes.fill_between(moments, low, high, color=colour, alpha=0.16, linewidth=0)
        axes.plot(moments, low, color=colour, linewidth=1.6, label=f"{kind}, bounds")
        axes.plot(moments, high, color=colour, linewidth=1.6)
        if kind in given:
            axes.axhline(given[kind], color=colour, linewidth=1.1, linestyle=":", label=f"{kind}, target")
        if kind in truth:
            axes.axhline(truth[kind], color=colour, linewidth=1.1, linestyle="--", label=f"{kind}, truth")
    axes.set(xlim=(0, moments[-1]), ylim=(0, 1.005), xlabel="questions")
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    _named(axes, "Bounds over the questions")


def _cuts(axes: Axes, result: Result) -> None:
    """Draw a rectangle for every cut, and the line of what is certified at least; the classifier's cut stands out."""
    from matplotlib.patches import Rectangle

    cuts, evidence = [cut for cut in result.findings.cuts if cut.called], result.findings.evidence
    called = int((np.array(evidence["sizes"]) * evidence["weights"])[np.array(evidence["inside"])].sum())
    worst = np.array([(cut.recall[0], cut.precision[0]) for cut in cuts])
    axes.plot(*worst.T, color=INK, linewidth=1.4, marker="o", markersize=4, label="every cut: at least", zorder=4)
    labelled = np.empty((0, 2))
    for cut, at in zip(cuts, worst, strict=True):
        (left, right), (low, high) = cut.recall, cut.precision
        own = cut.called == called
        colour = COLOURS["recall"] if own else "#777777"
        axes.add_patch(
            Rectangle((left, low), right - left, high - low, color=colour, alpha=0.2 if own else 0.09, linewidth=0)
        )
        if own:
            label = f"this classifier: recall ≥ {percent(left)}, precision ≥ {percent(low)}"
            axes.plot(*at, "o", color=colour, markersize=8, label=label, zorder=5)
        if (np.abs(labelled - at).max(axis=1, initial=0.0) > 0.07).all() and left < 0.93:
            labelled = np.append(labelled, [at], axis=0)
            axes.annotate(f"{cut.called:,}", at, (5, 5), textcoords="offset points", fontsize=8, color="#444444")
    axes.set(xlim=(0, 1.005), ylim=(0, 1.005), xlabel="recall", ylabel="precision")
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.yaxis.set_major_formatter("{x:.0%}")
    _named(axes, "Every cut of the score (numbers: items called positive)")


def _named(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=10.5, loc="left", color=INK, pad=8)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
