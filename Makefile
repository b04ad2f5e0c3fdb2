# Palace. `make run` installs what is needed and starts it; everything stays in this folder.
# PYTHON, PORT, PALACE_HOME, DATABASE_URL, REDIS_URL and the rest of docs/configuration.md count.

.PHONY: help install install-dev run test check bench-smoke screenshots lock

PALACE = .venv/bin/python manage.py
PROCESSES = 2
SOURCES = palace accounts memory chat api llm bench scripts tests manage.py

help:
	@echo "make install      install what Palace needs"
	@echo "make run          start Palace at http://127.0.0.1:8000"
	@echo "make test         run the tests, PROCESSES=2 side by side, with PYTEST=\"more arguments\""
	@echo "make check        look for mistakes without running anything"
	@echo "make bench-smoke  try the benchmarks on a little data"
	@echo "make screenshots  take a picture of every page in every look"
	@echo "make lock         renew the locked versions of all packages"

install:
	@python=$$(sh scripts/find-python) && exec "$$python" scripts/install.py

install-dev:
	@python=$$(sh scripts/find-python) && exec "$$python" scripts/install.py --for-developers

run: install
	@exec $(PALACE) run --parent $$PPID

test: install-dev
	@.venv/bin/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder $(PYTEST)

check: install-dev
	@sh scripts/check $(SOURCES)

bench-smoke: install
	@exec $(PALACE) bench smoke

screenshots: install-dev
	@DJANGO_SETTINGS_MODULE=tests.settings .venv/bin/python -m tests.browser.screenshots $(PAGES) $(if $(LOOKS),--looks $(LOOKS))

lock: install-dev
	.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml -o requirements.txt
	.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group dev pyproject.toml -o requirements-dev.txt
