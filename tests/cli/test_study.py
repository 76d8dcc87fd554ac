"""`activepu study` from making one to its result."""

from pathlib import Path

import pytest
from cli.calls import call, made
from studies.scenes import X

import activepu as apu

pytestmark = pytest.mark.usefixtures("folder")


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rate", "70%"], "--rate/--known-rate takes a number, two with a comma between them, or 'per expert'"),
        (["--deadline-minutes", "-1"], "--deadline-minutes must be at least 0, got -1.0."),
        (["--name", " "], "name must be the name of a study, such as 'fraud', got ' '."),
        (["--db", "sqlite:///folder"], "A study needs a file, and 'folder' is a folder; add a name, such as study.db."),
    ],
)
def test_a_refusal_names_what_was_typed(words, said):
    Path("folder").mkdir()
    refused = call("create", "t.csv", "--columns", "a,b", *words)
    assert refused.exit_code == 2
    assert said in " ".join(refused.output.split())


def test_a_folder_is_no_database():
    Path("folder").mkdir()
    refused = call("label", "t", "--db", "sqlite:///folder")
    assert "'folder' is a folder" in " ".join(refused.output.split())


def test_skips_are_counted_by_question():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        study.ask("cyd")
        study.release("cyd")
        (first,) = study.ask("ann")
        study.ask("bob")
        study.skip(first)
        assert "1 question skipped, none by everyone\n" in call("status", "t").output
        (again,) = (q for q in study.ask("bob", 2) if q.number == first.number)
        study.skip(again)
        assert "1 question skipped (2 skips in all), none by everyone\n" in call("status", "t").output
        study.leave("cyd")
    assert "1 question skipped (2 skips in all), 1 by everyone\n" in call("status", "t").output


def test_the_status_says_who_has_the_open_questions():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        study.ask("ann", 2)
        study.ask("bob", 1, shown=False)
        study.release("bob")
    assert "open: ann has 2, 1 waits for the next expert who asks" in call("status", "t").output


def test_what_an_absent_expert_holds_can_be_released():
    made()
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        study.ask("ann")
        study.ask("ann", 2, shown=False)
    said = call("release", "t", "ann").output
    assert "Questions put back: 1; ended without an answer: 0. Still with ann, who was shown them: 1; --shown" in said
    assert "Questions put back: 0; ended without an answer: 1.\n" in call("release", "t", "ann", "--shown").output
    assert "1 not answered in time" in call("status", "t").output
    assert "cyd holds no question." in call("release", "t", "cyd").output


def test_per_expert_rates_known_positives_and_limits_are_passed_on():
    Path("known.txt").write_text("n5\nn7\n")
    words = ["create", "t.csv", "--columns", "a,b", "--id", "name", "--epsilon", "0.1", "--rate", "per expert"]
    found = call(*words, "--positives", "known.txt", "--open-per-expert", "3", "--deadline-minutes", "2")
    assert found.exit_code == 0, found.output
    assert call(*words, "--name", "u", "--positives", "n5, n7").exit_code == 0
    with apu.Study.load("sqlite:///activepu.db", "t") as study, apu.Study.load("sqlite:///activepu.db", "u") as other:
        assert study.learner.rate == "per expert"
        assert study.settings["positives"] == other.settings["positives"] == [5, 7]
        assert (study.settings["open_per_expert"], study.settings["deadline"]) == (3, 120)
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
    assert lines[1] == ["model", "400", "3", "2", "1", "–", "ModelLearner,", "LogisticRegression"]
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


def test_a_table_that_changed_is_named_with_what_differs():
    Path("u.csv").write_text("name,a,b,long\n" + "\n".join(f"n{k},{k},{k},text {k}" for k in range(400)))
    assert call("create", "u.csv", "--columns", "a,b").exit_code == 0
    Path("u.csv").write_text("name,a,b\n" + "\n".join(f"n{k},{k},{k}" for k in range(400)))
    changed = call("label", "u")
    assert changed.exit_code == 2
    assert "u.csv' is not the one that the study 'u' was made with: column 'long' is missing; " in changed.output
    text = call("create", "t.csv", "--name", "v", "--columns", "a,name")
    assert text.exit_code == 2
    assert "Column 'name' holds string, not numbers; choose others with --columns, of a, b." in text.output


def test_the_shell_knows_names_in_upper_case():
    assert call("create", "t.csv", "--columns", "a,b", "--epsilon", "0.1").exit_code == 0
    assert call("label", "T", "--expert", "Ann", keys="y\nq\n").exit_code == 0
    assert call("label", "t", "--expert", " ANN", keys="n\nq\n").exit_code == 0
    assert "Ann: 2 answers" in call("status", "t").output
    assert "ANN" not in call("status", "t").output
    assert "already a study 't'" in call("create", "t.csv", "--name", "T ", "--columns", "a,b").output


def test_an_import_can_be_interrupted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("name,a,b\n" + "".join(f"k{i},{x[0]},{x[1]}\n" for i, x in enumerate(X[:200])))
    Path("x.csv").write_text("id,answer\nk1,yes\n")
    made()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(apu.Study, "take", interrupted)
    found = call("import", "t", "x.csv")
    assert (found.exit_code, found.output) == (
        130,
        "Interrupted: all entries were taken in, or none. The same command can be repeated.\n",
    )


def test_a_study_is_deleted_once_its_name_is_typed():
    made()
    call("label", "t", "--expert", "ann", keys="y\nn\nq\n")
    for typed in ("", "u\n", "y\n"):
        kept = call("delete", "t", keys=typed)
        assert kept.exit_code == 2
        assert "The study 't' has 2 answers, 1 revealed, and all of it will be gone." in kept.output
        assert f"Nothing was deleted: the name is 't', got {typed.strip()!r}." in kept.output
    assert call("status", "t").exit_code == 0
    gone = call("delete", "t", keys="T\n")
    assert gone.exit_code == 0
    assert "Deleted the study 't' with 2 answers." in gone.output
    assert "There is no study 't'" in call("status", "t").output
    made()
    assert call("delete", "t", "--yes").output == "Deleted the study 't' with 0 answers.\n"
    assert "There is no study 't'" in call("delete", "t", "--yes").output


def test_the_labeller_shows_the_key_of_the_item():
    made()
    shown = call("label", "t", "--expert", "ann", keys="q\n").output
    with apu.Study.load("sqlite:///activepu.db", "t") as study:
        assert f"t · ann · question 1 · {study.ask('ann')[0].id} ─" in shown
