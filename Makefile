# make test is the gate: it needs Go and make, and a C compiler only for the
# race detector, without which the tests run all the same.
GO       ?= go
FUZZTIME ?= 60s
BENCH    ?= .

# The linter is a tool of a module of its own, so that its dependencies are not
# those of Remit.
LINTER := $(GO) tool -modfile=tools/go.mod staticcheck
# Go turns cgo off by itself where there is no C compiler.
RACE   := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# The store is tested on a real PostgreSQL, which the tests start themselves.
# Debian keeps its server's programs out of PATH.
POSTGRES := $(or $(shell command -v initdb),$(lastword $(wildcard /usr/lib/postgresql/*/bin/initdb)))
# What people see as a page is looked at with a browser.
CHROMIUM := $(firstword $(foreach name,chromium chromium-browser google-chrome,$(shell command -v $(name))))
DEBIAN   := $(if $(POSTGRES),,postgresql) $(if $(CHROMIUM),,chromium)

.PHONY: all setup npm python debian test test-long lint sdks engines agentdojo bench fuzz

all: test

setup: debian npm python
	$(GO) mod download
	$(GO) mod download -modfile=tools/go.mod
	$(GO) build -modfile=tools/go.mod -o /dev/null honnef.co/go/tools/cmd/staticcheck

# MCP servers from their packages, which the gateway's tests run, and SDKs that
# are its clients there. Without npm or Python those tests are skipped; what is
# up to date is not installed again.
NPM    := gateway/mcp/testdata/npm
PYTHON := gateway/mcp/testdata/python

npm:
	@if ! command -v npm >/dev/null; then echo "note: npm is not installed, the gateway is not tested with servers from npm"; \
	elif ! cmp -s $(NPM)/package-lock.json $(NPM)/node_modules/installed; then \
		npm ci --ignore-scripts --no-fund --no-audit --loglevel error --prefix $(NPM) && cp $(NPM)/package-lock.json $(NPM)/node_modules/installed \
			|| echo "note: npm could not install its packages, the gateway is not tested with servers from npm"; fi

python:
	@if ! python3 -m ensurepip --version >/dev/null 2>&1; then \
		echo "note: Python with venv is not installed (on Debian: python3-venv), the gateway is not tested with servers from PyPI"; \
	elif ! cat $(PYTHON)/requirements*.txt | cmp -s - $(PYTHON)/venv/installed; then \
		install="$(PYTHON)/venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -r $(PYTHON)/requirements"; \
		python3 -m venv --clear $(PYTHON)/venv && $$install.txt && \
		$$install-v1.txt --target $(PYTHON)/venv/v1 && \
		$$install-frameworks.txt --target $(PYTHON)/venv/frameworks && \
		$$install-crewai.txt --target $(PYTHON)/venv/crewai && \
		cat $(PYTHON)/requirements*.txt > $(PYTHON)/venv/installed \
			|| echo "note: pip could not install its packages, the gateway is not tested with servers from PyPI"; fi

# Without PostgreSQL, or a browser, and a way to install it, the tests that need it
# are skipped, except in the gate (CI is set), where they fail.
debian:
ifneq ($(strip $(DEBIAN)),)
	@if ! command -v apt-get >/dev/null; then \
		echo "note: there is no apt-get to install $(DEBIAN): the store is not tested on PostgreSQL without initdb in PATH, and pages not without chromium"; \
	elif [ "$$(id -u)" = 0 ]; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(DEBIAN); \
	elif sudo -n true 2>/dev/null; then \
		sudo apt-get update -q && sudo DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(DEBIAN); \
	else \
		echo "note: installing $(DEBIAN) needs root: apt-get install $(DEBIAN), to test the store on PostgreSQL and pages in a browser"; \
	fi
endif

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then \
		echo "error: not formatted:" $$files >&2; echo "hint: gofmt -w ." >&2; exit 1; fi
	$(GO) mod tidy -diff
	$(LINTER) ./...

# The gate draws the same values for its properties every time, so that what turns
# it red is the change.
test: export RAPID_SEED := 1
test: setup lint
	$(GO) vet ./...
	@if [ -z "$(RACE)" ]; then echo "note: no C compiler was found, testing without the race detector"; fi
	$(GO) test $(RACE) -timeout 20m ./...
	$(MAKE) --no-print-directory sdks engines

# Properties with values that no run had before, and many of them. A failure names the
# seed that shows it again: RAPID_SEED=N go test -run NAME ./PACKAGE
CHECKS ?= 2000
PROPERTIES = $$($(GO) list -f '{{range .TestImports}}{{.}} {{end}}{{range .XTestImports}}{{.}} {{end}}{{.ImportPath}}' ./... | awk '/pgregory.net\/rapid/ {print $$NF}')

test-long: setup
	RAPID_SEED=0 RAPID_CHECKS=$(CHECKS) $(GO) test -count=1 -timeout 0 $(PROPERTIES)

# Other policy engines with the rules of the airline, in a module of their own.
engines:
	cd examples/airline/compare && $(GO) test -mod=mod ./...

# The SDKs for Go as clients of the proxy and as peers of package llm, in a module of
# their own, which follows what Remit itself needs. Building them takes minutes the first time.
sdks:
	cd gateway/llm/sdktest && $(GO) test -mod=mod ./...

# AgentDojo's own package against the proxy; see docs/reference/evaluation.md.
DOJO := eval/agentdojo

agentdojo:
	@cmp -s $(DOJO)/requirements.txt $(DOJO)/venv/installed || { \
		python3 -m venv --clear $(DOJO)/venv && \
		$(DOJO)/venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -r $(DOJO)/requirements.txt && \
		cp $(DOJO)/requirements.txt $(DOJO)/venv/installed; }
	$(GO) build -o bin/remit ./cmd/remit
	$(DOJO)/venv/bin/python $(DOJO)/run.py --remit bin/remit

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

# Every fuzz target in turn: go test fuzzes one at a time.
fuzz:
	@$(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ {t[n++] = $$1} /^ok/ {for (i = 0; i < n; i++) print $$2, t[i]; n = 0}' | \
	while read -r pkg target; do \
		echo "$$pkg $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
	done
