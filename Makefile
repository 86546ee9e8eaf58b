# Precedent. `make` alone says what there is.

.DEFAULT_GOAL := help
SHELL := /bin/sh

# The first interpreter that is new enough; `make PYTHON=…` names another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)

V := .venv/bin
export PYTHONPATH := layers/core
export PYTHONDONTWRITEBYTECODE := 1

SUITES = $(wildcard tests/unit tests/golden tests/property tests/simulation tests/contract)
INTEGRATION = $(wildcard tests/integration)
TEMPLATES = infra/log.yaml sam/template.yaml
SAM_VERSION = 1.170.0

.PHONY: help setup up down status writer revoke demo openapi test e2e check prove bench bench-hooks bench-recall bench-rebuild lock

help: ## what there is
	@echo "Precedent: a team's shared decision memory for coding agents."
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
		printf '%-20s %s\n' "$$name" "$$text"; done
	@echo
	@echo "  PRECEDENT_HOME (.precedent) holds the state, PRECEDENT_PORT (4566) is where it listens."
	@echo "  Start with: make up"

setup: ## make .venv from the lock; every other target does it by itself
	@if [ -z "$(PYTHON)" ]; then \
		echo "✗ no Python from 3.11 on was found. Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; fi
	@$(PYTHON) local/setup.py

up: setup ## start the local AWS and deploy to it
	@$(V)/python -m local up

down: setup ## stop it; what was recorded stays
	@$(V)/python -m local down

status: setup ## what runs, where, and who may connect
	@$(V)/python -m local status

writer: setup ## add a writer: make writer NAME=bob.desk ROLE=writer
	@$(V)/python -m local writer --name "$(NAME)" --role "$(or $(ROLE),writer)"

revoke: setup ## take a writer's token away: make revoke NAME=bob.desk
	@$(V)/python -m local revoke --name "$(NAME)"

demo: setup ## play the product in two minutes, on a local AWS of its own
	@$(V)/python -m demo $(RECORDS)

openapi: setup ## renew docs/openapi.json from the code
	@PYTHONPATH=layers/core:. $(V)/python -m admin.openapi

test: setup ## unit, property, contract and integration tests
	$(if $(SUITES),$(V)/pytest -n 2 $(SUITES))
	$(if $(INTEGRATION),$(V)/pytest -n 2 --dist loadfile $(INTEGRATION)) # a file stays with one stack

e2e: setup ## the plugin in Claude Code and Codex, installed into a throw-away folder and driven offline
	$(V)/pytest -rs tests/e2e

check: setup ## format, lint, types, import rules, templates
	$(V)/ruff check .
	$(V)/ruff format --check .
	$(V)/mypy
	$(V)/lint-imports
	$(V)/vermin --quiet --no-tips --violations --target=3.9- plugin/lib plugin/bin/precedent plugin/bin/precedent-hook
	$(V)/cfn-lint $(TEMPLATES)

prove: setup .venv-sam/made ## the slow proofs: random histories, a local AWS that is killed, SAM's word on the templates
	HYPOTHESIS_PROFILE=prove $(V)/pytest -n 2 $(wildcard tests/property tests/simulation)
	HYPOTHESIS_PROFILE=prove $(V)/pytest $(wildcard tests/contract tests/unit/test_append_crashes.py tests/integration/test_api_answers.py)
	$(V)/python -m tests.chaos $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS))
	for template in $(TEMPLATES); do \
		SAM_CLI_TELEMETRY=0 .venv-sam/bin/sam validate --lint --region us-east-1 --template "$$template" || exit 1; done

bench: setup ## what operations cost in stores of growing size; SIZES=1000,10000 and JSON=1 if wanted
	@$(V)/python -m tests.bench $(if $(SIZES),--sizes $(SIZES)) $(if $(JSON),--json)

bench-rebuild: setup ## what a rebuild costs; SIZES=10000,100000 and WHOLE=1000 (0 for none) if wanted
	@PYTHONPATH=layers/core:. $(V)/python -m tests.bench.rebuild $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(WHOLE),--whole $(WHOLE)) $(if $(JSON),--json)

bench-hooks: setup ## what a hook costs, as a ratio to an interpreter that does nothing
	@$(V)/python -m tests.bench.hooks

bench-recall: setup ## how good search is beside plain BM25; CORPUS=a folder of your records
	@$(V)/python -m tests.bench.recall $(if $(CORPUS),--corpus "$(CORPUS)")

# sam-cli pins half the world, so it stays out of .venv.
.venv-sam/made:
	$(PYTHON) -m venv .venv-sam
	.venv-sam/bin/python -m pip --disable-pip-version-check install --quiet aws-sam-cli==$(SAM_VERSION)
	touch $@

LOCK = $(V)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
	--no-emit-index-url --no-emit-find-links --exclude-newer "7 days" --custom-compile-command "make lock"

# What is deployed is what was tested: the runtime takes the versions the tests ran with.
lock: setup ## renew requirements/*.txt from requirements/*.in; nothing younger than a week
	$(LOCK) --output-file requirements/dev.txt requirements/dev.in
	$(LOCK) --constraint requirements/dev.txt --no-annotate --output-file requirements/runtime.txt requirements/runtime.in
	cp requirements/runtime.txt layers/core/requirements.txt
