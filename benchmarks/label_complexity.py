"""How the number of questions grows with θ, 1/ω, ln(1/ε), d and 1/π.

    python benchmarks/label_complexity.py [--seeds 8] [--jobs 2] [--only θ] [--budget 30000] [--picture FILE]

Every series varies one quantity x and keeps the others. One line per learner: the mean number of questions at each x,
and the slope of ln(questions) against ln(x) with its standard error, by least squares over all single runs that ended.
A slope of 1 means "proportional". Runs that used up the budget are left out of the fit, and their mean is marked "≥";
runs that lost the truth or certified what is false, as δ allows, are left out of both.

    θ       a finite family: ℓ, and h_ji = (ℓ without A_j) with B_ji, j = 1…k, i = 1…q, all cells of mass ε. The ball
            of radius 2ε around ℓ holds them all and disagrees on k(1 + q)ε, so that θ = k(1 + q)/2. It grows in three
            ways: with k, with q, and with both.
    1/ω     thresholds and boxes in the plane
    ln 1/ε  the same
    d       boxes and orthants of mass .3 in 1 to 4 dimensions, d their VC dimension
    1/π     intervals and boxes of mass π (θ = 1/π for small π), thresholds, and halfspaces of the plane

Learners: `Cal` (an expert who always answers), `ZCal` with the rate known and unknown, `KnownPrior`, `UnknownPrior`,
`PassivePU`, and the paper's Algorithms 1 and 3 as printed with constants scaled down (`paper 1`, `paper 3`). "Bound"
lines are formulas: what the paper prints, and what is proved with θ in place of θ² (`theory.refined`).
"""

from __future__ import annotations

import os

os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

import argparse
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

import activepu as apu
from activepu.errors import ActivePUError
from activepu.theory import budgets, refined

DELTA = 0.1
POOL = 10_000
"""Rows of Z-CAL's pool; the others draw from the distribution itself."""
SCALED = apu.paper.Constants(M1=0.5, M2=0.2, M3=100.0, scale=0.005)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A class and a truth under the uniform law on the cube, who answers, and what is asked for."""

    hypotheses: apu.HypothesisClass
    label: Callable[[Floats], NDArray[np.bool_]]
    dim: int
    prior: float
    theta: float
    epsilon: float = 0.1
    rate: float = 0.5


def cells(x: Floats, first: float, width: float, number: int) -> NDArray[np.bool_]:
    """Whether a point lies in the cell of this number."""
    return np.asarray((x[:, 0] >= first + number * width) & (x[:, 0] < first + (number + 1) * width))


def swapped(x: Floats, prior: float, width: float, j: int, b: int) -> NDArray[np.bool_]:
    """ℓ without the cell A_j of it, and with the cell number b outside."""
    return np.asarray(((x[:, 0] < prior) & ~cells(x, 0.0, width, j)) | cells(x, prior, width, b))


def below(x: Floats, prior: float) -> NDArray[np.bool_]:
    return np.asarray(x[:, 0] < prior)


def family(k: int, q: int, prior: float, width: float) -> Problem:
    """The finite family with θ = k(1 + q)/2."""
    rules = [partial(below, prior=prior)]
    rules += [partial(swapped, prior=prior, width=width, j=j, b=j * q + i) for j in range(k) for i in range(q)]
    return Problem(apu.FiniteClass(rules), rules[0], 1, prior, k * (1 + q) / 2, epsilon=width)


def in_box(x: Floats, low: float, high: float) -> NDArray[np.bool_]:
    return np.asarray(((x >= low) & (x <= high)).all(axis=1))


def half(x: Floats, offset: float) -> NDArray[np.bool_]:
    return np.asarray(x.sum(axis=1) >= offset)


def box(dim: int, prior: float, **more: float) -> Problem:
    side = prior ** (1 / dim)
    H = apu.Intervals() if dim == 1 else apu.Boxes(dim=dim)
    theta = apu.theory.coefficient(H.bind(dim), prior) or 1.0
    return Problem(H, partial(in_box, low=0.5 - side / 2, high=0.5 + side / 2), dim, prior, theta, **more)


def orthant(dim: int, prior: float, **more: float) -> Problem:
    H = apu.Thresholds() if dim == 1 else apu.Orthants(dim=dim)
    theta = apu.theory.coefficient(H.bind(dim), prior) or 1.0
    return Problem(H, partial(in_box, low=1 - prior ** (1 / dim), high=2.0), dim, prior, theta, **more)


def halfspace(prior: float) -> Problem:
    """A corner of the square of mass π."""
    return Problem(apu.Halfspaces(), partial(half, offset=2 - math.sqrt(2 * prior)), 2, prior, 8.0)


Learners = dict[str, Callable[[Problem], apu.Learner]]
CAL: Learners = {"Cal": lambda p: apu.Cal(p.hypotheses, p.epsilon, DELTA)}
ZCAL: Learners = {
    "ZCal, rate known": lambda p: apu.ZCal(p.hypotheses, p.epsilon, DELTA, rate=p.rate, check=0),
    "ZCal": lambda p: apu.ZCal(p.hypotheses, p.epsilon, DELTA, check=0),
}
KNOWN: Learners = {"KnownPrior": lambda p: apu.KnownPrior(p.hypotheses, p.epsilon, DELTA, prior=p.prior)}
UNKNOWN: Learners = {"UnknownPrior": lambda p: apu.UnknownPrior(p.hypotheses, p.epsilon, DELTA)}
PASSIVE: Learners = {"PassivePU": lambda p: apu.PassivePU(p.hypotheses, p.epsilon, DELTA)}
PRINTED: Learners = {
    "paper 1, scaled": lambda p: apu.paper.KnownPrior(
        p.hypotheses, p.epsilon, DELTA, p.prior, p.theta, apu.paper.Constants(scale=1e-3), 10**9
    ),
    "paper 3, scaled": lambda p: apu.paper.UnknownPrior(p.hypotheses, p.epsilon, DELTA, p.theta, SCALED, 10**9),
}
MOST: Learners = CAL | ZCAL | KNOWN | UNKNOWN | PASSIVE


def printed_bound(p: Problem) -> int:
    d = p.hypotheses.bind(p.dim).vc_dimension
    return budgets.known_prior_questions(d, p.theta, p.rate, p.epsilon / 2, DELTA)


def refined_bound(p: Problem) -> int:
    return refined.known_prior_questions(p.hypotheses.bind(p.dim), p.theta, p.rate, p.epsilon, DELTA)


BOUNDS = {"bound, paper's Algorithm 1": printed_bound, "bound, Theorem A": refined_bound}


@dataclass(frozen=True)
class Series:
    """One quantity that varies: its values, and the problem at each."""

    name: str
    values: tuple[float, ...]
    problem: Callable[[float], Problem]
    learners: Learners = field(default_factory=lambda: MOST)
    variable: Callable[[float], float] = float
    """What ln(questions) is fitted against, where it is not the value itself."""


WIDTH = 0.006
COEFFICIENTS, ERRORS, DIMS = (4, 8, 16, 32, 64), (0.2, 0.1, 0.05, 0.025), (1, 2, 3, 4)
PER_RATE, PER_PRIOR, SOME = (1.0, 1.4, 2.0, 2.8, 4.0, 5.0), (2.5, 5.0, 10.0, 20.0), CAL | ZCAL | KNOWN | UNKNOWN


def both_ways(theta: float) -> Problem:
    """k = q."""
    k = round(math.sqrt(2 * theta + 0.25) - 0.5)
    return family(k, k, 0.1, WIDTH)


SERIES = [
    Series("θ, by k", COEFFICIENTS, lambda t: family(int(t), 1, 0.5, WIDTH), SOME),
    Series("θ, by q", COEFFICIENTS, lambda t: family(4, int(t) // 2 - 1, 0.05, WIDTH), SOME),
    Series("θ, by both", (6, 15, 28, 55, 78), both_ways, SOME),
    Series("1/ω, thresholds", PER_RATE, lambda v: orthant(1, 0.3, rate=1 / v), MOST | PRINTED),
    Series("1/ω, boxes in the plane", PER_RATE, lambda v: box(2, 0.3, rate=1 / v)),
    Series("ln 1/ε, thresholds", ERRORS, lambda e: orthant(1, 0.3, epsilon=e), MOST | PRINTED, lambda e: -math.log(e)),
    Series("ln 1/ε, boxes in the plane", ERRORS, lambda e: box(2, 0.3, epsilon=e), MOST, lambda e: -math.log(e)),
    Series("d, boxes", DIMS, lambda d: box(int(d), 0.3), MOST, lambda d: 2 * d),
    Series("d, orthants", DIMS, lambda d: orthant(int(d), 0.3)),
    Series("1/π, thresholds", PER_PRIOR, lambda v: orthant(1, 1 / v, epsilon=0.02)),
    Series("1/π, intervals", PER_PRIOR, lambda v: box(1, 1 / v, epsilon=0.02)),
    Series("1/π, boxes in the plane", PER_PRIOR, lambda v: box(2, 1 / v, epsilon=0.02)),
    Series("1/π, halfspaces of the plane", PER_PRIOR[:3], lambda v: halfspace(1 / v), CAL | ZCAL | KNOWN),
]


@dataclass(frozen=True)
class Line:
    """What one learner needed in one series, by value and seed: ∞ if the budget was used up, NaN if ℓ was lost."""

    series: Series
    learner: str
    questions: Floats
    budget: int

    @property
    def means(self) -> list[str]:
        """The mean at each value."""
        ended = ~np.isinf(self.questions)
        means = np.nanmean(np.where(ended, self.questions, self.budget), axis=1)
        figures = [f"{mean:,.0f}" if mean < 1e6 else f"{mean:.1e}" for mean in means]
        return [figure if all(e) else f"≥ {figure}" for figure, e in zip(figures, ended, strict=True)]

    @property
    def slope(self) -> tuple[float, float]:
        """Of ln(questions) against ln(x), by least squares over all runs that ended, and its standard error."""
        x = np.log([self.series.variable(value) for value in self.series.values])
        x = np.broadcast_to(x[:, None], self.questions.shape)[np.isfinite(self.questions)]
        y = np.log(self.questions[np.isfinite(self.questions)])
        if len(y) < 3 or np.ptp(x) == 0:
            return math.nan, math.nan
        spread = ((x - x.mean()) ** 2).sum()
        slope = ((x - x.mean()) * y).sum() / spread
        rest = y - y.mean() - slope * (x - x.mean())
        return float(slope), float(math.sqrt((rest**2).sum() / (len(y) - 2) / spread))

    def __str__(self) -> str:
        slope, error = self.slope
        fitted = "" if math.isnan(slope) else f"{slope:6.2f} ± {error:.2f}"
        return f"  {self.learner:<28}" + "".join(f"{mean:>12}" for mean in self.means) + f"   {fitted}"


def questions_of(number: int, value: float, learner: str, budget: int, seed: int) -> float:
    p = SERIES[number].problem(value)
    made = SERIES[number].learners[learner](p)
    rate = 1.0 if learner == "Cal" else p.rate
    if isinstance(made, apu.ZCal):
        rows = np.random.default_rng([seed, 9]).random((POOL, p.dim))
        pool, expert = apu.Pool(rows), apu.SimulatedExpert(p.label(rows), rate, seed)
    else:
        pool = apu.Sampler(lambda n, rng: rng.random((n, p.dim)), p.dim)
        expert = apu.SimulatedExpert(p.label, rate, seed)
    try:
        result = apu.learn(made, pool, expert, seed=seed, budget=budget)
    except ActivePUError:
        return math.nan
    fresh = np.random.default_rng(seed).random((POOL, p.dim))
    wrong, scaled = float(np.mean(result.predict(fresh) != p.label(fresh))), "scaled" in result.stop_reason
    if wrong > 1.5 * result.certificate.error_bound and not scaled:  # fresh rows err a little more or less
        return math.nan
    ended = result.stop_reason in (apu.StopReason.TARGET, apu.StopReason.POSITIVES_FOUND) or scaled
    return float(result.n_queries) if ended else math.inf


def measured(number: int, workers: ProcessPoolExecutor, seeds: int, budget: int) -> list[Line]:
    """Every line of a series."""
    series, lines = SERIES[number], []
    for learner in series.learners:
        cases = [(number, value, learner, budget, seed) for value in series.values for seed in range(seeds)]
        found = np.array(list(workers.map(questions_of, *zip(*cases, strict=True))))
        lines.append(Line(series, learner, found.reshape(len(series.values), seeds), budget))
        print(lines[-1], flush=True)
    for name, bound in BOUNDS.items():
        known = np.array([[bound(series.problem(value))] for value in series.values], float)
        lines.append(Line(series, name, known, budget))
        print(lines[-1], flush=True)
    return lines


def draw(lines: list[list[Line]], path: str) -> None:
    """One panel a series, logarithmic on both axes."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import NullLocator

    across, down = min(5, len(lines)), -(-len(lines) // 5)
    figure, panels = plt.subplots(down, across, figsize=(3.4 * across, 3 * down), squeeze=False, layout="constrained")
    names = list(dict.fromkeys(line.learner for group in lines for line in group))
    colours = dict(zip(names, plt.get_cmap("tab10").colors, strict=False))  # type: ignore[attr-defined]
    for axes, group in zip(panels.flat, lines, strict=False):
        for line in group:
            x = [line.series.variable(value) for value in line.series.values]
            dashed = line.learner.startswith("bound")
            style = {"ls": ":" if dashed else "-", "marker": "" if dashed else "o", "ms": 3}
            axes.loglog(x, np.nanmean(line.questions, axis=1), color=colours[line.learner], label=line.learner, **style)
        axes.set_title(group[0].series.name, fontsize=10)
        axes.set_xticks(x, [f"{value:.2g}" for value in x], minor=False)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.grid(alpha=0.25)
    panels[0, 0].set_ylabel("questions")
    for axes in panels.flat[len(lines) :]:
        axes.axis("off")
    handles = {label: h for axes in panels.flat for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="series whose name holds this")
    parser.add_argument("--budget", type=int, default=30_000)
    parser.add_argument("--picture", help="a file to draw the series into")
    asked, groups = parser.parse_args(), []
    with ProcessPoolExecutor(asked.jobs) as workers:
        for number, series in enumerate(SERIES):
            if asked.only in series.name:
                shown = "".join(f"{value:>12.4g}" for value in series.values)
                print(f"\n{series.name}\n  {'':<28}{shown}   slope")
                groups.append(measured(number, workers, asked.seeds, asked.budget))
    if asked.picture:
        draw(groups, asked.picture)


if __name__ == "__main__":
    main()
