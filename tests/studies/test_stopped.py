"""A process that is stopped in the middle, and a learner that thinks for long, hold up nobody for ever."""

import signal
import threading

import pytest
from sklearn.linear_model import LogisticRegression
from studies.clients import client
from studies.faults import Gate, without_clocks
from studies.scenes import Y, impatient, pool, says, state, turn

import activepu as apu
from activepu.errors import StorageFailed
from activepu.studies import check


def test_a_client_that_is_stopped_in_the_middle_of_a_change_hangs_nobody(url, study):
    """Others hear within their timeout that somebody holds the study; a server ends the change of its own accord."""
    (q,) = study.ask("ann")
    on_server = url.startswith("postgresql")
    with client("hold", impatient(url, **({"idle_in_transaction_session_timeout": 0.5} if on_server else {}))) as other:
        assert other.stdout.readline() == "holding\n"
        other.send_signal(signal.SIGSTOP)
        with apu.Study.load(impatient(url), "s", pool()) as third:
            said = set()
            while not study.status().answered:
                try:
                    third.tell(q, True)
                except StorageFailed as error:
                    said.add(str(error).partition(" has ")[2])
                    if not on_server:  # its lock ends with the process
                        other.kill()
        assert said <= {"been busy for 0.3 seconds, held by another program; nothing was changed: try again."}
        assert said or on_server
        other.send_signal(signal.SIGCONT)
        if on_server:
            other.stdin.write("go on\n")
            other.stdin.flush()
            assert "nothing was changed: try again" in other.stdout.readline()
    assert check(url, "s").damaged == ()
    assert study.status().answered == 1


def test_a_client_that_is_stopped_and_goes_on_has_made_its_change(url, study):
    with client("hold", url) as other:
        assert other.stdout.readline() == "holding\n"
        other.send_signal(signal.SIGSTOP)
        with apu.Study.load(impatient(url), "s", pool()) as third, pytest.raises(StorageFailed, match="busy"):
            third.ask("ann")
        other.send_signal(signal.SIGCONT)
        other.stdin.write("go on\n")
        other.stdin.flush()
        assert other.stdout.readline() == "done\n"
    assert study.ask("ann")


class Thinking(LogisticRegression):
    """A model that takes as long as a test wants."""

    go_on = threading.Event()
    thinks = threading.Event()

    def fit(self, X, y, sample_weight=None):
        self.thinks.set()
        self.go_on.wait()
        return super().fit(X, y, sample_weight)


def test_answers_are_taken_while_a_model_thinks(url):
    learner = apu.ModelLearner(Thinking())
    Thinking.go_on.set()
    with apu.Study.create(url, "s", pool(), learner) as one, apu.Study.load(url, "s", pool(), learner) as other:
        for _ in range(20):
            (q,) = one.ask("ann")
            one.tell(q, says(q.item))
        mine, back = other.ask("bob", 2)
        answered, found = other.status().answered, []
        Thinking.thinks.clear()
        Thinking.go_on.clear()
        thread = threading.Thread(target=lambda: found.extend(one.ask("ann", 3)))
        thread.start()
        Thinking.thinks.wait()
        try:
            assert other.tell(mine, True)
            other.skip(back)
            assert [q.number for q in other.ask("dan")] == [back.number]  # what is in the queue needs no choice
            assert not found
            assert thread.is_alive()
        finally:
            Thinking.go_on.set()
            thread.join()
        assert len(found) == 3
        assert other.status().answered == answered + 1
        assert str(one.result()) == str(other.result())


def test_answers_that_come_while_a_question_is_chosen_are_read_after_it(url, monkeypatch):
    """CAL's questions lie where the answers before them left a doubt: read in another order, they are refused."""
    without_clocks(monkeypatch)
    learner, held = apu.Cal(apu.Boxes(), 0.05, 0.2), []
    with apu.Study.create(url, "s", pool(), learner) as one, apu.Study.load(url, "s", pool()) as other:
        for _ in range(25):
            choosing = Gate(lambda: one.ask("ann")).wait()
            assert choosing.stopped
            for q in held:
                other.tell(q, bool(Y[q.item]))
            held = choosing.open()
        with apu.Study.load(url, "s", pool()) as fresh:
            assert state(fresh) == state(one) == state(other)


def answered_until_the_end(url, name, away):
    """How many answers three experts give until nothing is left to ask, and how many of them during an absence."""
    began = over = None
    answered = 0
    with apu.Study.create(url, name, pool(), apu.ZCal(apu.Boxes(), 0.25, 0.1, check=0)) as study:
        while True:
            if away and began is None and answered >= 12:
                began = answered
                assert len(study.ask("bob", 2)) == 2
            put = [q for expert in ("ann", "cyd", "dan") for q in study.ask(expert)]
            for q in put:
                study.tell(q, says(q.item))
            answered += len(put)
            if not put and away and over is None:  # nothing is of use any more before bob's questions are over
                over = answered
                turn(study, 1000)
            elif not put:
                assert study.run().finished
                return answered, away and over - began


def test_who_goes_to_lunch_with_two_questions_costs_few_more(url):
    calm, _ = answered_until_the_end(url, "calm", away=False)
    found, during = answered_until_the_end(url, "away", away=True)
    assert found < 1.2 * calm
    assert 5 < during < calm  # `ask` does not go on handing out what is of no use
