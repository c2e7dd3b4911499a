# The environment lives in .venv; every target sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: trip test check bench validate docs lab clean

trip: .venv/.run
	@$(BIN)/roundtrip trip "The capital of France is"

.venv/.run: pyproject.toml
	@tools/set_up.sh "$(PYTHON)" run

.venv/.dev: pyproject.toml
	@tools/set_up.sh "$(PYTHON)" dev

.venv/.bench: pyproject.toml
	@tools/set_up.sh "$(PYTHON)" bench

.venv/.docs: pyproject.toml
	@tools/set_up.sh "$(PYTHON)" docs

test: .venv/.dev
	@tools/system_tools.sh
	@$(BIN)/pytest -n auto

check: .venv/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports

bench: .venv/.bench
	@$(BIN)/python -m benchmarks

validate: .venv/.run
	@$(BIN)/roundtrip validate $(if $(TRUTH),--truth $(TRUTH))

docs: .venv/.docs
	@$(BIN)/python tools/make_docs.py
	@$(BIN)/mkdocs build --strict

clean:
	@rm -rf .venv site dist build
