"""A question that went from one expert to another: the certificate says so."""

from studies.scenes import expire


def passed_on(study):
    return any("went from one expert to another" in said for said in study.result().certificate.assumptions)


def test_a_question_that_changed_hands_is_named_in_the_certificate(study):
    """If a yes is slower than the lease, silence becomes likelier, so the reader of the certificate must know."""
    (first,) = study.ask("ann")
    study.tell(first.token, True)
    assert not passed_on(study)
    study.ask("ann")
    expire(study)
    (other,) = study.ask("bob")
    assert not passed_on(study)  # it has no answer yet
    study.tell(other.token, False)
    assert passed_on(study)


def test_so_is_one_whose_first_expert_was_late_but_faster_than_the_second(study):
    (late,) = study.ask("ann")
    expire(study)
    study.ask("bob")
    study.tell(late.token, True)
    assert passed_on(study)


def test_a_question_that_one_expert_leases_twice_has_not_changed_hands(study):
    study.ask("ann")
    expire(study)
    (again,) = study.ask("ann")
    study.tell(again.token, True)
    assert not passed_on(study)
