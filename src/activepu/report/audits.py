"""Draw what an audit certifies: every cut, how the bounds closed over the questions, and the recall of every group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from activepu.audit.replay import bounds_after
from activepu.errors import InvalidInput
from activepu.findings import Statement, percent
from activepu.report.files import DOUBT, HATCH, targets, wrapped, written
from activepu.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID = "#222222", "#DDDDDD"
OTHER = "#777777"
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
    """Draw what an audit certifies, in two panels or three.

    On the left a rectangle for every cut of the score: with the confidence of the audit its recall and its precision
    lie inside, for all cuts together. Then the bounds after each number of questions. If there are groups, or if the
    certificate is doubtful, a third panel has the recall by group and rung. The picture of a doubtful certificate
    begins with the reason, and what is doubtful is hatched. Needs Matplotlib: pip install 'activepu[report]'.

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

    recalls = _recalls(result)

    def draw() -> Figure:
        from matplotlib.figure import Figure

        panels = max(1, bool(found.cuts) + bool(over_time) + bool(recalls))
        figure = Figure(figsize=(0.6 + 4.8 * panels, max(4.6, 1.6 + 0.22 * len(recalls))), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.08)  # type: ignore[union-attr,call-arg]
        every = iter(figure.subplots(1, panels, squeeze=False)[0])
        if found.cuts:
            _cuts(next(every), result)
        if over_time:
            _bounds(next(every), result, over_time, truth or {})
        if recalls:
            _intervals(next(every), recalls)
        _legend(figure, panels)
        _head(figure, title, result.certificate.doubt)
        return figure

    return written(paths, draw)


def _head(figure: Figure, title: str, doubt: str) -> None:
    """Write the title and, below it, why the certificate is doubtful."""
    if doubt:
        said = wrapped(doubt, figure.get_figwidth(), 10)
        figure.suptitle(said, x=0.012, ha="left", fontsize=10, color=DOUBT, linespacing=1.4)
        if title:  # above the figure, which is cut to what is drawn
            figure.text(0.012, 1.0, title, va="bottom", fontsize=14, fontweight="bold", color=INK)
    elif title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=INK)


def _legend(figure: Figure, panels: int) -> None:
    """Write one legend for all panels; what is hatched comes last."""
    from matplotlib.patches import Patch

    handles: list[Any] = []
    labels: list[str] = []
    hatched = False
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.append(handle)
            labels.append(label)
        hatched |= any(drawn.get_hatch() for drawn in (*axes.patches, *axes.collections) if hasattr(drawn, "get_hatch"))
    if hatched:
        handles.append(Patch(facecolor="none", edgecolor="#999999", hatch=HATCH, linewidth=0))
        labels.append("hatched: doubtful")
    figure.legend(
        handles, labels, loc="outside lower center", ncols=1 + panels, frameon=False, columnspacing=1.8, fontsize=9
    )


def _kinds(result: Result) -> list[str]:
    """Return what is shown over time: the targets or, without any, the recall and what else is identified."""
    wanted = [kind for kind, _ in result.findings.evidence["targets"]]
    known = result.findings.find("precision")
    return wanted or ["recall", *(["precision"] if known is not None and known.rung != "1" else [])]


def _recalls(result: Result) -> list[Statement]:
    """Return the recall and the confirmable recall of all items and every group, where this tells more."""
    stated = result.statements()
    if not (stated.groups or result.certificate.doubt):
        return []
    return [statement for statement in stated if statement.what in ("recall", "confirmable recall")]


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
        colour, stated = COLOURS[kind], result.findings.find(kind)
        if doubtful := stated is not None and bool(stated.doubt):
            axes.fill_between(
                moments, low, high, facecolor="none", edgecolor=colour, alpha=0.3, hatch=HATCH, linewidth=0
            )
        else:
            axes.fill_between(moments, low, high, color=colour, alpha=0.16, linewidth=0)
        width = 0.9 if doubtful else 1.6
        label = f"{kind}, bounds{' (doubtful)' if doubtful else ''}"
        axes.plot(moments, low, color=colour, linewidth=width, label=label)
        axes.plot(moments, high, color=colour, linewidth=width)
        if kind in given:
            axes.axhline(given[kind], color=colour, linewidth=1.1, linestyle=":", label=f"{kind}, target")
        if kind in truth:
            axes.axhline(truth[kind], color=colour, linewidth=1.1, linestyle="--", label=f"{kind}, truth")
    from matplotlib.ticker import MaxNLocator

    axes.set(xlim=(0, moments[-1]), ylim=(0, 1.005), xlabel="questions")
    axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=True))
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    _named(axes, "Bounds over the questions")


