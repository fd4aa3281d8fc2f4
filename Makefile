# Everything a contributor runs. `make test` is what continuous integration runs.
.PHONY: test build programs test-rust test-python test-spark test-browser wheel pytest pytest-spark types lint lint-python fuzz bench demo

CARGO ?= cargo
PYTHON ?= python3
# The virtual environment of the Python tests: made anew when what it holds is to change.
VENV := target/venv
BIN := $(VENV)/bin
# Tests that leave something out add a line to this file (tests/data.rs).
NOT_RUN := target/not-run.txt
# Crates of ours are linted as they are compiled, so that dependencies are compiled once and not checked before.
LINTED := RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/.ci/lint-and-compile

# Two things at a time: packages are fetched while crates are compiled, Python tests run beside those in Rust.
test:
	rm -f $(NOT_RUN)
	$(CARGO) fmt --all --check
	$(MAKE) -j2 build $(VENV)/ready
	$(MAKE) -j2 test-rust test-python
	$(MAKE) test-browser
	@if java -version > /dev/null 2>&1; then $(MAKE) pytest-spark; \
		else echo "make test-spark: there is no Java" >> $(NOT_RUN); fi
	@if test -s $(NOT_RUN); then echo "Passed. What was left out, and why:"; sort -u $(NOT_RUN); \
		else echo "Passed."; fi

build: programs
	$(LINTED) $(CARGO) build --workspace --benches

# The tests, and the program that they run.
programs:
	$(LINTED) $(CARGO) test --workspace --no-run

test-rust:
	$(LINTED) $(CARGO) test --workspace

test-python: pytest types

# The distributed tests on Apache Spark, which needs Java: two tasks at a time, each of which may fail twice
# (plain local[2] runs no task again). On Sail they are among the Python tests.
SPARK_VENV := target/venv-spark
test-spark: wheel
	$(MAKE) pytest-spark

pytest-spark: $(SPARK_VENV)/ready
	$(SPARK_VENV)/bin/pip install --quiet --force-reinstall --no-deps target/wheels/fnb-*.whl
	FNB_TEST_REMOTE='local[2,3]' $(SPARK_VENV)/bin/python -m pytest python/tests/distributed

$(SPARK_VENV)/ready: pyproject.toml
	rm -rf $(SPARK_VENV)
	$(PYTHON) -m venv $(SPARK_VENV)
	$(SPARK_VENV)/bin/pip install --quiet --upgrade "pip>=25.1"
	$(SPARK_VENV)/bin/pip install --quiet --group spark
	touch $@

# The page of the report, in Chromium.
test-browser: programs
	.ci/browser-tests

# The wheel as users get it, but built quickly: the profile of the tests.
wheel: $(VENV)/ready programs lint-python
	rm -rf target/wheels
	$(LINTED) $(BIN)/maturin build --quiet --profile dev --out target/wheels --interpreter $(BIN)/python
	$(BIN)/pip install --quiet --force-reinstall --no-deps target/wheels/fnb-*.whl

pytest: wheel
	FNB_PROGRAM=target/debug/fnb $(BIN)/python -m pytest python/tests
	$(BIN)/python -m pytest --pyargs fnb --doctest-modules docs/python.md docs/migration.md --doctest-glob=*.md

types: wheel
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

# Damaged files, for that many seconds each. `cargo fuzz` asks for a nightly compiler by habit; without sanitizers the
# stable one does. What it finds is in fuzz/artifacts: make it small (`cargo fuzz tmin`) and a test.
SECONDS ?= 60
FUZZ := text parquet ipc model schema
TOOLS := target/tools/bin
fuzz: $(TOOLS)/cargo-fuzz
	for target in $(FUZZ); do mkdir -p fuzz/corpus/$$target && \
		PATH="$(CURDIR)/$(TOOLS):$$PATH" $(CARGO) fuzz run --fuzz-dir fuzz --sanitizer none $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
		-max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=16384 -verbosity=0 || exit 1; done

$(TOOLS)/cargo-fuzz:
	$(CARGO) install --quiet --root $(dir $(TOOLS)) cargo-fuzz

bench:
	$(CARGO) bench --workspace

demo:
	$(CARGO) run --release -- demo
