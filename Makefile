# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

# Tests begin hundreds of processes, each of which would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test tests coverage fuzz stress bench lint check-tag docs firmware listener setup-firmware setup-engines setup-browser clean

FIRMWARE_PACKAGES := gcc-avr avr-libc simavr \
	gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm \
	gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv with everything in it

# torch first and exactly: any other request for it brings gigabytes of GPU libraries to a machine without one.
$(STAMP): pyproject.toml CMakeLists.txt $(shell find native -type f) $(shell find src -name __init__.py)
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet torch==2.13.0
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(STAMP) ## set up, take a tour of three minutes, write a page to look at and to listen to
	$(BIN)/hypertorus demo --out build/demo

# One file at a time to a process, so that what its tests share is made once; in the order of the files, since those
# with the longest tests are in the middle.
PYTEST := -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: $(STAMP) ## set up and run every test
	@$(MAKE) --no-print-directory --jobs 2 lint tests

tests: $(STAMP)
	$(BIN)/python $(PYTEST)

coverage: $(STAMP) ## run every test and list the lines that none of them reaches; it takes twice as long
	$(BIN)/coverage run $(PYTEST)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

fuzz: $(STAMP) ## damage index files and other files for SECONDS (600) each and see that none is taken for a sound one
	$(BIN)/python tests/search/fuzz_file.py --seconds $(or $(SECONDS),600)
	$(BIN)/python tests/files/fuzz_readers.py --seconds $(or $(SECONDS),600)

stress: $(STAMP) ## kill, race and damage everything in hundreds, SHARE (1) times as long; the record is results/stress.json
	$(BIN)/python -m tests.stress --share $(or $(SHARE),1)

lint: $(STAMP) ## format, rules and types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

bench: $(STAMP) ## measure speed against the peers, as ratios within one run
	$(BIN)/python -m benchmarks.projections
	$(BIN)/python -m benchmarks.encoding
	$(BIN)/python -m benchmarks.search
	$(BIN)/hypertorus bench engines
	$(BIN)/python -m benchmarks.training

firmware: $(STAMP) ## build the digits classifier for every microcontroller, run it under simulators, compare with Python
	$(BIN)/python -m examples.microcontroller.run

listener: $(STAMP) ## a listener on every microcontroller hears words (of SOUNDS=folder/; spoken digits if they are there, else tones), and is compared with Python
	$(BIN)/python -m examples.listener.run $(if $(SOUNDS),--sounds $(SOUNDS))

setup-firmware: ## install compilers and simulators for microcontrollers, on Debian (2.6 GB)
	$(if $(filter 0,$(shell id -u)),,sudo) apt-get update
	$(if $(filter 0,$(shell id -u)),,sudo) apt-get install --yes --no-install-recommends $(FIRMWARE_PACKAGES)

# perch-hoplite without what its notebooks need: its databases use the four packages named here.
setup-engines: .venv/engines-installed ## install what the recipes of docs/databases and docs/hoplite.md run on

.venv/engines-installed: $(STAMP)
	$(BIN)/pip install --quiet torch==2.13.0 --editable '.[databases]'
	$(BIN)/pip install --quiet 'absl-py<2' 'etils[epath]<2' 'ml-collections<0.2' 'usearch<3'
	$(BIN)/pip install --quiet --no-deps perch-hoplite==1.0.2
	@touch $@

setup-browser: $(STAMP) ## install a browser for the tests of the page: playwright and, on Debian, chromium
	$(BIN)/pip install --quiet playwright
	command -v chromium || { $(if $(filter 0,$(shell id -u)),,sudo) apt-get update && \
		$(if $(filter 0,$(shell id -u)),,sudo) apt-get install --yes --no-install-recommends chromium; }

# What .github/workflows/wheels.yml asks before it publishes a tag.
check-tag: ## see that TAG, such as v1.2.3, is the version of the package, with a date in the changelog
	@version='$(patsubst v%,%,$(TAG))'; \
	grep -qxF "__version__ = \"$$version\"" src/hypertorus/__init__.py || \
		{ echo "$(TAG) is not the version in src/hypertorus/__init__.py; change either." >&2; exit 1; }; \
	grep -qxF "version: $$version" CITATION.cff || \
		{ echo "$(TAG) is not the version in CITATION.cff; change it." >&2; exit 1; }; \
	grep -qxE "## $$version, [0-9]{4}-[0-9]{2}-[0-9]{2}" CHANGELOG.md || \
		{ echo "CHANGELOG.md has no date for $$version; write: ## $$version, YYYY-MM-DD" >&2; exit 1; }

docs: $(STAMP) ## draw the figures, build the pages into build/site and check their links
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/pages.py

clean: ## remove everything that was made
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .cache .coverage*
	find src native -name '*.so' -delete
