"""The rows of an audit's plan that are formulas.

**limit**: ln(1/δ)/τ of `activepu.audit.allocation`. No method that keeps its confidence needs fewer questions on
average, in a pool much larger than that. **floor**: even if nothing was missed, it takes N(1 − δ^{1/M})/ω questions to
show that at most M of the N items that are called negative are missed positives; that is about ln(1/δ)/ω divided by the
share that may be missed. **fixed sample**: the size of a uniform sample that shows the target, by the bound of Clopper
and Pearson (for the error by the normal one), in a single look.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, norm

from activepu.audit.allocation import worst_case
from activepu.audit.targets import Target
from activepu.planning.audits.bands import Bands
from activepu.planning.table import Kind, Row

POWER = 0.9
"""How often the fixed sample shows the target."""
LARGE = 5
"""A pool of so many times the limit is large: the limit is then that of this pool, too."""


@dataclass(frozen=True)
class Formulas:
    """The rows that are formulas, for one world.

    `rates` are the lowest and the highest rate that the audit reckons with; `rate` is the true one.
    """

    world: Bands
    rate: float
    rates: tuple[float, float]
    delta: float

    def limit(self, target: Target) -> float:
        """Return the fewest questions on average that any method needs; infinite if none can certify the target."""
        strata = self.world.strata
        low, high = (0.0, 1.0) if target.kind == "recall" else self.rates
        v = target.limit(strata)
        shares = self.rate * np.array(self.world.positives) / strata.sizes
        case = worst_case(
            shares, target.coefficients(strata) * strata.sizes, (high if v <= 0 else low) * v, max(high, self.rate)
        )
        return case.least_questions(self.delta)

    def floor(self, target: Target) -> tuple[float, int, int] | None:
        """Return the questions if nothing was missed, the misses that the target allows, and among how many items."""
        strata, (found, _) = self.world.strata, self.world.sides
        others = strata.rows - strata.called
        allowed = {
            "recall": found * (1 / target.value - 1),
            "error": target.value * strata.rows - (strata.called - found),
            "precision": 0.0,
        }[target.kind]
        if not 1 <= allowed < others:
            return None
        return others * (1 - self.delta ** (1 / allowed)) / self.rate, int(allowed), others

    def fixed(self, target: Target) -> float | None:
        """Return the size of a uniform sample that shows the target with probability `POWER` in a single look."""
        strata, world, high = self.world.strata, self.world, self.rates[1]
        if target.kind == "recall":  # of the reveals, a share that is the recall is inside
            revealed = _sample(target.value, world.value("recall"), self.delta)
            return None if revealed is None else revealed / (world.value("prior") * self.rate)
        if target.kind == "precision":
            inside = _sample(target.value * high, world.value("precision") * self.rate, self.delta)
            return None if inside is None else inside * strata.rows / strata.called
        found, lost = world.sides
        mean = self.rate * (found - lost) / (high * strata.rows)  # of ±1/ω_hi for a reveal inside or outside
        gap = target.value - (strata.called / strata.rows - mean)
        spread = self.rate * (found + lost) / (high * high * strata.rows) - mean * mean
        wide = float(norm.isf(self.delta) + norm.isf(1 - POWER))
        return None if gap <= 0 else wide**2 * spread / gap**2

    def least(self, targets: list[Target]) -> float:
        """Return the limit of the hardest target."""
        return max(self.limit(target) for target in targets)

    def rows(self, targets: list[Target]) -> list[Row]:
        """Return the rows of a plan: with several targets each number is that of the hardest."""
        limit = self.least(targets)
        if math.isinf(limit):
            return [Row("limit", None, None, "limit", self._why(targets))]
        where = "" if LARGE * limit <= sum(self.world.sizes) else ", in a much larger pool"
        found = [self._of_pool("limit", limit, "limit", f"no method needs fewer on average{where}")]
        floors = [floor for target in targets if (floor := self.floor(target)) is not None]
        if floors:
            least, allowed, others = max(floors)
            note = f"even if nothing was missed: to show that of {others:,} at most {allowed:,} were"
            found.append(self._of_pool("floor", least, "limit", note))
        sizes = [self.fixed(target) for target in targets]
        if all(size is not None for size in sizes):
            largest = max(size for size in sizes if size is not None)
            note = f"uniform, its size chosen before, one look at its end; shows it {POWER:.0%} of the time"
            found.append(self._of_pool("fixed sample", largest, "estimate", note))
        return found

    def _of_pool(self, method: str, questions: float, kind: Kind, note: str) -> Row:
        """Return a row; the formulas are those of a large pool, so more questions than items are no number."""
        if math.ceil(questions) > sum(self.world.sizes):
            return Row(method, None, None, kind, "more than the pool holds, by the formula for a large pool")
        return Row(method, math.ceil(questions), None, kind, note)

    def _why(self, targets: list[Target]) -> str:
        for target in targets:
            value = self.world.value(target.kind)
            if not target.met(value, value):
                return f"no number of questions shows what is not so: this classifier has {target.kind} {value:.3g}"
        return "no number of questions is enough: say more about the rate, by a rate, gold or purity"

    def nearest(self, kind: str, questions: float) -> float | None:
        """Return the hardest target, in parts of a thousand, whose limit is at most so many questions."""
        true = self.world.value(kind)
        steps = range(1, 1000)
        values = [k / 1000 for k in steps if (k / 1000 > true if kind == "error" else k / 1000 < true)]
        values = values if kind == "error" else values[::-1]  # the hardest first
        low, high = 0, len(values)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.limit(Target(kind, values[middle])) <= questions else (middle + 1, high)
        return values[low] if low < len(values) else None


def _sample(least: float, true: float, delta: float) -> float | None:
    """Return how many draws show that a share is at least `least` with probability `POWER`, if it is `true`.

    To a part in a hundred; None if a million are too few.
    """

    def power(n: float) -> float:
        size = math.ceil(n)
        return float(binom.sf(binom.isf(delta, size, least), size, true))

    low, high = 1.0, 2.0
    while power(high) < POWER:
        low, high = high, 2 * high
        if high > 1e6:
            return None
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high
