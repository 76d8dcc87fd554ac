"""scikit-activeml, both ways.

`ChannelQuery` is one of our strategies as a `SingleAnnotatorPoolQueryStrategy`: labels are 1 (revealed), 0 (★) and
missing (not asked). `PeerStrategy` is one of theirs in a `ModelLearner`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.models import fit, strategies
from activepu.models.estimators import check_classifier
from activepu.models.strategies import Strategy, View, spread
from activepu.pools.frames import taken

try:
    from skactiveml.base import SingleAnnotatorPoolQueryStrategy
    from skactiveml.utils import MISSING_LABEL, is_labeled
except ImportError as missing:
    raise ImportError(f"This adapter needs scikit-activeml (pip install scikit-activeml): {missing}") from missing


class ChannelQuery(SingleAnnotatorPoolQueryStrategy):  # type: ignore[misc]
    """One of our strategies for the loops of scikit-activeml.

    The estimator is fitted through the channel: a label 0 means "asked and silent" and not "negative". While all labels
    are the same, items are drawn at random.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `predict_proba` or `decision_function`.
    strategy : str or Strategy
        As in `ModelLearner`. The view of a strategy of your own has no `rows`, `asked` and `answers` here.
    missing_label : object
        What marks a row that was not asked; NaN by default.
    random_state : int or RandomState, optional

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from activepu.adapters.skactiveml import ChannelQuery
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> y = np.full(100, np.nan)                            # not asked
    >>> y[:30] = (X[:30, 0] > 0) & (np.arange(30) % 2 == 0)     # revealed, or silent
    >>> picks = ChannelQuery(GaussianNB(), random_state=0).query(X, y, batch_size=3)
    >>> len(set(picks)), bool((picks >= 30).all())
    (3, True)
    """

    def __init__(
        self,
        estimator: Any,
        strategy: str | Strategy = "auto",
        missing_label: Any = MISSING_LABEL,
        random_state: Any = None,
    ) -> None:
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.estimator = estimator
        self.strategy = strategy

    def query(self, X: Any, y: Any, candidates: Any = None, batch_size: int = 1, return_utilities: bool = False) -> Any:
        """Choose the rows to ask next.

        Parameters
        ----------
        X : array
            All rows.
        y : array
            Per row 1 (revealed), 0 (asked and silent) or the missing label (not asked).
        candidates : array, optional
            Indices into X, or rows of their own; by default the rows that were not asked.
        batch_size : int
        return_utilities : bool

        Returns
        -------
        array of indices; with `return_utilities` also the utilities, one row per choice, NaN for what is no candidate
        """
        check_classifier(self.estimator)
        X, y, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True
        )
        rows, places = self._transform_candidates(candidates, X, y)
        utility, members = self._valued(X, y, rows)
        order = spread(utility, members, members[:, :0])
        picks = [next(order) for _ in range(batch_size)]
        places = np.arange(len(rows)) if places is None else places
        own_rows = candidates is not None and np.ndim(candidates) > 1
        utilities = np.full((batch_size, len(rows) if own_rows else len(X)), np.nan)
        for step in range(batch_size):
            utilities[step, places] = utility
            utilities[step, places[picks[:step]]] = np.nan
            utilities[step, places[picks[step]]] = np.nanmax(utilities[step])  # as they expect; spread chose it
        return (places[picks], utilities) if return_utilities else places[picks]

    def _valued(self, X: Any, y: Any, rows: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The utility of the candidates, and the members' opinions of them."""
        chosen = strategies.strategy(self.strategy)
        asked = is_labeled(y, self.missing_label)
        revealed = np.isin(y[asked], (1,))
        if not np.isin(y[asked].astype(float), (0, 1)).all():
            raise InvalidInput(f"Labels are 1 (revealed) and 0 (can't tell), got {sorted(set(y[asked]))}.")
        ties = self.random_state_.random_sample(len(rows))
        if revealed.all() or not revealed.any():
            return ties, ties[None, :]
        seed = int(self.random_state_.randint(2**31 - 1))
        model = fit(self.estimator, taken(X, np.flatnonzero(asked)), revealed, seed=seed)
        view = View(*model.opinions(rows), model.rate, ties)
        return chosen.utility(view) + 1e-9 * ties, view.members


class PeerStrategy(Strategy):
    """One of the strategies of scikit-activeml for our runs.

    It sees 1 for a reveal and 0 for ★, which its own classifier reads as it sees fit: mostly as a negative.
    The model of the `ModelLearner` is fitted through the channel all the same.

    Parameters
    ----------
    query_strategy : SingleAnnotatorPoolQueryStrategy
        For example `UncertaintySampling()`.
    **arguments
        What its `query` needs beside X and y, such as `clf`.

    Examples
    --------
    >>> import numpy as np
    >>> from skactiveml.pool import RandomSampling
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import activepu as apu
    >>> from activepu.adapters.skactiveml import PeerStrategy
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> learner = apu.ModelLearner(GaussianNB(), PeerStrategy(RandomSampling(random_state=0)))
    >>> apu.learn(learner, X, apu.SimulatedExpert(X[:, 0] > 0, rate=0.5), budget=20, batch=10).n_queries
    20
    """

    name = "scikit-activeml"

    def __init__(self, query_strategy: Any, **arguments: Any) -> None:
        if not isinstance(query_strategy, SingleAnnotatorPoolQueryStrategy):
            raise InvalidInput(f"PeerStrategy takes a query strategy of scikit-activeml, got {query_strategy!r}.")
        self.query_strategy = query_strategy
        self.arguments = arguments

    def utility(self, view: View) -> NDArray[np.float64]:
        """What their strategy says of each candidate, moved so that the least is zero."""
        X = np.concatenate([np.asarray(view.asked), np.asarray(view.rows)])
        y = np.concatenate([view.answers.astype(float), np.full(len(view.rows), np.nan)])
        places = np.arange(len(view.asked), len(X))
        _, utilities = self.query_strategy.query(X, y, candidates=places, return_utilities=True, **self.arguments)
        told = utilities[0][places]
        least = np.nanmin(told) if np.isfinite(told).any() else 0.0
        return np.where(np.isnan(told), 0.0, told - least)
