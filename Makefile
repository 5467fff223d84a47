# Two commands on a fresh machine: make demo, make test. They need python3, make and the package registry.
PYTHON := .venv/bin/python
READY := .venv/.ready
CORE := .venv/.core
CORE_SOURCES := $(shell find core -name '*.?pp' -o -name CMakeLists.txt)

.PHONY: setup stub demo test check coverage sanitize test-oldest bench bench-peers docs clean

setup: $(READY) $(CORE)

$(READY): pyproject.toml
	@echo "Setting up .venv with everything a developer needs (once, about two minutes) ..."
	@python3 -m venv .venv
	@$(PYTHON) -m pip install --quiet --upgrade "pip>=25.1"
	@$(PYTHON) -m pip install --quiet --group dev
	@scripts/with_compiler $(PYTHON) -m pip install --quiet --no-build-isolation --editable ".[all]"
	@touch $@ $(CORE)

# The compiled core is built anew when one of its sources changes; only what depends on the change is compiled.
$(CORE): $(READY) $(CORE_SOURCES)
	@echo "Building the compiled core ..."
	@scripts/with_compiler $(PYTHON) -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

# The types of the compiled core, from what it was built with; a test compares them.
stub: setup
	$(PYTHON) -m nanobind.stubgen -q -m ridgeway._core -o src/ridgeway/_core.pyi
	.venv/bin/ruff format -q src/ridgeway/_core.pyi

demo: setup
	$(PYTHON) -m ridgeway demo

check: setup
	.venv/bin/ruff format --check src tests benchmarks scripts docs/conf.py examples
	.venv/bin/ruff check src tests benchmarks scripts docs/conf.py examples
	.venv/bin/mypy
	.venv/bin/lint-imports

test: check
	$(PYTHON) -m pytest -n 2 -q -rs

# Branches of the Python sources that the tests take, in all their processes. Fails below 95 of 100 branches.
coverage: setup
	@rm -f .coverage .coverage.*
	.venv/bin/coverage run -m pytest -n 2 -q
	@.venv/bin/coverage combine -q
	.venv/bin/coverage report --skip-covered --show-missing
	@.venv/bin/coverage json -q -o coverage.json
	$(PYTHON) scripts/branches.py coverage.json

# The compiled core with address and undefined-behaviour sanitizers and with every argument checked, in an environment of
# its own: the tests of its loops, of damaged models and of made-up states.
sanitize: setup
	@python3 -m venv .venv-sanitize
	@$(PYTHON) -c "import site; print(site.getsitepackages()[0])" > .venv-sanitize/site.txt
	@cp .venv-sanitize/site.txt "$$(.venv-sanitize/bin/python -c 'import site; print(site.getsitepackages()[0])')/project.pth"
	scripts/with_compiler .venv-sanitize/bin/python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall \
		--config-settings=build-dir=build/sanitize --config-settings=cmake.define.RIDGEWAY_SANITIZE=ON \
		--config-settings=install.strip=false .
	scripts/sanitized .venv-sanitize/bin/python -m pytest -q -p no:cacheprovider \
		tests/core tests/sgd tests/trajectory tests/storage/test_damage.py tests/storage/test_contradictions.py

# The oldest versions that we claim to work with, in an environment of their own.
test-oldest:
	python3 -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-oldest/bin/python scripts/oldest.py > .venv-oldest/oldest.txt
	.venv-oldest/bin/python -m pip install --quiet --editable . --group tests --group data --constraint .venv-oldest/oldest.txt
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
	rm -rf .venv .venv-oldest .venv-peers .venv-sanitize .coverage* coverage.json build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
