"""Which treatment a column gets: by its type and its values in the pool, never by an answer."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.features.treatments import (
    MISSING,
    Category,
    Date,
    LeftOut,
    Number,
    Text,
    Treatment,
    Way,
    counter,
    floats,
    moments,
    parts_of,
    squashed,
    strings,
    texts,
)

FEW = 20
"""Up to this many values, a category has a column for each."""
MANY = 250
"""No more values of a category than this are told apart; histogram boosting of scikit-learn takes 255."""
COLUMNS = 50
"""A category of many values has a column for each of so many, where numbers of values would mean nothing."""
TERMS: dict[Way, int] = {"trees": 1_000, "native": 300, "linear": 1_000}
"""How many terms of a text are counted, the most frequent ones; histogram boosting pays for each of them."""
USUAL = (0.001, 0.5)
"""A term is in at least and at most this share of the texts."""
READ = 20_000
"""Texts that are read to choose the terms."""
LOOKED_AT = 2_000
"""Texts that are looked at to tell what a column is."""
WORDY = 1.5
"""Texts have more words than this on average."""
SHORT = 20
"""In texts with no more words than this on average, pairs of words are counted too."""
TOGETHER, ALWAYS = 0.8, 0.9
"""A pair is a term if it is in the first share of the texts with one of its words; from the second, in place of it."""
DISTINCT = 0.99
"""If more of the values than this are different, they are keys or texts, and no categories."""
ENOUGH = 20
"""Whole numbers of fewer rows than this are not taken for keys."""
LONG_TAIL = 5.0
"""Numbers without a sign are put on a scale of logarithms if the largest is this many standard deviations too far."""
KEY = re.compile(r"(^|[\W_])(id|ids|key|uuid|guid|index|nr|no|number)$", re.IGNORECASE)
"""How columns of keys are called."""
WORD = re.compile(r"\b[^\W\d_]{2,}\b")


def treatment(name: str, column: pa.Array, way: Way) -> Treatment:
    """Return what is to be made of a column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from activepu.features.kinds import treatment
    >>> treatment("country", pa.array(["FR", "DE", "FR", "DE"]), "trees").names
    ('country = DE', 'country = FR')
    >>> treatment("currency", pa.array(["EUR", "EUR"]), "trees").said
    'left out: always EUR'
    """
    kind = column.type
    if column.null_count == len(column):
        return LeftOut(name, "left out: empty")
    if pa.types.is_dictionary(kind):
        return _category(name, texts(column), way)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _of_texts(name, texts(column), way)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _date(name, column, way)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return LeftOut(name, f"left out: holds {kind}")
    return _number(name, column, way)


def _number(name: str, column: pa.Array, way: Way) -> Treatment:
    values = floats(column, name)
    there = values[~np.isnan(values)]
    whole = len(there) == len(values) and bool((there == np.round(there)).all())
    if not len(there):
        return LeftOut(name, "left out: no number in it is finite")
    if len(there) == len(values) and there.min() == there.max():
        return LeftOut(name, f"left out: always {there[0]:g}")
    if whole and len(values) >= ENOUGH and len(np.unique(there)) == len(there):
        consecutive = there.max() - there.min() == len(there) - 1
        if consecutive or KEY.search(name):
            return LeftOut(name, "left out: a key, different in every row")
    gaps = len(values) - len(there)
    if way != "linear":
        return Number(name, f"a number{_gaps(gaps, len(values), 'kept')}", (name,))
    long = there.min() >= 0 and there.max() - there.mean() > LONG_TAIL * there.std()
    scaled = squashed(there) if long else there
    said = f"a number{', its logarithm' if long else ''}{_gaps(gaps, len(values), 'filled with the median')}"
    names = (name, f"{name} {MISSING}") if gaps else (name,)
    return Number(name, said, names, *_center_and_scale(scaled), float(np.median(there)), bool(long))


def _of_texts(name: str, column: pa.Array, way: Way) -> Treatment:
    """Return the treatment of a column of texts, which may hold numbers or dates."""
    there = column.drop_null()
    distinct = pa.compute.count_distinct(there).as_py() if len(there) else 0
    if not distinct:
        return LeftOut(name, "left out: empty")
    if distinct == 1 and len(there) == len(column):
        return LeftOut(name, f"left out: always {there[0].as_py():.40}")
    try:
        there.cast(pa.float64())
    except pa.ArrowInvalid:
        pass
    else:
        long_digits = distinct == len(there) and pa.compute.min(pa.compute.utf8_length(there)).as_py() > 15
        return LeftOut(name, "left out: a key, different in every row") if long_digits else _number(name, column, way)
    try:
        moments(there, name)
    except InvalidInput:
        pass
    else:
        return _date(name, column, way)
    if distinct <= min(FEW, max(2, len(there) // 2)):
        return _category(name, column, way)
    looked = there.take(_spread(len(there), LOOKED_AT)).to_pylist()
    words, recurring = _words(looked)
    different = distinct > DISTINCT * len(there)
    if different and (recurring < 0.1 or _looks_like_a_key(looked)):
        return LeftOut(name, f"left out: a key, different in {'every row' if distinct == len(there) else 'most rows'}")
    if words > WORDY or different:
        return _text(name, column, way, pairs=words <= SHORT)
    return _category(name, column, way)


def _spread(n: int, most: int) -> NDArray[np.int64]:
    """Return at most so many rows of n, at equal distances."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def _words(looked: list[str]) -> tuple[float, float]:
    """Return how many words a text has on average, and the share of texts with a word that some others have too."""
    found = [set(WORD.findall(text.lower())) for text in looked]
    rows = Counter(word for words in found for word in words)
    recurring = {word for word, count in rows.items() if 2 <= count <= 0.9 * len(looked)}
    return float(np.mean([len(text.split()) for text in looked])), float(np.mean([bool(w & recurring) for w in found]))


