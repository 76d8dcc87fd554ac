"""`verify` sees that all that a saved audit prints follows from its evidence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from audit.test_verify import CALLED, GOLD, SCORE, TRUTH, X

import activepu as apu
from activepu.verify import verify
from activepu.verify.printed import BY_BET, BY_SET, percent

EASY = {"ann": apu.SimulatedExpert(TRUTH, rate=0.9, seed=1), "bob": apu.SimulatedExpert(TRUTH, rate=0.6, seed=2)}
ONE = apu.SimulatedExpert(TRUTH, rate=0.7, seed=1)
ODD = np.where(np.arange(len(TRUTH)) % 2, "odd", "even")


def _results():
    audit = {"score": SCORE, "delta": 0.1}
    easy = {"score": 10 * SCORE, "delta": 0.1}
    found = apu.Audit("found", score=SCORE, recall=0.7, delta=0.1)
    return {
        "bet": apu.learn(apu.Audit(CALLED, recall=0.5, **audit), X, ONE, seed=5),
        "open": apu.learn(apu.Audit(CALLED, recall=0.9, error=0.1, rate=0.7, **audit), X, ONE, seed=5, budget=30),
        "easy": apu.learn(apu.Audit(CALLED, error=0.6, rate=0.7, **easy), X, ONE, seed=5, budget=30),
        "middle": apu.learn(apu.Audit(CALLED, error=0.6, rate=(0.5, 0.8), **easy), X, ONE, seed=5, budget=90),
        "gold": apu.learn(apu.Audit(CALLED, gold=GOLD, purity=0.4, **audit), X, ONE, seed=5, budget=60),
        "range": apu.learn(apu.Audit(CALLED, rate=(0.5, 0.9), **audit), X, ONE, seed=5, budget=60),
        "known": apu.learn(apu.Audit(CALLED, rate=0.7, **audit), X, ONE, seed=5, budget=60),
        "experts": apu.learn(apu.Audit(CALLED, rate="per expert", **audit), X, EASY, seed=5, budget=90),
        "groups": apu.learn(apu.Audit(CALLED, groups=ODD, gold=GOLD, **audit), X, ONE, seed=5, budget=90),
        "both": apu.learn(
            apu.Audit(CALLED, groups=ODD, rate="per expert", gold=GOLD[:4], **audit), X, EASY, seed=5, budget=60
        ),
        "alike": apu.learn(
            apu.Audit(np.tile(CALLED, 2), score=np.tile(SCORE, 2)), np.tile(X, (2, 1)), _twice(), seed=5, budget=60
        ),
        "found": apu.learn(found, X, ONE),
        "found, two": apu.learn(found, X, EASY, budget=60),
        "found, given": apu.learn(found, X, ONE, positives=np.flatnonzero(TRUTH)[:3], budget=60),
        "running": apu.Run(apu.Audit(CALLED, recall=0.8, **audit), X, seed=5).result(),
    }


def _twice():
    return apu.SimulatedExpert(np.tile(TRUTH, 2), rate=0.7, seed=1)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The file of each audit."""
    folder = tmp_path_factory.mktemp("audits")
    for name, result in (results := _results()).items():
        result.save(folder / f"{name}.json")
    assert results["bet"].stop_reason == apu.StopReason.CERTIFIED
    return lambda name: json.loads((folder / f"{name}.json").read_text())


@pytest.fixture
def wrong(tmp_path):
    """What is wrong with a file, as one text."""

    def found(data):
        path = tmp_path / "audit.json"
        path.write_text(json.dumps(data))
        return "\n".join(str(check) for check in verify(path) if check.ok is False)

    return found


