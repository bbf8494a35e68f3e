.PHONY: setup demo test tests quick check check-c bench performance package package-test clean

setup: .venv/.ready

# SPINDLE_MSSQL=1 is for a set-up that has been made, too.
ifeq ($(SPINDLE_MSSQL)$(wildcard .venv/lib/python*/site-packages/mssql_python_odbc),1)
.PHONY: .venv/.ready .venv/.ready-dev
endif

compiled := $(wildcard engine/_*.h engine/audit/_*.c engine/databases/exchange/_*.[ch] engine/driver/_*.c \
	engine/workloads/*/_*.[ch])
compiled_modules := engine/audit/_*.so engine/databases/exchange/_*.so engine/driver/_*.so engine/workloads/*/_*.so

.venv/.ready: pyproject.toml packaging/constraints.txt packaging/setup.sh packaging/system-libraries.txt $(compiled)
	@sh packaging/setup.sh
	@touch $@

.venv/.ready-dev: pyproject.toml packaging/constraints.txt packaging/setup.sh packaging/system-libraries.txt \
		packaging/test-servers.txt $(compiled)
	@sh packaging/setup.sh dev
	@touch $@ .venv/.ready

# DEMO=--headless keeps the demonstration in the terminal where there is a display; WORKLOAD=wholesale chooses another.
demo: setup
	@.venv/bin/spindle demo $(if $(WORKLOAD),--workload $(WORKLOAD)) $(DEMO)

check: .venv/.ready-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# The tests of the compiled modules with AddressSanitizer and UndefinedBehaviorSanitizer.
check-c: .venv/.ready-dev
	.venv/bin/python packaging/check_c.py

# The checks beside the tests.
test: .venv/.ready-dev
	@$(MAKE) --no-print-directory -j 2 check tests

# More files at a time than there are processors: most tests wait for servers and processes. Each of the many processes
# that are started would compile all modules anew where the environment forbids to keep them compiled.
# Tests that failed run once more, alone. The output tells both: see CONTRIBUTING.md.
pytest := PYTHONDONTWRITEBYTECODE= PYTHONFAULTHANDLER=1 .venv/bin/python -m pytest
tests: .venv/.ready-dev
	$(pytest) -n 5 --dist loadfile --no-loadscope-reorder || { [ $$? = 1 ] && \
		echo 'The tests that failed run once more, alone:' && \
		$(pytest) --verbose --last-failed --last-failed-no-failures none --maxfail 3; }

# What needs no server, process or window. QUICK='-k recovery' chooses among it.
quick: .venv/.ready-dev
	$(pytest) -q -n 2 -m "not slow" $(QUICK)

# BENCH='--only speed --rounds 5' chooses what is measured and how.
bench: .venv/.ready-dev
	PYTHONFAULTHANDLER=1 .venv/bin/python -m tests.benchmarks $(BENCH)

# The help's page on performance, from the figures of a whole make bench.
performance: .venv/.ready-dev
	.venv/bin/python -m tests.benchmarks.performance_page

# What a release has, in dist; for Linux. The frozen program contains the libraries that this system has.
package:
	@sh packaging/setup.sh programs packaging/package-programs.txt packaging/system-libraries.txt
	@/usr/bin/python3 packaging/package

# SMOKE='archive debian' chooses what is tried of it.
package-test:
	@sh packaging/setup.sh programs packaging/package-test-programs.txt
	@/usr/bin/python3 packaging/smoke $(SMOKE)

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis $(compiled_modules)
