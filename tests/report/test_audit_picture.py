"""Pictures of audits: the cuts, and the bounds over the questions."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from audit.world import CALLED, EXPERT, SCORE, X, audit

import activepu as apu
from activepu.audit.replay import bounds_after
from activepu.report import audit_picture

SETTINGS: list[dict[str, Any]] = [
    {},
    {"rate": 0.6},
    {"rate": (0.5, 0.8), "purity": 0.3},
    {"gold": np.flatnonzero(EXPERT.y)[:20].tolist()},
    {"groups": np.arange(1500) % 2},
    {"recall": 0.99},
    {"error": 0.03, "rate": 0.6},
]


@pytest.fixture(scope="module")
def result() -> apu.Result:
    return apu.learn(audit(rate=0.6), X, EXPERT, budget=80)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: ", ".join(settings) or "nothing known")
def test_the_replay_ends_with_what_the_result_states(settings: dict[str, Any]) -> None:
    """For every kind of audit; bets that are not won state what the set states."""
    result = apu.learn(audit(**settings), X, EXPERT, budget=60)
    history = result.history
    kinds = ["recall", "precision", "error", "prior"]
    found = bounds_after(result.findings.evidence, history["item"], history["answer"], kinds)
    for kind in kinds:
        stated = result.findings.find(kind)
        assert found[kind] == pytest.approx((stated.low, stated.high), abs=0.02 if kind in settings else 1e-9)


def test_an_earlier_moment_is_that_of_an_audit_that_ended_there() -> None:
    long, short = (apu.learn(audit(rate=0.6), X, EXPERT, budget=budget) for budget in (60, 25))
    history = long.history
    found = bounds_after(long.findings.evidence, history["item"][:25], history["answer"][:25], ["error"])
    assert found["error"] == pytest.approx((short.error.low, short.error.high), abs=1e-9)


def texts(path: Any) -> list[str | None]:
    return [element.text for element in ElementTree.parse(path).iter() if element.tag.endswith("}text")]


def test_the_picture_has_both_panels_and_says_what_is_certified(result: apu.Result, tmp_path: Any) -> None:
    paths = audit_picture(result, [tmp_path / "a.svg", tmp_path / "a.png"], title="Ours", truth={"recall": 0.9})
    assert paths[1].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    found = texts(paths[0])
    assert {"Ours", "recall", "precision", "questions", "recall, bounds", "precision, bounds", "recall, truth"} <= set(
        found
    )
    assert f"{int(CALLED.sum()):,}" in found


def test_a_loaded_result_is_the_same_picture(result: apu.Result, tmp_path: Any) -> None:
    result.save(tmp_path / "r.json")
    again = apu.load_result(tmp_path / "r.json")
    first, second = (audit_picture(r, tmp_path / f"{k}.svg")[0].read_bytes() for k, r in enumerate((result, again)))
    assert first == second


def test_a_target_is_drawn_and_a_classifier_without_a_score(tmp_path: Any) -> None:
    result = apu.learn(apu.Audit(CALLED, recall=0.5), X, EXPERT, budget=300)
    found = texts(audit_picture(result, tmp_path / "a.svg")[0])
    assert "recall, target" in found
    assert "precision, bounds" not in found


def test_before_the_first_answer_and_where_no_cut_was_audited(tmp_path: Any) -> None:
    assert audit_picture(apu.Run(audit(), X).result(), tmp_path / "a.png")[0].is_file()
    alike = np.repeat(np.arange(750), 2)
    mixed = apu.Audit(alike % 3 == 0, score=SCORE)
    result = apu.learn(mixed, apu.Pool(X, show=alike[:, None]), apu.SimulatedExpert(alike % 4 == 0), budget=20)
    assert "precision" not in texts(audit_picture(result, tmp_path / "b.svg")[0])


HALF = np.arange(1500) % 2 == 0


def doubtful(**settings: Any) -> apu.Result:
    """An audit of an expert who confirms nearly everything in one half, and hardly anything in the other."""
    confirms = EXPERT.y & (HALF | (np.arange(1500) % 5 == 0))
    gold = np.flatnonzero(EXPERT.y)[:80].tolist()
    settings = {"gold": gold, "groups": np.where(HALF, "even", "odd"), **settings}
    return apu.learn(audit(**settings), X, apu.SimulatedExpert(confirms, rate=1), budget=200)


def test_the_picture_of_a_doubtful_certificate_says_so_and_hatches_it(tmp_path: Any) -> None:
    result = doubtful()
    doubt = result.certificate.doubt
    assert doubt
    path = audit_picture(result, tmp_path / "a.svg", title="Ours")[0]
    found = [text for text in texts(path) if text]
    assert "Ours" in found
    assert doubt in " ".join(found)
    assert {"recall, bounds (doubtful)", "precision, bounds (doubtful)", "hatched: doubtful"} <= set(found)
    assert any(text.startswith("this classifier (doubtful): recall") for text in found)
    assert "<pattern" in path.read_text()


def test_what_holds_in_spite_of_doubt_is_drawn_beside_it_and_not_hatched(tmp_path: Any) -> None:
    path = audit_picture(doubtful(), tmp_path / "a.svg")[0]
    found = texts(path)
    names = ["all items, rung 1", "all items, rung 0", *(f"{g}, rung {r}" for g in ("even", "odd") for r in (1, 0))]
    assert [text for text in found if text in names] == names
    # this cut, the bounds on recall and precision, one interval of six, the legend
    assert path.read_text().count("fill: url(#") == 5


def test_a_certificate_without_doubt_has_neither_the_sentence_nor_hatches(result: apu.Result, tmp_path: Any) -> None:
    path = audit_picture(result, tmp_path / "a.svg")[0]
    assert "oubtful" not in path.read_text()
    assert "<pattern" not in path.read_text()
    groups = apu.learn(audit(groups=np.where(HALF, "even", "odd")), X, EXPERT, budget=60)
    assert "even, rung 0" in texts(audit_picture(groups, tmp_path / "b.svg")[0])
    assert "even, rung 0" not in texts(path)


def test_a_few_questions_have_whole_numbers_on_their_axis(tmp_path: Any) -> None:
    found = texts(audit_picture(apu.learn(audit(), X, EXPERT, budget=3), tmp_path / "a.svg")[0])
    assert [found.count(number) for number in "0123"] == [1, 1, 1, 1]


def test_bad_input_is_refused_with_a_sentence(result: apu.Result, tmp_path: Any, monkeypatch: Any) -> None:
    rule = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.1), SCORE).result()
    with pytest.raises(apu.InvalidInput, match="Only an audit has"):
        audit_picture(rule, tmp_path / "a.png")
    hand = apu.learn(apu.Audit("found", recall=0.9, score=SCORE), X, EXPERT, budget=5)
    with pytest.raises(apu.InvalidInput, match="is no classifier, so it has no cuts"):
        audit_picture(hand, tmp_path / "a.png")
    with pytest.raises(apu.InvalidInput, match=r"\.svg, \.png or \.pdf"):
        audit_picture(result, tmp_path / "a.gif")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(apu.ActivePUError, match=r"pip install 'activepu\[report\]'"):
        audit_picture(result, tmp_path / "a.png")


def test_the_legend_says_what_is_stated_about_the_classifier_also_where_a_bet_says_more(tmp_path: Any) -> None:
    result = apu.learn(audit(recall=0.5), X, EXPERT)
    called = result.findings.evidence
    own = int(np.array(called["sizes"])[np.array(called["inside"])].sum())
    [cut] = [cut for cut in result.findings.cuts if cut.called == own]
    assert cut.recall[0] < result.recall.low == 0.5
    path = audit_picture(result, tmp_path / "a.svg")[0]
    assert any(text.startswith("this classifier: recall ≥ 50%, precision ≥") for text in texts(path) if text)
