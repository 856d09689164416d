# Topple Table: every command of the project and every generator. `make help` lists them.
#
# The work is done in scripts/ and in Python; this file only gives it names. All paths are
# relative, so that a checkout in a folder with spaces in its name works as well.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-slow check bench evenings corpus fit lab soak pi pi-round contract parameters golden pictures recording caller schematics dist lock audit fuzz mutants clean \
	setup setup-dev setup-drawings system-packages

PYTHON ?= python3
VENV ?= .venv
export PYTHON VENV

# A test that starts a program would compile all its modules anew.
unexport PYTHONDONTWRITEBYTECODE

# Extra words for the command that is run: make demo ARGS="--headless --seed 7"
ARGS ?=

# Debian packages without which some tests cannot run: a real broker and its clients, a real
# browser, and a font so that the browser's pictures have letters in them; a compiler for the
# microcontroller's firmware, one for its tests on this machine, and the simulated processor.
SYSTEM_PACKAGES := mosquitto mosquitto-clients chromium chromium-headless-shell fonts-dejavu-core \
	gcc gcc-avr avr-libc make libsimavr2 g++ nlohmann-json3-dev

# What writes the firmware, and the loaders of real Nanos.
SYSTEM_PACKAGES += avrdude arduino-core-avr

# What judges and runs deploy/: systemd's own tools, a bare Debian in a folder, a shell's critic.
SYSTEM_PACKAGES += systemd udev systemd-container mmdebstrap arch-test shellcheck

# The real bus on which simulated dice are heard.
SYSTEM_PACKAGES += dbus-daemon

# The league's large database.
SYSTEM_PACKAGES += postgresql

# Other brokers, asked what they keep of the promises that a table needs (docs/mqtt.md).
SYSTEM_PACKAGES += nats-server rabbitmq-server

# One of the displays runs on Node. Where npm is there already it came with a Node of its own.
SYSTEM_PACKAGES += $(shell command -v npm >/dev/null 2>&1 || echo nodejs npm)

# What the whole emulated Raspberry Pi needs beside that (make pi).
PI_PACKAGES := device-tree-compiler qemu-user-static qemu-user e2fsprogs openssh-client

# What speaks and packs the synthetic caller packs (make caller).
CALLER_PACKAGES := espeak-ng lame

# The kernel of an emulated Raspberry Pi, without the rest of it.
SYSTEM_PACKAGES += qemu-system-arm kmod cpio

# Graphviz draws the wiring; librsvg makes PDFs of the sheets.
SYSTEM_PACKAGES += graphviz librsvg2-bin

# Three test processes on two cores, six on a Raspberry Pi: many tests wait for other programs.
WORKERS ?= $(shell echo $$(( ($$(nproc) * 3 + 1) / 2 )))

PYTEST = TMPDIR="$$(sh scripts/temporary-folder.sh)" "$(VENV)/bin/python" -m pytest \
	--numprocesses=$(WORKERS) --dist=worksteal

