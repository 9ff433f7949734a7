# Each target does its own set-up, in .venv; nothing else on the machine is touched, but that as root
# a missing python3-venv is installed from the system's packages.

# The system's Python where it will do: other users can run it too.
PYTHON ?= $(or $(shell for p in /usr/bin/python3 python3; do $$p -c 'import sys, ensurepip; \
  sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done),python3)
BIN := .venv/bin
READY := .venv/.ready
export PYTHONHASHSEED := 0

.PHONY: test battery tournament bench peers sandbox lock clean

test: $(READY) sandbox
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

# Every attack at every level; as root also as a user who may do nothing. And what takes minutes.
battery: $(READY) sandbox
	$(BIN)/python -m pytest tests/test_hosts.py -m "battery or not battery"
	$(BIN)/python -m pytest tests/test_machine.py tests/test_object_store.py tests/test_run.py -m battery
	@if [ "$$(id -u)" = 0 ]; then tests/as_nobody -m pytest tests/test_hosts.py \
	  -m "battery or not battery" -p no:cacheprovider; fi

# bubblewrap, which the sandbox is made of, comes from the system's packages.
sandbox:
	@command -v bwrap >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && \
	  apt-get install -y -qq bubblewrap libseccomp2 >/dev/null; } || { \
	  echo "make: bubblewrap is missing; on Debian: apt-get install bubblewrap" >&2; exit 1; }

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
