"""Where pictures are written, and in which style; Matplotlib is loaded only here and when one is drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from activepu.errors import ActivePUError, InvalidInput
from activepu.files import whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOUBT = "#A6192E"
"""The colour of the sentence that calls a certificate doubtful."""
HATCH = "////"
"""What is drawn like this rests on an assumption that the answers contradict, or hardly bear out."""


def wrapped(text: str, inches: float, size: float) -> str:
    """Break a text into lines of this width, at this size of the letters."""
    return "\n".join(textwrap.wrap(text, max(20, int(inches * 72 / (0.56 * size)))))


def targets(path: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the files to write; refuse formats that are not pictures."""
    paths = [Path(p) for p in ([path] if isinstance(path, (str, Path)) else path)]
    for target in paths:
        if target.suffix not in (".svg", ".png", ".pdf"):
            raise InvalidInput(f"A picture is written as .svg, .png or .pdf, got {str(target)!r}.")
    return paths


def written(paths: list[Path], draw: Callable[[], Figure]) -> list[Path]:
    """Draw a figure in the project's style and write it to every path."""
    try:
        import matplotlib
    except ImportError:
        raise ActivePUError(
            "Pictures need Matplotlib, which is not installed; add it with pip install 'activepu[report]'."
        ) from None
    style: dict[Any, Any] = {
        "svg.fonttype": "none",  # text stays text: it can be searched and edited
        "svg.hashsalt": "activepu",  # the same drawing is the same file
        "font.size": 10,
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "axes.edgecolor": "#888888",
        "axes.linewidth": 0.8,
        "xtick.color": "#555555",
        "ytick.color": "#555555",
    }
    with matplotlib.rc_context(style):
        figure = draw()
        for target in paths:
            metadata = {"Date": None} if target.suffix == ".svg" else None
            kept: dict[str, Any] = {"format": target.suffix[1:], "metadata": metadata}
            with whole(target) as partial:
                figure.savefig(partial, dpi=160, facecolor="white", bbox_inches="tight", pad_inches=0.15, **kept)
    return paths
