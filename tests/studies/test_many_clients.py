"""Sixteen clients share the work: one of them reads the answers and chooses for all, and everyone gets questions."""

import threading

import sqlalchemy as sa
from studies.scenes import pool, says

import activepu as apu
from activepu.studies import check, shared_run

CLIENTS, ANSWERS = 16, 4
_OVER = sa.text("UPDATE activepu_studies SET chooser_until = 0 WHERE choosing_after IS NULL")


def test_one_client_reads_and_chooses_for_all_and_each_gets_their_share(url, monkeypatch):
    """Whoever chose last goes on choosing as long as they ask; the test says when their time is over."""
    monkeypatch.setattr(shared_run, "AGAIN", 3600.0)
    learner, table = apu.PassivePU(apu.Boxes(), 0.01, 0.05), pool(4000)
    told, unread, enough = dict.fromkeys(range(CLIENTS), 0), {}, threading.Event()

    def work(k):
        with apu.Study.load(url, "s", table) as study:
            while not enough.is_set():
                (question,) = study.ask(f"expert {k}")
                study.tell(question, says(question.item))
                told[k] += 1
                unread[k] = study._shared.head
                if min(told.values()) >= ANSWERS:
                    enough.set()

    with apu.Study.create(url, "s", table, learner) as watch:
        threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(CLIENTS)]
        for thread in threads:
            thread.start()
        enough.wait(500)
        for thread in threads:
            while thread.is_alive():  # those who still wait for a question may choose for themselves
                with watch.storage.write() as transaction:
                    transaction.do(_OVER)
                thread.join(0.1)
        assert min(told.values()) >= ANSWERS
        watch.run()
        newest = watch._shared.head
        assert sorted(newest - head for head in unread.values())[CLIENTS // 2] > newest / 2
    assert check(url, "s").damaged == ()
