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

.PHONY: all setup test lint bench fuzz

all: test

setup:
	$(GO) mod download
	$(GO) mod download -modfile=tools/go.mod
	$(GO) build -modfile=tools/go.mod -o /dev/null honnef.co/go/tools/cmd/staticcheck

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then \
		echo "error: not formatted:" $$files >&2; echo "hint: gofmt -w ." >&2; exit 1; fi
	$(GO) mod tidy -diff
	$(LINTER) ./...

test: setup lint
	$(GO) vet ./...
	@if [ -z "$(RACE)" ]; then echo "note: no C compiler was found, testing without the race detector"; fi
	$(GO) test $(RACE) ./...

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

# Every fuzz target in turn: go test fuzzes one at a time.
fuzz:
	@$(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ {t[n++] = $$1} /^ok/ {for (i = 0; i < n; i++) print $$2, t[i]; n = 0}' | \
	while read -r pkg target; do \
		echo "$$pkg $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
	done
