"""`activepu study` from making one to its result."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from studies.scenes import X, Y
from typer.testing import CliRunner

import activepu as apu
from activepu.cli import items, labeller
from activepu.cli.app import app


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["name,a,b", *(f"n{k},{a},{b}" for k, (a, b) in enumerate(X[:400]))]
    Path("t.csv").write_text("\n".join(lines))


def call(*words, keys=""):
    return CliRunner().invoke(app, ["study", *words], input=keys)


def made():
    found = call("create", "t.csv", "--class", "boxes", "--columns", "a,b", "--id", "name", "--epsilon", "0.1")
    assert found.exit_code == 0, found.output
    return found


def test_a_study_from_making_it_to_its_result():
    assert "Made the study 't' of 400 items" in made().output
    found = call("label", "t", "--expert", "ann", keys="y\nn\ns\nn\nu\nn\nx\nq\n")
    assert found.exit_code == 0, found.output
    assert "error at most" in found.output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert study.status().answered == 3
        assert study.status().skipped == 1
    assert "ann: 3 answers" in call("status", "t").output
    assert "With 95% confidence" in call("result", "t", "--save", "r.json").output
    assert apu.load_result("r.json").n_queries == 3
    assert call("list").output.splitlines()[1].split()[:5] == ["t", "400", "5", "3", "1"]
    assert "Wrote 4 entries" in call("export", "t", "out.csv").output
    assert call("import", "t", "out.csv").output == "Took in 0 new entries.\n"


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


def test_labelling_ends_with_a_certificate():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        seen = []

        def read(prompt):
            seen.append(study.open("ann")[0].item)
            return "y" if Y[seen[-1]] and seen[-1] % 5 else "n"

        assert labeller.label(study, "ann", read) == len(seen)
        assert study.status().finished


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
    assert "'x' stands for nothing here." in shown


def test_whoever_must_wait_is_told_for_whom(monkeypatch, capsys):
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert len(study.ask("bob", 2)) == 2
        monkeypatch.setattr(study, "ask", lambda expert: [])
        assert labeller.label(study, "ann") == 0
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
        assert "You answered 0; all of it is safe." in said.out
        assert "Go on with: activepu study label t" in said.out


def test_the_status_says_who_has_the_open_questions():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        study.ask("ann", 2)
        study.ask("bob", 1)
        study.release("bob")
    assert "open: ann has 2, 1 waits for whoever asks next" in call("status", "t").output


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


def test_per_expert_rates_known_positives_and_limits_are_passed_on():
    Path("known.txt").write_text("n5\nn7\n")
    words = ["create", "t.csv", "--columns", "a,b", "--id", "name", "--epsilon", "0.1", "--rate", "per expert"]
    found = call(*words, "--positives", "known.txt", "--open-per-expert", "3", "--lease-minutes", "2")
    assert found.exit_code == 0, found.output
    assert call(*words, "--name", "u", "--positives", "n5, n7").exit_code == 0
    with apu.Study.load("sqlite:///activepu.db", "t") as study, apu.Study.load("sqlite:///activepu.db", "u") as other:
        assert study.learner.rate == "per expert"
        assert study.settings["positives"] == other.settings["positives"] == [5, 7]
        assert (study.settings["open_per_expert"], study.settings["lease_seconds"]) == (3, 120)
    wrong = call(*words, "--name", "v", "--positives", "n5,zz")
    assert wrong.exit_code == 2
    assert "--positives names 'zz'" in wrong.output
    assert "'per expert', got 'often'" in call("create", "t.csv", "--name", "v", "--rate", "often").output


def test_experts_of_a_file_can_be_renamed():
    made()
    Path("x.csv").write_text("id,answer,expert\nn1,yes,1\nn2,skip,1\n")
    assert "Took in 2 new entries" in call("import", "t", "x.csv", "--names", "1=ann").output
    assert "ann: 1 answer\n" in call("status", "t").output
    assert "got '1'" in call("import", "t", "x.csv", "--names", "1").output


def test_studies_are_listed_without_their_tables_and_learners(monkeypatch):
    from sklearn.linear_model import LogisticRegression

    made()
    call("label", "t", "--expert", "ann", keys="y\nn\ns\nq\n")
    url, pool = "sqlite:///activepu.db", apu.Pool(X[:400])
    with apu.Study.create(url, "model", pool, apu.ModelLearner(LogisticRegression())) as study:
        study.record([(3, True, "ann"), (4, False, "ann"), (5, apu.SKIP, "bob")])
    Path("t.csv").unlink()
    monkeypatch.setattr(apu.Run, "__init__", lambda *_: pytest.fail("a learner was started"))
    lines = [line.split() for line in call("list").output.splitlines()]
    assert lines[0] == ["study", "items", "asked", "answered", "revealed", "aim", "learner"]
    assert lines[1] == ["model", "400", "3", "2", "1", "–", "ModelLearner"]
    assert lines[2] == ["t", "400", "4", "2", "1", "10%", "ZCal,", "boxes"]
    assert "activepu study status NAME" in " ".join(lines[3])


def test_what_to_go_on_with_names_the_table_that_was_moved():
    made()
    Path("t.csv").rename("u.csv")
    shown = call("label", "t", "--expert", "ann", "--table", "u.csv", keys="q\n").output
    assert "Go on with: activepu study label --expert ann --table u.csv t\n" in shown


def test_a_wrong_folder_makes_no_database():
    for words in (["list"], ["status", "t"], ["label", "t"]):
        found = call(*words)
        assert found.exit_code == 2
        assert "There is no database 'activepu.db' here" in found.output
    assert not Path("activepu.db").exists()


def test_mistakes_get_one_sentence():
    made()
    assert "no study 'x'" in call("status", "x").output
    assert call("status", "x").exit_code == 2
    again = call("create", "t.csv", "--columns", "a,b", "--id", "name")
    assert again.exit_code == 2
    assert "already" in again.output
    assert "sqlite:///file.db" in call("list", "--db", "mysql://x").output
