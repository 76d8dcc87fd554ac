"""A certificate is a sentence, with any doubt first, and survives JSON."""

import json

from activepu.certificate import Certificate


def test_the_certificate_is_a_sentence_that_a_manager_can_read():
    certificate = Certificate(0.05, 0.95, "population", "exact", ("the truth is a box", "rows are independent"))
    assert str(certificate) == (
        "With 95% confidence, at most 5% of all future items like these are misclassified. "
        "This holds if the truth is a box; rows are independent."
    )
    assert "the items of this pool" in str(Certificate(0.05, 0.95, "pool", "exact"))
    assert "not a proof" in str(Certificate(0.05, 0.95, "pool", "sampled"))
    assert str(Certificate(0.05, 0.95, "pool", "estimate", ("luck holds",))) == (
        "This is an estimate, not a guarantee: at most 5% of the items of this pool are misclassified, if luck holds."
    )
    for vacuous in (1.0, 0.9999):
        assert str(Certificate(vacuous, 0.95, "pool", "exact", ("x",))) == "No bound on the error is certified."
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


def test_a_doubtful_certificate_says_so_first_and_keeps_saying_it():
    certificate = Certificate(0.05, 0.95, "pool", "exact").doubted("Doubtful: one.").doubted("Doubtful: two.")
    assert str(certificate).startswith("Doubtful: one. Doubtful: two. With 95% confidence")
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate
    audited = Certificate(1.0, 0.95, "pool", "exact", claim="", doubt="Doubtful: one.")
    assert str(audited) == "Doubtful: one. Nothing is certified yet; more answers are needed."
    assert certificate.to_dict()["sentence"] == str(certificate)
