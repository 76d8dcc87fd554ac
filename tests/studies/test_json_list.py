"""A list in a JSON file is read in parts, and is refused where it is no JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.studies.json_list import NoList, elements

value = st.recursive(st.none() | st.integers() | st.text(max_size=4), lambda inner: st.lists(inner, max_size=3))


class Parts:
    """A file that gives few letters at a time."""

    def __init__(self, text, n):
        self.text, self.n = text, n

    def read(self, n=None):
        n = len(self.text) if n is None else self.n
        found, self.text = self.text[:n], self.text[n:]
        return found


@given(st.lists(value, max_size=5), st.integers(1, 7), st.sampled_from([None, 1]), st.data())
def test_a_list_is_read_in_parts(values, n, indent, data):
    text = json.dumps(values, indent=indent)
    assert list(elements(Parts(f" {text}\n", n))) == values
    cut = data.draw(st.integers(0, len(text) - 1))
    broken = data.draw(st.sampled_from([text[:cut], f"{text},", f"{text[:-1]},]" if values else "[,]"]))
    with pytest.raises(json.JSONDecodeError):
        list(elements(Parts(broken, n)))


def test_another_value_is_no_list():
    for text in ('{"a": []}', "7", '"[]"'):
        with pytest.raises(NoList):
            list(elements(Parts(text, 1)))
