"""One expert, one study: a name in other letters, with other spaces or in upper case is the same name."""

import sqlite3
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.scenes import pool, zcal

import activepu as apu
from activepu import checks
from activepu.errors import AnswerRefused, InvalidInput
from activepu.studies.exchange import import_answers
from activepu.studies.overview import overview

SPELLINGS = ["René Lee", "rené lee", " RENÉ   LEE\n", unicodedata.normalize("NFD", "René Lee"), "René\u00a0Lee"]
WRONG = ["", " ", "a\nb", "a\tb", "a\0", "\x1b[31mann", "\ud800", "a" * 201, "a" * 1_000_000, 3, None, b"ann"]


@pytest.mark.parametrize("other", SPELLINGS)
def test_an_expert_is_one_expert_however_they_are_spelled(study, other):
    first, second = study.ask("René Lee", 2)
    assert [q.token for q in study.open(other)] == [first.token, second.token]
    study.tell(first, True, expert=other)
    study.skip(second, expert=other)
    assert study.undo(other).expert == "René Lee"
    study.record([(3, True, other)])
    assert study.status().experts == {"René Lee": 2}
    assert {q.expert for q in study.run().questions} == {"René Lee"}
    study.release(other, shown=True)
    assert study.open("René Lee") == []
    study.leave(other)
    assert study.ask(other)[0].expert == "René Lee"  # also after they left
    with pytest.raises(AnswerRefused, match="put to 'René Lee', not to 'ann'"):
        study.tell(first, True, expert="ann")


@pytest.mark.parametrize("other", SPELLINGS)
def test_a_study_is_one_study_however_it_is_spelled(url, other):
    apu.Study.create(url, "René Lee", pool(), zcal()).close()
    with pytest.raises(InvalidInput, match="already a study 'René Lee'"):
        apu.Study.create(url, other, pool(), zcal())
    with apu.Study.load(url, other, pool()) as again:
        assert again.name == "René Lee"
    assert [found.name for found in overview(url)] == ["René Lee"]


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_name_is_refused_in_one_short_sentence(study, url, name):
    for do in (
        lambda: study.ask(name),
        lambda: study.open(name),
        lambda: study.undo(name),
        lambda: study.leave(name),
        lambda: study.release(name),
        lambda: study.record([(3, True, name)]),
        lambda: apu.Study.create(url, name, pool(), zcal()),
        lambda: apu.Study.load(url, name, pool()),
    ):
        with pytest.raises(InvalidInput, match=r"such as '(ann|fraud)'|must be a name of at most 200") as caught:
            do()
        assert len(str(caught.value)) < 200


def test_experts_of_a_file_are_the_same_too(study, tmp_path):
    (tmp_path / "a.csv").write_text("item,answer,expert\n3,yes,Ann\n4,yes, ann \n5,yes,ANN\n6,yes,B\n")
    assert import_answers(study, tmp_path / "a.csv", names={"b": "aNN"}) == 4
    assert study.status().experts in ({"Ann": 4}, {"ann": 4}, {"ANN": 4}, {"aNN": 4})
    (tmp_path / "a.csv").write_text("item,answer,expert\n7,yes,Ann\n8,yes,a\x07\n")
    with pytest.raises(InvalidInput, match="The expert of entry 2 must be a name"):
        import_answers(study, tmp_path / "a.csv")


def test_experts_of_a_run_are_the_same_too():
    run = apu.Run(zcal(), np.random.default_rng(0).random((400, 2)))
    asked = [run.ask(1, name)[0] for name in SPELLINGS]
    assert {q.expert for q in asked} == {"René Lee"}
    assert run.ask(1, 7)[0].expert == 7
    with pytest.raises(InvalidInput, match="expert must be a name of at most 200"):
        run.ask(1, "a" * 201)


def test_names_of_older_studies_that_are_the_same_now(tmp_path):
    from studies.test_storage import SCHEMAS

    (tmp_path / "s.db").write_bytes(SCHEMAS[0].read_bytes())
    with sqlite3.connect(tmp_path / "s.db") as file:
        file.execute("UPDATE activepu_events SET expert = 'ANN' WHERE sequence > 20 AND expert = 'ann'")
        file.execute("UPDATE activepu_questions SET expert = 'ANN' WHERE sequence > 20 AND expert = 'ann'")
        file.execute("INSERT INTO activepu_experts VALUES (1, 'ANN')")
        file.execute("INSERT INTO activepu_studies SELECT 2, 'S', made, settings FROM activepu_studies")
    file.close()
    with apu.Study.load(f"sqlite:///{tmp_path}/s.db", "s", pool()) as study:
        assert study.name == "s"
        (q,) = study.ask("ANN")
        assert q.expert == "ann"
        study.tell(q, True)
        assert study.status().answered == 31
        study.leave("Ann")
        assert "ann" not in {name for name, n in study.status().experts.items() if not n}
    with apu.Study.load(f"sqlite:///{tmp_path}/s.db", "S", pool()) as other:
        assert (other.name, other.status().asked) == ("S", 0)


@given(st.text(min_size=1, max_size=40))
def test_a_name_that_is_kept_stays_the_same(text):
    try:
        kept = checks.name("expert", text)
    except InvalidInput:
        return
    assert checks.name("expert", kept) == kept
    assert checks.same(kept, text)
    assert checks.folded(checks.folded(kept)) == checks.folded(kept)
