# `make` lists the targets. The first run of each makes .venv and installs what it needs; later runs install nothing
# unless pyproject.toml has changed. Another Python: make PYTHON=python3.12 demo. Arguments for pytest: make test ARGS="-k moments".

VENV    ?= .venv
WORKERS ?= 2
ARGS    ?=
BIN     := $(VENV)/bin

# The first Python on the path that is new enough; python3 where none is, so that the message below can name its version.
NEW     := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON  ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
                            $$p -c '$(NEW)' 2>/dev/null && echo $$p && break; done),python3)
GOAL     = $(or $(firstword $(MAKECMDGOALS)),demo)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo pictures test test-elsewhere test-lowest fuzz check format bench clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

demo: $(VENV)/.installed-base  ## look, fit, explain, predict and export on a table of customers
	@$(BIN)/python -m separatrix warmup --quiet
	@$(BIN)/python -m separatrix demo

pictures: $(VENV)/.installed-pictures  ## draw the pictures of the README and of docs/pictures.md
	$(BIN)/python -m examples.pictures

test: $(VENV)/.installed-test  ## run all tests
	@$(BIN)/python -m separatrix.kernels  # compile once, so that the workers find a cache
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

# Tests whose numbers depend most on how a processor adds up: solvers, kernels, sums (with the
# examples in their docstrings), tables and published results.
SENSITIVE := tests/solvers tests/kernels tests/summaries tests/inference tests/truths \
    $(addprefix src/separatrix/,solvers kernels summaries inference) \
    $(addprefix tests/models/test_,laws.py logistic.py svm.py discriminant.py quadratic.py fisher.py least_squares.py perceptron.py) \
    $(addprefix tests/evaluation/test_,leave_one_out.py newton_steps.py bootstrap.py held_out.py)
# what scikit-learn asks of estimators, examples and imports are not about rounding
NUMBERS   := not scikit_learn_contract and not examples_run and not import and not warmed

# Kernels without vector instructions, and BLAS as on processors of 2004 (Prescott), 2008 (Nehalem) and 2013 (Haswell). Numba's
# cache keeps code by processor, so that only the first setting compiles.
test-elsewhere: $(VENV)/.installed-test  ## run the numerically sensitive tests as on other processors
	NUMBA_CPU_NAME=generic $(BIN)/python -m separatrix.kernels
	NUMBA_CPU_NAME=generic $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -k "$(NUMBERS)" $(SENSITIVE) $(ARGS)
	@$(BIN)/python -m separatrix.kernels
	for core in Prescott Nehalem Haswell; do \
	    echo "OPENBLAS_CORETYPE=$$core"; \
	    OPENBLAS_CORETYPE=$$core $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -k "$(NUMBERS)" $(SENSITIVE) $(ARGS) || exit 1; \
	done

# The lowest versions that pyproject.toml allows, in an environment of their own.
LOWEST := .venv-lowest
test-lowest: $(LOWEST)/.installed  ## run all tests with the lowest versions that pyproject.toml allows
	@$(LOWEST)/bin/python -m separatrix.kernels
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

$(LOWEST)/.installed: pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(LOWEST) $(LOWEST)/.made
	sed -n '/^dependencies/,/^dev = /s/^ *"\([A-Za-z-]*\)>=\([0-9.]*\)",.*/\1==\2/p' pyproject.toml > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install -qq --disable-pip-version-check --constraint $(LOWEST)/constraints.txt --editable '.[test]'
	@touch $@

fuzz: $(VENV)/.installed-test  ## every public name with hostile arguments; make fuzz ARGS="--seed 3 --cases 10000"
	@$(BIN)/python -m separatrix.kernels
	$(BIN)/python -m tests.fuzz --workers $(WORKERS) $(ARGS)

check: $(VENV)/.installed-dev  ## lint, formatting, types, import contract
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python checks/private_names.py

format: $(VENV)/.installed-dev  ## put all files into the form that `make check` wants
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.installed-bench  ## compare speed with other libraries
	$(BIN)/python -m benchmarks $(ARGS)

clean:  ## remove .venv and all caches
	rm -rf $(VENV) $(LOWEST) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Stamp files: .made when the environment stands, .installed-<extra> when that extra is in it.
$(VENV)/.made:
	@"$(PYTHON)" -c '' 2>/dev/null || { \
	    echo 'No Python found as "$(PYTHON)"; install Python 3.11 or newer, or type: make PYTHON=/path/to/python3.11 $(GOAL)' >&2; exit 1; }
	@"$(PYTHON)" -c '$(NEW)' || { \
	    echo "Python 3.11 or newer is needed, $(PYTHON) is $$("$(PYTHON)" -c 'import platform; print(platform.python_version())'); type: make PYTHON=python3.11 $(GOAL)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
	    name="python$$("$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"; \
	    if command -v apt-get >/dev/null; then \
	        [ "$$(id -u)" = 0 ] && root= || root='sudo '; \
	        echo "$(PYTHON) cannot make environments (no venv or ensurepip); type: $${root}apt-get install $$name-venv" >&2; \
	    else \
	        echo "$(PYTHON) cannot make environments (no venv or ensurepip); with a complete Python, type: make PYTHON=/path/to/$$name $(GOAL)" >&2; \
	    fi; exit 1; }
	@"$(PYTHON)" -m venv $(VENV)
	@touch $@

$(VENV)/.installed-base: EXTRA = [demo]
$(VENV)/.installed-base: COMPILE = echo "Compiling its kernels, once, in about a minute." && $(BIN)/python -m separatrix.kernels
$(VENV)/.installed-test: EXTRA = [test]
$(VENV)/.installed-pictures: EXTRA = [pictures]
$(VENV)/.installed-dev: EXTRA = [dev]
$(VENV)/.installed-bench: EXTRA = [bench]
$(VENV)/.installed-%: $(VENV)/.made pyproject.toml
	@echo "Installing separatrix$(EXTRA) into $(VENV); the first time this can take some minutes."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.$(EXTRA)'
	@$(COMPILE)
	@touch $@
