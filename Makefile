# The environment lives in .venv; every target sets up what it needs, once, and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help trip test check bench validate tables docs lab clean

help:
	@echo "make trip      the round trip of 'The capital of France is', stage by stage"
	@echo "make test      all tests            make check     style, types and who imports whom"
	@echo "make bench     speed                make validate  the model against published figures (TRUTH=dir, FIT=dir)"
	@echo "make tables    the committed tables, from their solvers"
	@echo "make docs      the documentation    make clean     remove .venv and what was built"

trip: .venv/.run
	@$(BIN)/roundtrip trip "The capital of France is"

.venv/.run .venv/.dev .venv/.bench .venv/.docs: .venv/.%: pyproject.toml
	@tools/set_up.sh "$(PYTHON)" $*

test: .venv/.dev
	@tools/system_tools.sh
	@PYTHON=$(BIN)/python tools/judges.sh gnpy ecologits salib
	@$(BIN)/python -m pytest -n auto

check: .venv/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports

bench: .venv/.bench
	@$(BIN)/python -m benchmarks

validate: .venv/.run
	@$(BIN)/roundtrip validate $(if $(TRUTH),--truth "$(TRUTH)") $(if $(FIT),--fit "$(FIT)")

tables: .venv/.dev
	@$(BIN)/python tools/make_tables.py

docs: .venv/.docs
	@$(BIN)/python tools/make_docs.py
	@$(BIN)/mkdocs build --strict

lab:
	@echo "The lab comes with its own release; until then, see the trip with 'make trip'." >&2; exit 2

clean:
	@rm -rf .venv site dist build
