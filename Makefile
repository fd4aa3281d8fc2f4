# Everything a contributor runs. `make test` is what continuous integration runs.
.PHONY: test test-rust test-python lint lint-python bench demo

CARGO ?= cargo
PYTHON ?= python3
# The virtual environment of the Python tests: made anew when what it holds is to change.
VENV := target/venv
BIN := $(VENV)/bin

# Tests that want for data outside the repository add a line to this file (tests/data.rs).
NOT_RUN := target/not-run.txt

test:
	rm -f $(NOT_RUN)
	$(MAKE) lint test-rust test-python
	@if test -s $(NOT_RUN); then \
		echo "Passed, but these tests did not run on all data (tests/golden/README.md says what is missing):"; \
		sort -u $(NOT_RUN); \
	else echo "Passed. Every test ran on all data."; fi

test-rust:
	$(CARGO) test --workspace

# The wheel as users get it, but built quickly: the profile of the tests.
test-python: $(VENV)/ready lint-python
	$(CARGO) build --workspace --bin fnb
	rm -rf target/wheels
	$(BIN)/maturin build --quiet --profile dev --out target/wheels --interpreter $(BIN)/python
	$(BIN)/pip install --quiet --force-reinstall --no-deps target/wheels/fnb-*.whl
	FNB_PROGRAM=target/debug/fnb $(BIN)/python -m pytest python/tests
	$(BIN)/python -m pytest --pyargs fnb --doctest-modules docs/python.md --doctest-glob=*.md
	$(BIN)/python -m mypy
	cd target && venv/bin/python -m mypy.stubtest fnb._fnb --ignore-disjoint-bases

$(VENV)/ready: pyproject.toml
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group test
	touch $@

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

lint-python: $(VENV)/ready
	$(BIN)/ruff check python bench
	$(BIN)/ruff format --check python bench

bench:
	$(CARGO) bench --workspace

demo:
	$(CARGO) run --release -- demo
