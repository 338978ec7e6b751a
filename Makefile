# make run    set everything up and start: Telegram if there is a token, else the terminal
# make local  install the local embedder (32 MB): recall by meaning without a network
# make test   set everything up and pass the one gate: format, lint, types, tests
# make format format, and mend what lint can mend
# make texts  find the texts of the interface and compile their translations
# make bench  measure (no network, no key)
# make lock   compile the locked, hashed requirements again
#
# Needs only Python 3.11+ (with venv), make and git. .boot holds uv, .venv the locked packages.

export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := 1
# A home that cannot be written to would break the tools that cache there.
export UV_CACHE_DIR ?= $(shell if [ -n "$$HOME" ] && mkdir -p "$$HOME/.cache/uv" 2>/dev/null && [ -w "$$HOME/.cache/uv" ]; then echo "$$HOME/.cache/uv"; else echo "$(CURDIR)/.cache/uv"; fi)
export UV_LINK_MODE := copy

BIN := .venv/bin
UV := .boot/bin/uv
PYTHONS := python3.11 python3.12 python3.13 python3.14 python3 python

.PHONY: run local test lock bench format texts
.DELETE_ON_ERROR:

run: .venv/.run
	@exec $(BIN)/remembrancer

local: .venv/.run
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-local.lock </dev/null

test: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Finds the texts of the interface, adds new ones to each translation and compiles them.
texts: .venv/.dev
	$(BIN)/pybabel --quiet extract --keywords N_ --project remembrancer --no-location --sort-output --no-wrap -o .texts.pot memory tools bot
	@for code in $(notdir $(wildcard memory/locale/??)); do \
	  $(BIN)/pybabel --quiet update --domain remembrancer --input-file .texts.pot --output-dir memory/locale --locale $$code --no-fuzzy-matching --ignore-obsolete --no-wrap; \
	  sed -i '/EMAIL@ADDRESS/d; /^"POT-Creation-Date/d; /^"PO-Revision-Date/d; /^"Last-Translator/d; /^"Language-Team/d; /^"Generated-By/d' memory/locale/$$code/LC_MESSAGES/remembrancer.po; done
	@rm .texts.pot
	$(BIN)/pybabel --quiet compile --domain remembrancer --directory memory/locale

bench: .venv/.dev
	@for name in overhead ledger handoff scale; do $(BIN)/remembrancer bench $$name || missed="$$missed $$name"; done; \
	test -z "$$missed" || { echo "Goals missed in:$$missed" >&2; exit 1; }

lock: .boot/.done
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml -o requirements.lock </dev/null
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml --extra local -c requirements.lock -o requirements-local.lock </dev/null
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock </dev/null

# The first candidate that starts and is new enough: a shim may exist and not run.
.boot/.done:
	@for python in $(PYTHONS); do \
	  if "$$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 </dev/null; then found="$$python"; break; fi; \
	done; \
	if [ -z "$$found" ]; then echo "Remembrancer needs Python 3.11 or newer (with venv) on the PATH." >&2; exit 1; fi; \
	rm -rf .boot .venv; "$$found" -m venv .boot </dev/null && .boot/bin/python -m pip install --quiet --disable-pip-version-check uv </dev/null
	@touch $@

.venv/.base: .boot/.done
	@test -x $(BIN)/python || $(UV) venv --quiet --python .boot/bin/python .venv </dev/null
	@touch $@

.venv/.run: .venv/.base requirements.lock pyproject.toml
	@test -e .venv/.dev || $(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock </dev/null
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable . </dev/null
	@touch $@

.venv/.dev: .venv/.run requirements-dev.lock
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.lock </dev/null
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable . </dev/null
	@touch $@
