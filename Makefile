# Needs make and one Python >= 3.10; every target makes its own environment under .venvs/.

# The first interpreter that runs (a shim may only print an error) and can make environments.
PYTHON ?= $(firstword $(foreach name, python3.11 python3 python3.12 python3.13 python3.10, \
    $(shell $(name) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' \
        2>/dev/null && echo $(name))))
NOX := .venvs/tools/bin/nox
DEMO := .venvs/demo/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo check test hunt lint docs release bench matrix intervals processors clean

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: .venvs/demo/made  ## Evaluate a classifier with 1 process, with 4 MPI ranks, with scikit-learn
	$(DEMO) examples/demo.py

check: .venvs/tools/made  ## Test what the change since the last commit can break, in 3 minutes
	$(NOX) -s check

test: .venvs/tools/made  ## Test in every environment: Pythons, numpys, torch, both MPIs, OneFlow
	@rm -rf results
	$(NOX)

hunt: .venvs/tools/made  ## Hunt for wrong numbers with random trials: make hunt MINUTES=10
	$(NOX) -s newest --install-only
	.venvs/nox/newest/bin/python -m tests.hunt --minutes $(or $(MINUTES),2)

lint: .venvs/tools/made  ## Linters and types
	$(NOX) -s lint

docs: .venvs/tools/made  ## Make the site, build/docs/index.html, and try its search
	$(NOX) -s docs

release: .venvs/tools/made  ## Build the wheel and the sources of the last commit in dist/, with their SBOM
	$(NOX) -s release

bench: .venvs/tools/made  ## Benchmarks beside other packages; writes docs/benchmarks.md
	$(NOX) -s bench

matrix: .venvs/tools/made  ## Write docs/support-matrix.md from what the last `make test` did
	$(NOX) -s matrix -- --write

intervals: .venvs/tools/made  ## Simulate how often intervals are right; writes docs/interval-study.md
	$(NOX) -s intervals -- --write

processors: .venvs/tools/made  ## Compare the bits of all metrics between levels of instructions
	$(NOX) -s newest --install-only
	.venvs/nox/newest/bin/python -m tests.processors

clean:  ## Remove everything that these targets made
	rm -rf .venvs/tools .venvs/nox .venvs/demo results build dist *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venvs/tools/made:
	$(if $(PYTHON),,$(error no Python >= 3.10 with venv and pip found; say PYTHON=/path/to/python))
	$(PYTHON) -m venv --clear .venvs/tools
	.venvs/tools/bin/pip install --quiet nox uv || .venvs/tools/bin/pip install --quiet nox
	@touch $@

.venvs/demo/made: setup.cfg
	$(if $(PYTHON),,$(error no Python >= 3.10 with venv and pip found; say PYTHON=/path/to/python))
	$(PYTHON) -m venv --clear .venvs/demo
	.venvs/demo/bin/pip install --quiet -e '.[demo]'
	@touch $@
