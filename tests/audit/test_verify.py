"""`verify`: a saved audit passes the second implementation, and no tampering does."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

import activepu as apu
from activepu.errors import InvalidInput
from activepu.verify import verify
from activepu.verify.bounds import log_likelihood, plain_set, quantity
from activepu.verify.evidence import read

N = 240
RNG = np.random.default_rng(4)
SCORE = RNG.random(N)
TRUTH = RNG.random(N) < SCORE**2
CALLED = SCORE > 0.5
X = np.column_stack([SCORE, RNG.random(N)])
GOLD = tuple(np.flatnonzero(TRUTH & (SCORE > 0.6))[:12].tolist())
SETTINGS = {
    "set": ({"recall": 0.55, "error": 0.45, "rate": (0.5, 0.9)}, 80),
    "bet": ({"recall": 0.5}, None),
    "bet on the error": ({"error": 0.45, "rate": 0.7}, 150),
    "gold": ({"error": 0.3, "gold": GOLD}, 90),
    "purity": ({"purity": 0.6, "precision": 0.6}, 60),
    "per expert": ({"recall": 0.5, "error": 0.45, "rate": "per expert"}, 90),
    "per expert, gold": ({"rate": "per expert", "gold": GOLD[:4]}, 40),
    "groups": ({"groups": np.where(np.arange(N) % 2, "odd", "even"), "gold": GOLD, "purity": 0.3, "delta": 0.3}, 120),
    "everything asked": ({}, N),
    "hardly anything asked": ({}, 1),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The file of each audit."""
    folder, one = tmp_path_factory.mktemp("audits"), apu.SimulatedExpert(TRUTH, rate=0.7, seed=1)
    team = {"ann": apu.SimulatedExpert(TRUTH, rate=0.9, seed=1), "bob": apu.SimulatedExpert(TRUTH, rate=0.4, seed=2)}
    for name, (settings, budget) in SETTINGS.items():
        expert = team if settings.get("rate") == "per expert" else one
        result = apu.learn(apu.Audit(CALLED, score=SCORE, **settings), X, expert, seed=5, budget=budget, batch=3)
        result.save(folder / f"{name}.json")
    return lambda name: json.loads((folder / f"{name}.json").read_text())


@pytest.fixture
def wrong(tmp_path):
    """What is wrong with a file, as one text."""

    def found(data):
        path = tmp_path / "audit.json"
        path.write_text(json.dumps(data))
        return "\n".join(str(check) for check in verify(path) if check.ok is False)

    return found


def evidence(data):
    return data["findings"]["evidence"]


def statement(data, what, group=None):
    return next(s for s in data["findings"]["statements"] if (s["what"], s["group"]) == (what, group))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_saved_audit_is_verified(name, saved, wrong):
    assert wrong(saved(name)) == ""


def test_the_audits_are_of_the_kinds_that_they_should_be(saved):
    assert evidence(saved("bet"))["bet"]["won"]
    assert evidence(saved("bet on the error"))["engine"] == "bet"
    assert evidence(saved("set"))["engine"] == "set"
    assert evidence(saved("set"))["earlier"]["recall"][1][0] > 0
    assert evidence(saved("gold"))["gold"][0] > 5


@pytest.mark.parametrize("name", ["set", "bet", "gold"])
def test_a_flipped_answer_is_caught(name, saved, wrong):
    data = saved(name)
    data["history"]["answer"][7] = not data["history"]["answer"][7]
    assert "differs from the one of the lot" in wrong(data) or "add up" in wrong(data)
    data = saved(name)
    evidence(data)["draws"][3][2] = not evidence(data)["draws"][3][2]
    assert "differs from the one of the lot" in wrong(data)


def test_answers_that_are_flipped_everywhere_no_longer_carry_the_bounds(saved, wrong):
    data = saved("set")
    for draw in evidence(data)["draws"]:
        if draw[2] and evidence(data)["inside"][draw[1]]:
            draw[2] = False
            evidence(data)["revealed"][draw[1]] -= 1
            data["history"]["answer"][data["history"]["item"].index(draw[0])] = False
    assert "WRONG: recall: stated" in wrong(data)


