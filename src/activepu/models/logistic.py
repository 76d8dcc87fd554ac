"""Bayesian logistic regression with the channel in its likelihood: for wide data, and where a linear rule will do.

    P(reveal | x) = ω·σ(β·x + b),    β ~ N(0, scale²·I) on columns of variance 1,  b ~ N(0, 5²),  ω ~ Beta(2, 2).

The mode is found by L-BFGS; around it the posterior is taken as Gaussian with the Fisher information of the answers
(Laplace; MacKay 1992 for σ alone). With A the n rows of the answers' scores by (β, b, logit ω) and Λ the precision of
the prior, the posterior's is Λ + AᵀA. In a wide table a draw needs only an n × n system (Matheron's rule):

    θ = z − Λ⁻¹Aᵀ(I + AΛ⁻¹Aᵀ)⁻¹(Az + e),    z ~ N(0, Λ⁻¹), e ~ N(0, I).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from activepu.errors import InvalidInput
from activepu.models.calibration import BETA

Matrix = NDArray[np.float64]

INTERCEPT_SPREAD = 5.0
RATES = (0.3, 0.8)


def not_binary(kind: str) -> str:
    """The words that scikit-learn's checks expect about a target of this kind."""
    return f"Unknown label type: {kind}. Only binary classification is supported. The type of the target is {kind}."


class ChannelLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Bayesian logistic regression with the channel in its likelihood.

    P(reveal | x) = ω·σ(β·x + b), with β ~ N(0, scale²·I) on columns of variance 1, b ~ N(0, 5²), ω ~ Beta(2, 2). It
    learns from reveals and stars directly: `predict_proba` is P(y = 1 | x), of the label and not of the answer. The
    posterior is approximated by a Gaussian around its mode (Laplace). Where the classes cannot be told apart by a
    hyperplane, the estimate of ω is too high.

    Parameters
    ----------
    scale : float
        How large a coefficient of a standardised column is expected to be.
    rate : float, optional
        The reveal rate ω, where it is known.
    n_draws : int
        How many draws represent the posterior.
    random_state : int, optional
        The seed of these draws.

    Attributes
    ----------
    coef_ : array of shape (1, columns)
        Coefficients of the columns as they are, at the mode.
    intercept_ : array of shape (1,)
    rate_ : float
        ω at the mode, or as given.
    rates_ : array of shape (n_draws,)
        ω in every draw.
    classes_ : array
        The two values of y; the larger one is a reveal.

    Examples
    --------
    Every second positive is silent, and still called positive:

    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> revealed = (X[:, 0] > 0) & (np.arange(200) % 2 == 0)
    >>> model = apu.models.ChannelLogistic(rate=0.5, random_state=0).fit(X, revealed)
    >>> model.predict([[-0.5], [0.5]]).tolist()
    [False, True]

    References
    ----------
    D. J. C. MacKay (1992), The evidence framework applied to classification networks, Neural Computation 4.

    See Also
    --------
    activepu.models.fit : Any other classifier, from reveals and stars.
    """

    def __init__(
        self, scale: float = 2.0, rate: float | None = None, n_draws: int = 50, random_state: int | None = None
    ) -> None:
        self.scale = scale
        self.rate = rate
        self.n_draws = n_draws
        self.random_state = random_state

    def fit(self, X: Any, y: Any, given: Any = None) -> Self:
        """Find the posterior given the answers.

        Parameters
        ----------
        X : array or sparse matrix
        y : array
            1 for a reveal, 0 for ★. 0 does not mean negative.
        given : array of bool, optional
            Marks positives that were known beforehand. They say nothing about ω.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        if (kind := type_of_target(y)) != "binary":
            raise InvalidInput(f"y must hold two values, for ★ and revealed. {not_binary(kind)}")
        self.classes_ = np.unique(y)
        revealed = np.asarray(y == self.classes_[-1]) & (len(self.classes_) == 2)
        self._scaler = StandardScaler(with_mean=not hasattr(X, "tocsr")).fit(X)
        Z = self._scaler.transform(X)
        known = np.zeros(len(revealed), bool) if given is None else np.asarray(given, bool)
        mode = self._mode(Z, revealed, known)
        draws = self._draws(Z, mode, known)
        self.coef_ = mode[None, :-2] / self._scaler.scale_
        shift = 0.0 if self._scaler.mean_ is None or hasattr(X, "tocsr") else float(self.coef_[0] @ self._scaler.mean_)
        self.intercept_ = np.array([mode[-2] - shift])
        self.rate_ = float(expit(mode[-1])) if self.rate is None else float(self.rate)
        self.rates_ = expit(draws[:, -1]) if self.rate is None else np.full(len(draws), self.rate_)
        self._weights = draws[:, :-1]
        return self

    def _mode(self, Z: Any, revealed: NDArray[np.bool_], given: NDArray[np.bool_]) -> Matrix:
        """The mode of the posterior of (β, b, logit ω)."""
        d = Z.shape[1]

        def objective(t: Matrix) -> tuple[float, Matrix]:
            w = expit(t[-1]) if self.rate is None else self.rate
            p = expit(Z @ t[:d] + t[d])
            q = np.clip(np.where(given, p, w * p), 1e-12, 1 - 1e-12)
            loss = -np.log(np.where(revealed, q, 1 - q)).sum()
            loss += 0.5 * (t[:d] @ t[:d]) / self.scale**2 + 0.5 * (t[d] / INTERCEPT_SPREAD) ** 2
            by_q = np.where(revealed, -1.0, q / (1 - q))
            by_logit = by_q * (1 - p)
            slope = np.concatenate([Z.T @ by_logit, [by_logit.sum(), 0.0]])
            slope[:d] += t[:d] / self.scale**2
            slope[d] += t[d] / INTERCEPT_SPREAD**2
            if self.rate is None:
                loss -= (BETA - 1) * (np.log(w) + np.log1p(-w))
                slope[-1] = (by_q * (1 - w))[~given].sum() - (BETA - 1) * (1 - 2 * w)
            return float(loss), slope

        starts = [np.append(np.zeros(d + 1), logit(w)) for w in (RATES if self.rate is None else (0.5,))]
        limits = [(None, None)] * (d + 1) + [(-7.0, 7.0)]
        found = [minimize(objective, start, jac=True, method="L-BFGS-B", bounds=limits) for start in starts]
        return np.asarray(min(found, key=lambda result: result.fun).x)

    def _draws(self, Z: Any, mode: Matrix, given: NDArray[np.bool_]) -> Matrix:
        """Draws of (β, b, logit ω), one per row, by the smaller of the two systems at the head of the module."""
        d, rng = Z.shape[1], np.random.default_rng(self.random_state)
        w = expit(mode[-1]) if self.rate is None else self.rate
        p = expit(Z @ mode[:d] + mode[d])
        q = np.clip(np.where(given, p, w * p), 1e-9, 1 - 1e-9)
        noise = np.sqrt(q * (1 - q))
        by_logit, by_rate = q * (1 - p) / noise, (q * (1 - w) / noise * ~given if self.rate is None else 0 * q)
        dense = Z.toarray() if hasattr(Z, "toarray") else Z
        A = np.column_stack([dense * by_logit[:, None], by_logit, by_rate])
        variance = np.concatenate([np.full(d, self.scale**2), [INTERCEPT_SPREAD**2, 4.0 if self.rate is None else 0.0]])
        if len(A) > d + 2:
            free = variance > 0
            lower = np.linalg.cholesky(np.diag(1 / variance[free]) + A[:, free].T @ A[:, free])
            moved = np.zeros((d + 2, self.n_draws))
            moved[free] = np.linalg.solve(lower.T, rng.normal(size=(int(free.sum()), self.n_draws)))
            return np.asarray((mode[:, None] + moved).T)
        z = rng.normal(size=(d + 2, self.n_draws)) * np.sqrt(variance)[:, None]
        e = rng.normal(size=(len(A), self.n_draws))
        system = np.eye(len(A)) + (A * variance) @ A.T
        return np.asarray(mode[:, None] + z - variance[:, None] * (A.T @ np.linalg.solve(system, A @ z + e))).T

    def members(self, X: Any) -> Matrix:
        """P(y = 1 | x) in every draw, one row per draw."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        Z = self._scaler.transform(X)
        return np.asarray(expit((Z @ self._weights[:, :-1].T + self._weights[:, -1]).T))

    def predict_proba(self, X: Any) -> Matrix:
        """P(y | x), averaged over the posterior: of the label, not of the answer."""
        check_is_fitted(self)
        p = self.members(X).mean(axis=0)
        return np.column_stack([1 - p, p]) if len(self.classes_) == 2 else np.ones((len(p), 1))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likelier label."""
        check_is_fitted(self)
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags
