"""Several experts at once: no item goes to two, nothing is lost, and refusals say why."""

import pytest
from studies.scenes import X, Y, expire, kinds, pool, says, zcal

import activepu as apu
from activepu.errors import AnswerRefused, InvalidInput
from activepu.hypotheses import Boxes
from activepu.studies import choice
from activepu.studies.overview import overview


def test_no_item_goes_to_two_experts_and_each_holds_two(study):
    put = [q for name in ("ann", "bob", "cyd") for _ in range(2) for q in study.ask(name)]
    assert len({q.item for q in put}) == len(put) == 6
    assert [q.number for q in put] == list(range(6))
    again = study.ask("ann")
    assert [q.token for q in again] == [put[0].token]
    assert [q.token for q in study.open("ann")] == [put[0].token, put[1].token]
    assert len(study.ask("dan", n=5)) == 5


def test_the_same_answer_twice_counts_once_and_another_is_refused(study):
    (q,) = study.ask("ann")
    study.tell(q.token, False)
    study.tell(q.token, False)
    assert kinds(study) == ["ask", "shown", "answer"]
    with pytest.raises(AnswerRefused, match="already answered with False"):
        study.tell(q.token, True)
    with pytest.raises(AnswerRefused, match="cannot be skipped"):
        study.skip(q.token)
    with pytest.raises(AnswerRefused, match="token 'x'"):
        study.tell("x", True)
    with pytest.raises(InvalidInput, match="True"):
        study.tell(q.token, 1)
    (mine,) = study.ask("ann")
    with pytest.raises(AnswerRefused, match="put to 'ann', not to 'bob'"):
        study.tell(mine.token, True, expert="bob")


def test_a_skipped_question_goes_to_others_and_is_withdrawn_when_everyone_has_skipped(study):
    (first,), (other,) = study.ask("ann"), study.ask("bob")
    study.skip(first.token)
    study.skip(first.token)
    assert study.ask("ann")[0].number == 2
    (passed,) = study.ask("bob")
    assert (passed.number, passed.item) == (0, first.item)
    with pytest.raises(AnswerRefused, match="skipped with this token"):
        study.tell(first.token, True)
    study.skip(passed.token)
    assert kinds(study)[-2:] == ["skip", "withdraw"]
    assert study.status().withdrawn == 1
    study.tell(other.token, says(other.item))
    assert study.result().n_queries == 1
    assert "items were skipped whatever they are" in study.result().certificate.assumptions


def test_undo_reopens_the_last_answer_of_this_expert(study):
    (a,), (b,) = study.ask("ann"), study.ask("bob")
    study.tell(a.token, True)
    study.tell(b.token, False)
    again = study.undo("ann")
    assert (again.number, again.item) == (0, a.item)
    assert study.status().waiting == 1
    with pytest.raises(AnswerRefused, match="taken back"):  # a message that was sent twice must not answer it
        study.tell(a.token, True)
    study.tell(again.token, False)
    assert study.result().history["answer"] == [0, 0]
    with pytest.raises(InvalidInput, match="no answer by 'cyd'"):
        study.undo("cyd")


def test_undo_takes_a_skip_back_while_nobody_else_has_the_question(study):
    (a,), _ = study.ask("ann"), study.ask("bob")
    study.skip(a.token)
    again = study.undo("ann")
    assert (again.number, again.item) == (a.number, a.item)
    with pytest.raises(AnswerRefused, match="taken back"):
        study.tell(a.token, True)
    study.skip(again.token)
    (theirs,) = study.ask("bob")
    assert theirs.number == a.number
    with pytest.raises(InvalidInput, match="no answer by 'ann'"):
        study.undo("ann")
    study.tell(theirs.token, says(theirs.item))
    assert [kind for kind in kinds(study) if kind != "shown"] == ["ask", "ask", "skip", "unskip", "skip", "answer"]


def test_undo_takes_back_the_skip_of_an_expert_who_is_alone(study):
    (first,), (second,) = study.ask("ann"), study.ask("ann")
    study.tell(first.token, True)
    study.skip(second.token)
    assert study.status().withdrawn == 1
    again = study.undo("ann")
    assert (again.number, again.item) == (second.number, second.item)
    assert (study.status().withdrawn, study.status().answered) == (0, 1)
    study.tell(again.token, False)
    assert study.result().history["answer"] == [1, 0]
    assert "items were skipped whatever they are" not in study.result().certificate.assumptions


def test_nobody_waits_for_an_expert_who_has_left(study):
    held, (other,) = study.ask("ann", 2), study.ask("bob")
    (unseen,) = study.ask("ann", 3, shown=False)
    study.skip(other.token)
    study.leave("ann")
    assert kinds(study)[-1] == "withdraw"  # all who are left have skipped it
    assert [q.number for q in study.ask("bob")] == [unseen.number]
    assert study.status().timed_out == len(held)
    assert set(study.status().experts) == {"bob"}


def test_known_positives_are_kept_with_the_study(url):
    known = [int(item) for item in Y[:400].nonzero()[0][:3]]
    with apu.Study.create(url, "s", pool(), zcal(), positives=known) as study:
        decided = study.result().predict(X[:400], abstain=True)
        assert (decided[known] == 1).all()
        assert not {q.item for q in study.ask("ann", 30)} & set(known)
        before = study.result().certificate
    with apu.Study.load(url, "s", pool()) as again:
        assert again.result().certificate == before
    with pytest.raises(InvalidInput):
        apu.Study.create(url, "t", pool(), zcal(), positives=[400])


