# Each target does its own set-up, in .venv; nothing else on the machine is touched, but that as root
# a missing python3-venv is installed from the system's packages.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
export PYTHONHASHSEED := 0

.PHONY: test tournament bench peers lock clean

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

tournament: $(READY)
	$(BIN)/fairdeal run configs/smoke.toml

bench: $(READY)
	$(BIN)/fairdeal bench

# Other projects' card games beside ours, in an environment of their own.
peers: .venv-peers/.ready
	.venv-peers/bin/python tests/benchmarks/peers.py

$(READY): requirements.lock pyproject.toml
	@$(call environment,.venv,requirements.lock)

.venv-peers/.ready: requirements-peers.lock pyproject.toml
	@$(call environment,.venv-peers,requirements-peers.lock)

define environment
	set -e; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: Python 3.11 or later is needed; name one with PYTHON=..." >&2; exit 1; }; \
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv; } || { \
	  echo "make: Python's venv is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }; \
	echo "Setting up $(1) ..."; \
	$(PYTHON) -m venv $(1); \
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(2); \
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --editable .; \
	touch $(1)/.ready
endef

# Pins the newest versions that pyproject.toml allows.
lock: $(READY)
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --upgrade --allow-unsafe --strip-extras --generate-hashes --no-header \
	  --annotation-style line --no-emit-index-url --no-emit-trusted-host --no-emit-options \
	  --extra dev --output-file requirements.lock pyproject.toml
	$(BIN)/pip-compile --quiet --upgrade --allow-unsafe --strip-extras --generate-hashes --no-header \
	  --annotation-style line --no-emit-index-url --no-emit-trusted-host --no-emit-options \
	  --extra dev --extra peers --output-file requirements-peers.lock pyproject.toml

clean:
	rm -rf .venv .venv-peers build ./*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