def _cuts(axes: Axes, result: Result) -> None:
    """Draw a rectangle for every cut, and the line of what is certified at least; the classifier's cut stands out."""
    from matplotlib.patches import Rectangle

    cuts, evidence = [cut for cut in result.findings.cuts if cut.called], result.findings.evidence
    called = int((np.array(evidence["sizes"]) * evidence["weights"])[np.array(evidence["inside"])].sum())
    doubtful = bool(result.certificate.doubt)
    doubt = " (doubtful)" if doubtful else ""
    worst = np.array([(cut.recall[0], cut.precision[0]) for cut in cuts])
    axes.plot(
        *worst.T, color=INK, linewidth=1.4, marker="o", markersize=4, label=f"every cut{doubt}: at least", zorder=4
    )
    faint = min(0.09, 0.4 / len(cuts))
    for cut in cuts:
        (left, right), (low, high) = cut.recall, cut.precision
        if own := cut.called == called:  # of this one cut more may be certified: a bet was on it, or an earlier look
            (left, right), (low, high) = ((s.low, s.high) for s in map(result.findings.stated, ("recall", "precision")))
        colour = COLOURS["recall"] if own else OTHER
        area = Rectangle((left, low), right - left, high - low, linewidth=0)
        if own and doubtful:
            area.set(facecolor="none", edgecolor=colour, alpha=0.4, hatch=HATCH)
        else:
            area.set(color=colour, alpha=0.2 if own else faint)
        axes.add_patch(area)
        if own:
            said = f"recall ≥ {percent(left)}, precision ≥ {percent(low)}"
            label = f"this classifier{doubt}: {said}"
            axes.plot(left, low, "o", color=colour, markersize=8, label=label, zorder=5)
    labelled = np.empty((0, 2))
    for cut, at in sorted(zip(cuts, worst, strict=True), key=lambda pair: pair[0].called != called):
        if (np.abs(labelled - at).max(axis=1, initial=0.0) > 0.08).all() and at[0] < 0.93:
            labelled = np.append(labelled, [at], axis=0)
            note = axes.annotate(f"{cut.called:,}", at, (5, 5), textcoords="offset points", fontsize=8, color="#444444")
            note.set(zorder=6, bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.6})
    axes.set(xlim=(0, 1.005), ylim=(0, 1.005), xlabel="recall", ylabel="precision")
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.yaxis.set_major_formatter("{x:.0%}")
    _named(axes, "Every cut of the score (numbers: items called positive)")


def _intervals(axes: Axes, recalls: list[Statement]) -> None:
    """Draw the recall of all items and of every group as intervals, those of rung 0 below those of rung 1."""
    for row, statement in enumerate(recalls):
        colour = OTHER if statement.rung == "0" else COLOURS["recall"]
        bar = axes.barh(row, statement.high - statement.low, 0.62, statement.low, color=colour, alpha=0.5, linewidth=0)
        if statement.doubt:
            bar.patches[0].set(facecolor="none", edgecolor=colour, hatch=HATCH)
    names = [f"{'all items' if s.group is None else s.group}, rung {s.rung}" for s in recalls]
    small = min(9.0, max(4.0, 250 / len(recalls)))
    axes.set_yticks(
        range(len(recalls)), [f"{name[:27]}…" if len(name) > 28 else name for name in names], fontsize=small
    )
    axes.set(
        xlim=(0, 1.005), ylim=(len(recalls) - 0.4, -0.6), xlabel="recall; at rung 0 of what the expert would confirm"
    )
    axes.xaxis.set_major_formatter("{x:.0%}")
    _named(axes, "Recall by group and rung")


def _named(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=10.5, loc="left", color=INK, pad=8)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