@pytest.mark.parametrize("name", ["set", "bet", "gold"])
def test_a_replaced_question_is_caught(name, saved, wrong):
    data = saved(name)
    draws = evidence(data)["draws"]
    asked, stratum, _ = draws[4]
    other = next(i for i in evidence(data)["items"][stratum] if i not in {draw[0] for draw in draws})
    draws[4][0] = other
    data["history"]["item"][data["history"]["item"].index(asked)] = other
    assert f"was item {other} of stratum {stratum}, but the lot gave item {asked}" in wrong(data)


@pytest.mark.parametrize(("what", "side", "by"), [
    ("recall", "low", 0.01), ("confirmable recall", "low", 0.01), ("error", "high", -0.01), ("precision", "low", 0.01),
    ("prior", "high", -0.01), ("rate", "high", -0.05),
])  # fmt: skip
@pytest.mark.parametrize("name", ["gold", "bet on the error"])
def test_a_tightened_bound_is_caught(name, what, side, by, saved, wrong):
    data = saved(name)
    statement(data, what)[side] += by
    assert f"WRONG: {what}: stated" in wrong(data)


@pytest.mark.parametrize(("what", "side", "by"), [
    ("recall", "low", 0.01), ("confirmable recall", "high", -0.01), ("error", "high", -0.01), ("prior", "low", 0.01),
    ("rate", "high", -0.05),
])  # fmt: skip
def test_a_tightened_bound_of_a_group_is_caught(what, side, by, saved, wrong):
    data = saved("groups")
    statement(data, what, "odd")[side] += by
    assert f"WRONG: {what} in group odd: stated" in wrong(data)
    assert "group even" not in wrong(data)


def test_a_group_cannot_be_exchanged(saved, wrong):
    data = saved("groups")
    evidence(data)["groups"] = evidence(data)["groups"][::-1]
    assert "in group odd: stated" in wrong(data)
    data = saved("groups")
    evidence(data)["known"][0][0]["group"] = "none"
    assert "differ from those that the alarm rests on" in wrong(data)
    data = saved("groups")
    evidence(data)["known"][0][1] ^= True
    assert "differ from those that the alarm rests on" in wrong(data)


def test_a_doubt_cannot_be_left_out(tmp_path, wrong):
    """Gold of one group is always confirmed, gold of the other never."""
    positive, odd = np.flatnonzero(TRUTH), np.arange(N) % 2 == 1
    expert = apu.SimulatedExpert(TRUTH & odd, rate=1.0)
    audit = apu.Audit(CALLED, score=SCORE, groups=odd, gold=positive[::2])
    apu.learn(audit, X, expert, budget=100, batch=10).save(tmp_path / "a.json")
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["certificate"]["doubt"]
    assert wrong(data) == ""
    data["certificate"]["doubt"] = ""
    assert "rates differ, but the file does not call the certificate doubtful" in wrong(data)
    data = json.loads((tmp_path / "a.json").read_text())
    statement(data, "recall")["doubt"] = ""
    assert "rates differ, but the file does not call recall doubtful" in wrong(data)


def test_a_tightened_cut_or_certificate_is_caught(saved, wrong):
    data = saved("set")
    data["findings"]["cuts"][1]["recall"][0] += 0.02
    assert "cuts of the score: recall from score" in wrong(data)
    data = saved("set")
    data["certificate"]["error_bound"] -= 0.02
    assert "the certificate: its error is below" in wrong(data)
    data = saved("bet")
    data["certificate"]["claim"] = data["certificate"]["claim"].replace("50%", "90%")
    assert "and what follows is 'the classifier finds at least 50% of" in wrong(data)


def test_a_bet_that_was_not_won_is_caught(saved, wrong):
    data = saved("bet")
    last = evidence(data)["draws"][8:]
    evidence(data)["draws"] = evidence(data)["draws"][:8]
    kept = [i for i, item in enumerate(data["history"]["item"]) if item not in {draw[0] for draw in last}]
    data["history"] = {name: [column[i] for i in kept] for name, column in data["history"].items()}
    for _, k, answer in last:
        evidence(data)["asked"][k] -= answer is not None
        evidence(data)["revealed"][k] -= bool(answer)
    assert "WRONG: the capital of the bet on recall 0.5" in wrong(data)
    assert "WRONG: recall: stated 0.5" in wrong(data)


