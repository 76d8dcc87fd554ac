"""scikit-activeml, both ways.

`ChannelQuery` is one of our strategies as a `SingleAnnotatorPoolQueryStrategy`: labels are 1 (revealed), 0 (★) and
missing (not asked). `PeerStrategy` is one of theirs in a `ModelLearner`; its classifier reads ★ as it sees fit, as a
negative for the usual ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.models import fit, strategies
from activepu.models.estimators import check_classifier, take
from activepu.models.strategies import Strategy, View, spread

try:
    from skactiveml.base import SingleAnnotatorPoolQueryStrategy
    from skactiveml.utils import MISSING_LABEL, is_labeled
except ImportError as missing:
    raise ImportError(f"This adapter needs scikit-activeml (pip install scikit-activeml): {missing}") from missing


class ChannelQuery(SingleAnnotatorPoolQueryStrategy):  # type: ignore[misc]
    """Our strategies for their loops. While all labels are alike, it draws by lot."""

    def __init__(
        self,
        estimator: Any,
        strategy: str = "information",
        missing_label: Any = MISSING_LABEL,
        random_state: Any = None,
    ) -> None:
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.estimator = estimator
        self.strategy = strategy

    def query(self, X: Any, y: Any, candidates: Any = None, batch_size: int = 1, return_utilities: bool = False) -> Any:
        """The indices to ask, and with `return_utilities` the utilities: one row per choice, NaN where none is made."""
        check_classifier(self.estimator)
        X, y, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True
        )
        rows, places = self._transform_candidates(candidates, X, y)
        chosen = strategies.strategy(self.strategy)
        asked = is_labeled(y, self.missing_label)
        revealed = np.isin(y[asked], (1,))
        if not np.isin(y[asked].astype(float), (0, 1)).all():
            raise InvalidInput(f"Labels are 1 (revealed) and 0 (can't tell), got {sorted(set(y[asked]))}.")
        lots = self.random_state_.random_sample(len(rows))
        if revealed.all() or not revealed.any():
            view = View(lots, lots[None, :], 0.5, lots)
            utility = lots
        else:
            given = np.zeros(len(revealed), bool)
            seed = int(self.random_state_.randint(2**31 - 1))
            model = fit(self.estimator, take(X, np.flatnonzero(asked)), revealed, given, None, seed)
            view = View(*model.opinions(rows), model.rate, lots)
            utility = chosen.utility(view) + 1e-9 * lots
        order = spread(utility, view.members, view.members[:, :0])
        picks = [next(order) for _ in range(batch_size)]
        places = np.arange(len(rows)) if places is None else places
        utilities = np.full(
            (batch_size, len(rows) if candidates is not None and np.ndim(candidates) > 1 else len(X)), np.nan
        )
        for step in range(batch_size):
            utilities[step, places] = utility
            utilities[step, places[picks[:step]]] = np.nan
            utilities[step, places[picks[step]]] = np.nanmax(utilities[step])  # as they expect; spread chose it
        return (places[picks], utilities) if return_utilities else places[picks]


class PeerStrategy(Strategy):
    """One of their strategies for our runs: `PeerStrategy(UncertaintySampling(…), clf=SklearnClassifier(…))`."""

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