NAMES = (
    "bet", "open", "easy", "middle", "gold", "range", "known", "experts", "groups", "both", "alike", "found",
    "found, two", "found, given", "running",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_file_is_verified(name, saved, wrong):
    assert wrong(saved(name)) == ""


def _set(*path):
    """Return a change of one place of a file; the last is the value, or a function of the old one."""

    def change(data):
        *way, last, value = path
        for each in way:
            data = data[each]
        data[last] = value(data[last]) if callable(value) else value

    return change


FIRST = ("findings", "statements", 0)
FORGED = {
    "sentence": ("bet", _set("certificate", "sentence", lambda said: said.replace("50%", "90%")), "its sentence"),
    "claim": ("bet", _set("certificate", "claim", lambda said: said.replace("50%", "90%")), "what follows is"),
    "assumptions": ("bet", _set("certificate", "assumptions", lambda said: said[:1]), "does not name as assumed"),
    "remarks": ("bet", _set("certificate", "remarks", ["Checked by the regulator."]), "its remarks should be"),
    "warning": ("easy", _set("certificate", "remarks", lambda said: said[:1]), "its remarks should be"),
    "warning, no estimate": ("middle", _set("certificate", "remarks", lambda said: said[:1]), "its remarks should be"),
    "no warning": ("bet", _set("certificate", "remarks", lambda said: [*said, "Warning: few"]), "its remarks should"),
    "scope": ("bet", _set("certificate", "scope", "population"), "speaks of the items of the pool"),
    "method": ("bet", _set("certificate", "method", "sampled"), "speaks of the items of the pool"),
    "doubt": ("bet", _set("certificate", "doubt", "All is well."), "its doubt says more"),
    "ended": ("bet", _set("certificate", "ended", True), "says that the run ended"),
    "unshown": ("open", _set("certificate", "unshown", 0, 1, "at least 98%"), "is not shown should be"),
    "rate": ("known", _set("rate", "low", 0.9), "the rate is another"),
    "no rate": ("known", _set("rate", None), "the rate is there"),
    "prior": ("known", _set("prior", "high", 0.021), "the prior is another"),
    "prior's estimate": ("known", _set("prior", "estimate", 0.021), "the prior is another"),
    "rates": ("experts", _set("rates", 0, 1, "low", 0.99), "the rate of ann is another"),
    "name of an expert": ("experts", _set("rates", 0, 0, "eve"), "the rates of the experts"),
    "no rates": ("experts", _set("rates", None), "the rates of the experts"),
    "population": ("bet", lambda data: data.update(population=data["certificate"]), "an audit has neither"),
    "estimates": ("bet", _set("estimates", {"rows": 10}), "an audit has neither"),
    "a statement's assumptions": ("bet", _set(*FIRST, "assumptions", []), "recall does not name as assumed"),
    "remark": ("bet", _set(*FIRST, "remark", lambda said: said.replace("33.3%", "69%")), "about the recall it says"),
    "estimate": ("bet", _set(*FIRST, "estimate", 0.99), "that of the recall is 0.99"),
    "estimate of experts": ("experts", _set(*FIRST, "estimate", 0.99), "that of the recall is 0.99"),
    "a statement's doubt": ("bet", _set(*FIRST, "doubt", "Doubtful, but true."), "about the recall it says"),
    "two statements": ("bet", lambda data: _twice_stated(data), "stated twice"),
    "another group": ("groups", lambda data: data["findings"]["statements"][-1].update(group="all"), "there is no"),
    "another quantity": ("bet", lambda data: data["findings"]["statements"][-1].update(what="truth"), "is no truth"),
    "stop reason": ("bet", _set("stop_reason", "The regulator is content."), "no run says"),
    "more of a stop reason": ("bet", _set("stop_reason", lambda said: said + " All is well."), "no run says"),
    "certified": ("open", _set("stop_reason", "Every target is certified."), "not every target is certified"),
    "classifier": ("bet", _set("hypothesis", "classifier", "the best model"), "the classifier is called"),
    "split": ("bet", _set("findings", "split", "The model is good."), "it says 'The model is good.'"),
    "phase": ("bet", lambda data: _checked(data), "a phase that no audit has"),
    "search, sentence": ("found", _set("certificate", "sentence", "All is found."), "its sentence"),
    "search, claim": ("found", _set("certificate", "claim", lambda said: said + " and so on"), "what follows is"),
    "search, assumptions": ("found", _set("certificate", "assumptions", []), "does not name as assumed"),
    "search, statement": ("found", _set(*FIRST, "assumptions", []), "does not name as assumed"),
    "search, remark": ("found", _set(*FIRST, "remark", "All is found."), "it should be 'Of all that this expert"),
    "search, remark of two": ("found, two", _set(*FIRST, "remark", ""), "it should be '2 experts answered"),
    "search, given": ("found, given", lambda data: _not_given(data), "the items that were given as positive"),
    "search, estimate": ("found", _set(*FIRST, "estimate", 0.99), "a search states its recall"),
    "search, stop reason": ("found", _set("stop_reason", "All is found."), "no run says"),
    "search, certified": ("found, two", _set("stop_reason", "Every target is certified."), "not every target"),
    "search, name": ("found", _set("hypothesis", "classifier", "the best model"), "it is called"),
    "search, rate": ("found", _set("rate", {"low": 0.9, "high": 1.0, "confidence": 0.9, "estimate": None}), "no rate"),
}  # fmt: skip


def _twice_stated(data):
    data["findings"]["statements"].append(data["findings"]["statements"][0])


def _checked(data):
    for name, column in data["history"].items():
        column.append("check" if name == "phase" else column[-1])


def _not_given(data):
    for said in (data["findings"]["statements"][0], data["certificate"]):
        said["assumptions"] = [each for each in said["assumptions"] if "given as positive" not in each]


@pytest.mark.parametrize("edit", FORGED)
def test_a_forged_word_is_caught(edit, saved, wrong):
    name, change, told = FORGED[edit]
    data = saved(name)
    change(data)
    assert data != saved(name)
    assert told in wrong(data)


@pytest.mark.parametrize("name", ["bet", "found"])
@pytest.mark.parametrize("too", [False, True], ids=["the statement", "the certificate too"])
def test_nothing_is_made_of_a_forged_bound(name, too, saved, wrong, tmp_path):
    """What would follow from it is not printed: a reader would take it for the truth."""
    data = saved(name)
    low = data["findings"]["statements"][0]["low"]
    data["findings"]["statements"][0]["low"] = 0.99
    if too:
        data["certificate"]["claim"] = data["certificate"]["claim"].replace(percent(low), "99%", 1)
        sentence = data["certificate"]["sentence"].replace(percent(low), "99%", 1)
        data["certificate"]["sentence"] = sentence.replace(BY_BET, BY_SET)  # no bet shows more than its target
        data["certificate"]["remarks"] = [{BY_BET: BY_SET}.get(each, each) for each in data["certificate"]["remarks"]]
    assert "recall: stated 0.9900" in wrong(data)
    told = "\n".join(map(str, verify(tmp_path / "audit.json")))
    assert "the recall that is stated is wrong" in told
    assert "99%" not in told
    assert ("ok: the certificate says what is stated: but the recall" in told) == too


PHRASES = {
    "gold": ["an item that is revealed", "each positive is equally", "at least 40% of", "the gold items", "the class"],
    "range": ["the reveal rate lies between 0.5 and 0.9"],
    "known": ["the reveal rate is 0.7"],
    "experts": ["an expert is equally", "who was asked about", "whether one expert confirms"],
    "groups": ["each positive of the group"],
    "both": ["an expert is equally likely to confirm each positive of the group"],
    "alike": ["rows that look the same"],
}


@pytest.mark.parametrize(("name", "phrase"), [(name, phrase) for name, all_of in PHRASES.items() for phrase in all_of])
def test_an_assumption_that_the_rung_needs_cannot_be_left_out(name, phrase, saved, wrong):
    data, left = saved(name), 0
    for said in (*data["findings"]["statements"], data["certificate"]):
        kept = [each for each in said["assumptions"] if not each.startswith(phrase)]
        left += len(said["assumptions"]) - len(kept)
        said["assumptions"] = kept
    assert left
    assert f"does not name as assumed: {phrase}" in wrong(data)


def test_more_may_be_assumed(saved, wrong):
    data = saved("bet")
    result_of = [*data["findings"]["statements"], data["certificate"]]
    for said in result_of:
        said["assumptions"].append("items were skipped whatever they are")
    data["certificate"]["sentence"] = data["certificate"]["sentence"].replace(
        "these answers.", "these answers; items were skipped whatever they are."
    )
    assert wrong(data) == ""
