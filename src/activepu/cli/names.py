"""The names and defaults that the options show, so that help and completion import nothing else of the library.

`tests/cli/test_names.py` compares them with what they name.
"""

CLASSES = ("thresholds", "intervals", "boxes", "orthants", "conjunctions", "halfspaces")
LEARNERS = ("zcal", "known-prior", "unknown-prior", "passive", "cal", "reveal-rate")
MODELS = ("forest", "extra-trees", "boosting", "logistic", "naive-bayes")
STRATEGIES = (
    "auto", "information", "margin", "entropy", "least-confidence", "committee", "likely-positive", "random"
)  # fmt: skip
RUNS = 10
"""How often `plan` simulates."""
POOL = 20_000
"""The items of the pool that `plan` simulates."""
OPEN_PER_EXPERT = 2
DEADLINE_MINUTES = 15.0
