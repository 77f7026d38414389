# Everything works on a fresh machine with Python 3.11 or newer: the first call creates .venv and installs into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

# Tests start hundreds of short processes. Without bytecode on disk, each of them recompiles every module, and pytest
# rewrites every assertion again. Some machines set this variable.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check format words bench neural interop newest floors soak docs audit build tag clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/core.stamp ## Grade the built-in samples: no key, no network
	@$(BIN)/saiten demo

test: $(VENV)/dev.stamp ## Run the tests before a commit: each requirement once, one test of each slow kind (about 7 minutes)
	@$(BIN)/python -m pytest -m "not slow or witness" --hypothesis-profile quick --durations 5 --durations-min 5

test-all: $(VENV)/dev.stamp ## Run every test; those of networks are skipped unless `make neural` was run once
	@$(BIN)/python -m pytest

soak: $(VENV)/dev.stamp ## Score 100,000 samples under faults and kills while 50 people annotate (20 minutes), then run the long form of tests/reliability
	@$(BIN)/python tests/reliability/soak.py
	@SAITEN_SOAK=1 $(BIN)/python -m pytest --timeout 1800 tests/reliability

check: $(VENV)/dev.stamp ## Format, lint, types, layers (changes nothing)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## Format, and fix what can be fixed automatically
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

words: $(VENV)/dev.stamp ## Write the texts of the code into the catalogs of the terminal's Japanese, src/saiten/words/texts/
	@$(BIN)/python tests/words/text_catalogs.py

bench: $(VENV)/dev.stamp ## Run the benchmarks; those on real data need the folder ../shared/data or SAITEN_DATA
	@SAITEN_DATA="$${SAITEN_DATA:-$$(test -d ../shared/data && realpath ../shared/data)}" \
	  sh -c 'for script in benchmarks/http_client.py benchmarks/overlap_metrics.py benchmarks/local_scoring.py benchmarks/cluster.py benchmarks/shared_cache.py benchmarks/scoring.py benchmarks/prompt_tokens.py benchmarks/agreement.py benchmarks/meta_evaluation.py benchmarks/knowledge_base.py benchmarks/chains.py benchmarks/dialogues.py benchmarks/retrieval.py benchmarks/extractive.py benchmarks/spans.py benchmarks/annotation.py benchmarks/offline_judge.py benchmarks/judge_prompts.py benchmarks/local_chat.py benchmarks/perplexity_speed.py; do echo; echo "== $$script"; $(BIN)/python $$script || exit 1; done'

neural: $(VENV)/neural.stamp ## Install PyTorch (for the CPU), packages that run and train networks, and llama.cpp's server, for their tests and benchmarks

interop: $(VENV)-interop/made.stamp ## Test with RAGAS, DeepEval, LangChain, LlamaIndex, Haystack, MLflow and others, in an environment of their own (1.2 GB)
	@$(VENV)-interop/bin/python -m pytest -p no:cacheprovider tests/interop

newest: $(VENV)/made.stamp ## Move the tools of `make interop` to their newest releases: writes constraints-interop.txt; then adapt the table in docs/other-tools.md
	@$(BIN)/uv pip compile --quiet --upgrade --no-annotate --no-header --python-version 3.11 pyproject.toml \
	  --extra annotate --extra data --extra datasets --extra frames --extra mlflow --group interop --output-file constraints-interop.txt
	@$(MAKE) --no-print-directory interop

# With Python 3.11, for which the oldest versions have wheels. The packages of the tests themselves are the newest
# compatible ones, and so is qdrant-client: in older versions, its engine for tests differs from the server. The extras
# prices and providers need newer versions of the core's packages than the core does, so they are left out.
floors: $(VENV)/made.stamp ## Run quick tests with the oldest versions that pyproject.toml allows (before a release; about 300 MB, a few minutes)
	@test -x .venv-floors/bin/python || $(PYTHON) -m venv .venv-floors
	@$(BIN)/uv pip compile --quiet --no-deps --resolution lowest --python .venv-floors/bin/python pyproject.toml \
	  --extra annotate --extra data --extra datasets --extra documents --extra frames --extra mlflow --extra postgres \
	  --output-file .venv-floors/floors.txt
	@$(BIN)/uv pip install --quiet --python .venv-floors/bin/python --constraints .venv-floors/floors.txt \
	  --editable '.[annotate,data,datasets,documents,frames,mlflow,postgres,qdrant]' --group dev
	@.venv-floors/bin/python -m pytest tests/data tests/rag/knowledge/test_knowledge_base.py tests/views/charts tests/views/test_junit.py \
	  tests/views/test_tables.py tests/views/test_gist_view.py tests/tracking/test_mlflow_store.py tests/tracking/test_mlflow_scorers.py tests/api/test_evaluation_frames.py \
	  tests/models/test_embedders.py tests/annotation/store tests/cli/test_score_offline.py tests/cli/test_thresholds.py

