# Everything a developer runs. `make help` lists the targets.
#
# All of it happens in .venv, inside the clone. Setting it up is the only step that uses the
# network (pip's own configuration says which index); it is done again only when pyproject.toml or
# the version has changed. A clone that was moved gets a new .venv, because a virtualenv holds
# absolute paths; so .ready, written last, holds the path it was made for.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# Not in parallel: the checks of `make test` are read in order, and pytest's last line comes last.
.NOTPARALLEL:

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The oldest version that is supported comes first, since the checks are held to it.
PYTHONS := python3.11 python3.12 python3.13 python3
# Arguments for `make demo`, `make bench`, `make fuzz`, `make chaos`, `make simulate`; and for pytest: make test PYTEST_ARGS="-k position"
ARGS ?=
PYTEST_ARGS ?=

# Tests start hundreds of processes. Each would compile our modules where the environment forbids
# Python to write bytecode, as in many containers.
unexport PYTHONDONTWRITEBYTECODE

ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

.PHONY: help setup test laws clients kafka buckets fuzz chaos simulate format bench demo clean

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS=$$'\t' read -r name text; do \
	    printf '  make %-8s %s\n' "$$name" "$$text"; done

setup: $(READY)  ## Make .venv with everything in it; does nothing when it is current

$(READY): pyproject.toml stores/pyproject.toml gateway/client/pyproject.toml gateway/client/stategate/version.py
	@if [ "$$(cat $(READY) 2>/dev/null)" != '$(CURDIR)' ]; then \
	    python=; for candidate in $(PYTHON) $(PYTHONS); do \
	        if "$$candidate" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' \
	            >/dev/null 2>&1; then python=$$candidate; break; fi; done; \
	    if [ -z "$$python" ]; then \
	        echo "Stategate needs Python 3.11 or newer with its venv module:" \
	            "install it, or name it with make PYTHON=/path/to/python3." >&2; exit 1; fi; \
	    "$$python" -m venv --clear $(VENV); fi
	@echo "installing into $(VENV) ($$($(BIN)/python --version), 1.3 GB with Spark)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --editable ./gateway/client --editable ./stores --editable '.[dev]'
	@printf '%s' '$(CURDIR)' > $(READY)

# mypy uses one core. Beside it the tests are compiled once, not in each process that runs them.
COMPILE = $(BIN)/pytest --collect-only --quiet $(PYTEST_ARGS) >/dev/null 2>&1

test: setup  ## Check format, lint and types, then run all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@$(BIN)/python -m tests.import_tree $(VENV)/types
	@$(COMPILE) & echo $(BIN)/mypy --strict; $(BIN)/mypy --strict; wait
	$(BIN)/pytest -n auto --dist loadgroup --no-loadscope-reorder -m 'not clients and not kafka and not buckets' $(PYTEST_ARGS)

# `make test` tries 50 examples of each law, other ones in each run.
laws: setup  ## Try a thousand examples of each law: make laws PYTEST_ARGS=tests/planner
	HYPOTHESIS_PROFILE=long $(BIN)/pytest -n auto --dist loadgroup --no-loadscope-reorder --timeout 3600 \
	    -m 'hypothesis and not clients and not kafka and not buckets' $(PYTEST_ARGS)

# The environments are made once, by pip, npm and apt, into .venv-clients; see tests/clients.
clients: setup  ## Try real clients: DuckDB, psql, JDBC, Node and others, installed into .venv-clients
	-$(BIN)/python -m tests.clients.environments
	$(BIN)/pytest tests/clients tests/distributions $(PYTEST_ARGS)

# The jars are kept in the user's cache. With them `make test` runs the short ones of these tests;
# without them it skips them, and its summary says so.
kafka: setup  ## Try the pipeline with a Kafka broker, fetched with Spark's connector from Maven Central
	-$(BIN)/python examples/kafka_orders/jars.py > /dev/null
	$(BIN)/pytest tests/spark/kafka $(PYTEST_ARGS)

# Azurite comes by npm, fake-gcs-server by Go, into .venv-clients; the tests of one that cannot be
# installed are skipped, and the summary says so. `make test` runs the same tests on S3 and GCS in Python.
buckets: setup  ## Try the log in object stores: Azure and Google Cloud Storage by emulators
	-$(BIN)/python -m tests.clients.environments azurite fake-gcs-server
	$(BIN)/pytest tests/stores tests/spark/test_object_storage.py -m buckets $(PYTEST_ARGS)

# tests/fuzz/README.md says what it does and how to read a failure.
fuzz: setup  ## Look for defects with generated work: make fuzz ARGS="--seconds 1800 --seed 1"
	$(BIN)/python -m tests.fuzz $(ARGS)

# tests/README.md says what it does and how to read a failure. It fetches the jars as `make kafka` does.
chaos: setup  ## Kill a pipeline and gateways over Kafka under readers: make chaos ARGS="--seconds 1200"
	$(BIN)/python -m tests.chaos $(ARGS)

# Half an hour on two cores; `make test` runs a few of them.
simulate: setup  ## Run 100,000 schedules of a simulated cluster: make simulate ARGS="--seed 1"
	$(BIN)/python -m tests.stores.nodes.simulation $(ARGS)

format: setup  ## Format the code and fix what the linter can
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

demo: setup  ## Serve a year of flights by HTTP and Postgres wire; make demo ARGS=--fresh replays it
	$(BIN)/stategate demo $(ARGS)

bench: setup  ## Measure against PostgreSQL and others: make bench ARGS="--keys 100000"
	$(BIN)/python -m tests.bench $(ARGS)

clean:  ## Remove .venv, the demo's stores, caches and builds
	rm -rf $(VENV) .venv-clients .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	for place in . stores gateway/client; do rm -rf $$place/build $$place/dist $$place/*.egg-info; done
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
