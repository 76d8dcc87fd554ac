"""Sixteen clients share the work: one of them reads all answers and chooses for all, and everyone gets questions."""

import threading

from studies.scenes import pool, says

import activepu as apu
from activepu.studies import check, shared_run

CLIENTS, ANSWERS = 16, 3


def test_one_client_reads_and_chooses_for_all_and_each_gets_their_share(url, monkeypatch):
    """Before, every client read every answer, and some gave 4 answers where others gave 152."""
    monkeypatch.setattr(shared_run, "AGAIN", 3600.0)
    learner, table, told, read = apu.PassivePU(apu.Boxes(), 0.01, 0.05), pool(4000), {}, {}
    done = threading.Event()

    def work(expert):
        with apu.Study.load(url, "s", table) as study:
            for n in range(ANSWERS):
                (question,) = study.ask(expert)
                study.tell(question, says(question.item))
                told[expert] = n + 1
            read[expert] = study._shared.head

    with apu.Study.create(url, "s", table, learner) as first:
        first.tell(first.ask("first")[0], True)
        seen = first._shared.head
        threads = [threading.Thread(target=work, args=(f"expert {k}",)) for k in range(CLIENTS - 1)]
        waits = threading.Thread(target=lambda: ([thread.join() for thread in threads], done.set()))
        for thread in (*threads, waits):
            thread.start()
        while not done.is_set():
            for question in first.ask("first"):
                first.tell(question, says(question.item))
        assert set(told.values()) == {ANSWERS}
        assert len(told) == CLIENTS - 1
        assert first._shared.head > seen
        behind = [first.run() and first._shared.head - head for head in read.values()]
        assert min(behind) > ANSWERS * CLIENTS / 2
    assert check(url, "s").damaged == ()
