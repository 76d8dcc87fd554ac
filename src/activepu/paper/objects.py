"""The objects of the paper's preliminaries, by name, on a pool of your own.

Everything is measured on the pool's rows: S is the multiset of rows, P̂_S its empirical distribution, and a rate is a
share of rows. A row that occurs twice in the table counts twice.

- `error`                    err_S(f, ℓ), the share of rows on which f is wrong
- `distance`                 ρ_S(f, g), the share of rows on which f and g differ (P1: of rows of S)
- `disagreement_region`      DIS(V) = {x : some members of V differ at x}
- `disagreement_rate`        Δ_S(V) = P̂_S(DIS V)
- `ball`                     B̂_S(h, r) = {h′ ∈ H : ρ_S(h, h′) ≤ r}
- `disagreement_coefficient` θ = sup Δ(B(h, r))/r, at one h and for r ≥ r0 (P2)
- `positive_disagreement`    DIS^P(V) = {x ∈ DIS(V) : ℓ(x) = 1}
- `prior`                    π_S = P̂_S(ℓ = 1)

A labelling (h, f, g, truth) is a `Hypothesis`, a `Result`, a callable on features, a fitted classifier or one boolean
per row. A set of hypotheses is a version space, a `Result`, a ball, a whole class, or a list of labellings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.paper.empirical_balls import Coefficient, EmpiricalBall, coefficient_at
from activepu.paper.inputs import Labels, Rows, member
from activepu.result import Result
from activepu.theory.disagreement import closed_form
from activepu.version_spaces import VersionSpace, version_space


def error(h: Any, truth: Any, pool: Any) -> float:
    """Return err_S(h, ℓ), the share of the pool's rows on which h and the truth differ.

    Parameters
    ----------
    h, truth : labelling
        A `Hypothesis`, a `Result`, a callable on features, a fitted classifier or one boolean per row.
    pool : Pool, array or DataFrame
        The rows S.

    Returns
    -------
    float
        A share of rows, the empirical error.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.paper.error(lambda X: X[:, 0] >= 2, [False, True, True, True], [[0], [1], [2], [3]])
    0.25

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Section 2.1.
    """
    rows = Rows(pool)
    return float(np.mean(rows.labels(h, "h") != rows.labels(truth, "truth")))


def distance(h: Any, g: Any, pool: Any) -> float:
    """Return ρ_S(h, g), the share of the pool's rows on which h and g differ.

    Parameters
    ----------
    h, g : labelling
        A `Hypothesis`, a `Result`, a callable on features, a fitted classifier or one boolean per row.
    pool : Pool, array or DataFrame
        The rows S.

    Returns
    -------
    float
        A share of rows. It is a pseudometric: two rules may differ and have distance 0 on a pool.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.paper.distance(lambda X: X[:, 0] >= 2, lambda X: X[:, 0] >= 1, [[0], [1], [2], [3]])
    0.25

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.1, with erratum P1 of `docs/paper.md`.
    """
    rows = Rows(pool)
    return float(np.mean(rows.labels(h, "h") != rows.labels(g, "g")))


def prior(truth: Any, pool: Any) -> float:
    """Return π_S, the share of the pool's rows that are positive.

    Parameters
    ----------
    truth : labelling
        ℓ: a `Hypothesis`, a `Result`, a callable on features, a fitted classifier or one boolean per row.
    pool : Pool, array or DataFrame
        The rows S.

    Returns
    -------
    float
        A share of rows.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.paper.prior(lambda X: X[:, 0] >= 2, [[0], [1], [2], [3]])
    0.5

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Section 3.
    """
    return float(np.mean(Rows(pool).labels(truth, "truth")))


def disagreement_region(V: Any, pool: Any) -> Labels:
    """Return DIS(V) on the pool, the rows on which some members of V differ.

    Parameters
    ----------
    V : VersionSpace, Result, EmpiricalBall, HypothesisClass or list of labellings
        The hypotheses. A `Result` means its version space. If `V.method` is "sampled", the region is that of the
        members that were found, and may be too small.
    pool : Pool, array or DataFrame
        The rows to look at.

    Returns
    -------
    array of bool
        One entry per row.

    Examples
    --------
    >>> import activepu as apu
    >>> rules = [lambda X: X[:, 0] >= 1, lambda X: X[:, 0] >= 3]
    >>> apu.paper.disagreement_region(rules, [[0], [1], [2], [3]]).tolist()
    [False, True, True, False]

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.2.
    """
    rows = Rows(pool)
    if isinstance(V, Result):
        return np.asarray(V.predict(rows.raw, abstain=True) == -1)
    if isinstance(V, HypothesisClass):
        V = version_space(rows.bound(V))
    if isinstance(V, (VersionSpace, EmpiricalBall)):
        return V.disagrees(rows.points(V.hypotheses))
    if not isinstance(V, (list, tuple)) or len(V) == 0:
        raise InvalidInput(
            f"V must be a version space, a result, a ball, a class or a list of hypotheses, got {checks.brief(V)}; put "
            "the rules that you compare in a list."
        )
    labels = np.array([rows.labels(h, f"Hypothesis {index} of V") for index, h in enumerate(V)])
    return np.asarray(labels.any(axis=0) & ~labels.all(axis=0))


def disagreement_rate(V: Any, pool: Any) -> float:
    """Return Δ_S(V), the share of the pool's rows in DIS(V).

    Parameters
    ----------
    V : VersionSpace, Result, EmpiricalBall, HypothesisClass or list of labellings
        The hypotheses, as for `disagreement_region`.
    pool : Pool, array or DataFrame
        The rows S.

    Returns
    -------
    float
        A share of rows.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.paper.disagreement_rate([lambda X: X[:, 0] >= 1, lambda X: X[:, 0] >= 3], [[0], [1], [2], [3]])
    0.5

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.3.
    """
    return float(np.mean(disagreement_region(V, pool)))


def positive_disagreement(V: Any, truth: Any, pool: Any) -> Labels:
    """Return DIS^P(V) on the pool, the rows of DIS(V) that are positive.

    Only these can be revealed by asking in DIS(V).

    Parameters
    ----------
    V : VersionSpace, Result, EmpiricalBall, HypothesisClass or list of labellings
        The hypotheses, as for `disagreement_region`.
    truth : labelling
        ℓ: a `Hypothesis`, a `Result`, a callable on features, a fitted classifier or one boolean per row.
    pool : Pool, array or DataFrame
        The rows to look at.

    Returns
    -------
    array of bool
        One entry per row.

    Examples
    --------
    >>> import activepu as apu
    >>> rules = [lambda X: X[:, 0] >= 1, lambda X: X[:, 0] >= 3]
    >>> apu.paper.positive_disagreement(rules, lambda X: X[:, 0] >= 2, [[0], [1], [2], [3]]).tolist()
    [False, False, True, False]

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Section 3.
    """
    return disagreement_region(V, pool) & Rows(pool).labels(truth, "truth")


def ball(h: Any, r: float, pool: Any, H: HypothesisClass | None = None) -> EmpiricalBall:
    """Return B̂_S(h, r), the members of H that differ from h on at most a share r of the pool's rows.

    Parameters
    ----------
    h : Hypothesis, Result or labelling
        The center, a member of H. A labelling that is no `Hypothesis` of H is replaced by a member with the same labels
        on all rows; it is refused if there is none.
    r : float
        The radius, a share of rows.
    pool : Pool, array or DataFrame
        The rows S.
    H : HypothesisClass, optional
        The class; that of h by default.

    Returns
    -------
    EmpiricalBall
        With `disagrees`, `certain`, `possible` (encoded points) and `allows` (a member), like a version space, and
        `method`: "exact" for classes that list their members, thresholds, intervals, conjunctions of up to 20 features
        and halfspaces in the plane, and for boxes and orthants where the search is complete, else "sampled". The work
        grows with the square of the rows, to about half a minute for 10,000 in the plane: pass a sample of a larger
        pool.

    Examples
    --------
    >>> import activepu as apu
    >>> near = apu.paper.ball(lambda X: X[:, 0] >= 2, 0.25, [[0], [1], [2], [3]], H=apu.Thresholds())
    >>> apu.paper.disagreement_region(near, [[0], [1], [2], [3]]).tolist(), near.method
    ([False, True, True, False], 'exact')

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.4.
    """
    rows = Rows(pool)
    center = member(h, H, rows)
    return EmpiricalBall(center, checks.share("r", r), rows.points(center.hypotheses))


def disagreement_coefficient(
    H: HypothesisClass | Result, pool: Any = None, center: Any = None, r0: float = 0.0, prior: float | None = None
) -> Coefficient:
    """Return θ = max(1, sup_{r ≥ r0} Δ(B(h, r))/r): how fast the disagreement region of a ball grows with its radius.

    The paper takes the sup over all centers and radii, which is infinite for intervals, boxes and halfspaces (P2). Its
    algorithms need θ at the truth only, for r ≥ ε/(4θ).

    Parameters
    ----------
    H : HypothesisClass or Result
        The class. A `Result` means its class, with its rule as the center.
    pool : Pool, array or DataFrame, optional
        The rows whose empirical distribution is taken, with a center; as for a ball, pass a sample of a large pool:
        20,000 rows of the plane may take a minute.
    center : Hypothesis, Result or labelling, optional
        h, a member of H, such as the truth. Without one the closed form is given, where one is known.
    r0 : float
        The least radius of interest, a share; 0 for all radii.
    prior : float, optional
        The mass of the center, for closed forms that depend on it.

    Returns
    -------
    Coefficient
        `value`, `r0`, `method` ("closed form", "exact" on the pool's rows or "sampled"), `upper`, `about`. On a pool it
        is a statement about these rows, and no bound for the population: for that see
        `theory.estimate_coefficient`, which takes two samples.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.paper.disagreement_coefficient(apu.Thresholds()).value
    2.0
    >>> rows = [[x / 100] for x in range(100)]
    >>> theta = apu.paper.disagreement_coefficient(apu.Intervals(), rows, center=lambda X: abs(X[:, 0] - 0.5) <= 0.15)
    >>> theta.value, theta.method
    (4.0, 'exact')

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.5, with erratum P2 of `docs/paper.md`.
    """
    r0 = checks.share("r0", r0)
    if isinstance(H, Result):
        center = H.hypothesis if center is None else center
        H = H.hypothesis.hypotheses
    if not isinstance(H, HypothesisClass):
        raise InvalidInput(f"H must be a class such as Boxes(), or a result, got {checks.brief(H)}.")
    if center is None:
        return _closed_form(H if pool is None else Rows(pool).bound(H), r0, prior)
    if pool is None:
        raise InvalidInput("The coefficient at a center is measured on a pool; pass pool=…, or leave the center out.")
    rows = Rows(pool)
    h = member(center, H, rows)
    return coefficient_at(h, rows.points(h.hypotheses), r0)


def _closed_form(H: HypothesisClass, r0: float, prior: float | None) -> Coefficient:
    found = closed_form(H, None if prior is None else checks.rate("prior", prior), r0)
    if found is None:
        raise InvalidInput(f"No closed form is known for the coefficient of {H!r}; pass a pool and center=….")
    return Coefficient(found.value, r0, "closed form", found.value, found.about)
