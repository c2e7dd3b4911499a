# The environment lives in .venv; every target sets up what it needs, once, and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help trip test browser check bench validate tables docs lab site pictures clean

help:
	@echo "make trip      the round trip of 'The capital of France is', stage by stage, and a real answer"
	@echo "make test      all tests            make check     style, types and who imports whom"
	@echo "make browser   the lab walked in a real browser"
	@echo "make bench     speed                make validate  the model against published figures (TRUTH=dir, FIT=dir)"
	@echo "make tables    the committed tables, from their solvers"
	@echo "make lab       the laboratory in a browser (PORT=8321); make site builds it only"
	@echo "make pictures  the pictures of the lab in README and docs, anew (needs Chromium)"
	@echo "make docs      the documentation    make clean     remove .venv and what was built"

trip: .venv/.run
	@[ -n "$$ROUNDTRIP_MODEL" ] || $(BIN)/roundtrip model fetch --quiet || true
	@$(BIN)/roundtrip trip "The capital of France is"

.venv/.run .venv/.dev .venv/.bench .venv/.docs .venv/.lab: .venv/.%: pyproject.toml
	@tools/set_up.sh "$(PYTHON)" $*

test: .venv/.dev
	@tools/system_tools.sh
	@PYTHON=$(BIN)/python tools/judges.sh gnpy ecologits salib engine carry
	@$(BIN)/roundtrip model fetch --quiet || echo "the tests with the real weights are skipped"
	@tools/build_web.sh stale || echo "the lab's site was not built; its tests in node and Chromium are skipped"
	@$(BIN)/python -m pytest -n auto

browser: .venv/.dev
	@tools/system_tools.sh
	@tools/build_web.sh stale
	@ROUNDTRIP_BROWSER=1 $(BIN)/python -m pytest -vv --durations=12 $$(grep -l needs_browser tests/lab/test_*.py)

check: .venv/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@tools/build_web.sh types

bench: .venv/.bench
	@$(BIN)/python -m benchmarks

validate: .venv/.dev
	@$(BIN)/roundtrip model fetch --quiet || true
	@$(BIN)/roundtrip validate $(if $(TRUTH),--truth "$(TRUTH)") $(if $(FIT),--fit "$(FIT)")
	@ROUNDTRIP_FULL=1 $(BIN)/python -m pytest -q tests/engine/test_abuse.py tests/fleet/test_oracle.py \
		tests/journey/carry/test_fuzz.py

tables: .venv/.dev
	@$(BIN)/python tools/make_tables.py

docs: .venv/.docs
	@$(BIN)/python tools/make_docs.py
	@$(BIN)/mkdocs build --strict

lab: .venv/.lab
	@tools/build_web.sh stale
	@$(BIN)/roundtrip lab $(if $(PORT),--port $(PORT))

site: .venv/.lab
	@tools/build_web.sh

pictures: .venv/.lab
	@tools/make_pictures.sh

clean:
	@rm -rf .venv site dist build web/node_modules web/public/data web/src/generated src/roundtrip/lab/site src/roundtrip/lab/single
