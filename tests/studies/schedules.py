"""Experts work on one study through several processes while these fail; all that was sent and acknowledged is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sqlalchemy as sa
from studies.faults import Client, Gate, Killed
from studies.scenes import silence
from studies.steps import CLIENTS, DAMAGE

import activepu as apu
from activepu.errors import AnswerRefused, InvalidInput, StorageFailed
from activepu.studies import repair

_KNOWN = sa.text("SELECT choosing_after FROM activepu_studies WHERE id = :_study")
_TURN = sa.text("UPDATE activepu_questions SET expires = expires - :_seconds WHERE study = :_study")


@dataclass(eq=False)
class Sent:
    """A change that was sent, perhaps several times: a tell, a skip or an undo.

    `doubted` says whether it may have been made without being acknowledged, `acknowledged` whether a call returned, and
    `returned` what.
    """

    kind: str
    expert: str
    key: str | None
    token: str | None = None
    number: int | None = None
    answer: bool | None = None
    doubted: bool = False
    acknowledged: bool = False
    returned: object = None


class Scene:
    """Several clients of one study, and what was shown, sent and acknowledged."""

    def __init__(self, urls, name, table, learner, says, proxy=None):
        """The clients use the second URL, the tests themselves the first; `says` gives the answer about an item."""
        self.url, self._through = urls
        self.name, self.table, self._proxy = name, table, proxy
        self.watch = apu.Study.create(self.url, name, table, learner)
        self._says = says
        self._firm = learner.allows_timeouts  # a question never goes on at its deadline
        self._clients: list[Client | None] = [None] * CLIENTS
        self._hands = {}  # token: question
        self._shown = {}  # number of a question: who was shown it last, and has not skipped it
        self.sent: list[Sent] = []
        self._thinking = None  # a client, and its call that has stopped in the middle of choosing

    def play(self, schedule):
        """Do all steps."""
        for step in schedule:
            if self._thinking is not None and self._clients[step.client] is self._thinking[0] and step.act != "die":
                self._go_on()
            getattr(self, f"_{step.act.replace(' ', '_')}")(step)
            self._check_reading()

    def _check_reading(self):
        """Nobody reads further than the one who chooses, before that one has chosen."""
        with self.watch.storage.read(self.watch.key) as reading:
            ((known,),) = reading.all(_KNOWN)
        assert known is None or all(study._shared.head <= known for study in self.living())

    def settle(self):
        """Let what has stopped go on, send again what is in doubt, and end what is over."""
        self._go_on()
        for sent in self.sent:
            if sent.doubted and not sent.acknowledged and (sent.key or sent.kind != "undo"):
                self._send(self._client(0), sent)
        silence(self.watch.storage)
        self.watch.status()

    def close(self):
        if self._thinking is not None:
            self._thinking[0].dead = True
            self._thinking[1].open()
        for client in self._clients:
            if client is not None:
                client.close()
        self.watch.close()

    def living(self):
        """Return the studies of all processes that live."""
        return [client.study for client in self._clients if client is not None and not client.dead]

    def _client(self, k):
        """Return a process that lives, a new one if it must be."""
        found = self._clients[k]
        if found is None or found.dead:
            if found is not None:
                found.close()
            silence(self.watch.storage)
            found = self._clients[k] = Client(self._through, self.name, self.table, self._proxy)
        return found

    @staticmethod
    def _call(client, do, fails=None):
        """Make a call that may fail; return whether it returned, and what, or the error."""
        client.fail_at(*(fails or (None, 0)))
        try:
            return True, do()
        except (Killed, AnswerRefused, InvalidInput, StorageFailed) as error:
            if isinstance(error, StorageFailed) and not error.in_doubt:
                raise
            return False, error
        finally:
            client.fail_at(None, 0)

    def _send(self, client, sent, fails=None):
        """Send a change, for the first time or again; return whether it was acknowledged now."""
        study = client.study
        if sent.kind == "undo":
            silence(self.watch.storage)
        do = {
            "tell": lambda: study.tell(sent.token, sent.answer, key=sent.key),
            "skip": lambda: study.skip(sent.token, key=sent.key),
            "undo": lambda: study.undo(sent.expert, key=sent.key),
        }[sent.kind]
        returned, found = self._call(client, do, fails)
        if returned:
            self._acknowledge(sent, found)
        sent.doubted |= isinstance(found, (Killed, StorageFailed))
        if sent.kind == "skip" and (returned or sent.doubted) and self._shown.get(sent.number) == sent.expert:
            del self._shown[sent.number]
        return returned

    def _acknowledge(self, sent, found):
        if sent.kind == "undo":
            self._hands[found.token] = found
            if not sent.doubted and not sent.acknowledged:
                self._hold([found], sent.expert)
            found = sent.number, _ = found.number, found.token
        if sent.acknowledged:
            assert found == sent.returned, f"{sent} returns {found} now"
        sent.acknowledged, sent.returned = True, found

    def _hold(self, put, expert):
        """Note the questions that a call returned for an expert; what one was shown is never shown to another."""
        for question in put:
            assert question.expert == expert
            self._hands[question.token] = question
            if question.shown and self._firm:
                owner = self._shown.setdefault(question.number, expert)
                assert owner == expert, f"question {question.number}, which {owner} was shown, was shown to {expert}"

    def _new(self, step, kind, expert, **what):
        sent = Sent(kind, expert, f"key {len(self.sent)}" if step.flag else None, **what)
        self.sent.append(sent)
        return sent

    def _hand(self, step):
        """Return a question that an expert got, perhaps one that is over; None if nobody got one yet."""
        over = {sent.token for sent in self.sent if sent.acknowledged} if step.act == "tell" else ()
        there = [q for q in self._hands.values() if q.token not in over]
        own = [q for q in there if q.expert == step.expert] or there
        return own[-1 - step.pick % len(own)] if own else None

    def _answer(self, step, kind, question, **what):
        """Send an answer or a skip of a question; the same again if it was sent before."""
        what |= {"token": question.token, "number": question.number}
        same = (sent for sent in self.sent if sent.kind == kind and what.items() <= vars(sent).items())
        sent = next(same, None) or self._new(step, kind, question.expert, **what)
        self._send(self._client(step.client), sent, step.fails)

    def _tell(self, step):
        if question := self._hand(step):
            self._answer(step, "tell", question, answer=self._says(question.item))

    def _contradict(self, step):
        """Silence where a yes was, or would have been, said: whichever comes first counts."""
        if self._firm and (question := self._hand(step)) and self._says(question.item):
            self._answer(step, "tell", question, answer=False)

    def _skip(self, step):
        if question := self._hand(step):
            self._answer(step, "skip", question)

    def _undo(self, step):
        """Without a key, an undo that is in doubt is repeated by the same process or not at all."""
        client, sent = self._client(step.client), self._new(step, "undo", step.expert)
        if not self._send(client, sent, step.fails) and sent.doubted and not client.dead:
            self._send(client, sent)

    def _again(self, step):
        """Send a change again that was sent before, from any process."""
        before = [sent for sent in self.sent if sent.key is not None or sent.kind != "undo"]
        if before:
            self._send(self._client(step.client), before[-1 - step.pick % len(before)], step.fails)

    def _show(self, step):
        client = self._client(step.client)
        if question := self._hand(step):
            returned, _ = self._call(client, lambda: client.study.shown(question.token), step.fails)
            if returned:
                self._hold([replace(question, shown=True)], question.expert)

    def _release(self, step):
        client = self._client(step.client)
        self._call(client, lambda: client.study.release(step.expert, shown=step.flag), step.fails)

    def _leave(self, step):
        client = self._client(step.client)
        self._call(client, lambda: client.study.leave(step.expert), step.fails)

    def _clock(self, step):
        """Turn the clock beyond the time for which questions are kept that nobody saw, or beyond the deadlines."""
        with self.watch.storage.write(self.watch.key) as transaction:
            transaction.do(_TURN, _seconds=150.0 if step.flag else 1000.0)

    def _ask(self, step):
        client = self._client(step.client)
        self._heard(client, step, *self._beside(step, self._asking(client, step)))

    def _look(self, step):
        """Read the certificate, for which nobody may be choosing."""
        client = self._client(step.client)
        self._beside(step, lambda: self._call(client, client.study.result, step.fails))

    def _beside(self, step, do):
        """Make a call; if a process has stopped in the middle of choosing, wait for it, or find it silent."""
        if self._thinking is None or step.pick < 4:
            silence(self.watch.storage)
            return do()
        silence(self.watch.storage, but=self._process())
        waiting = Gate(do, opened=True).wait()
        self._check_reading()
        self._go_on()
        return waiting.open()

    def _asking(self, client, step):
        study, n, shown = client.study, 1 + step.pick % 2, step.flag
        return lambda: self._call(client, lambda: study.ask(step.expert, n, shown), step.fails)

    def _heard(self, client, step, returned, found):
        if not returned and isinstance(found, StorageFailed):  # they ask again
            silence(self.watch.storage)
            returned, found = self._call(client, lambda: client.study.ask(step.expert, 2, step.flag))
        if returned:
            self._hold(found, step.expert)

    def _process(self):
        return self._thinking[0].study._shared.process

    def _think(self, step):
        """Ask, and stop in the middle of choosing, if it comes to that."""
        self._go_on()
        client = self._client(step.client)
        silence(self.watch.storage)
        gate = Gate(self._asking(client, step)).wait()
        if gate.stopped:
            self._thinking = client, gate, step
        else:
            self._heard(client, step, *gate.open())

    def _go_on(self, step=None):
        """Let the call go on that has stopped in the middle of choosing."""
        if self._thinking is not None:
            silence(self.watch.storage, but=self._process())
            client, gate, asked = self._thinking
            self._thinking = None
            self._heard(client, asked, *gate.open())

    def _die(self, step):
        client = self._client(step.client)
        client.dead = True
        if self._thinking is not None and client is self._thinking[0]:
            self._thinking[1].open()
            self._thinking = None

    def _reopen(self, step):
        self._die(step)
        self._client(step.client)

    def _damage(self, step):
        """Damage a table that follows from the events: no process opens the study before it is repaired."""
        statement = DAMAGE[step.pick % len(DAMAGE)]
        with self.watch.storage.write(self.watch.key) as transaction:
            transaction.do(statement)
        repair(self.url, self.name)
