"""The labeller: one item, one letter."""

import io
import re

import pytest
from audit import world
from cli.calls import call, made
from rich.console import Console
from studies.scenes import Y

import activepu as apu
from activepu.cli import items, labeller

pytestmark = pytest.mark.usefixtures("folder")


def test_the_end_of_input_and_ctrl_c_lose_nothing(monkeypatch):
    made()
    assert call("label", "t", "--expert", "ann", keys="y\n").exit_code == 0
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        keys = iter(["n", "y"])

        def read(prompt):
            for key in keys:
                return key
            raise KeyboardInterrupt

        assert labeller.label(study, "ann", read) == 2
        held = study.open("ann")
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert study.status().answered == 3
        assert study.open("ann") == held or study.open("ann")[0].token == held[0].token


def test_experts_are_not_told_what_a_question_is_for(capsys):
    """Whoever quits after every question would see the count of gold, or of overlap, grow after one of them."""
    learner = world.audit(rate="per expert", gold=[k for k in range(world.N) if world.TRUTH[k]][:9])
    with apu.Study.create("sqlite:///activepu.db", "blind", apu.Pool(world.X), learner) as study:
        for k in range(30):
            keys = iter("yq")
            labeller.label(study, ("ann", "bob")[k % 2], lambda prompt, keys=keys: next(keys))
        status = study.status()
        assert status.gold > 0
        assert status.overlap > 0
        assert f"{status.gold} gold" in str(status)
    shown = capsys.readouterr().out
    assert "blind: 30 answered, 30 revealed" in shown
    assert not re.search("gold|overlap|lot", shown)


def test_labelling_ends_with_a_certificate():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        seen = []

        def read(prompt):
            if not study.open("ann"):
                return "q"
            seen.append(study.open("ann")[0].item)
            return "y" if Y[seen[-1]] and seen[-1] % 5 else "n"

        assert labeller.label(study, "ann", read) == len(seen)
        assert study.status().finished


def test_the_deciding_answer_can_be_taken_back():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        while questions := study.ask("ann"):
            letter = "y" if Y[questions[0].item] else "n"
            study.tell(questions[0].token, letter == "y")
        last = study.status().asked
    ended = call("label", "t", "--expert", "bob", keys="")
    assert ended.exit_code == 0, ended.output
    assert "t: " in ended.output
    assert "With 95% confidence" in ended.output
    assert ended.output.endswith("u undo your last answer · any other key ends > \nNothing was answered.\n")
    none = call("label", "t", "--expert", "bob", keys="u\nx\n").output
    assert "There is no answer by 'bob' to take back." in none
    assert "Go on with" not in none
    back = call("label", "t", "--expert", "ann", keys="u\nq\n").output
    assert "Taken back; this was the question." in back
    assert f"ann · question {last} " in back
    assert "Go on with: activepu study label --expert ann t" in back
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert study.status().answered == last - 1
    once_more = call("label", "t", "--expert", "ann", keys=f"{letter}\nu\n{letter}\n").output
    assert once_more.count("; finished\n") == 2
    assert once_more.endswith("You answered 1; all of it is safe.\n")


def test_questions_are_counted_from_1_in_all_that_is_said(monkeypatch):
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        study.tell(study.ask("ann", 2)[1], True)
    assert "wait for the answer to question 1, which" in call("result", "t").output
    assert "1 of the answers waits for question 1, which ann has" in call("status", "t").output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:

        def read(prompt):
            if (held := study.open("ann")) and held[0].number == 0:
                study.tell(held[0], False)
                return "y"
            return "q"

        said = []
        monkeypatch.setattr(labeller.screen, "complain", said.append)
        labeller.label(study, "ann", read)
        assert said == ["Question 1 was already answered 'can't tell' at another desk; press u to take it back."]

        def late(prompt):
            if (held := study.open("ann")) and held[0].number == 2:
                study.tell(held[0], True)
                return "n"
            return "q"

        labeller.label(study, "ann", late)
        assert said[1:] == ["Question 3 was already answered 'yes' at another desk; press u to take it back."]
    refused = "The answer to question 5 cannot be taken back: Question 0 was skipped"
    assert labeller.counted(refused) == "The answer to question 6 cannot be taken back: Question 1 was skipped"


def test_a_finished_study_names_the_command_with_its_database():
    here = ("--db", "sqlite:///other.db")
    learner = ("--class", "boxes", "--columns", "a,b", "--epsilon", "0.1", "--check", "5")
    assert call("create", "t.csv", *learner, *here).exit_code == 0
    with apu.Study.load("sqlite:///other.db", "t") as study:
        while questions := study.ask("ann"):
            study.tell(questions[0].token, bool(Y[questions[0].item]))
    shown = call("label", "t", "--expert", "ann", *here, keys="q\n").output
    assert "The rule: activepu study result --db sqlite:///other.db t\n" in shown