def _looks_like_a_key(looked: list[str]) -> bool:
    """Whether these are single signs of which nearly a third or more are digits."""
    joined = "".join(looked)
    return not re.search(r"\s", joined) and sum(letter.isdigit() for letter in joined) > 0.3 * len(joined)


def _category(name: str, column: pa.Array, way: Way) -> Treatment:
    counts = [(-one["counts"], one["values"]) for one in column.drop_null().value_counts().to_pylist()]
    by_frequency = [value for _, value in sorted(counts)]
    n, in_columns = len(by_frequency), way == "linear" or (way == "trees" and len(by_frequency) <= FEW)
    if n == 1 and not column.null_count:
        return LeftOut(name, f"left out: always {by_frequency[0]:.40}")
    kept = by_frequency[: (FEW if n <= FEW else COLUMNS) if in_columns else MANY]
    others = tuple(by_frequency[len(kept) :])
    said = f"{n:,} categories"
    if in_columns:
        names = tuple(f"{name} = {value}" for value in kept)
        said += f", a column for each of the {len(kept)} most frequent" if others else ", a column for each"
        if column.null_count:
            names, said = (*names, f"{name} {MISSING}"), f"{said} and for gaps"
    else:
        names = (name,)
        said += ", which the classifier knows as such" if way == "native" else ", numbered by frequency"
        said += f"; all but {len(kept)} are one" if others else ""
    return Category(name, said, names, tuple(kept), others, in_columns)


def _date(name: str, column: pa.Array, way: Way) -> Treatment:
    made = parts_of(moments(column, name))
    there = {part: values[~np.isnan(values)] for part, values in made.items()}
    parts = tuple(part for part, values in there.items() if values.min() < values.max())
    if not parts:
        return LeftOut(name, "left out: always the same date")
    filled = way == "linear"
    pairs = [_center_and_scale(there[part]) if filled else (0.0, 1.0) for part in parts]
    gaps = _gaps(column.null_count, len(column), "filled with the mean" if filled else "kept")
    said = f"a date: {', '.join(parts)}{gaps}"
    centers, scales = (tuple(numbers) for numbers in zip(*pairs, strict=True))
    return Date(name, said, tuple(f"{name}: {part}" for part in parts), parts, centers, scales, filled)


def _text(name: str, column: pa.Array, way: Way, pairs: bool) -> Treatment:
    read = strings(column.take(_spread(len(column), READ)))
    counting = counter(pairs, binary=True)
    try:
        counted = counting.fit_transform(read)
    except ValueError:  # of signs alone
        return LeftOut(name, "left out: texts without words")
    least, top = (share * len(read) for share in USUAL)
    rows = dict(zip(counting.get_feature_names_out(), np.asarray(counted.sum(axis=0)).ravel().tolist(), strict=True))
    usual = _told_apart({term: n for term, n in rows.items() if max(2, least) <= n <= max(2, top)})
    terms = tuple(sorted(sorted(usual, key=lambda term: (-usual[term], term))[: TERMS[way]]))
    if not terms:
        return LeftOut(name, "left out: texts without a word that others have")
    rarity = np.log((1 + len(read)) / (1 + np.array([usual[term] for term in terms]))) + 1
    said = f"text: the weight of {len(terms)} words{' and pairs of words' if pairs else ''} (TF-IDF)"
    names = tuple(f'{name}: "{term}"' for term in terms)
    return Text(name, said, names, terms, np.asarray(rarity, np.float64), pairs, way == "linear")


def _told_apart(rows: dict[str, float]) -> dict[str, float]:
    """Return the terms that tell something of their own, with the number of texts that each is in.

    A pair does if one of its words is seldom seen without it, as in "wire transfer". Then a word that hardly occurs
    without the pair does not.
    """
    words = {term: n for term, n in rows.items() if " " not in term}
    pairs = {
        term: n
        for term, n in rows.items()
        if " " in term and n >= TOGETHER * min(words.get(word, np.inf) for word in term.split(" "))
    }
    within = {word for pair, n in pairs.items() for word in pair.split(" ") if n >= ALWAYS * words.get(word, np.inf)}
    return {term: n for term, n in words.items() if term not in within} | pairs


def _center_and_scale(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values.mean()), float(values.std()) or 1.0


def _gaps(gaps: int, n: int, what: str) -> str:
    return f"; gaps in {100 * gaps / n:.2g}% of the rows, {what}" if gaps else ""
