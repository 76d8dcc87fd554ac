"""The same questions on every machine: the last digits, which depend on the processor, decide nothing.

    python tests/zcal/test_zcal_machines.py

prints the items that are asked. The test runs it as it is and without the processor's newer instructions, with which
NumPy rounds, sorts and selects in other ways. Two classes are left out: members of a finite class are weighed in single
precision, and whether a point lies on the edge of a halfspace is a matter of the last digit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__ as newer
from numpy._core._multiarray_umath import __cpu_features__ as features

QUESTIONS = 25


def asked() -> None:
    from zcal.scenes import NAMES, RATE, scene

    import activepu as apu

    for name in sorted({*NAMES} - {"finite", "halfspaces"}):
        world = scene(name)
        for rate in (None, RATE):
            result = apu.learn(world.learner(rate), world.rows, world.expert(RATE), budget=QUESTIONS)
            print(name, rate, result.history["item"])


def test_other_machines_ask_the_same() -> None:
    disabled = [name for name in newer if features.get(name)]
    if not disabled:
        pytest.skip("this processor has no instructions that NumPy could do without")
    here = Path(__file__)
    paths = os.pathsep.join([str(here.parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONWARNINGS": "ignore"}
    old_machine = {"NPY_DISABLE_CPU_FEATURES": " ".join(disabled), "OPENBLAS_CORETYPE": "Prescott"}
    new, old = (
        subprocess.run(
            [sys.executable, str(here)], env=environment | more, capture_output=True, text=True, check=True, timeout=999
        ).stdout.splitlines()
        for more in ({}, old_machine)
    )
    assert len(new) == 10
    assert new == old


if __name__ == "__main__":
    asked()
