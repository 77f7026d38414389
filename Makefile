# Everything here works on a fresh machine with Python 3.11 or newer: the first call makes .venv and installs into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

# Tests start hundreds of short processes: without byte code on disk each of them compiles every module anew, and pytest
# rewrites every assertion anew. Some machines set this variable.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check format bench neural real-server floors docs build clean

help: ## List what there is to make
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/core.stamp ## Grade the built-in samples: no key, no network
	@$(BIN)/saiten demo

test: $(VENV)/dev.stamp ## Run the tests before a commit: each requirement once, slow kinds by one witness (some 3 minutes)
	@$(BIN)/python -m pytest -m "not slow or witness" --hypothesis-profile quick --durations 5 --durations-min 5

test-all: $(VENV)/dev.stamp ## Run every test; those of networks need `make neural` once, and skip without it
	@$(BIN)/python -m pytest

check: $(VENV)/dev.stamp ## Format, lint, types, layers (changes nothing)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## Format and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/dev.stamp ## Run the benchmarks; those on real data need the folder ../shared/data or SAITEN_DATA
	@SAITEN_DATA="$${SAITEN_DATA:-$$(test -d ../shared/data && realpath ../shared/data)}" \
	  sh -c 'for script in benchmarks/http_client.py benchmarks/overlap_metrics.py benchmarks/scoring.py benchmarks/agreement.py benchmarks/meta_evaluation.py benchmarks/knowledge_base.py benchmarks/chains.py benchmarks/dialogues.py benchmarks/retrieval.py benchmarks/extractive.py benchmarks/spans.py benchmarks/annotation.py benchmarks/offline_judge.py benchmarks/local_chat.py benchmarks/perplexity_speed.py; do echo; echo "== $$script"; $(BIN)/python $$script || exit 1; done'

neural: $(VENV)/neural.stamp ## Install PyTorch (for the CPU) and what runs and trains networks, for the tests and benchmarks of them

real-server: $(VENV)/dev.stamp ## Build llama.cpp's server into .venv-llama (10 to 35 minutes) and run the opt-in test against it
	@test -x .venv-llama/bin/python || $(PYTHON) -m venv .venv-llama
	@.venv-llama/bin/python -c 'import llama_cpp.server, gguf' 2>/dev/null || \
	  (echo "building llama-cpp-python, this takes 10 to 35 minutes ..." && .venv-llama/bin/pip install --quiet 'llama-cpp-python[server]' gguf numpy)
	@SAITEN_LLAMA_PYTHON=.venv-llama/bin/python $(BIN)/python -m pytest -n 0 -m real_server tests/real_server

# With Python 3.11, for which the oldest versions have wheels. What the tests themselves need is as new as it can be beside
# them, and so is qdrant-client, whose engine for tests is another one in older versions than the server is.
floors: $(VENV)/made.stamp ## Run quick tests with the oldest versions that pyproject.toml allows (before a release; some 300 MB, a few minutes)
	@test -x .venv-floors/bin/python || $(PYTHON) -m venv .venv-floors
	@$(BIN)/uv pip compile --quiet --no-deps --resolution lowest --python .venv-floors/bin/python pyproject.toml \
	  --extra annotate --extra data --extra datasets --extra documents --extra frames --extra mlflow --extra postgres \
	  --output-file .venv-floors/floors.txt
	@$(BIN)/uv pip install --quiet --python .venv-floors/bin/python --constraints .venv-floors/floors.txt \
	  --editable '.[annotate,data,datasets,documents,frames,mlflow,postgres,qdrant]' --group dev
	@.venv-floors/bin/python -m pytest tests/data tests/rag/knowledge/test_knowledge_base.py tests/views/charts tests/views/test_junit.py \
	  tests/views/test_tables.py tests/views/test_gist_view.py tests/tracking/test_mlflow_store.py tests/api/test_evaluation_frames.py \
	  tests/models/test_embedders.py tests/annotation/store tests/cli/test_score_offline.py tests/cli/test_thresholds.py

docs: $(VENV)/dev.stamp ## Build the site of the documentation into docs/_build/ (a warning is an error)
	@$(BIN)/sphinx-build -q --keep-going -W -b html docs docs/_build
	@echo "docs/_build/index.html"

build: $(VENV)/dev.stamp ## Build the wheel and the source archive into dist/
	@$(BIN)/uv build --quiet

clean: ## Remove the environment and what tools left behind
	rm -rf $(VENV) .venv-llama .venv-floors dist build docs/_build docs/metric .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/made.stamp:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"saiten needs Python 3.11 or newer; $(PYTHON) is {v[0]}.{v[1]}. Say PYTHON=python3.12, or where a newer one is.")'
	@echo "making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || \
	  { echo "uv could not be installed into $(VENV): is there a way to the package index (network, proxy, PIP_INDEX_URL)?"; exit 1; }
	@touch $@

$(VENV)/core.stamp: $(VENV)/made.stamp pyproject.toml constraints.txt
	@echo "installing saiten ..."
	@$(UV) --constraints constraints.txt --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	@echo "installing what tests and checks need ..."
	@$(UV) --constraints constraints.txt --editable '.[annotate,data,documents,frames,mlflow,postgres,qdrant]' --group dev
	@touch $@

# PyTorch's wheel for the CPU: from PIP_FIND_LINKS where that names a folder with wheels, else from PyTorch's own index.
$(VENV)/neural.stamp: $(VENV)/dev.stamp
	@echo "installing PyTorch for the CPU, and what runs and trains networks ..."
	@$(UV) --constraints constraints.txt $(if $(PIP_FIND_LINKS),--find-links $(PIP_FIND_LINKS),--torch-backend cpu) \
	  --editable '.[annotate,data,documents,frames,mlflow,postgres,qdrant,neural,train]' --group dev --group neural
	@touch $@
