# What one does with this repository. `make help` lists it. Everything that is installed or built stays in the checkout:
# .venv, .venv-torch and target. `PYTHON=` chooses another interpreter than the newest one found, `VENV=` another folder.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
SHELL := /bin/sh

VENV ?= .venv
VENV_TORCH ?= .venv-torch
TORCH ?= 1
VENV_INTEROP = .venv-interop$(if $(filter 0,$(TORCH)),,-torch)
PYTHON ?=
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
HOST = $(shell rustc -vV | sed -n 's/^host: //p')

# The same for every call of cargo, so that pyo3 is built once. The first keeps pyo3 from looking for a libpython. The
# second is the name with the version (python3.13, python3.13t), so that pyo3 is built anew for another interpreter; it is
# looked up when a recipe starts, for the environment may have been made by the one before.
export PYO3_BUILD_EXTENSION_MODULE := 1
export PYO3_PYTHON = $(shell ls $(abspath $(VENV))/bin/python3.* 2>/dev/null | tail -n 1)
export PYTHON
export PYTHONDONTWRITEBYTECODE := 1
export HYPOTHESIS_STORAGE_DIRECTORY := $(abspath $(TARGET))/hypothesis

EXTENSIONS := -p dlferry-python -p dlferry-first -p pictures -p dlferry-views -p dlferry-results -p dlferry-testing --features dlferry-testing/python
# So many processes share the Python tests, each taking files (of `interop`, groups); so many fuzz targets run at once.
JOBS ?= 2
PYTEST := -m pytest -c python/pyproject.toml -n $(JOBS) --dist loadfile \
	$(wildcard python/tests crates/dlferry-testing/tests_python examples/extension/tests bench)
PYTEST_LIFETIMES := -m pytest -c python/pyproject.toml -m "not torch" \
	$(addprefix python/tests/lifetime/test_,deleters.py exit.py chains.py) python/tests/cases/test_cases_gil_threads.py
PYTHON_CODE := $(wildcard python crates/dlferry-testing/tests_python examples bench interop tools/numpy-suite tools/nanobind-parity/run tools/trust tools/doctor-table tools/conformance-table)
# A test has no annotations, may pass what the types forbid and replace what they hold fixed; its helpers are checked.
MYPY_TESTS := --allow-untyped-defs --allow-incomplete-defs --allow-untyped-calls --no-check-untyped-defs \
	$(addprefix --disable-error-code=,arg-type call-arg operator type-arg assignment comparison-overlap \
	func-returns-value misc override unused-ignore)
ASAN := RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo
ASAN_BUILD := --target $(HOST) --target-dir $(TARGET)/asan
FUZZ ?= copy describe formats import layout
MUTATED ?= layout borrow view export managed capsule sharing
# The official header, when the environment has it (not `wildcard`, which remembers what was missing).
HEADER = $(shell ls $(abspath $(VENV))/lib/python3*/site-packages/tvm_ffi/include/dlpack/dlpack.h 2>/dev/null)
WITH_HEADER = $(if $(HEADER),DLPACK_H=$(HEADER) DLFERRY_REQUIRE_HEADER=1)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

.PHONY: demo
demo: extensions ## show what dlferry does, on the arrays of this machine
	@tools/with $(VENV) "the demo" env PYTHONPATH=$(TARGET)/py/debug $(VENV)/bin/python examples/demo.py

.PHONY: test
test: test-rust test-python ## all tests but those that need PyTorch

# All features of the core. With all and with none, each test runs, and each line that a feature changes.
EVERYTHING := dlferry/half,dlferry/ndarray,dlferry/num-complex,dlferry/threads

.PHONY: test-rust
test-rust: venv ## the Rust tests, with and without std, and the examples in the documentation
	$(WITH_HEADER) cargo test -p dlferry -p dlferry-testing -p dlferry-borrow-tests --features $(EVERYTHING)
	$(WITH_HEADER) cargo test -p dlferry --no-default-features
	cargo test -p dlferry-macros
	cargo test -p dlferry-pyo3 --test compile_fail
	cargo test -p dlferry-pyo3 --all-features --doc

.PHONY: loom
loom: venv ## all orders of what threads do to the registry of borrowed memory, and to the counter of a tensor's references
	RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=2 CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --target-dir $(TARGET)/loom \
		-p dlferry-borrow-tests -p dlferry-counted-tests

.PHONY: test-python
test-python: extensions ## the Python tests, on a build with overflow checks
	@tools/with $(VENV) "the Python tests" env PYTHONPATH=$(TARGET)/py/debug \
		$(VENV)/bin/python $(PYTEST) $(LEFT_OUT) -m "not torch"

