# A thin front to CMake. On a fresh Debian 12 with git, gcc and make:
#   make demo   installs what is missing, builds, runs a door and a wheel, says which reports to open in a browser
#   make test   installs what is missing, builds, runs the tests, those of the report in a browser too
#   make install PREFIX=/usr/local DESTDIR=   program, libraries, headers, man pages, completion; make uninstall takes them away
.POSIX:
MAKEFLAGS += --no-print-directory
.PHONY: all demo viewer fuzz coverage test test-long test-sanitized clang check-format bench bench-solver bench-engine bench-contact bench-measured bench-readme bench-plot bench-flexible bench-trust bench-loop format lint lint-recent clean install-deps install uninstall

JOBS = 2
PREFIX = /usr/local
DESTDIR =
CONFIGURE = sh tools/configure
PAGE = build/release/share/bristle/report.html
SOURCES = src include cli mpi tests bench examples
SLOW_SANITIZED = unit.sim.reference_reversal|unit.sim.clearance_energy|unit.lcp.solver_infeasible
TIDY = xargs -r -P $(JOBS) -n 4 clang-tidy --quiet -p build/debug

all:
	@$(CONFIGURE) release
	@cmake --build build/release -j $(JOBS)

viewer:
	@sh tools/install-deps viewer
	@sh tools/build-viewer $(PAGE)

demo:
	@sh tools/install-deps build viewer
	@sh tools/build-viewer $(PAGE)
	@$(CONFIGURE) release
	@cmake --build build/release -j $(JOBS) --target bristle
	@sh tools/demo build/release/bristle build/demo

test:
	@sh tools/install-deps build test viewer browser
	@sh tools/build-viewer $(PAGE)
	@$(MAKE) all
	@ctest --test-dir build/release --output-on-failure -j $(JOBS)

test-long:
	@sh tools/install-deps build test long mpi viewer
	@$(MAKE) all
	@$(CONFIGURE) asan
	@sh tools/build-viewer build/asan/share/bristle/report.html
	@cmake --build build/asan -j $(JOBS)
	@ctest --test-dir build/asan --output-on-failure -j $(JOBS)
	@ctest --test-dir build/release -C Long --output-on-failure -j $(JOBS)

# libFuzzer on every reader, SECONDS each; what it finds is left in build/fuzz/findings.
SECONDS = 60
fuzz:
	@sh tools/install-deps build fuzz
	@sh tools/fuzz $(SECONDS)

# Lines of src, branches of lcp, io and model that the tests run. TESTS: a regular expression, to run fewer of them.
TESTS = .
coverage:
	@sh tools/install-deps build test coverage
	@$(CONFIGURE) coverage
	@cmake --build build/coverage -j $(JOBS)
	@sh tools/coverage build/coverage '$(TESTS)' $(JOBS)

bench: bench-solver bench-engine bench-contact bench-flexible bench-trust bench-loop

bench-solver:
	@sh tools/install-deps build bench
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS)
	@cmake --build build/bench --target bench-solver

bench-engine:
	@sh tools/install-deps build bench
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target engine_bench
	@cmake --build build/bench --target bench-engine

bench-contact:
	@sh tools/install-deps build bench
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target contact_bench
	@cmake --build build/bench --target bench-contact

bench-measured:
	@sh tools/install-deps build bench
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target measured_bench
	@cmake --build build/bench --target bench-measured

bench-readme:
	@sh tools/install-deps build bench
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target contact_bench
	@sh tools/update-peers build/bench/bench/contact_bench

bench-plot:
	@sh tools/install-deps build bench
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target contact_bench solver_bench
	@python3 tools/bench-plot build/bench/bench/contact_bench build/bench/bench/solver_bench docs/images/bench.svg

bench-flexible:
	@sh tools/install-deps build
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target flexible_bench
	@cmake --build build/bench --target bench-flexible

bench-trust:
	@sh tools/install-deps build
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target trust_bench
	@cmake --build build/bench --target bench-trust

bench-loop:
	@sh tools/install-deps build
	@$(CONFIGURE) bench
	@cmake --build build/bench -j $(JOBS) --target loop_bench
	@cmake --build build/bench --target bench-loop

format:
	@sh tools/install-deps lint
	@find $(SOURCES) -name '*.[ch]' -o -name '*.cpp' | xargs clang-format -i

check-format:
	@sh tools/install-deps lint
	@find $(SOURCES) -name '*.[ch]' | xargs clang-format --dry-run --Werror

lint: check-format
	@sh tools/install-deps build
	@$(CONFIGURE) debug
	@find src cli -name '*.c' | $(TIDY)

# clang-tidy on what the last ten commits changed.
lint-recent:
	@sh tools/install-deps build lint
	@$(CONFIGURE) debug
	@sh tools/recent-sources 10 | $(TIDY)

# The unit tests with address and undefined-behaviour sanitizers, but for those that would take minutes so; and the matrix, where every
# element meets every other under every stepper.
test-sanitized:
	@sh tools/install-deps build test
	@$(CONFIGURE) asan
	@cmake --build build/asan -j $(JOBS) --target unit_tests bristle
	@ctest --test-dir build/asan -L unit -E '$(SLOW_SANITIZED)' --output-on-failure -j $(JOBS)
	@ctest --test-dir build/asan -R '^cli.matrix$$' --output-on-failure

# Library and program by clang, any warning an error.
clang:
	@sh tools/install-deps build lint
	@$(CONFIGURE) clang
	@cmake --build build/clang -j $(JOBS) --target bristle

install-deps:
	@sh tools/install-deps build test

install:
	@$(CONFIGURE) release
	@cmake --build build/release -j $(JOBS) --target bristle libbristle libbristle_shared bristle_manual
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"
	@cp build/release/install_manifest.txt build/release/installed.txt
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig || true; fi

# What the last `make install` wrote, by its own copy of CMake's list: others (a test, a package) install from here too.
# Folders stay.
uninstall:
	@test -f build/release/installed.txt || { echo "make uninstall: nothing was installed from here"; exit 1; }
	@while IFS= read -r file || [ -n "$$file" ]; do rm -f -- "$(DESTDIR)$$file"; done <build/release/installed.txt
	@rm build/release/installed.txt

clean:
	rm -rf build
