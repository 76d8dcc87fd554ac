"""The constants of Z-CAL that were tuned, with the evidence for each.

None of them can break a guarantee: they change how many questions a run takes, or how long a question takes. "Trials"
are runs of `benchmarks/zcal_questions.py` with a reveal rate of 0.5 unless stated; docs/zcal.md has the tables.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Every tuned constant, grouped by what it belongs to."""

    # Rows that are considered.
    stream: int = 20_000
    """Rows of an endless pool among which questions are chosen: as many as the tables on which the rest was tuned."""
    ranked: int = 4096
    """Rows from which ranks are taken, for the prior over sides and for the candidate filter. Not varied in trials."""
    candidates: int = 2048
    """Undecided rows that are considered per question. Not varied in trials."""
    fewest_candidates: int = 256
    candidate_coordinates: int = 9000
    """With D columns only `fewest_candidates` + `candidate_coordinates` / D rows are considered, to bound the time."""
    finalists: int = 42
    """Candidates whose potential is computed: a third by information, a third by cover, a third at random."""
    inside: int = 2
    """Certain positives among the candidates, if the rate is not known."""
    reference: int = 1024
    """Rows on which distances between rules are measured. With 1,024 rows 0.201 and 0.2 cannot be told apart."""

    # The potential.
    curiosity: float = 3.0
    """Weight c of the information. Thresholds, unknown rate, c = 3 and 6: 31.4 and 38.0 questions at ε = 0.1."""
    most_curious: float = 50.0
    """c / (1 − ω) at most. Known rate 1: c = 50 needs exactly 3 and 6 questions at ε = 0.1 and 0.01 (50 seeds)."""
    floor: float = 0.3
    """Share of ε at which the missing evidence stops mattering. Thresholds: 0.3, 1, 2: 11.2, 11.9, 12.6 questions."""
    near_closure: float = 0.7
    """Share of ε / sides within which nothing is asked. 2-D boxes, unknown rate: 0.3, 0.6: 247, 238; 0.4 to 1 level."""

    # Rivals.
    rivals: int = 256
    """Number of members that represent all that are too far from the rule. Not varied in trials."""
    spare: float = 0.9
    """Share of ε beyond which a rival counts as far; at exactly ε the last rows cost 2 to 5 questions more."""
    corners: int = 4
    """Undecided items that a rival encloses. 2-D boxes, one, two, four, eight: 184, 193, 162, 199 questions."""
    witness: int = 16
    """One rival in this many is the farthest known member. Intervals 128 to 115 questions; not established."""
    stretched: float = 0.5
    """Share of rivals that stretch on all sides. 2-D boxes, unknown rate: none, 0.5, 0.9: 208, 181, 196 questions."""
    stretch_cost: float = 0.3
    """Nats that each stretched side may cost. 5-D orthants: 0.05, 0.3, 0.6, 1: 94.6, 80.0, 91.5, 103.0 questions."""
    far_share: float = 0.8
    """Share of the farthest rival's mass that counts as far in any case. Tried with `witness`."""
    many_stars: float = 256.0
    """Missing stars beyond which only the logarithm counts. 5-D orthants: 191 questions instead of 225."""
    rival_cells: int = 6
    """Cells of the unknown-rate bound that are used for rivals; for time."""
    directions: int = 48
    across: int = 5
    """Rivals in the plane: directions, and places on the way across V. Halfspaces: 43.5 questions instead of 54.8."""

    # Bets.
    side_share: float = 0.7
    side_exponent: float = -0.6
    """w = 0.7 κ^−0.6 of the bets on one of κ sides begin at once. Unknown rate, against κ^−¼: 11 to 19% fewer."""
    restart: float = 0.1
    """Share of the waiting bets on a side that begin at a question there. 2-D boxes, 0.1 and 0.2: 140.7 and 155.8."""
    restart_after: float = 0.5
    """Nats that the questions on a side must be able to add before more bets begin. Not varied in trials."""
    restart_least: float = 1e-3
    """Smaller groups of bets do not begin; for time."""
    member_share: float = 0.5
    member_restart: float = 0.06
    """Finite classes: share of bets that begin at once, and after each answer. 10,000 boxes: 46.6 instead of 51.8."""
    on_rate: float = 0.05
    """Share of the bets on a stated rate itself, which detect that the rate is wrong."""
    tangents: int = 10
    cells: int = 20
    """Tangents and cells of the unknown-rate bound: more of them make it slightly tighter and cost more time."""

    # Posteriors.
    chains: int = 128
    """Members of a sampled posterior. 128 and 512: 350 and 322 questions in 2-D boxes, but 25 and 65 s to replay."""
    sweeps: int = 1
    sweeps_grown: int = 4
    """Gibbs sweeps after an answer, and after a reveal for which chains had to grow. Not varied in trials."""

    # Stopping.
    retry: int = 50
    """Retry an unfinished radius search after 1 + n/50 further answers. A few questions in a hundred, for time."""
    first_limits: int = 64
    """With a rate per expert, this many limits are kept whatever they exclude, so that short runs lose nothing."""


TUNING = Tuning()
"""What Z-CAL uses."""
