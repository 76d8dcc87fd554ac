"""What was not answered in time, or too late, stays so when it is recorded in a study or taken into another one."""

import pytest
from studies.scenes import X, expire, kinds, pool, zcal

import activepu as apu
from activepu.errors import InvalidInput
from activepu.studies import check
from activepu.studies.exchange import export_answers, import_answers


def told(study):
    """Answer two questions in time, one too late, and one not at all."""
    put = study.ask("ann", 4)
    study.tell(put[0], True)
    study.tell(put[1], False)
    expire(study)
    study.tell(put[2], True)
    study.status()
    return put


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_another_study_takes_in_what_was_missed_as_missed(study, url, tmp_path, ending):
    put = told(study)
    export_answers(study, tmp_path / f"answers.{ending}")
    with apu.Study.create(url, "other", pool(), zcal()) as other:
        assert import_answers(other, tmp_path / f"answers.{ending}") == 5
        assert import_answers(other, tmp_path / f"answers.{ending}") == 0
        status = other.status()
        assert (status.answered, status.revealed, status.timed_out, status.late) == (2, 1, 2, 1)
        assert put[2].item in other.result().items("positive")
        assert not {q.item for q in other.ask("bob", 10)} & {q.item for q in put}
        assert "answered in time" in str(other.result().certificate)
        export_answers(other, tmp_path / f"again.{ending}")
    assert check(url, "other").damaged == ()
    with apu.Study.load(url, "other", pool()) as again:
        assert (again.status().timed_out, again.status().late) == (2, 1)


def test_a_yes_from_elsewhere_to_a_question_that_is_over_is_late(study, url):
    put = told(study)
    assert study.record([(put[3].item, True, "bob")]) == 0
    assert study.record([(put[3].item, True, "ann")]) == 1
    assert study.record([(put[3].item, True, "ann"), (put[2].item, True, "bob")]) == 0
    assert study.status().late == 2
    assert put[3].item in study.result().items("positive")
    assert kinds(study).count("late") == 2
    assert check(url, "s").damaged == ()


def test_a_learner_that_needs_every_answer_refuses_what_was_missed(study, url, tmp_path):
    told(study)
    export_answers(study, tmp_path / "answers.csv")
    few = apu.paper.Constants(scale=1e-6)
    learner = apu.paper.KnownPrior(apu.Thresholds(), 0.1, 0.1, prior=0.6, theta=2, constants=few)
    with apu.Study.create(url, "other", apu.Pool(X[:3000, :1]), learner) as other:
        with pytest.raises(InvalidInput, match=r"2 question\(s\) of 'answers.csv' were not answered in time, but"):
            import_answers(other, tmp_path / "answers.csv")
        assert other.status().asked == 0
