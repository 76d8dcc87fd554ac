"""The events are the state: a study that is loaded is the study that was left."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
import sqlalchemy as sa
from studies.scenes import X, Y, pool, says, state, turn, zcal

import activepu as apu
from activepu.errors import InvalidInput

LEARNERS = {
    "zcal": zcal,
    "zcal per expert": lambda: zcal(rate="per expert"),
    "zcal known rate": lambda: zcal(rate=(0.3, 0.9)),
    "passive": lambda: apu.PassivePU(apu.Boxes(), 0.3, 0.2),
    "known prior": lambda: apu.KnownPrior(apu.Boxes(), 0.3, 0.2, prior=0.4),
    "unknown prior": lambda: apu.UnknownPrior(apu.Boxes(), 0.4, 0.3),
    "cal": lambda: apu.Cal(apu.Boxes(), 0.3, 0.2),
}


def play(study, rng, moves):
    """Several experts do what experts do."""
    hands = {}
    for _ in range(moves):
        expert = str(rng.choice(["ann", "bob", "cyd"]))
        what = rng.choice(["ask", "tell", "skip", "undo", "release", "lunch"], p=[0.4, 0.45, 0.05, 0.05, 0.03, 0.02])
        mine = [token for token, (who, _) in hands.items() if who == expert]
        if what == "ask":
            hands.update({q.token: (expert, q.item) for q in study.ask(expert, shown=bool(rng.random() < 0.7))})
        elif what == "undo":
            with suppress(InvalidInput):
                q = study.undo(expert)
                hands[q.token] = expert, q.item
        elif what == "release":
            study.release(expert, shown=bool(rng.random() < 0.3))
        elif what == "lunch":
            turn(study, float(rng.choice([150, 1000])))
        elif mine:
            token = mine[int(rng.integers(len(mine)))]
            item = hands.pop(token)[1]
            if what == "skip":
                with suppress(apu.AnswerRefused):
                    study.skip(token)
            else:
                with suppress(apu.AnswerRefused):  # the lease had ended, and somebody else has the question
                    study.tell(token, bool(Y[item]) if isinstance(study.learner, apu.Cal) else says(item))


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_loaded_study_has_the_same_state_and_asks_the_same_next(tmp_path, kind):
    url, rng = f"sqlite:///{tmp_path}/s.db", np.random.default_rng(3)
    learner, table = LEARNERS[kind](), pool(4000 if kind == "unknown prior" else 400)
    with apu.Study.create(url, "s", table, learner, deadline=900, rate_in_time=True) as study:
        for _ in range(3):
            play(study, rng, 40)
            with apu.Study.load(url, "s", table) as again:
                assert state(again) == state(study)
                live, fresh = study.run(), again.run()
                for expert in ("ann", "dan"):
                    put = [[(q.item, q.note) for q in run.ask(2, expert)] for run in (live, fresh)]
                    assert put[0] == put[1]
                study._shared._follower = None  # what was asked of the run alone was never put


def test_two_processes_worth_of_studies_follow_each_other(url):
    with apu.Study.create(url, "s", pool(), zcal()) as one, apu.Study.load(url, "s", pool()) as two:
        for k in range(30):
            study, expert = (one, "ann") if k % 3 else (two, "bob")
            for q in study.ask(expert):
                study.tell(q.token, says(q.item))
        assert state(one) == state(two)
        assert one.status().answered == 30
        assert one.status().experts == {"ann": 20, "bob": 10}


@pytest.mark.parametrize("rate", [None, 0.5, (0.3, 0.9), "per expert", "halfspaces"])
def test_a_replay_ends_where_a_run_did_that_looked_in_between(rate):
    """Hundreds of answers about certain positives, most of which are not looked at one by one."""
    rng = np.random.default_rng(1)
    x = rng.random((5000, 2))
    truth = x.sum(axis=1) > 0.7 if rate == "halfspaces" else ((x > 0.1) & (x < 0.9)).all(axis=1)
    hypotheses, known = (apu.Halfspaces(), None) if rate == "halfspaces" else (apu.Boxes(), rate)
    learner = apu.ZCal(hypotheses, 0.0005, 0.05, rate=known, check=0)
    live = apu.Run(learner, x)
    for item in rng.permutation(5000)[: 150 if rate == "halfspaces" else 400]:
        with suppress(InvalidInput):  # it was asked already
            live.tell(live.put(int(item), "ann"), bool(truth[item] and rng.random() < 0.5))
        if item % 20 == 0:
            live.result()
            for question in live.ask(2, "bob"):
                live.tell(question, bool(truth[question.item] and rng.random() < 0.5))
    again = apu.Run(learner, x)
    for question in live.questions:
        again.tell(again.recall(question.item, question.note, question.expert), question.answer)
    assert not live.finished
    assert again.history == live.history
    assert str(again.result()) == str(live.result())
    put = [[(q.item, q.note) for q in run.ask(3, "ann")] for run in (live, again)]
    assert put[0] == put[1]


@pytest.mark.parametrize(
    ("learner", "n"),
    [
        (apu.PassivePU(apu.Boxes(), 0.001, 0.05), 10_000),
        (apu.ZCal(apu.Boxes(), 0.001, 0.05, check=0), 2_000),
        (apu.ZCal(apu.Boxes(), 0.001, 0.05, rate=0.5, check=0), 2_000),
    ],
    ids=["passive", "zcal", "zcal known rate"],
)
def test_thousands_of_answers_are_replayed_to_the_same_certificate(tmp_path, learner, n):
    """How long that takes is for `benchmarks/studies.py` to say."""
    x = np.random.default_rng(0).random((30_000, 2))
    table, url = apu.Pool(x), f"sqlite:///{tmp_path}/s.db"
    revealed = ((x > 0.2) & (x < 0.8)).all(axis=1) & (np.arange(len(x)) % 2 == 0)
    with apu.Study.create(url, "s", table, learner, rate_in_time=True) as study:
        study.record([(item, bool(revealed[item]), "ann") for item in range(n)])
        before = study.result().certificate
    with apu.Study.load(url, "s", table) as again:
        assert again.status().answered == n
        assert again.result().certificate == before


def test_a_pool_learner_or_seed_that_differs_is_refused(url):
    with apu.Study.create(url, "s", pool(), zcal()):
        pass
    other = X[:400].copy()
    other[7, 1] += 1e-9
    for what, match in (
        ({"pool": apu.Pool(other)}, "the values differ"),
        ({"pool": pool(399)}, "rows: 400 then, 399 now"),
        ({"pool": pool(), "learner": zcal(rate=0.5)}, "rate = None"),
        ({"pool": pool(), "learner": apu.Cal(apu.Boxes(), 0.1, 0.1)}, "made with ZCal"),
        ({"pool": pool(), "seed": 4}, "seed = 0"),
    ):
        with pytest.raises(apu.StudyDiffers, match=match):
            apu.Study.load(url, "s", **what)
    with pytest.raises(InvalidInput, match="table in memory"):
        apu.Study.load(url, "s")
    with pytest.raises(InvalidInput, match="no study 't'"):
        apu.Study.load(url, "t")
    with pytest.raises(InvalidInput, match="already"):
        apu.Study.create(url, "s", pool(), zcal())


@pytest.mark.parametrize("kind", LEARNERS)
def test_files_and_settings_are_stored_and_need_not_be_passed_again(tmp_path, kind):
    np.savetxt(tmp_path / "t.csv", X, delimiter=",", header="a,b", comments="")
    url = f"sqlite:///{tmp_path}/s.db"
    with apu.Study.create(
        url, "s", apu.Pool(tmp_path / "t.csv", features=["a", "b"]), LEARNERS[kind](), seed=3, rate_in_time=True
    ):
        pass
    with apu.Study.load(url, "s") as again:
        assert repr(again.learner) == repr(LEARNERS[kind]())
        assert again.pool.names == ("a", "b")
        assert again.ask("ann")[0].row["a"] >= 0


def test_code_must_be_passed_again(tmp_path):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    def made(C=1.0):
        return apu.ModelLearner(make_pipeline(FunctionTransformer(np.abs), LogisticRegression(C=C)))

    url, learner = f"sqlite:///{tmp_path}/s.db", made()
    with apu.Study.create(url, "s", pool(), learner) as study:
        for _ in range(12):
            (q,) = study.ask("ann")
            study.tell(q.token, says(q.item))
        before = study.result()
        next_one = study.ask("ann")[0].item
    with pytest.raises(
        InvalidInput, match=r"no command .* in Python and pass the original learner: Study.load\(…, learner=…\)"
    ):
        apu.Study.load(url, "s", pool())
    with apu.Study.load(url, "s", pool(), learner) as again:
        assert str(again.result()) == str(before)
        assert again.open("ann")[0].item == next_one
    with pytest.raises(apu.StudyDiffers, match="estimator"):
        apu.Study.load(url, "s", pool(), made(C=3))


def test_rules_and_scores_that_say_something_else_are_refused(tmp_path):
    """They have the same name and place in the code: only what they say of the pool tells them apart."""
    url = f"sqlite:///{tmp_path}/s.db"

    def rules(cut):
        return apu.ZCal(apu.FiniteClass([lambda X: X[:, 0] > 0.5, lambda X: X[:, 0] > cut]), 0.1, 0.1, check=0)

    def score(factor):
        return apu.ZCal(apu.Thresholds(score=lambda X: X[:, 0] + factor * X[:, 1]), 0.1, 0.1, check=0)

    for name, made, other in (("rules", rules, 0.8), ("score", score, 0.8)):
        apu.Study.create(url, name, pool(), made(0.7)).close()
        with apu.Study.load(url, name, pool(), made(0.7)) as again:
            assert again.ask("ann")
        with pytest.raises(apu.StudyDiffers, match="say something else about this pool"):
            apu.Study.load(url, name, pool(), made(other))
    apu.Study.load(url, "score", pool(), score(0.7 + 1e-12)).close()  # another machine rounds in its own way


def test_events_that_are_missing_are_noticed(url):
    with apu.Study.create(url, "s", pool(), zcal()) as study:
        for _ in range(5):
            (q,) = study.ask("ann")
            study.tell(q.token, says(q.item))
        with study.storage.write() as transaction:
            transaction.do(sa.text("DELETE FROM activepu_events WHERE number = 5"))
    with pytest.raises(apu.StudyDamaged, match=r"have a gap: after 4 comes 6; .* restore a copy of the database"):
        apu.Study.load(url, "s", pool())


def test_skipped_items_are_asked_again_where_the_learner_samples_and_the_study_loads(tmp_path):
    url, x = f"sqlite:///{tmp_path}/s.db", X[:300]
    with apu.Study.create(url, "s", apu.Pool(x), apu.Cal(apu.Boxes(), 0.05, 0.3)) as study:
        k = 0
        while put := study.ask("ann"):
            k += 1
            if k <= 5:
                study.skip(put[0].token)
            else:
                study.tell(put[0].token, bool(Y[put[0].item]))
        before = state(study)
    with apu.Study.load(url, "s", apu.Pool(x)) as again:
        assert state(again) == before


def test_every_expert_has_a_rate_of_their_own_live_and_loaded(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    with apu.Study.create(url, "s", pool(), zcal(rate="per expert")) as study:
        study.record([(item, says(item), "ann" if item % 2 else "bob") for item in range(30)])
        with apu.Study.load(url, "s", pool()) as again:
            assert set(study.result().rates) == set(again.result().rates) == {"ann", "bob"}
            assert [q.item for q in study.run().ask(2, "cyd")] == [q.item for q in again.run().ask(2, "cyd")]


def test_many_threads_share_one_study(tmp_path):
    """More of them than connections are kept; results are of one moment."""
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal()) as study:

        def work(name):
            for q in study.ask(name):
                study.tell(q.token, says(q.item))
            return study.result().n_queries

        with ThreadPoolExecutor(20) as threads:
            list(threads.map(work, [f"e{k}" for k in range(20)]))
        assert study.status().answered == 20


def test_answers_about_the_reserved_rows_leave_the_population_alone(tmp_path):
    """Rows that bound the error on the population must not have been asked."""
    with apu.Study.create(f"sqlite:///{tmp_path}/s.db", "s", pool(), zcal(rate=1.0)) as study:
        study.record([(item, bool(Y[item]), "ann") for item in range(400)])
        result = study.result()
        assert result.certificate.error_bound <= 0.1
        assert result.population.error_bound == 1.0


def test_a_table_that_was_moved_is_named_again(tmp_path):
    np.savetxt(tmp_path / "t.csv", X[:400], delimiter=",", header="a,b", comments="")
    url = f"sqlite:///{tmp_path}/s.db"
    apu.Study.create(url, "s", apu.Pool(tmp_path / "t.csv", features=["a", "b"]), zcal()).close()
    (tmp_path / "t.csv").rename(tmp_path / "u.csv")
    with pytest.raises(InvalidInput, match=r"is not there on this machine, .* --table FILE in the terminal"):
        apu.Study.load(url, "s")
    with apu.Study.load(url, "s", pool=tmp_path / "u.csv") as study:
        assert study.ask("ann")
    pairs = X[:400].astype(str)
    lines = {"there": ["a,b,long", *(f"{a},{b},x" for a, b in pairs)], "gone": ["a", *(a for a, _ in pairs)]}
    lines |= {"text": ["a,b", *(f"{a},x" for a, b in pairs)], "few": ["a,b", "1,2"], "moved": ["a,b", *(["1,2"] * 400)]}
    for name, text in lines.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(text))
    for name, what in (
        ("there", "column 'long' is new"),
        ("gone", "column 'b' is missing"),
        ("text", "column 'b' holds string, not numbers"),
        ("few", "rows: 400 then, 1 now"),
        ("moved", "the values differ"),
    ):
        sentence = rf"The table '.*{name}.csv' is not the one that the study 's' was made with: {what}; name a copy"
        with pytest.raises(apu.StudyDiffers, match=sentence):
            apu.Study.load(url, "s", pool=tmp_path / f"{name}.csv")
    with pytest.raises(InvalidInput, match=r"There is no file '.*none.csv'"):
        apu.Study.load(url, "s", pool=tmp_path / "none.csv")
    with apu.Study.create(url, "v", X[:400], zcal()) as study:
        assert len(study.pool) == 400
