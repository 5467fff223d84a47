# Two commands on a fresh machine: make demo, make test. They need python3, make and the package registry.
PYTHON := .venv/bin/python
READY := .venv/.ready

.PHONY: setup demo test check coverage test-oldest bench bench-peers docs clean

setup: $(READY)

$(READY): pyproject.toml
	@echo "Setting up .venv with everything a developer needs (once, about a minute) ..."
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python "$$(command -v python3)" .venv && \
		uv pip install --quiet --python $(PYTHON) --editable . --group dev; \
	else \
		python3 -m venv .venv && \
		$(PYTHON) -m pip install --quiet --upgrade "pip>=25.1" && \
		$(PYTHON) -m pip install --quiet --editable . --group dev; \
	fi
	@touch $@

demo: setup
	$(PYTHON) -m ridgeway demo

check: setup
	.venv/bin/ruff format --check src tests benchmarks scripts docs/conf.py examples
	.venv/bin/ruff check src tests benchmarks scripts docs/conf.py examples
	.venv/bin/mypy
	.venv/bin/lint-imports

# Numba's cache does not see when a function changed that a cached kernel calls, so it is emptied first. The kernels are
# also run as plain Python: what they compute must not depend on the compiler.
test: check
	@find src -name '*.nb[ic]' -delete
	$(PYTHON) -m pytest -n 2 -q -rs
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -n 2 -q -m kernel tests

# Branches of the sources that the tests take, in all their processes, kernels included: these count when they run as
# plain Python. Fails below 95 of 100 branches.
coverage: setup
	@rm -f .coverage .coverage.*
	.venv/bin/coverage run -m pytest -n 2 -q
	NUMBA_DISABLE_JIT=1 .venv/bin/coverage run -m pytest -n 2 -q -m kernel tests
	@.venv/bin/coverage combine -q
	.venv/bin/coverage report --skip-covered --show-missing
	@.venv/bin/coverage json -q -o coverage.json
	$(PYTHON) scripts/branches.py coverage.json

# The oldest versions that we claim to work with, in an environment of their own.
test-oldest:
	python3 -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-oldest/bin/python scripts/oldest.py > .venv-oldest/oldest.txt
	.venv-oldest/bin/python -m pip install --quiet --editable . --group tests --group data --constraint .venv-oldest/oldest.txt
	@find src -name '*.nb[ic]' -delete
	.venv-oldest/bin/python -m pytest -n 2 -q tests

bench: setup
	$(PYTHON) -m benchmarks

# Other libraries live in an environment of their own, so that their demands touch nobody; their warnings are not ours.
# Then the tables and plots of the documentation are made from what was measured. RIDGEWAY_DATA may name a folder with
# california_housing.csv.gz and wine_dot_com.csv.gz: these are then measured too.
bench-peers: .venv-peers/.ready
	OMP_NUM_THREADS=1 .venv-peers/bin/python -W ignore -m benchmarks.peers
	.venv-peers/bin/python -m benchmarks.publish

.venv-peers/.ready: pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python "$$(command -v python3)" .venv-peers && \
		uv pip install --quiet --python .venv-peers/bin/python --editable . --group peers; \
	else \
		python3 -m venv .venv-peers && \
		.venv-peers/bin/python -m pip install --quiet --upgrade "pip>=25.1" && \
		.venv-peers/bin/python -m pip install --quiet --editable . --group peers; \
	fi
	@touch $@

# Warnings are errors; nothing is fetched.
docs: setup
	.venv/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf .venv .venv-oldest .venv-peers .coverage* coverage.json build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
