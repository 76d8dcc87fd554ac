"""How long KnownPrior takes on halfspaces in the plane, where the version space is exact under caps of any size.

Run: python benchmarks/halfspaces.py
"""

import time

import numpy as np

import activepu as apu


def main() -> None:
    rng = np.random.default_rng(0)
    print("    rows  seconds  questions  method")
    for n in (3_000, 10_000, 50_000):
        X = rng.normal(size=(n, 2))
        expert = apu.SimulatedExpert(X @ [0.8, 0.6] >= 0.5, rate=0.5)
        start = time.perf_counter()
        result = apu.learn(apu.KnownPrior(apu.Halfspaces(), 0.1, 0.1, prior=0.32), X, expert)
        seconds = time.perf_counter() - start
        print(f"{n:>8,}  {seconds:>7.1f}  {result.n_queries:>9}  {result.certificate.method}")


if __name__ == "__main__":
    main()
