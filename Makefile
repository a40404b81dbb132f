# The few commands everybody uses; each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find tui graph store -type d -not -name __pycache__)

.PHONY: demo test test-all check format lint types contracts pictures clean

demo: $(VENV)/installed
	$(BIN)/agent-lab-tui demo demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

test-all: $(VENV)/installed
	$(BIN)/python -m pytest -q -n 2

check: format lint types contracts

format: $(VENV)/installed
	$(BIN)/ruff format --check .

lint: $(VENV)/installed
	$(BIN)/ruff check .

types: $(VENV)/installed
	$(BIN)/mypy -p agent_lab_tui.store -p agent_lab_tui.graph -p agent_lab_tui.tui

contracts: $(VENV)/installed
	$(BIN)/lint-imports

# Draw the golden pictures again; look at each of them afterwards.
pictures: $(VENV)/installed
	$(BIN)/python -m pytest -q tests/tui --rewrite-pictures

# A strict editable install links files, so a new file asks for a new install.
$(VENV)/installed: pyproject.toml constraints.txt $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
