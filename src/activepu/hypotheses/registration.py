"""The registration of a hypothesis class: which version space, confidence set, posterior and radius belong to it.

Learners, Z-CAL, studies and files ask `registration(H)` for these parts. A class of your own inherits all of them from
the abstract class that it extends, and registers only what is special about it:

    register(Prefixes, Registration(posterior=PrefixPosterior))

The built-in classes are registered in `activepu.registry`, which is imported when a registration is first looked up or
made: it lies above this module, and an import of it here would go in a circle.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass


@dataclass(frozen=True)
class Registration:
    """The parts that the library needs for a hypothesis class.

    A field that is None is inherited from the class that yours extends. The parts of `HypothesisClass` itself are
    correct for every class that can list or sample its members (`HypothesisClass.members`, `HypothesisClass.sample`).
    `ClosedClass` has an exact version space for every class with a closure.

    The parts are called with these arguments, always by position:

    - ``H`` : HypothesisClass, the class, bound to the columns of the pool
    - ``V`` : VersionSpace, the members of H that contain the positives known beforehand (for the radius: those that
      are still possible)
    - ``points`` : array, one row per item, as ``H.encode`` returns it
    - ``rates`` : `activepu.zcal.rates.Rates`, the reveal rates that are possible: ``low``, ``high``, ``known`` (low is
      high) and ``per_expert`` (each expert has a rate of their own)
    - ``sample`` : array, at most 4,096 points of the pool, spread over it, to rank values and to draw members from
    - ``false_reveal`` : float, an upper bound on the rate at which other items than positives are revealed

    Parameters
    ----------
    version_space : callable, optional
        ``version_space(H)`` returns all of H as an `activepu.VersionSpace`: which rules remain. Pass the class of your
        version spaces, because ``version_space.from_dict(H, data)`` reads one back from JSON.
    confidence_set : callable, optional
        ``confidence_set(V, points, rates, delta, sample, false_reveal)`` returns what Z-CAL certifies, an
        `activepu.zcal.confidence.ConfidenceSet` on `points` before the first answer. It must keep the truth at all
        moments with probability 1 − `delta` (float).
    posterior : callable, optional
        ``posterior(H, rates, sample, positives, seed, false_reveal)`` returns what Z-CAL predicts, an
        `activepu.zcal.posteriors.Posterior` before the first answer. `positives` (array) are the points known to be
        positive beforehand, and `seed` (int) is the only source of randomness. It only predicts: a bad one costs
        questions, never the guarantee.
    radius : callable, optional
        ``radius(V, points, enough, near, rows)`` returns an `activepu.zcal.radius.Ball`: a member of V, and on
        how many of the points another member differs from it at most. `rows` (array of int, or None for all)
        are the numbers of the points that are undecided. With `enough` (int or None) it suffices to find out whether
        the radius is at most that; `near` (Ball or None) is the ball of an earlier V, to begin with.
    flip_costs : callable, optional
        ``flip_costs(h, T)`` returns the `activepu.theory.FlipCosts` of items with respect to the member h (Hypothesis)
        and the sample T (array of points), from which balls and measured disagreement coefficients follow. By default
        the members that the class lists are compared; a class that lists none is refused.
    coefficient : callable, optional
        ``coefficient(H, prior)`` returns the disagreement coefficient in closed form, an `activepu.theory.ClosedForm`,
        at a truth of mass `prior` (float or None); None if no closed form is known. By default it is known for finite
        classes only.
    from_dict : callable, optional
        ``from_dict(cls, data)`` returns the bound object of `cls` (type) that `HypothesisClass.to_dict` described as
        `data` (dict). By default the class must be passed again when a file or a study is loaded, so that no name in a
        file is ever imported.
    false_reveals : bool, optional
        Whether the confidence set and the posterior take a `false_reveal` above 0. Otherwise it is refused.

    See Also
    --------
    register : register the parts of a class.
    registration : the parts of a class.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.registration(apu.Boxes()).false_reveals
    False
    """

    version_space: Callable[..., Any] | None = None
    confidence_set: Callable[..., Any] | None = None
    posterior: Callable[..., Any] | None = None
    radius: Callable[..., Any] | None = None
    flip_costs: Callable[..., Any] | None = None
    coefficient: Callable[..., Any] | None = None
    from_dict: Callable[..., Any] | None = None
    false_reveals: bool | None = None


@dataclass(frozen=True)
class Parts:
    """A registration with nothing left out."""

    version_space: Callable[..., Any]
    confidence_set: Callable[..., Any]
    posterior: Callable[..., Any]
    radius: Callable[..., Any]
    flip_costs: Callable[..., Any]
    coefficient: Callable[..., Any]
    from_dict: Callable[..., Any]
    false_reveals: bool


BUILT_IN = "activepu.registry"
_registered: dict[type[HypothesisClass], Registration] = {}


def register(cls: type[Any], parts: Registration) -> None:
    """Register what is special about a hypothesis class.

    Parameters
    ----------
    cls : type
        A subclass of `HypothesisClass`. Its subclasses inherit the parts.
    parts : Registration
        The parts; a later registration of the same class adds to an earlier one.

    Raises
    ------
    InvalidInput
        If `cls` is not a hypothesis class or a part is not callable.

    Examples
    --------
    >>> import activepu as apu
    >>> class Tens(apu.Intervals):
    ...     name = "tens"
    >>> def tens_from_dict(cls, data):
    ...     return cls().bind(data["dim"], data["names"])
    >>> apu.register(Tens, apu.Registration(from_dict=tens_from_dict))
    >>> apu.registration(Tens).from_dict is tens_from_dict
    True
    >>> apu.registration(Tens).posterior is apu.registration(apu.Intervals).posterior
    True
    """
    if not (isinstance(cls, type) and issubclass(cls, HypothesisClass)):
        raise InvalidInput(f"register needs a subclass of HypothesisClass, got {cls!r}; pass the class, not an object.")
    importlib.import_module(BUILT_IN)  # first: what is registered later adds to it
    given = {field.name: value for field in fields(parts) if (value := getattr(parts, field.name)) is not None}
    for name, value in given.items():
        if name != "false_reveals" and not callable(value):
            raise InvalidInput(f"{name} of {cls.__name__} must be callable, got {value!r}.")
    _registered[cls] = replace(_registered.get(cls, Registration()), **given)
    _merged.cache_clear()


def registration(hypotheses: HypothesisClass | type[Any]) -> Parts:
    """Return all parts of a class: its own, and those that it inherits.

    Parameters
    ----------
    hypotheses : HypothesisClass or type
        A hypothesis class, or an object of one.

    Returns
    -------
    Parts
        With the same fields as `Registration`, none of them None.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.registration(apu.Thresholds).version_space.__name__
    'BoxVersionSpace'
    >>> apu.registration(apu.Halfspaces()).false_reveals
    True
    """
    importlib.import_module(BUILT_IN)
    return _merged((hypotheses if isinstance(hypotheses, type) else type(hypotheses)).__mro__)


@lru_cache(maxsize=256)
def _merged(bases: tuple[type[Any], ...]) -> Parts:
    found: dict[str, Any] = {}
    for base in bases:
        if base in _registered:
            parts = _registered[base]
            for field in fields(Registration):
                value = getattr(parts, field.name)
                if value is not None:
                    found.setdefault(field.name, value)
    return Parts(**found)
