"""`verify` sees that a saved audit says what it must: its doubts, and a certificate of all its targets."""

from __future__ import annotations

import json
import re

import pytest
from audit.test_verify import CALLED, GOLD, SCORE, TRUTH, X

import activepu as apu
from activepu.verify import verify

SETTINGS = {
    "set": ({"recall": 0.55, "error": 0.45, "rate": (0.5, 0.9)}, 80),
    "a wrong rate": ({"rate": 0.1}, 90),
    "a wrong range, gold": ({"rate": (0.1, 0.3), "gold": GOLD, "recall": 0.9}, 90),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The file of each audit."""
    folder, expert = tmp_path_factory.mktemp("audits"), apu.SimulatedExpert(TRUTH, rate=0.7, seed=1)
    for name, (settings, budget) in SETTINGS.items():
        learner = apu.Audit(CALLED, score=SCORE, **settings)
        apu.learn(learner, X, expert, seed=5, budget=budget, batch=3).save(folder / f"{name}.json")
    return lambda name: json.loads((folder / f"{name}.json").read_text())


@pytest.fixture
def wrong(tmp_path):
    """What is wrong with a file, as one text."""

    def found(data):
        path = tmp_path / "audit.json"
        path.write_text(json.dumps(data))
        return "\n".join(str(check) for check in verify(path) if check.ok is False)

    return found


@pytest.mark.parametrize("name", SETTINGS)
def test_a_saved_audit_is_verified(name, saved, wrong):
    assert wrong(saved(name)) == ""


@pytest.mark.parametrize("name", ["a wrong rate", "a wrong range, gold"])
def test_a_contradicted_rate_must_be_called_doubtful(name, saved, wrong):
    data = saved(name)
    assert data["certificate"]["doubt"]
    for said in data["findings"]["statements"]:
        said["doubt"] = "" if said["what"] == "prior" else said["doubt"]
    assert "WRONG: what was told about the rate: the answers contradict it, but the file does not call prior" in wrong(
        data
    )
    data = saved(name)
    data["certificate"]["doubt"] = ""
    assert "does not call the certificate doubtful" in wrong(data)


def test_the_certificate_claims_no_more_of_any_target_than_is_stated(saved, wrong):
    data = saved("set")
    assert " finds at least " in data["certificate"]["claim"]
    assert " is wrong on at most " in data["certificate"]["claim"]
    data["certificate"]["claim"] = re.sub(r"at most [\d.]+%", "at most 1%", data["certificate"]["claim"])
    assert "it claims 'the classifier finds" in wrong(data)
    data["certificate"]["claim"] = "at least 0% of all is well"
    assert "it claims 'at least 0% of all is well', and what follows is 'the classifier finds" in wrong(data)


def test_the_certificate_must_say_which_target_is_not_shown(saved, wrong):
    data = saved("a wrong range, gold")
    assert data["certificate"]["unshown"][0][0] == "recall at least 90%"
    data["certificate"]["unshown"] = []
    assert "what it says is not shown should be recall at least 90%" in wrong(data)
