"""What a strategy sees, and what it gives back: one number per candidate, zero or more; the largest is asked first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """The model's opinion of the candidates: what a strategy sees.

    Attributes
    ----------
    probability : array of shape (candidates,)
        P(y = 1 | x): of the label, not of the answer.
    members : array of shape (members, candidates)
        The same by each member of the committee.
    rate : float
        The reveal rate ω: given, or the present estimate.
    ties : array of shape (candidates,)
        Random numbers in [0, 1), other ones after each answer. They break ties.
    rows : table, optional
        The candidates themselves, as the model sees them.
    asked : table, optional
        The rows that have an answer, and the positives known beforehand.
    answers : array of bool
        Per row of `asked`, True if it was revealed or known to be positive, False for ★.
    given : int
        How many rows of `asked`, the first ones, are positives known beforehand.
    likeness : array of shape (candidates,)
        How like the known positives and unlike all other rows, asked or not (`models.likeness`). Empty unless the
        strategy sets `needs_likeness`.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 0.9])
    >>> view = apu.strategies.View(p, members=p[None, :], rate=0.5, ties=np.zeros(3))
    >>> apu.strategies.Margin().utility(view).round(3).tolist()
    [0.2, 1.0, 0.2]
    """

    probability: Vector
    members: NDArray[np.float64]
    rate: float
    ties: Vector
    rows: Any = None
    asked: Any = None
    answers: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    given: int = 0
    likeness: Vector = field(default_factory=lambda: np.zeros(0))


class Strategy(ABC):
    """How much each candidate is worth asking.

    A strategy of your own is a subclass with a `name` and the method `utility`. It holds settings only, no state: the
    same view must always give the same numbers, so that a run can be replayed. Its attributes are its settings: a study
    that is loaded with other settings is refused. Everything else is done for you: the candidates are those that can
    still be asked, batches hold no two items alike (`spread`), and before the first reveal other rules choose.

    Attributes
    ----------
    name : str
        How the strategy is called. Set it in the class.
    needs_model : bool
        Whether `utility` reads the model's opinion. If False, no model is fitted to choose a question, `utility` is
        called from the first question on, and of the view only `ties` means something.
    needs_likeness : bool
        Whether `utility` reads `likeness`, for which one more committee is fitted.

    Examples
    --------
    Ask first where a reveal is most likely to surprise: among the rows that the model calls negative, the one with the
    largest chance to be revealed.

    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import activepu as apu
    >>> class Surprise(apu.strategies.Strategy):
    ...     name = "surprise"
    ...
    ...     def utility(self, view):
    ...         return np.where(view.probability < 0.5, view.rate * view.probability, 0.0)
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0, rate=0.5)
    >>> result = apu.learn(apu.ModelLearner(GaussianNB(), Surprise()), X, expert, budget=40, batch=20)
    >>> result.n_queries
    40
    """

    name: ClassVar[str]
    needs_model: ClassVar[bool] = True
    needs_likeness: ClassVar[bool] = False

    @abstractmethod
    def utility(self, view: View) -> Vector:
        """Value the candidates.

        Parameters
        ----------
        view : View
            The model's opinion of the candidates.

        Returns
        -------
        array of shape (candidates,)
            Finite numbers, zero or more; the largest is asked first. A batch multiplies them by how little an item has
            in common with those taken before it, so their scale does not matter, but their zero does.
        """

    def __repr__(self) -> str:
        settings = ", ".join(f"{key.lstrip('_')}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"