def test_lines_that_are_not_typed_get_a_new_line_after_the_prompt():
    made()
    shown = call("label", "t", "--expert", "ann", keys="y\nq\n").output
    assert shown.count("y/n/s/u/q > \n") == 2
    assert shown.count("· question ") == f"\n{shown}".count("\nt · ann · question ") == 2
    assert "Wrote 1 entry to out.csv." in call("export", "t", "out.csv").output


def test_words_will_do_where_lines_are_read():
    made()
    assert call("label", "t", "--expert", "bob", keys="s\nq\n").exit_code == 0
    shown = call("label", "t", "--expert", "ann", keys="Yes\ncan't tell\nskip\nundo\nno\nquit\n").output
    assert "You answered 2; all of it is safe." in shown
    assert "'no' has no meaning here." in shown


def test_the_last_lines_are_broken_between_words_on_a_terminal(monkeypatch):
    made()
    narrow = Console(width=60, file=io.StringIO(), force_terminal=True, color_system=None, highlight=False)
    monkeypatch.setattr(labeller.screen, "console", lambda: narrow)
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        while questions := study.ask("ann"):
            study.tell(questions[0].token, bool(Y[questions[0].item]))
        said = str(study.result().certificate)
        labeller.label(study, "ann", lambda prompt: "q")
    lines = narrow.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(said.split()) in " ".join(" ".join(lines).split())


def test_the_status_is_worked_out_once_per_item(monkeypatch):
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        calls = []
        status = study.status
        monkeypatch.setattr(study, "status", lambda: calls.append(1) or status())
        letters = iter("ymxnq")
        assert labeller.label(study, "ann", lambda prompt: next(letters)) == 2
    assert len(calls) == 3


def test_lines_show_an_item_once_and_again_when_it_is_taken_back():
    made()
    shown = call("label", "t", "--expert", "ann", keys="x\ny\nu\nq\n").output
    assert [line.split("question ")[1][0] for line in shown.splitlines() if "· question " in line] == ["1", "2", "1"]
    assert "'x' has no meaning here." in shown


def test_whoever_must_wait_is_told_for_whom(monkeypatch, capsys):
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert len(study.ask("bob", 2)) == 2
        monkeypatch.setattr(study, "ask", lambda expert: [])
        assert labeller.label(study, "ann", lambda prompt: "q") == 0
    assert "bob has 2. Come back later." in capsys.readouterr().out


def test_answers_that_contradict_each_other_can_be_taken_back(monkeypatch, capsys):
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        ask, broken = study.ask, iter([False, True])

        def asked(expert):
            if next(broken, False):
                raise apu.AssumptionsViolated("No box is left.")
            return ask(expert)

        monkeypatch.setattr(study, "ask", asked)
        letters = iter("yunq")
        assert labeller.label(study, "ann", lambda prompt: next(letters)) == 1
        assert study.status().revealed == 0
    assert "No box is left." in capsys.readouterr().err


def test_a_database_that_fails_for_a_while_is_waited_for(monkeypatch, capsys):
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        ask, status = study.ask, study.status
        broken = iter([False, True, False, True])

        def failing(do):
            def done(*args):
                if next(broken, False):
                    raise apu.StorageFailed("The database is busy: try again.")
                return do(*args)

            return done

        monkeypatch.setattr(study, "ask", failing(ask))
        monkeypatch.setattr(study, "status", failing(status))
        letters = iter("ryrnq")
        assert labeller.label(study, "ann", lambda prompt: next(letters)) == 2
        assert status().answered == 2
        said = capsys.readouterr()
        assert said.err.count("The database is busy: try again.") == 2
        assert [f"question {k} " in said.out for k in (1, 2, 3, 4)] == [True, True, True, False]

        monkeypatch.setattr(study, "ask", failing(ask))
        monkeypatch.setattr(study, "status", failing(status))
        broken = iter([True] * 9)
        letters = iter("rrq")
        assert labeller.label(study, "ann", lambda prompt: next(letters), again="activepu study label t") == 0
        said = capsys.readouterr()
        assert said.err.count("The database is busy") == 3
        assert "Nothing was answered." in said.out
        assert "Go on with: activepu study label t" in said.out


def test_items_stay_readable_and_cannot_command_the_terminal():
    console = Console(width=80, height=24, file=io.StringIO())
    row = {"text": "\x1b[31mred\x1b[0m " + "word " * 400} | {f"column {k} " + "x" * 40: k for k in range(30)}
    pages = items.pages(console, row, 16)
    for page in pages:
        console.print(page, end="")
    shown = console.file.getvalue()
    assert "\x1b" not in shown
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert len(shown.splitlines()) <= 16 * len(pages)
    assert shown.count("word") == 400
    assert all(f"column {k} " in shown for k in range(30))
