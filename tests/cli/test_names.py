"""The names and defaults that options show are those of the library."""

import inspect

import activepu as apu
from activepu import planning
from activepu.cli import learners, names
from activepu.hypotheses import BY_NAME
from activepu.models import by_name, strategies
from activepu.studies import study


def test_names_are_those_of_what_they_name():
    assert tuple(BY_NAME) == names.CLASSES
    assert tuple(learners.LEARNERS) == names.LEARNERS
    assert tuple(by_name.SHORT) == names.MODELS
    assert {name.replace("-", " ") for name in names.STRATEGIES} == set(strategies.BY_NAME)


def test_defaults_are_those_of_the_library():
    assert (names.RUNS, names.POOL) == (planning.RUNS, planning.POOL)
    assert names.OPEN_PER_EXPERT == study.OPEN_PER_EXPERT
    assert 60 * names.DEADLINE_MINUTES == study.DEADLINE
    assert inspect.signature(apu.Study.create).parameters["deadline"].default == study.DEADLINE