docs: $(VENV)/dev.stamp ## Build the documentation site into docs/_build/, in Japanese into docs/_build/ja/ (warnings are errors)
	@$(BIN)/sphinx-build -q --keep-going -W -b html docs docs/_build
	@$(BIN)/sphinx-build -q --keep-going -W -b html -c docs -t ja docs/ja docs/_build/ja
	@echo "docs/_build/index.html docs/_build/ja/index.html"

audit: $(VENV)/dev.stamp ## Look up known vulnerabilities of the pinned packages (needs a network; says so without one)
	@$(BIN)/python .ci/audit.py constraints.txt

# The list is made of an environment that has the wheel and what it needs, and nothing else.
build: $(VENV)/dev.stamp ## Build the wheel, the source archive and the list of what is in them (SBOM, CycloneDX) into dist/
	@rm -rf dist
	@$(BIN)/uv build --quiet
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  $(BIN)/uv venv --quiet --python $(BIN)/python "$$folder/venv" && \
	  $(BIN)/uv pip install --quiet --python "$$folder/venv/bin/python" --constraints constraints.txt dist/*.whl && \
	  version=$$("$$folder/venv/bin/saiten" --version | sed 's/^saiten //') && \
	  sed "s/^dynamic = .*/version = \"$$version\"/" pyproject.toml > "$$folder/pyproject.toml" && \
	  $(BIN)/cyclonedx-py environment "$$folder/venv/bin/python" --pyproject "$$folder/pyproject.toml" \
	    --output-reproducible --output-file "dist/saiten-$$version.cdx.json"
	@ls dist

tag: $(VENV)/dev.stamp ## Tag this commit as a release, signed with your key (see SECURITY.md)
	@test -z "$$(git status --porcelain)" || { echo "there are changes that are not committed; a release is a commit"; exit 1; }
	@version=$$($(BIN)/python -c 'from saiten.version import __version__; print(__version__)') && \
	  { grep -Eq "^## $$version – [0-9]{4}-[0-9]{2}-[0-9]{2}$$" CHANGELOG.md || \
	    { echo "CHANGELOG.md has no section \"## $$version – YEAR-MONTH-DAY\"; date it, or change src/saiten/version.py"; exit 1; }; } && \
	  git tag --sign "v$$version" --message "saiten $$version" && \
	  { git tag --verify "v$$version" || { git tag --delete "v$$version"; echo "the tag was not signed, and is removed"; exit 1; }; }

clean: ## Remove the environment and the files that tools left behind
	rm -rf $(VENV) $(VENV)-interop .venv-floors dist build docs/_build docs/metric docs/ja/metric .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/made.stamp:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"saiten needs Python 3.11 or newer; $(PYTHON) is {v[0]}.{v[1]}. Set PYTHON=python3.12, or the path of a newer one.")'
	@echo "creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || \
	  { echo "uv could not be installed into $(VENV): can the package index be reached (network, proxy, PIP_INDEX_URL)?"; exit 1; }
	@touch $@

$(VENV)/core.stamp: $(VENV)/made.stamp pyproject.toml constraints.txt
	@echo "installing saiten ..."
	@$(UV) --constraints constraints.txt --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	@echo "installing the packages for tests and checks ..."
	@$(UV) --constraints constraints.txt --editable '.[annotate,data,documents,frames,mlflow,postgres,prices,providers,qdrant,ray,s3]' --group dev
	@touch $@

# PyTorch's wheel for the CPU: from PIP_FIND_LINKS if that is a folder with wheels, else from PyTorch's own index.
$(VENV)/neural.stamp: $(VENV)/dev.stamp
	@echo "installing PyTorch for the CPU, packages that run and train networks, and llama.cpp's server ..."
	@$(UV) --constraints constraints.txt $(if $(PIP_FIND_LINKS),--find-links $(PIP_FIND_LINKS),--torch-backend cpu) \
	  --editable '.[annotate,data,documents,frames,mlflow,postgres,prices,providers,qdrant,ray,s3,neural,train]' --group dev --group neural
	@touch $@

$(VENV)-interop/made.stamp: $(VENV)/made.stamp pyproject.toml constraints-interop.txt
	@echo "installing the tools whose objects saiten reads ..."
	@test -x $(VENV)-interop/bin/python || $(PYTHON) -m venv $(VENV)-interop
	@$(BIN)/uv pip install --quiet --python $(VENV)-interop/bin/python --constraints constraints-interop.txt \
	  --editable '.[annotate,data,datasets,frames,mlflow]' --group interop
	@touch $@