def test_changed_counts_seeds_strata_and_levels_are_caught(saved, wrong):
    for name in ("set", "bet", "gold"):
        data = saved(name)
        evidence(data)["revealed"][-1] += 1
        assert "the answers add up to" in wrong(data)
        data = saved(name)
        evidence(data)["seed"] += 1
        assert "but the lot gave item" in wrong(data)
        data = saved(name)
        evidence(data)["sizes"][0] += 1
        assert "do not have the sizes" in wrong(data)
        data = saved(name)
        evidence(data)["delta"] = 0.2
        assert "its confidence is 0.8" in wrong(data)
    data = saved("gold")
    evidence(data)["gold"][1] += 1
    assert "the answers add up to" in wrong(data)


def test_what_is_no_saved_audit_is_refused(tmp_path, saved):
    with pytest.raises(InvalidInput, match="There is no file"):
        verify(tmp_path / "none.json")
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(InvalidInput, match="is not a result"):
        verify(tmp_path / "a.json")
    (tmp_path / "a.json").write_text(json.dumps(saved("set") | {"findings": None}))
    with pytest.raises(InvalidInput, match="is the result of a learner"):
        verify(tmp_path / "a.json")
    data = saved("set")
    del evidence(data)["plans"]
    (tmp_path / "a.json").write_text(json.dumps(data))
    with pytest.raises(InvalidInput, match="lacks some of the evidence"):
        verify(tmp_path / "a.json")


def test_the_plain_likelihood_is_the_probability_of_the_answers():
    """By going through every order of the items and every coin."""
    size, answers, rate = 5, (True, False, False), 0.3
    for positives in range(size + 1):
        total = 0.0
        for order in itertools.permutations(range(size), len(answers)):
            chance = 1.0
            for item, answer in zip(order, answers, strict=True):
                reveals = rate if item < positives else 0.0
                chance *= reveals if answer else 1 - reveals
            total += chance / math.perm(size, len(answers))
        found = np.exp(log_likelihood(size, 3, 1, np.array([float(positives)]), np.array([rate]))[0, 0])
        assert found == pytest.approx(total)


def test_the_plain_bounds_hold_every_count_of_the_set(tmp_path):
    """By going through all counts: none in the set lies outside, and the bounds are less than one item wider."""
    score = np.arange(24) / 24
    audit = apu.Audit(score >= 0.5, score=score, bands=[0.5], rate=0.8, delta=0.2)
    apu.learn(audit, score, apu.SimulatedExpert(score > 0.6, rate=0.8), budget=12).save(tmp_path / "a.json")
    file = read(tmp_path / "a.json")
    found = plain_set(file, file.counts, "2")
    logs = [dict(zip(A.tolist(), part[0], strict=True)) for A, part in zip(found.positives, found.logs, strict=True)]
    inside = [pair for pair in itertools.product(*logs) if logs[0][pair[0]] + logs[1][pair[1]] >= found.floors[0]]
    errors = [(12 - pair[int(file.inside[1])] + pair[int(file.inside[0])]) / 24 for pair in inside]
    low, high = quantity(found, "error", file.inside, 24, 12)
    assert low - 1e-6 <= min(errors) <= low + 2 / 24
    assert high - 2 / 24 <= max(errors) <= high + 1e-6


def test_a_second_question_must_follow_the_reveal_of_another_expert(saved, wrong):
    data = saved("per expert")
    history = data["history"]
    again = history["phase"].index("overlap")
    history["expert"][again] = {"ann": "bob", "bob": "ann"}[history["expert"][again]]
    assert "was asked again, and no other expert had revealed it" in wrong(data)


def test_who_answered_matters(saved, wrong):
    """With all reveals of one expert given to the other, the rates are others."""
    data = saved("per expert")
    history = data["history"]
    for k, phase in enumerate(history["phase"]):
        history["expert"][k] = "bob" if phase == "overlap" else "ann"
    assert "rate of ann" in wrong(data) or "rate of bob" in wrong(data)


@pytest.mark.parametrize("side", ["low", "high"])
def test_a_rate_that_is_too_tight_is_found(saved, wrong, side):
    data = saved("per expert, gold")
    stated = next(s for s in data["findings"]["statements"] if s["what"] == "rate of ann")
    stated[side] = 0.85
    assert "rate of ann" in wrong(data)


def test_several_experts_have_no_confirmable_recall(saved, wrong):
    data = saved("per expert")
    stated = data["findings"]["statements"]
    stated.append({**stated[0], "what": "confirmable recall", "rung": "0", "assumptions": []})
    assert "nobody knows who would be asked" in wrong(data)
