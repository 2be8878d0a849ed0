# The two commands of the README are `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
# The real data sets of the paper are not part of the repository; tests that need them skip without.
BICNEURON_DATA ?= $(if $(wildcard ../shared/data),$(CURDIR)/../shared/data)
export BICNEURON_DATA
# Tests start many processes; without bytecode each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test lint types layers unit kernels-traced coverage versions slow reproduce bench fuzz faults soak mutants docs format clean

help:
	@echo "make demo    two made-up cohorts: a hidden group found, tested, found again; a model, one row explained"
	@echo "make test    every fast check: lint, types, layers, tests, coverage of the kernels, random cases"
	@echo "make coverage  the tests once more, with the coverage of all of the package"
	@echo "make slow    tests that take long, of which make test has smaller or similar ones"
	@echo "make versions  wheel and sdist built, checked, installed and used: newest versions, declared minimum"
	@echo "make reproduce  the paper's experiments in small, on data that need no file: a minute"
	@echo "make bench   one table of ratios measured in one run, and the bounds they keep"
	@echo "make fuzz    CASES=50000 random cases: estimators, tables, model files, records"
	@echo "make faults  signals at MOMENTS=50 moments of each command, full disks, shared folders"
	@echo "make soak    FITS=2000 fits in one process, and 8 processes that share their caches"
	@echo "make mutants  MUTANTS=200 small faults put into the source, one by one: do the tests notice?"
	@echo "make docs    the site with its gallery, in docs/_build/html; a warning is an error"
	@echo "make format  let ruff rewrite the code"

.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("bicneuron needs Python >= 3.11; name one: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test]'
	@touch $@

# Tools that make test does without.
.venv/.docs .venv/.release: .venv/.%: .venv/.ready
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[$*]'
	@touch $@

demo: .venv/.kernels
	$(BIN)/python examples/demo.py

# The kernels are compiled by one process; beside it runs all that does without. Some tests wait for
# processes or a browser: random cases take the time.
test: .venv/.ready
	$(MAKE) -j2 .venv/.kernels lint types layers kernels-traced
	$(MAKE) -j2 unit fuzz CASES=250

lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.ready
	$(BIN)/mypy

layers: .venv/.ready
	$(BIN)/lint-imports

# numba looks at one file only to tell whether cached machine code is stale, but kernels call
# kernels of other files. They are compiled at once; each worker of pytest would compile the same
# ones.
.venv/.kernels: .venv/.ready $(wildcard src/bicneuron/_core/*.py)
	rm -f src/bicneuron/_core/__pycache__/*.nb?
	$(BIN)/python -W ignore -c 'from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier, SubgroupBiclustering; \
		from bicneuron.biclustering import DifferenceBiclustering, SDCBiclustering; \
		from bicneuron.datasets import make_twonorm; X, y = make_twonorm(60, random_state=0); \
		BicNeuronClassifier({"miner__search": ("grow", "prune")}, cv=2).fit(X, y); \
		PatternClassifier().fit(X, y).predict(X); \
		BicNeuronNetwork(n_neurons=8).fit(X, y).predict(X); \
		DifferenceBiclustering().fit(X); SDCBiclustering().fit(X, y); \
		SubgroupBiclustering().fit(X, y)'
	@touch $@

# Each worker starts with half of the tests in their order, so that fixtures are shared by most of
# those that use them. Measuring coverage would take half as long again: make coverage does.
unit: .venv/.kernels
	$(BIN)/python -m pytest -n 2 --dist worksteal

# numba hides its functions from coverage: the kernel tests run once more as plain Python, with
# fewer examples. Every line of the kernels and of the pairing is covered by tests of their own.
kernels-traced: .venv/.ready
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist worksteal --hypothesis-profile traced \
		tests/core tests/estimators tests/contrast src/bicneuron/patterns/_pairing.py --cov --cov-report=
	$(BIN)/coverage report --include='src/bicneuron/_core/*,src/bicneuron/patterns/_pairing.py' --fail-under=100

slow: .venv/.kernels
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow
	$(MAKE) fuzz CASES=1000

coverage: kernels-traced
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-append --cov-report=
	$(BIN)/coverage report --fail-under=95

# Needs a package index; the environments are temporary.
versions: .venv/.release
	PYTHONPATH=tests $(BIN)/python -m versions

reproduce: .venv/.kernels
	$(BIN)/python -m reproduction --quick --rivals

# For example make bench BENCH='miner --size full --json bench.json'
bench: .venv/.kernels
	$(BIN)/python -m benchmarks $(BENCH)

CASES ?= 50000
SEED ?= 0
# Two processes run cases; threads of their libraries would wait for each other.
fuzz: export OMP_NUM_THREADS := 1
fuzz: .venv/.kernels
	$(BIN)/python -m hardening fuzz --cases $(CASES) --seed $(SEED)

MOMENTS ?= 50
faults: .venv/.kernels
	$(BIN)/python -m hardening faults --moments $(MOMENTS)

FITS ?= 2000
soak: .venv/.kernels
	$(BIN)/python -m hardening soak --fits $(FITS)

MUTANTS ?= 200
mutants: .venv/.kernels
	$(BIN)/python -m pip install --quiet 'cosmic-ray>=8.4'
	$(BIN)/python -m hardening mutants --count $(MUTANTS) --seed $(SEED)

# From nothing each time: what is left of a renamed page or example would be a warning.
docs: .venv/.docs .venv/.kernels
	rm -rf docs/_build docs/gallery docs/reference
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@! grep -rlE '<(script|img|link)[^>]+(src|href)="(https?:)?//' docs/_build/html --include='*.html' \
		|| { echo 'these pages would load something from the network'; exit 1; }

format: .venv/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf docs/_build docs/gallery docs/reference
	rm -rf .venv .coverage .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
