"""`Result`, what a run found: the rule, its certificate, and how it was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.estimates import Guess
from activepu.files import whole
from activepu.findings import Cut, Findings, Statements
from activepu.pools import Pool, Source
from activepu.records import CHECK, Bounds, Report
from activepu.saved_result import STATUS
from activepu.version_spaces import Frontier

FORMAT = 2
WEAK = 0.5
"""A bound on the population's error from here on is not worth printing."""
BESIDE = (
    "Beside these bounds, what the model suggested of all rows when it was fixed (estimates, not proved, not audited):"
)
UNTIL_A_MODEL = "Continue: as long as all answers are the same there is no model, and nothing to estimate."


class Result:
    """The rule that a run found, and what is known about it. `str()` tells all of it in sentences.

    `learn` and `Run.result` make results; `load_result` reads one from a file. What a result states is true under the
    assumptions of its certificate, at every moment of a run. *Undecided* items are not *wrong* ones: the remaining
    hypotheses differ on them. The rule decides these too, and the certificate bounds how many items it gets wrong.

    Attributes
    ----------
    hypothesis : Hypothesis
        The rule; it prints with column names.
    certificate : Certificate
        The bound on its error, and what the bound rests on.
    rate, prior : Bounds or None
        Bounds on the reveal rate ω and on the share of positives π; None if the learner gives none.
    recall, precision, error : Bounds
        Of an audit: bounds on how good the classifier is, on the items that were audited.
    rates : mapping of expert to Bounds, or None
        Bounds on ω by expert, if each has their own rate.
    population : Certificate or None
        A second certificate, for the population, if `certificate` is for the pool and rows were reserved for it.
    version_space : VersionSpace or None
        The hypotheses that fit all answers; None for a model, which excludes none.
    model : Probabilities or None
        The model that the rule is, or that was audited; None if there is no model.
    estimates : Estimates or None
        Of a model: how good its ranking and its rule are, and what more questions would do. Nothing of it is proved.
    stop_reason : str
        Why the run ended, in one or two sentences.
    history : dict of list
        One entry per answered question, as columns (step, item, phase, answer, undecided, u, b); `pd.DataFrame` takes
        it. `u` and `b` are the bounds of `UnknownPrior` on the share of positives.

    See Also
    --------
    learn, Run.result : Make results.
    Certificate : What is stated about the error.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.arange(1000) / 1000
    >>> learner = apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05, rate=1.0)
    >>> result = apu.learn(learner, x, apu.SimulatedExpert(x >= 0.7, rate=1.0))
    >>> result.predict([[0.1], [0.9]])
    array([False,  True])
    >>> {kind: len(result.items(kind)) > 0 for kind in ("positive", "undecided", "negative")}
    {'positive': True, 'undecided': True, 'negative': True}
    >>> result.certificate.error_bound <= 0.1, result.n_revealed <= result.n_queries
    (True, True)
    """

    def __init__(self, report: Report, history: dict[str, list[Any]], source: Source | None) -> None:
        self.hypothesis = report.hypothesis
        self.version_space = report.version_space
        self.certificate = report.certificate
        self.rate = report.rate
        self.prior = report.prior
        self.rates = report.rates
        self.population = report.population
        self.model = report.model
        self.estimates = report.estimates
        self.stop_reason = str(report.stop_reason)
        self.history = history
        self._source = source
        self._digests: Sequence[str] | None = None
        self._derived = isinstance(source, Pool) and source.derives
        self._findings = report.findings
        self._status: NDArray[np.int8] | None = None

    @property
    def source(self) -> Source | None:
        """The pool; None for a result that was loaded."""
        return self._source

    @property
    def pool_digests(self) -> Sequence[str] | None:
        """Digests of the items that were asked about (`Pool.digests`): none of a `Sampler`; None if unknown."""
        made = self._source.digests if isinstance(self._source, Pool) else ()
        return self._digests if self._source is None else made

    @property
    def n_queries(self) -> int:
        """How many questions were answered, checks of the class included."""
        return len(self.history["step"])

    @property
    def n_checks(self) -> int:
        """How many of them were checks of the class: decided items, drawn by lot."""
        return self.history["phase"].count(CHECK)

    @property
    def n_revealed(self) -> int:
        """How many of the answers revealed a positive."""
        return sum(self.history["answer"])

    def end(self, reason: str) -> None:
        """Say why the run ended; a target that is not shown by now is missed."""
        self.stop_reason = str(reason)
        self.certificate = self.certificate.at_the_end()

    def assume(self, assumption: str) -> None:
        """Add an assumption to every certificate of this result."""
        self.certificate = self.certificate.given(assumption)
        self.population = None if self.population is None else self.population.given(assumption)
        self._findings = None if self._findings is None else self._findings.given(assumption)

    def predict(self, X: Any, abstain: bool = False) -> NDArray[Any]:
        """Classify rows.

        Parameters
        ----------
        X : table
            An array of features, or a table with the columns of the pool.
        abstain : bool
            Whether to say nothing where the remaining hypotheses differ.

        Returns
        -------
        array
            True for positive rows. With `abstain` 1 and 0 where all remaining hypotheses agree, and −1 where they do
            not; at the confidence of the certificate all the ones and zeros are right.
        """
        X = self._seen(X)
        if not abstain:
            return self.hypothesis.predict(X)
        if self.version_space is None:
            raise InvalidInput(
                "A model or an audit is certain of no single item, so it has no items(…) and cannot abstain; use "
                "predict(table) and Audit(result) of a model, and statements() of an audit."
            )
        H = self.hypothesis.hypotheses
        points = H.encode(H.columns_of(X))
        frontier = Frontier(points)
        frontier.update(self.version_space)
        # The rule is in V, but may not be in a sample of V: where it differs from the whole sample, V disagrees.
        return np.where(frontier.status == self.hypothesis.contains(points), frontier.status, np.int8(-1))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the model's estimates of P(y = 0 | x) and P(y = 1 | x), one row per item."""
        if self.model is None:
            raise InvalidInput(f"Only models have probabilities, and the rule is {self.hypothesis}; use predict(X).")
        return np.asarray(self.model.predict_proba(self._seen(X)))

    def _seen(self, X: Any) -> Any:
        """Return what the learner would see: a table with columns is transformed like the pool, an array is not."""
        if not (self._derived and hasattr(X, "columns")):
            return X
        if not isinstance(self._source, Pool):
            raise InvalidInput(
                "The features were made from the columns by a transformer or a callable, which a loaded result does "
                "not have; pass the transformed features as an array."
            )
        return self._source.seen(X)

    def items(self, kind: Literal["positive", "undecided", "negative"]) -> NDArray[np.int64]:
        """Return the row numbers of the pool that are certainly positive, certainly negative, or undecided.

        "Certainly" is at the confidence of the certificate, and under its assumptions.
        """
        if kind not in STATUS:
            raise InvalidInput(f"items() takes 'positive', 'undecided' or 'negative', got {kind!r}.")
        if self._status is None:
            if not isinstance(self._source, Pool):
                raise InvalidInput(
                    "This result comes from a Sampler, which has no items; use predict(X, abstain=True)."
                )
            self._status = self.predict(self._source.features(), abstain=True)
        return np.flatnonzero(self._status == STATUS[kind])

    @property
    def recall(self) -> Bounds:
        """Of an audit: bounds on the share of the positives that the classifier finds; of a model, an estimate."""
        return self._estimated("recall") or self._bounds("recall")

    @property
    def precision(self) -> Bounds:
        """Of an audit: bounds on the share of positives among what it calls positive; of a model, an estimate."""
        return self._estimated("precision") or self._bounds("precision")

    def precision_at(self, k: int) -> Bounds:
        """Of a model: an estimate of the share of positives among the first `k` rows of the pool by its ranking.

        Parameters
        ----------
        k : int
            How many rows, from the likeliest positive on; at most the rows of the pool.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> import activepu as apu
        >>> X = np.random.default_rng(0).normal(size=(500, 2))
        >>> expert = apu.SimulatedExpert(X[:, 0] > 1)
        >>> result = apu.learn(apu.ModelLearner(GaussianNB()), X, expert, budget=80, batch=20)
        >>> result.precision_at(20).low > result.precision_at(500).low
        True
        """
        if self.estimates is None:
            raise InvalidInput(
                "Only models that were learned have precision_at(k); an audit has precision and curve()."
            )
        k = checks.count("k", k, minimum=1)
        if k > self.estimates.rows:
            raise InvalidInput(f"k must be at most {self.estimates.rows:,}, the rows of the pool, got {k:,}.")
        return _unproved(self.estimates.precision_at(k))

    def _estimated(self, what: str) -> Bounds | None:
        """Return an estimate of a model that was not audited; None if there is none."""
        if self._findings is not None or self.estimates is None:
            return None
        guess: Guess | None = getattr(self.estimates, what)
        return Bounds(0.0, 1.0, 0.0) if guess is None else _unproved(guess)

    @property
    def error(self) -> Bounds:
        """Of an audit: bounds on the share of items on which the classifier is wrong."""
        return self._bounds("error")

    @property
    def found(self) -> NDArray[np.int64]:
        """Of `Audit("found")`: the rows in hand, given beforehand or confirmed."""
        return np.array(self.findings.of_found("found"), np.int64)

    @property
    def missing(self) -> tuple[int, int]:
        """Of `Audit("found")`: at least and at most so many rows that this expert would confirm are not in hand."""
        return tuple(self.findings.of_found("missing"))  # type: ignore[return-value]

    @property
    def findings(self) -> Findings:
        """Of an audit: all that it states, and what is needed to check it."""
        if self._findings is None:
            raise InvalidInput(
                "Only an audit has recall, precision, error, statements(), curve() and at_recall(…); audit the rule: "
                "learn(Audit(result, recall=0.9), pool, expert)."
            )
        return self._findings

    def _bounds(self, what: str) -> Bounds:
        statement = self.findings.stated(what)
        return Bounds(statement.low, statement.high, statement.confidence, statement.estimate)

    def statements(self) -> Statements:
        """Of an audit: everything that is certified, each statement with its rung and its assumptions.

        `print` shows lines, and `pd.DataFrame(result.statements().columns())` is a table.
        """
        return self.findings.statements

    def curve(self) -> dict[str, list[float]]:
        """Of an audit: certified bounds on recall and precision of every cut at a border of the bands.

        The bounds on recall hold for all cuts together, and so do those on precision: you may choose a cut after
        looking. The columns are ready for a DataFrame.
        """
        return self.findings.curve()

    def at_recall(self, recall: float) -> Cut:
        """Of an audit: the tightest cut of the score whose recall is certified to be at least this.

        Parameters
        ----------
        recall : float
            The recall that is wanted.

        Returns
        -------
        Cut
            Call positive what has at least the score `cut.score`.

        Raises
        ------
        InvalidInput
            If no cut but "everything" has it; the message says which recall is in reach.
        """
        return self.findings.at_recall(checks.inner_share("recall", recall))

    def save(self, path: str | Path) -> None:
        """Write everything as one JSON file, whole or not at all; `load_result` reads it."""
        decides = self.version_space is not None
        has_items = decides and (self._status is not None or isinstance(self._source, Pool))
        data = {
            "format": FORMAT,
            "hypotheses": self.hypothesis.hypotheses.to_dict(),
            "hypothesis": self.hypothesis.to_dict() | {"rule": str(self.hypothesis)},
            "version_space": None if self.version_space is None else self.version_space.compact().to_dict(),
            "certificate": self.certificate.to_dict(),
            "rate": None if self.rate is None else self.rate.to_dict(),
            "prior": None if self.prior is None else self.prior.to_dict(),
            "rates": None if self.rates is None else [[name, b.to_dict()] for name, b in self.rates.items()],
            "population": None if self.population is None else self.population.to_dict(),
            "estimates": None if self.estimates is None else self.estimates.to_dict(),
            "findings": None if self._findings is None else self._findings.to_dict(),
            "stop_reason": self.stop_reason,
            "derived": self._derived,
            "pool": self.pool_digests,
            "history": self.history,
            "items": {kind: self.items(kind).tolist() for kind in STATUS} if has_items else None,  # type: ignore[arg-type]
        }
        text = json.dumps(data, allow_nan=False)
        with whole(checks.path("path", path)) as partial:
            partial.write_text(text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Result: {self.hypothesis}; {self.n_queries} questions, {self.n_revealed} revealed>"

    def __str__(self) -> str:
        asked = _number(self.n_queries - self.n_checks, "question")
        asked += f" and {_number(self.n_checks, 'check')}" if self.n_checks else ""
        if self._findings is not None:
            told = f"{asked}, {self.n_revealed:,} revealed. {self.stop_reason}"
            lines = [str(self.certificate), told, self._findings.split, str(self.statements())]
            lines += [] if self.estimates is None else [BESIDE, *self.estimates.lines()[1:-1]]
            return "\n".join(filter(None, lines))
        lines = [
            _sentence(str(self.hypothesis)),
            *filter(None, [self.hypothesis.remark]),
            str(self.certificate),
            *_of_population(self.population),
            f"{asked}, {self.n_revealed:,} revealed. {self.stop_reason}",
        ]
        if self.estimates is not None:
            return "\n".join([*lines, *self.estimates.lines()])
        if self.model is not None:
            return "\n".join([*lines, UNTIL_A_MODEL])
        doubt = " (doubtful)" if self.certificate.doubt else ""
        if self.rate is not None:
            given = self.rate.low == self.rate.high  # no answers narrow a rate down to one number
            lines.append(f"Reveal rate: {f'{self.rate.low:g} (given)' if given else f'{self.rate}{doubt}'}.")
        for name, bounds in (self.rates or {}).items():
            lines.append(f"Reveal rate{'' if name is None else f' of {name}'}: {bounds}{doubt}.")
        lines += [f"Share of positives: {self.prior}{doubt}."] if self.prior else []
        return "\n".join(lines)


def _unproved(guess: Guess) -> Bounds:
    return Bounds(guess.low, guess.high, 0.0, guess.likely)


def _of_population(certificate: Certificate | None) -> list[str]:
    if certificate is None or certificate.error_bound >= WEAK:
        return []
    return [f"Of all future items like these, at most {100 * certificate.error_bound:.3g}% (same confidence)."]


def _number(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _sentence(rule: str) -> str:
    plain = {"nothing": "Nothing is called positive.", "everything": "Everything is called positive."}
    return plain.get(rule, f"Positive if {rule}.")
