# Everything a contributor runs. `make test` is what continuous integration runs.
.PHONY: test lint bench demo

CARGO ?= cargo

test: lint
	$(CARGO) test --workspace

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

bench:
	$(CARGO) bench --workspace

demo:
	$(CARGO) run --release -- demo
