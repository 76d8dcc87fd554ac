"""How many questions will it take? The paper's bounds, the sharp algorithms, and what the channel allows.

Every row says what its number is: a **proved bound** (holds with probability ≥ 1 − δ), an **estimate** (a formula for a
typical run, nothing proved) or a **limit** (the bits to be learned over the bits that a question can carry; a guide,
since the number of bits is itself approximate).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from activepu import channel, checks
from activepu.hypotheses.base import HypothesisClass
from activepu.hypotheses.conjunctions import Conjunctions
from activepu.theory import binomial, budgets, sharp
from activepu.theory.deviations import log_size, uniform_sample_size
from activepu.theory.disagreement import coefficient
from activepu.theory.ladder import Ladder
from activepu.theory.radii import passive_sizes

CAVEAT = (
    "A proved bound holds at this reveal rate, prior and disagreement coefficient (for boxes and orthants that of "
    "independent columns), if no two items are exactly alike."
)

Kind = Literal["proved bound", "estimate", "limit"]


@dataclass(frozen=True)
class Row:
    """One way to learn: its questions and unlabeled items, None where they cannot be said or there are none to say."""

    method: str
    questions: int | None
    unlabeled: int | None
    kind: Kind
    note: str


@dataclass(frozen=True)
class Plan:
    """A table for one class and one setting; `str()` prints it."""

    hypotheses: str
    epsilon: float
    delta: float
    rate: float
    prior: float
    theta: float | None
    rows: tuple[Row, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    def __str__(self) -> str:
        known = "unknown (pass theta=…)" if self.theta is None else f"{self.theta:.3g}"
        head = (
            f"{self.hypotheses}: error at most {self.epsilon:g} with confidence {1 - self.delta:g}; an expert who "
            f"reveals {self.rate:g} of the positives, which are {self.prior:g} of all; disagreement coefficient {known}"
        )
        cells = [("method", "questions", "unlabeled", "what it is", "note")]
        cells += [(r.method, readable(r.questions), readable(r.unlabeled), r.kind, r.note) for r in self.rows]
        widths = [max(len(line[column]) for line in cells) for column in range(4)]
        lines = [
            f"{m:<{widths[0]}}  {q:>{widths[1]}}  {u:>{widths[2]}}  {k:<{widths[3]}}  {n}".rstrip()
            for m, q, u, k, n in cells
        ]
        return "\n".join([head, "", *lines, "", CAVEAT])


def readable(count: int | None) -> str:
    """1234 as 1,234; from a hundred thousand on two digits, 4.4e8; – for None."""
    if count is None:
        return "–"
    if count < 100_000:
        return f"{count:,}"
    digits, exponent = f"{count:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def plan(
    hypotheses: HypothesisClass,
    epsilon: float,
    delta: float,
    rate: float = 0.5,
    prior: float = 0.1,
    theta: float | None = None,
) -> Plan:
    """What learning `hypotheses` to error ε takes, before anyone is asked.

    `rate` and `prior` are guesses of ω and π. `theta` is the disagreement coefficient at the truth; left out, it is
    taken from the closed forms (`theory.disagreement.coefficient`), for boxes with independent columns. Rows that need
    a θ which is not known are left out, and so is what needs a continuous distribution for conjunctions.
    """
    epsilon, delta = checks.open_unit("epsilon", epsilon), checks.open_unit("delta", delta)
    rate, prior = checks.rate("rate", rate), checks.rate("prior", prior)
    theta = coefficient(hypotheses, prior) if theta is None else checks.at_least("theta", theta, 1)
    asked = _Setting(hypotheses, epsilon, delta, rate, prior, theta)
    continuous = not isinstance(hypotheses, Conjunctions)
    rows: list[Row] = []
    if theta is not None:
        if continuous:
            rows += [_paper_known_prior(asked, theta), *_paper_unknown_prior(asked, theta)]
            rows.append(_known_prior_at_worst(asked, theta))
        rows.append(_known_prior(asked, theta))
    if continuous and (hypotheses.intersection_closed or theta is not None):
        rows.append(_unknown_prior(asked))
    if continuous:
        rows.append(_passive(asked))
    if theta is not None:
        rows.append(_full_labels(asked, theta))
    rows.append(_limit(asked))
    return Plan(repr(hypotheses), epsilon, delta, rate, prior, theta, tuple(rows))


class _Setting(NamedTuple):
    H: HypothesisClass
    epsilon: float
    delta: float
    rate: float
    prior: float
    theta: float | None


def _paper_known_prior(s: _Setting, theta: float) -> Row:
    d = s.H.vc_dimension
    # The test that can be run may go on until Δ < ε/2: one halving more than printed (erratum A2).
    questions = budgets.known_prior_questions(d, theta, s.rate, s.epsilon / 2, s.delta)
    unlabeled = budgets.known_prior_unlabeled(d, budgets.margin(theta, s.epsilon), s.delta / 4)
    return Row("paper, known prior", questions, unlabeled, "proved bound", "Algorithm 1: λN questions")


def _paper_unknown_prior(s: _Setting, theta: float) -> list[Row]:
    d = s.H.vc_dimension
    constants = "a proved form, but its constants are grid maxima"
    alone = budgets.estimate_rate_questions(d, theta, s.prior, s.rate, s.delta)
    first = budgets.estimate_rate_questions(d, theta, s.prior, s.rate, s.delta / 8)
    then = budgets.unknown_prior_questions(d, theta, s.rate, s.epsilon, s.delta)
    if s.H.intersection_closed:
        unlabeled = budgets.unknown_prior_unlabeled_closed(s.H, s.epsilon, s.delta)
    else:  # as the proof asks; it reuses S1 in a way that only intersection-closed classes allow
        unlabeled = budgets.unknown_prior_unlabeled_solved(d, s.epsilon, s.delta)
    return [
        Row("paper, reveal rate", alone, None, "estimate", f"Algorithm 2: {constants}"),
        Row("paper, unknown prior", first + then, unlabeled, "estimate", f"Algorithms 2 and 3: {constants}"),
    ]


def _known_prior_at_worst(s: _Setting, theta: float) -> Row:
    bound = sharp.known_prior_questions(s.H, theta, s.rate, s.epsilon, s.delta)
    for_bound = uniform_sample_size(s.H, budgets.margin(theta, s.epsilon), s.delta / 4)
    return Row("known prior, at worst", bound, for_bound, "proved bound", "Algorithm 1 with computed radii")


def _known_prior(s: _Setting, theta: float) -> Row:
    typical = math.ceil(sharp.known_prior_typical(s.H, theta, s.prior, s.rate, s.epsilon))
    for_typical = sharp.known_prior_unlabeled(s.prior, theta, s.epsilon, s.delta)
    return Row("KnownPrior", typical, for_typical, "estimate", "Algorithm 1S: 1/(πω) + d ln(π/ε) θ/ω")


def _unknown_prior(s: _Setting) -> Row:
    _, epsilon, delta, rate, prior, theta = s
    if s.H.intersection_closed:
        questions = sharp.unknown_prior_typical(s.H, prior, rate, epsilon, delta)
        cuts = range(math.ceil(math.log2(1 / epsilon)) + 1)
        unlabeled = sum(sharp.fresh_items(i, epsilon, delta) for i in cuts)
    else:
        assert theta is not None
        questions = sharp.unknown_prior_general_typical(s.H, theta, prior, rate, epsilon, delta)
        unlabeled = uniform_sample_size(s.H, epsilon / 34, delta / 8)
    note = "Algorithm 3S: the reveal rate, then a test per halving of π's bounds"
    return Row("UnknownPrior", math.ceil(questions), unlabeled, "estimate", note)


def _passive(s: _Setting) -> Row:
    positives, unlabeled = passive_sizes(s.H, s.epsilon, Ladder(s.epsilon, s.delta).rungs[0][1])
    questions = binomial.trials_for_successes(positives, s.prior * s.rate, s.delta)
    note = f"random questions until {positives:,} positives are revealed"
    return Row("PassivePU", questions, unlabeled, "proved bound", note)


def _full_labels(s: _Setting, theta: float) -> Row:
    questions = sharp.full_label_questions(s.H, theta, s.epsilon, s.delta)
    return Row("Cal", questions, None, "proved bound", "another expert: one who always answers, yes or no")


def _limit(s: _Setting) -> Row:
    bits, size = s.H.vc_dimension * math.log2(1 / s.epsilon), log_size(s.H)
    if size is not None:
        bits = min(bits, size / math.log(2))
    each = float(channel.capacity(s.rate))
    note = f"about {bits:.3g} bits, at most {each:.3g} a question, if nothing is known before"
    return Row("limit", math.ceil(bits / each), None, "limit", note)
