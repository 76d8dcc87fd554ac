"""What a question costs beside the model's own fit and predict: after 300 answers, on pools of several sizes.

python benchmarks/model_speed.py
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import activepu as apu
from activepu.models.committees import MEMBERS

ANSWERS, REPEATS = 300, 7


def median_time(work) -> float:
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds))


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"{'model':24}{'rows':>9}{'fit':>9}{'predict':>9}{'question':>10}{'ratio':>8}")
    for name, estimator, times in [
        ("ExtraTrees, 100 trees", ExtraTreesClassifier(100, bootstrap=True, random_state=0), 1),
        ("RandomForest, 100 trees", RandomForestClassifier(100, random_state=0), 1),
        (f"Logistic, bagged {MEMBERS} times", LogisticRegression(), MEMBERS),
    ]:
        for rows in (2_000, 20_000, 200_000):
            X = rng.normal(size=(rows, 10))
            y = X[:, :2].sum(axis=1) > 1.5
            expert = apu.SimulatedExpert(y, rate=0.5)
            run = apu.Run(apu.ModelLearner(estimator, patience=None), X)
            for item in range(ANSWERS):
                run.record(item, bool(expert.answer(np.array([item]), None)[0]))
            revealed = np.array([question.revealed for question in run.questions])
            fit = times * median_time(lambda X=X, s=revealed, e=estimator: e.fit(X[:ANSWERS], s))
            predict = times * median_time(lambda X=X, e=estimator: e.predict_proba(X))

            def one_question(run: apu.Run = run) -> None:
                for question in run.ask():
                    run.tell(question, False)

            question = median_time(one_question)
            print(
                f"{name:24}{rows:9,}{fit:9.4f}{predict:9.4f}{question:10.4f}{question / (fit + predict):8.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
