"""What the three printed algorithms share: constants that can be scaled, a limit on the cost, whole batches.

All of them assume ℓ ∈ H, i.i.d. rows and a continuous distribution (Assumption 3.1). The formulas are in
`theory.budgets`; here they are only multiplied by `Constants.scale`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any, ClassVar, Literal, get_args

from activepu import checks
from activepu.certificate import Certificate
from activepu.errors import BudgetRefused, InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import CONTINUOUS, SCAR, Learner, questions
from activepu.pools import Draws, Region, Source
from activepu.records import Note, Report
from activepu.theory import budgets
from activepu.version_spaces import VersionSpace

Analysis = Literal["printed", "theta"]
"""Which proof sets the sizes: the paper's, with θ², or the refined one with θ (`theory.refined`)."""

LIMIT = 1_000_000
"""Questions, and unlabeled rows, beyond which an algorithm refuses to start."""

TOO_MANY = "EstRate's next round would exceed the limit; the rate may be 0, or raise limit=…."
SCALED = "Stopped where the algorithm stops, but its constants were scaled down: nothing is guaranteed."


@dataclass(frozen=True)
class Constants(budgets.Constants):
    """The paper's unnamed constants, and one factor that makes its algorithms small enough to run.

    Below the defaults nothing is guaranteed, and the certificate of a run is an estimate. The defaults of M1, M2 and M3
    are the largest values that a numerical grid needed: they are not proved. The refined analysis (`analysis="theta"`)
    computes what it needs: of these only `scale` is left, for k, λ and |S2|.

    Parameters
    ----------
    M1, M2 : float
        They set the radii of the balls.
    M3 : float
        A factor of λ2.
    scale : float
        A factor of the samples that the proofs need large, k and |S1|, and of the numbers of questions λ1 and λ2. The
        fresh samples T keep their size, so that what they measure stays true.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.paper.Constants(scale=0.01).size(76_275)
    763

    See Also
    --------
    activepu.theory.Constants : the same without `scale`, for the formulas.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if checks.number(name, value) <= 0:
                raise InvalidInput(f"The constant {name} must be positive, got {value!r}.")

    def size(self, n: float) -> int:
        """Return n · scale, at least 1."""
        return max(1, math.ceil(n * self.scale))


@dataclass(frozen=True)
class Needs:
    """The questions and unlabeled rows that an algorithm fixes before it starts, at a reveal rate of 1 (the fewest)."""

    questions: int
    unlabeled: int


class PaperLearner(Learner):
    """An algorithm of the paper: it refuses repeated rows, and a cost beyond `limit`.

    `algorithm` is its name, and `instead` the name of the sharp form.
    """

    needs_continuity = True
    rests_on_chance = True
    phases_depend = True
    allows_timeouts = False
    algorithm: ClassVar[str]
    instead: ClassVar[str]

    def __init__(
        self,
        hypotheses: HypothesisClass,
        epsilon: float,
        delta: float,
        constants: budgets.Constants,
        limit: int,
        analysis: Analysis,
    ) -> None:
        super().__init__(hypotheses, epsilon, delta)
        if analysis not in get_args(Analysis):
            raise InvalidInput(
                f"analysis must be 'printed' (the paper's sizes, θ²) or 'theta' (the refined ones), got {analysis!r}."
            )
        if not isinstance(constants, budgets.Constants):
            raise InvalidInput(f"constants must be Constants(M1=…, M2=…, M3=…, scale=…), got {constants!r}.")
        self.constants = constants if isinstance(constants, Constants) else Constants(**asdict(constants))
        self.limit = checks.count("limit", limit, minimum=1)
        self.analysis = analysis

    def needs(self, H: HypothesisClass, epsilon: float) -> Needs:
        """Return what a run for ε draws and asks at least; nothing is known beforehand unless an algorithm says so."""
        return Needs(0, 0)

    @property
    def title(self) -> str:
        """How messages name it."""
        return f"{self.algorithm} of the paper"

    @property
    def _form(self) -> str:
        return "as printed" if self.analysis == "printed" else "with the refined analysis"

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return the unlabeled rows alone."""
        return self.needs(hypotheses, epsilon).unlabeled

    def check_pool(self, source: Source, draws: Draws) -> None:
        """Also refuse a cost beyond `limit`."""
        needs = self.needs(draws.hypotheses, self.epsilon)
        if max(needs.questions, needs.unlabeled) > self.limit:
            refined = 'pass analysis="theta" for the refined budget, ' if self.analysis == "printed" else ""
            raise BudgetRefused(
                f"{self.algorithm} {self._form} would ask {_readable(needs.questions)} questions, even of an expert "
                f"who always answers, and draw {_readable(needs.unlabeled)} unlabeled rows, more than the limit of "
                f"{self.limit:,}; {refined}raise limit=… to run it anyway, scale the constants down, or use "
                f"{self.instead}."
            )
        super().check_pool(source, draws)

    def claim(self, draws: Draws, V: VersionSpace, bound: float, proved: bool, *assumptions: str) -> Certificate:
        """Return a certificate, marked as an estimate where nothing is proved."""
        certificate = self.certificate(draws, V, bound, *assumptions)
        return certificate if proved else replace(certificate, method="estimate")

    def nothing_yet(self, draws: Draws, V: VersionSpace) -> Report:
        """Return what can be said before the algorithm ends: every reveal is required, and no error is bounded."""
        return Report(V, V.smallest(draws.positives), self.claim(draws, V, 1.0, True, SCAR, CONTINUOUS))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings in plain values."""
        return super().to_dict() | {"learner": f"paper.{type(self).__name__}", "constants": asdict(self.constants)}


def stop_check_rows(epsilon: float, delta: float) -> int:
    """Return |T| = (32/ε) ln(1/δ′): P̂_T(DIS V) ≤ 3ε/4 means Δ ≤ ε, and more means Δ ≥ ε/2 (A2).

    Each holds except with probability δ′.
    """
    return math.ceil(32 / epsilon * math.log(1 / delta))


def first(draws: Draws, region: Region, n: int, phase: str) -> Iterator[tuple[int, Note]]:
    """Return the next n items of D given `region`, to be asked."""
    return islice(questions(draws, region, phase), n)


def _readable(count: int) -> str:
    return f"{count:,}" if count < 100_000 else f"{count:.1e}".replace("e+0", "e").replace("e+", "e")
