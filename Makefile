# Everything a newcomer types. `make run` and `make test` set up what they need by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pytest-xdist splits the suite over the cores; one core per worker keeps timings honest.
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help venv run test check fix docs bench soak clean

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A stamp a set-up: pyproject.toml decides when it is stale. No root, nothing outside .venv.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "goclaw needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv is missing. On Debian and Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[local,test,lint]'
	@touch $@ $(VENV)/.run

venv: $(VENV)/.dev ## build .venv with the local model, test tools and linters

run: $(VENV)/.run ## start the gateway with sample memories
	$(BIN)/goclaw serve --demo

test: $(VENV)/.dev ## run every test
	$(BIN)/pytest -n $(WORKERS) --dist loadfile

check: $(VENV)/.dev ## lint, types and the floors of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

fix: $(VENV)/.dev ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## write the generated pages of docs/
	set -e; for page in scripts/write_*.py; do $(BIN)/python $$page; done

bench: $(VENV)/.dev ## print the short benchmarks, us and the rival in one run
	$(BIN)/python -m benchmarks.run --short

soak: $(VENV)/.dev ## the long tests: many kills, many random sequences
	GOCLAW_SOAK=1 $(BIN)/pytest tests/faults tests/never

clean: ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
