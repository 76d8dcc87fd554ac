"""A question that one expert was shown and another answered: the certificate says so."""

from studies.scenes import X, expire

import activepu as apu


def passed_on(study):
    return any("was passed on" in said for said in study.result().certificate.assumptions)


def test_a_skipped_question_that_another_answers_is_named_in_the_certificate(study):
    """If experts skip what looks negative, silence becomes likelier, so the reader of the certificate must know."""
    (first,) = study.ask("ann")
    study.tell(first.token, True)
    assert not passed_on(study)
    (skipped,), _ = study.ask("ann"), study.ask("bob")
    study.skip(skipped)
    assert not passed_on(study)  # it has no answer yet
    theirs = next(q for q in study.ask("bob", 2) if q.item == skipped.item)
    study.tell(theirs.token, False)
    assert passed_on(study)


def test_a_question_that_one_expert_did_not_see_has_not_been_passed_on(study):
    (unseen,) = study.ask("ann", shown=False)
    expire(study)
    (again,) = study.ask("bob")
    assert again.item == unseen.item
    study.tell(again.token, True)
    assert not passed_on(study)


def test_a_learner_that_needs_every_answer_passes_questions_on_and_says_so(url):
    few = apu.paper.Constants(scale=1e-6)
    learner = apu.paper.KnownPrior(apu.Thresholds(), 0.1, 0.1, prior=0.6, theta=2, constants=few)
    with apu.Study.create(url, "s", apu.Pool(X[:3000, :1]), learner) as study:
        (first,) = study.ask("ann")
        expire(study)
        (again,) = study.ask("bob")
        assert again.item == first.item
        study.tell(again, True)
        assert passed_on(study)