.PHONY: test-torch
test-torch: extensions-release venv-torch ## the tests with PyTorch, on a release build (installs 13 GB)
	@tools/with $(VENV_TORCH) "the PyTorch tests" env PYTHONPATH=$(TARGET)/py/release \
		$(VENV_TORCH)/bin/python $(PYTEST) -m torch

.PHONY: interop
interop: extensions venv-interop ## every dtype and layout to and from many libraries (TORCH=0 leaves PyTorch out: 250 MB, not 13 GB)
	@tools/with $(VENV_INTEROP) "the tests with many libraries" env PYTHONPATH=$(TARGET)/py/debug \
		$(VENV_INTEROP)/bin/python -m pytest -c python/pyproject.toml -n $(JOBS) --dist loadgroup -q interop

.PHONY: doctor-page
doctor-page: extensions venv-page ## the page of `python -m dlferry doctor`, and what notebooks show, in a real browser (needs Chromium)
	@tools/with .venv-page "the page in a browser" env PYTHONPATH=$(TARGET)/py/debug \
		.venv-page/bin/python -m pytest -c python/pyproject.toml -q \
		python/tests/doctor/test_doctor_page_in_a_browser.py python/tests/explain/test_notebook_in_a_browser.py

.PHONY: doctor-table
doctor-table: extensions-release venv-interop ## write the table and the picture of the README anew, of today's libraries
	@tools/with $(VENV_INTEROP) "the table of the README" env PYTHONPATH=$(TARGET)/py/release \
		$(VENV_INTEROP)/bin/python tools/doctor-table

.PHONY: conformance
conformance: CONFORMING = dlferry numpy array_api_strict pyarrow mlx onnxruntime jax tvm_ffi $(if $(filter 0,$(TORCH)),,torch)
conformance: extensions venv-interop ## the rules of DLPack, put to many libraries, into docs/conformance.md (TORCH=0: not to PyTorch)
	@mkdir -p $(TARGET)/conformance
	@for library in $(CONFORMING); do \
		tools/with $(VENV_INTEROP) "the rules for $$library" env PYTHONPATH=$(TARGET)/py/debug $(VENV_INTEROP)/bin/python \
			-m dlferry conformance $$library --json >$(TARGET)/conformance/$$library.json || :; done
	$(VENV)/bin/python tools/conformance-table $(CONFORMING:%=$(TARGET)/conformance/%.json)

.PHONY: numpy-suite
numpy-suite: extensions ## NumPy's own tests of DLPack, from its wheel, with dlferry in place of what they test
	@tools/with $(VENV) "NumPy's own tests of DLPack" env PYTHONPATH=$(TARGET)/py/debug $(VENV)/bin/python tools/numpy-suite

.PHONY: numpy-range
numpy-range: ## the tests of NumPy's arrays with NumPy 1.21 (no DLPack there), 1.26, 2.0 and the newest, where their Pythons are
	tools/numpy-range $(TARGET)/numpy-range 3.10:1.21.6 3.11:1.26 3.12:2.0 3.13:newest

.PHONY: nanobind-parity
nanobind-parity: $(if $(NANOBIND),venv-interop) ## nanobind's own tests of arrays, on dlferry; NANOBIND=PATH is a checkout of its sources
	@$(if $(NANOBIND),:,tools/notice "SKIPPED: nanobind's own tests of arrays" "NANOBIND=PATH says where a checkout of nanobind is")
	$(if $(NANOBIND),cargo build -p dlferry-nanobind-parity)
	@$(if $(NANOBIND),tools/with $(VENV_INTEROP) "nanobind's own tests of arrays" \
		$(VENV_INTEROP)/bin/python tools/nanobind-parity/run $(NANOBIND) $(TARGET)/debug)

.PHONY: freethreaded
freethreaded: ## the tests in a CPython without a global interpreter lock (3.13t, with pyo3 0.28); builds one where none is found
	tools/freethreaded $(TARGET)/freethreaded

.PHONY: bench-threads
bench-threads: ## how far two threads get beyond one, without a global interpreter lock
	tools/freethreaded $(TARGET)/freethreaded release

.PHONY: asan
asan: asan-rust asan-python ## the tests under AddressSanitizer

# The core with LeakSanitizer too; the others leak on purpose: what is kept after its deletion, and records of borrows.
.PHONY: asan-rust
asan-rust: venv
	$(ASAN) test $(ASAN_BUILD) -p dlferry --features threads --lib --tests
	ASAN_OPTIONS=detect_leaks=0 $(ASAN) test $(ASAN_BUILD) -p dlferry-testing -p dlferry-borrow-tests --lib --tests

# What runs other libraries in processes of its own, and has no memory of its own, is left out.
PURE_PYTHON := $(addprefix --ignore=python/tests/,conformance doctor explain)

