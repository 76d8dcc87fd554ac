# Everything a developer or a CI machine runs. Needs make and Python 3.11 or newer; the rest is set up in .venv.
PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One BLAS thread a test worker: more would compete for the same cores.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test slow check style types layers rules format bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## make .venv with the pinned dependencies (every other target does this by itself)

# Reinstalled only when what is to be installed changes. The pinned setuptools builds, so that nothing unpinned is fetched.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "activepu needs Python 3.11 or newer, and '$(PYTHON)' is not one; name one with make PYTHON=/path/to/python3." >&2; exit 1; }
	@echo "Setting up $(VENV) (a minute or two, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt setuptools
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt --no-build-isolation -e ".[dev]"
	@touch $@

demo: $(READY) ## learn from a simulated expert and show the certificate
	@$(BIN)/activepu demo

test: $(READY) ## the quick tests, with the minutes that each area took
	@$(PYTEST)

# They use all cores by themselves, and print their figures.
slow: $(READY) ## the long statistical tests, with what they measured
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -s -m slow -o faulthandler_timeout=0

check: style types layers rules ## style, types, layers, project rules and docs (make -k check: all of them, whatever fails)

style: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

rules: $(READY)
	$(BIN)/python -m pytest -q tests/test_project.py tests/test_docs.py

format: $(READY) ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What the scripts compare with is no part of the development environment.
bench: $(READY) ## run every script of benchmarks/ (the questions of Z-CAL take hours)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt --no-build-isolation -e ".[bench]"
	@set -e; for script in benchmarks/*.py; do \
		case "$$script" in */_*) continue;; esac; echo "== $$script"; $(BIN)/python "$$script"; done

clean: ## remove .venv, caches and what the demo wrote
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache src/*.egg-info
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