# What can be run in tests/benchmarks; the rest of that folder is their equipment.
BENCHMARKS ?= $(filter-out tests.benchmarks.corpus tests.benchmarks.fitting,$(subst /,.,$(basename \
	$(shell grep -ls '__name__ == .__main__' tests/benchmarks/*.py))))

# What writes the golden files.
GOLDEN ?= tests.playthroughs.make tests.engine.detect.told tests.engine.referee.told \
	tests.engine.referee.stories tests.engine.referee.test_ruling tests.controller.table.told

help: ## List these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | sed 's/|/                  /; s/^\(.\{24\}\) */\1/'

demo: setup ## Play a simulated evening with marked pieces and print the scoreboard's address (ARGS=--headless: in the terminal)
	@"$(VENV)/bin/python" -m controller.cli demo --pieces marked $(ARGS)

test: setup-dev system-packages ## Set all up, run the checks and the tests of some minutes (ARGS: for pytest)
	@$(MAKE) --no-print-directory check
	$(PYTEST) $(ARGS)

test-slow: setup-drawings system-packages ## The slow tests that make test leaves out, and the laws with more examples (ARGS: for pytest)
	$(PYTEST) --slow -m "slow or hypothesis" $(ARGS)

check: setup-dev ## Lint, format, types, import contracts, spelling and prose
	"$(VENV)/bin/python" -m ruff check
	"$(VENV)/bin/python" -m ruff format --check
	"$(VENV)/bin/python" -m mypy
	"$(VENV)/bin/lint-imports"
	"$(VENV)/bin/typos"
	"$(VENV)/bin/proselint" --config .proselintrc.json check $(shell git ls-files "*.md")

bench: setup-dev ## Measure detection and games, beside their peers (ARGS: for the benchmark)
	@failed=0; for benchmark in $(BENCHMARKS); do \
		echo "== $$benchmark"; "$(VENV)/bin/python" -m "$$benchmark" $(ARGS) || failed=1; \
	done; exit $$failed

evenings: setup-dev ## Play whole games of simulated people: is the final score exact? (ARGS="--games 200 --people lively")
	@"$(VENV)/bin/python" -m tests.benchmarks.evenings $(ARGS)

corpus: setup-dev ## Make simulated evenings as observations, for fits and judgement; two hours for all (ARGS="--hours 20")
	@"$(VENV)/bin/python" -m tests.benchmarks.corpus $(ARGS)

fit: setup-dev ## Fit what is assumed about people to the corpus, and leave one way of people out (ARGS="--only fell hand")
	@"$(VENV)/bin/python" -m tests.benchmarks.fitting $(ARGS)

lab: setup-dev system-packages ## Build the firmware and play a game on it, in the simulated processor (ARGS: see --help)
	@"$(VENV)/bin/python" -m lab.demo.on_firmware $(ARGS)

dist: setup-drawings system-packages ## Make the release: wheels of table and lab, sdist, topple-table-nano.hex and all drawings, in dist/
	rm -rf dist
	"$(VENV)/bin/python" -m hatchling build -d dist
	"$(VENV)/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --wheel-dir dist ./lab
	"$(VENV)/bin/python" -m controller.cli firmware build --out dist
	"$(VENV)/bin/python" -m scripts.schematics.model.archive --to dist

soak: setup-dev system-packages ## All tests with many more examples, and the long ones that CI leaves out
	$(PYTEST) --soak $(ARGS)

pi: setup-dev system-packages ## Install and play the table on an emulated Raspberry Pi (an hour; ARGS: for pytest)
	@sh scripts/system-packages.sh $(PI_PACKAGES)
	"$(VENV)/bin/python" -m pytest --emulated_pi -o faulthandler_timeout=0 tests/emulated_pi $(ARGS)

pi-round: ## The short form of make pi, which CI runs: the table is installed there, starts, and rules a round
	@$(MAKE) pi ARGS="-k rules_a_round"

schematics: setup-drawings system-packages ## Make drawings, model, tables, parts lists and pins.h from schematics/ (ARGS=--check)
	@"$(VENV)/bin/python" -m scripts.schematics $(ARGS)
	@"$(VENV)/bin/python" -m scripts.schematics.model $(ARGS)

contract: setup-dev ## Write docs/mqtt, docs/bench and the serial protocol anew from the code (ARGS=--check)
	@"$(VENV)/bin/python" -m controller.contract.documents $(ARGS)
	@"$(VENV)/bin/python" -m controller.contract.guide $(ARGS)
	@"$(VENV)/bin/python" -m lab.bench.manual $(ARGS)
	@"$(VENV)/bin/python" -m firmware_bridge.render $(ARGS)

parameters: setup-dev ## Print the table of the detector's parameters
	@"$(VENV)/bin/python" -m scripts.parameters

golden: setup-dev ## Write all golden files of the tests anew; then read the difference (GOLDEN="tests.engine.referee.told")
	@for module in $(GOLDEN); do "$(VENV)/bin/python" -m "$$module" || exit 1; done

pictures: setup-dev system-packages ## Write the pictures of all pages anew, to which the tests compare them; then look at them
	TOPPLE_NEW_PICTURES=1 $(PYTEST) --slow tests/pages/test_pages_pictures.py

recording: setup-dev ## Record anew the evening that topple-table replay-mqtt plays, after a change of the contract
	@"$(VENV)/bin/python" -m scripts.record_evening

caller: setup-dev ## Make the sounds of the shipped caller packs anew from their texts, by speech synthesis
	@sh scripts/system-packages.sh $(CALLER_PACKAGES)
	@"$(VENV)/bin/python" -m scripts.caller_pack pages/sounds/packs/en pages/sounds/packs/de pages/sounds/packs/fr

fuzz: setup-dev system-packages ## Spoil what every parser reads (ARGS="--count 1000000": the long form; --list)
	@"$(VENV)/bin/python" -m tests.fuzz $(ARGS)

mutants: setup-dev system-packages ## Make small faults, and see what tests and bench notice (ARGS="--seed 7 --count 60"; --planted)
	@"$(VENV)/bin/python" -m tests.mutants $(ARGS)

lock: ## Write deploy/requirements.lock anew: every package of a table, with version and hashes
	@sh scripts/dependencies.sh lock

audit: ## Ask the database of known weaknesses about the locked packages (needs the network)
	@sh scripts/dependencies.sh audit

clean: ## Remove all that make has made; recordings and journals stay
	rm -rf "$(VENV)" .stamps .pytest_cache .mypy_cache .ruff_cache .hypothesis \
		.import_linter_cache build dist test-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

setup: ## Make or refresh .venv with what a table needs
	@sh scripts/setup.sh core

setup-dev: ## The same with what the tests need
	@sh scripts/setup.sh dev

setup-drawings: ## The same with what models the mechanics, a gigabyte
	@sh scripts/setup.sh drawings

system-packages: ## Install the Debian packages that tests need, or name them
	@sh scripts/system-packages.sh $(SYSTEM_PACKAGES)