# pytest captures what Python prints and no more, for the runtime's report is printed past Python.
.PHONY: asan-python
asan-python: PRELOAD = $(shell tools/asan-preload)
asan-python: venv
	@$(if $(PRELOAD),:,tools/notice "SKIPPED: the Python tests under AddressSanitizer" "the compiler has no libasan.so")
	$(if $(PRELOAD),$(ASAN) build $(ASAN_BUILD) $(EXTENSIONS))
	$(if $(PRELOAD),tools/stage $(TARGET)/asan/$(HOST)/debug $(TARGET)/py/asan)
	@$(if $(PRELOAD),tools/with $(VENV) "the Python tests under AddressSanitizer" env PYTHONPATH=$(TARGET)/py/asan \
		LD_PRELOAD=$(PRELOAD) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc DLFERRY_ASAN=1 \
		$(VENV)/bin/python $(PYTEST) $(PURE_PYTHON) --capture=sys -m "not torch")

# Also of the Rust tests that have failures of their own; the features are those of `make test-rust`.
.PHONY: trust
trust: extensions ## public failures by kind, and crashes, leaks, double frees and writes into read-only memory, counted
	@tools/with $(VENV) "the counts of make trust" env PYTHONPATH=$(TARGET)/py/debug $(VENV)/bin/python tools/trust

.PHONY: valgrind
# Integers of CPython before 3.13 begin as what malloc gave, where they are zero.
valgrind: extensions ## the tests of lifetimes, each process of theirs under valgrind (half an hour)
	@command -v valgrind >/dev/null || tools/notice "SKIPPED: the tests under valgrind" "there is no valgrind"
	@! command -v valgrind >/dev/null || tools/with $(VENV) "the tests under valgrind" env PYTHONPATH=$(TARGET)/py/debug \
		PYTHONMALLOC=malloc DLFERRY_TESTS_UNDER="valgrind -q --error-exitcode=9 --suppressions=$(abspath tools/valgrind.supp) $$(\
		$(VENV)/bin/python -c 'import sys; print("" if sys.version_info >= (3, 13) else "--undef-value-errors=no")' 2>/dev/null)" \
		$(VENV)/bin/python $(PYTEST_LIFETIMES)

.PHONY: lint
lint: fmt clippy docs ruff typos types ## everything that judges the code without running it

.PHONY: fmt
fmt: ## the layout of the Rust code
	cargo fmt --all -- --check -l

.PHONY: clippy
clippy: venv ## the lint table of Cargo.toml
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	cargo clippy -p dlferry --all-targets --no-default-features -- -D warnings

.PHONY: docs
docs: venv ## the Rust documentation, into target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features

.PHONY: ruff
ruff: venv ## the lints and the layout of the Python code
	@tools/with $(VENV) "ruff check" $(VENV)/bin/ruff check --config python/pyproject.toml $(PYTHON_CODE)
	@tools/with $(VENV) "ruff format" $(VENV)/bin/ruff format --check --config python/pyproject.toml $(PYTHON_CODE)

.PHONY: typos
typos: venv ## the spelling
	@tools/with $(VENV) "typos" $(VENV)/bin/typos --config typos.toml

.PHONY: types
types: extensions ## the Python types: mypy on the package and the tests' helpers, and the stubs against the built module
	@tools/with $(VENV) "mypy" env MYPYPATH=$(TARGET)/py/debug \
		$(VENV)/bin/python -m mypy --config-file python/pyproject.toml -p dlferry
	@tools/with $(VENV) "mypy on the tests" env MYPYPATH=$(TARGET)/py/debug \
		$(VENV)/bin/python -m mypy --config-file python/pyproject.toml $(MYPY_TESTS) $(wildcard python/tests)
	@tools/with $(VENV) "stubtest" env MYPYPATH=$(TARGET)/py/debug PYTHONPATH=$(TARGET)/py/debug \
		$(VENV)/bin/python -m mypy.stubtest --mypy-config-file python/pyproject.toml \
		--allowlist tools/stubtest-allowlist --ignore-unused-allowlist dlferry

.PHONY: pyo3-range
pyo3-range: venv ## build and test with the oldest, the middle and the newest pyo3 that Cargo.toml allows
	tools/pyo3-range $(TARGET)/pyo3-range $(VENV) 0.28 0.29 0.30

.PHONY: abi3
abi3: venv ## compile dlferry-pyo3 as extensions for many Python versions do, with and without the buffer protocol
	cargo clippy -p dlferry-pyo3 --no-default-features --features abi3,pyo3/abi3-py310 -- -D warnings
	cargo clippy -p dlferry-pyo3 --features abi3,pyo3/abi3-py311 -- -D warnings