def test_undo_is_refused_where_a_later_phase_rests_on_it(url):
    learner = apu.RevealRate(Boxes(), 0.2)
    with apu.Study.create(url, "s", pool(4000), learner) as study:
        for _ in range(400):
            (q,) = study.ask("ann")
            if study.run().questions[-1].note.phase == "measure rate":
                break
            study.tell(q.token, says(q.item))
        with pytest.raises(InvalidInput, match="already rests on it"):
            study.undo("ann")
        assert study.status().open == 1


def yes_to_all(study):
    for _ in range(200):
        for q in study.ask("ann", 2):
            study.tell(q.token, True)


def test_contradictions_are_kept_and_an_undo_mends_them(url):
    never = apu.FiniteClass([lambda X: X[:, 0] > 0.9, lambda X: X[:, 0] < 0.1])
    with apu.Study.create(url, "s", pool(), apu.ZCal(never, 0.05, 0.05, rate=0.9, check=0), deadline=None) as study:
        with pytest.raises(apu.AssumptionsViolated):
            yes_to_all(study)
        assert study.status().problem
        before = study.status().answered
        assert study.undo("ann").item >= 0
        assert study.status().answered == before - 1


def test_who_comes_back_through_another_process_is_known_again(url, study):
    with apu.Study.load(url, "s", pool()) as other:
        study.ask("ann")
        other.ask("bob")
        other.leave("ann")
        study.ask("ann")
        assert set(study.status().experts) == {"ann", "bob"}


def test_what_was_leased_is_handed_out_although_the_learner_fails(study, monkeypatch):
    study.ask("ann", shown=False)
    study.leave("ann")

    def fails(*_):
        raise apu.StorageFailed("gone")

    monkeypatch.setattr(study._shared, "choose", fails)
    assert len(study.ask("bob", 2)) == 1
    with pytest.raises(apu.StorageFailed):
        study.ask("cyd")


def test_who_chooses_slowly_lets_others_in_between(url, study, monkeypatch):
    with apu.Study.create(url, "t", pool(), zcal()) as other:
        together = [q.item for q in other.ask("ann", 4)]
    write, written = study.storage.write, []

    def counted(*args, **options):
        written.append(1)
        return write(*args, **options)

    monkeypatch.setattr(study.storage, "write", counted)
    monkeypatch.setattr(choice, "HOLD_SECONDS", 0.0)
    assert [q.item for q in study.ask("ann", 4)] == together
    assert len(written) == 1 + 4


def test_two_tokens_of_one_expert_do_not_contradict_each_other(study):
    (old,), _ = study.ask("ann", shown=False), study.ask("bob")
    expire(study)
    (new,) = study.ask("ann")
    assert new.number == old.number
    study.skip(old.token)
    assert study.open("ann") == []
    with pytest.raises(AnswerRefused, match=r"skipped by 'ann'"):
        study.tell(new.token, True)
    assert kinds(study).count("skip") == 1


@pytest.mark.parametrize("token", ["", "x", "0-", "0-\0", "0-\ud800", "9" * 40, None, 3])
def test_tokens_that_are_none(study, token):
    with pytest.raises(AnswerRefused, match="No question"):
        study.tell(token, True)


@pytest.mark.parametrize("do", ["open", "undo", "leave", "ask"])
def test_names_are_checked(study, do):
    with pytest.raises(InvalidInput, match="must be a name"):
        getattr(study, do)("\ud800")


def test_what_was_held_when_a_process_died_comes_first(url, study):
    (lost,) = study.ask("ann")
    with apu.Study.load(url, "s", pool()) as again:
        assert [q.number for q in again.ask("ann", 2)] == [lost.number, 1]


def test_who_waits_for_others_gets_what_he_holds_again(url):
    with apu.Study.create(url, "s", apu.Pool(X[:30]), zcal(rate=1.0)) as study:
        held = study.ask("ann", 1000)
        assert [q.token for q in study.ask("ann", 1000)] == [q.token for q in held]


def test_the_status_says_for_whom_answers_wait(study):
    study.ask("bob", shown=False)
    for _ in range(3):
        (q,) = study.ask("ann")
        study.tell(q, says(q.item))
    found = study.status()
    assert (found.waiting, found.waits_for) == (3, "question 1, which bob has")
    assert "3 of the answers wait for question 1, which bob has" in str(found)
    study.release("bob")
    assert study.status().waits_for == "question 1, which nobody has"
    assert study.ask("ann")[0].number == 0


def test_somebody_who_was_never_there_cannot_leave(study):
    study.ask("ann")
    with pytest.raises(InvalidInput, match="Nobody called 'anne' has been asked in this study; there are: 'ann'"):
        study.leave("anne")
    study.leave("ann")


def test_a_closed_study_is_closed_and_loading_makes_no_file(url, study, tmp_path):
    study.ask("ann")
    study.close()
    for do in (lambda: study.ask("ann"), study.status, lambda: study.undo("ann")):
        with pytest.raises(InvalidInput, match=r"was closed here; open it again with Study\.load"):
            do()
    with apu.Study.load(url, "s", pool()) as again:
        assert again.status().open == 1
    with pytest.raises(InvalidInput, match=r"There is no file '.*none.db' with studies"):
        apu.Study.load(f"sqlite:///{tmp_path}/none.db", "s", pool())
    with pytest.raises(InvalidInput, match=r"There is no file '.*none.db' with studies"):
        overview(f"sqlite:///{tmp_path}/none.db")
    assert not (tmp_path / "none.db").exists()