# On the libraries of `make venv-torch` when they are installed.
.PHONY: bench
bench: BENCH_VENV = $(if $(wildcard $(VENV_TORCH)/.ready),$(VENV_TORCH),$(VENV))
bench: extensions-release ## what things take against what people use today; BENCH="--json FILE" for more
	@tools/with $(BENCH_VENV) "the benchmarks" env PYTHONPATH=$(TARGET)/py/release \
		$(BENCH_VENV)/bin/python bench $(BENCH)

.PHONY: bench-copy
bench-copy: ## strided copies as fractions of memcpy, in Rust; BENCH="--sizes" or "--threads 2" for more
	cargo run --release --manifest-path bench/copy/Cargo.toml --target-dir $(TARGET)/bench-copy -- $(BENCH)

.PHONY: bench-arguments
bench-arguments: BENCH_VENV = $(if $(wildcard $(VENV_TORCH)/.ready),$(VENV_TORCH),$(VENV))
bench-arguments: extensions-release ## functions that take arrays, against those of rust-numpy, dlpark and nanobind, which are built
	@tools/with $(BENCH_VENV) "the benchmarks of arguments" sh -c '"$$0" -m pip install -q nanobind; \
		bench/arguments/build "$$0" $(TARGET)/bench-arguments $(TARGET)/bench-arguments/py && \
		PYTHONPATH=$(TARGET)/py/release:$(TARGET)/bench-arguments/py "$$0" bench --only argument: $(BENCH)' $(BENCH_VENV)/bin/python

.PHONY: fuzz
fuzz: venv ## an hour of fuzzing for each target; FUZZ_SECONDS=60 and FUZZ="layout import" for less
	tools/fuzz $(TARGET)/fuzz $(VENV) $(or $(FUZZ_SECONDS),3600) $(FUZZ)

.PHONY: fuzz-smoke
fuzz-smoke: venv ## each fuzz target on its seeds and 20,000 inputs made from them, the same each time
	tools/fuzz $(TARGET)/fuzz $(VENV) smoke $(FUZZ)

.PHONY: mutants
mutants: venv ## change the code in some hundred places, and see which changes no test notices (hours)
	@for room in $(MUTATED); do tools/mutants $(TARGET)/mutants $$room $(VENV) || status=1; done; exit $${status:-0}

.PHONY: planted
planted: venv ## plant the defects of other libraries one at a time, and see the test that each turns red
	tools/planted $(TARGET)/planted $(abspath $(VENV)) $(PLANTED)

.PHONY: wheel
wheel: venv ## a wheel for this interpreter, into target/wheels
	@tools/with $(VENV) "the wheel" $(VENV)/bin/maturin build --release --manifest-path python/Cargo.toml \
		--interpreter $(VENV)/bin/python --target-dir $(TARGET)/wheel-build --out $(TARGET)/wheels

.PHONY: ci
ci: TORCH := 0
# `trust` runs these, and counts.
ci: LEFT_OUT := --ignore=python/tests/cases --ignore=python/tests/lifetime/test_growth.py
ci: lint abi3 test trust loom numpy-suite interop asan fuzz-smoke freethreaded ## what has to pass before a change lands

.PHONY: clean
clean: ## remove what was built and installed
	rm -rf $(TARGET) $(VENV) $(VENV_TORCH) .venv-interop .venv-interop-torch .venv-page

# Steps of the above.
.PHONY: venv
venv:
	@tools/venv $(VENV) tools/requirements-test.txt

.PHONY: venv-torch
venv-torch: venv
	@test -e $(VENV_TORCH)/.ready || tools/notice "$(VENV_TORCH): PyTorch with its CUDA packages, 13 GB on disk, some minutes"
	@PYTHON=$(VENV)/bin/python tools/venv $(VENV_TORCH) tools/requirements-torch.txt

.PHONY: venv-interop
venv-interop: venv
	@test -e $(VENV_INTEROP)/.ready || tools/notice "$(VENV_INTEROP): ten array libraries, a download of about 250 MB" \
		$(if $(filter 0,$(TORCH)),,"and PyTorch with its CUDA packages, 13 GB on disk; TORCH=0 leaves it out")
	@PYTHON=$(VENV)/bin/python tools/venv $(VENV_INTEROP) \
		tools/requirements-interop$(if $(filter 0,$(TORCH)),,-torch).txt

.PHONY: venv-page
venv-page: venv
	@PYTHON=$(VENV)/bin/python tools/venv .venv-page tools/requirements-page.txt

.PHONY: extensions
extensions: venv
	cargo build $(EXTENSIONS)
	@tools/stage $(TARGET)/debug $(TARGET)/py/debug

.PHONY: extensions-release
extensions-release: venv
	cargo build --release $(EXTENSIONS)
	@tools/stage $(TARGET)/release $(TARGET)/py/release
