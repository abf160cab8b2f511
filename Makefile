# Nadmor. `make help` lists the targets; start with `make run`.
#
# Every file depends on its sources, so that a second `make run` builds nothing.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# Playwright uses the system's Chromium.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

version := $(shell git --no-optional-locks describe --tags --always --dirty 2>/dev/null || echo dev)
# Stored in a file that is rewritten only when it changes, so that the binary is linked again only then.
$(shell mkdir -p .cache && [ "$$(cat .cache/version 2>/dev/null)" = "$(version)" ] || echo "$(version)" >.cache/version)

# Without cgo the binary runs on any Linux; without paths and VCS data the build is reproducible.
go_build := CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-X main.version=$(version)"

# Folders are among the sources, so that a removed or renamed file counts as a change.
go_sources := go.mod $(wildcard go.sum) $(filter-out %_test.go,$(wildcard *.go)) $(shell find internal \
	\( -path internal/web/dist -o -name testdata \) -prune -o \
	\( -type d -o -type f ! -name '*_test.go' \) -print)
web_sources := $(wildcard web/index.html web/vite.config.ts web/tsconfig.json web/scripts/*.ts docs/user-guide.th.md docs/pictures/*) $(shell find web/src web/public \
	\( -type d -o -type f ! -name '*.test.ts' ! -name '*.test.tsx' \) -print)

packages := web/node_modules/.package-lock.json
app := internal/web/dist/index.html
binary := bin/nadmor
still := .cache/nadmor-still

$(packages): web/package.json web/package-lock.json
	@scripts/need node npm >/dev/null
	cd web && { npm ci --no-audit --no-fund || { sleep 5; npm ci --no-audit --no-fund; }; }
	@touch $@

$(app): $(packages) $(web_sources)
	cd web && npm run --silent build
	@touch $@ internal/web/dist/.gitkeep

$(binary): $(app) $(go_sources) .cache/version
	@scripts/need go >/dev/null
	$(go_build) -o $@ .

# The product with a stopped clock, for the tests of every screen.
$(still): $(app) $(go_sources) $(wildcard test/go.* test/still/*.go)
	@scripts/need go >/dev/null
	cd test && $(go_build) -o ../$@ ./still

## Use

.PHONY: run build dev

run: $(binary) ## build and start Nadmor with sample data (ARGS="--flag ...")
	@exec $(binary) serve --demo $(ARGS)

build: $(binary) ## build bin/nadmor with the embedded app

dev: $(packages) ## serve with hot reload: Vite for the app, and a server that is rebuilt when a Go file changes
	@scripts/need go >/dev/null
	@exec scripts/dev

## Check

.PHONY: test test-long lint lint-go lint-words lint-web lint-secrets typecheck types-check
.PHONY: test-go test-race test-web test-browser test-browser-long test-pictures bench bench-go bench-web

test: ## all checks before a commit, including PostgreSQL and the browser
	@exec scripts/test

test-long: ## longer checks: race detector, whole product, long browser tests
	@exec scripts/test long

lint: lint-go lint-words lint-web lint-secrets ## all linters

lint-go: ## golangci-lint with go vet and gosec, for both modules
	@lint=$$(scripts/need golangci-lint); "$$lint" run; cd test && "$$lint" run

lint-words: ## words to avoid and their replacements (test/words/words.txt)
	@go -C test run ./words

lint-web: $(packages) ## Biome
	@cd web && npm run --silent lint

lint-secrets: ## gitleaks: no secret in any commit (exceptions in .gitleaks.toml)
	@gitleaks=$$(scripts/need gitleaks); "$$gitleaks" git --no-banner --redact --log-level warn .

typecheck: $(packages) ## TypeScript
	@cd web && npm run --silent typecheck

types-check: $(packages) ## fail if the app's API types are out of date
	@scripts/types --check

# Both modules with a PostgreSQL; the second even if the first has failed. $(1) are flags, $(2) the packages of test/.
both_modules = scripts/with-postgres bash -c 'go test $(1) ./... || failed=1; go -C test test $(1) $(2) || failed=1; exit $${failed:-0}'

# Without go vet, which is one of the linters. The other packages of test/ have only long tests.
test-go: $(packages) ## Go tests, on SQLite and PostgreSQL, a folder and S3
	@scripts/need go versitygw curl jq >/dev/null
	@$(call both_modules,-short -vet=off,./bench ./deploy ./words)

# Tools for checking deploy/.
deploy_tools := curl jq systemd-analyze nginx caddy promtool

# SQLite is translated from C: the race detector finds nothing in it, and makes it four times slower.
test-race: $(packages) ## all Go tests with the race detector, including the long ones
	@scripts/need go cc versitygw $(deploy_tools) >/dev/null
	@CGO_ENABLED=1 $(call both_modules,-race -gcflags="modernc.org/...=-race=false" -timeout 30m,./...)

test-web: $(packages) ## Vitest
	@cd web && npm run --silent test

playwright = browser=$${CHROMIUM:-$$(scripts/need $(1))}; cd web && CHROMIUM=$$browser npm run --silent e2e --

test-browser: $(binary) ## Playwright against bin/nadmor: the main flows of every feature
	@$(call playwright,headless-shell) --grep-invert '@long|@pictures' $(ARGS)

test-browser-long: $(binary) $(still) ## Playwright: double clicks, accessibility of every screen, hostile text
	@$(call playwright,headless-shell) --grep @long $(ARGS)

test-pictures: $(binary) $(still) ## Playwright: every screen and its screenshot (ARGS=--update-snapshots=changed)
	@$(call playwright,chromium) walk $(ARGS)

# PocketBase is a module of its own and needs a newer Go, which is downloaded. Without it, PocketBase is skipped.
bench: $(binary) ## product, floor and PocketBase compared; growth with SCALE=10000,200000,10000000 (ARGS="-only book")
	@mkdir -p .cache/bench
	@CGO_ENABLED=0 go -C test build -o ../.cache/bench/bench ./bench
	@peer=; $(if $(SCALE),:,if GOTOOLCHAIN=auto CGO_ENABLED=0 go -C test/bench/pocketbase build -o ../../../.cache/bench/pocketbase .; then peer=.cache/bench/pocketbase; \
		else echo "bench: PocketBase cannot be built, measuring without it" >&2; fi); \
		scripts/with-postgres --keep .cache/bench/postgres .cache/bench/bench -scale '$(SCALE)' -pocketbase "$$peer" $(ARGS)

bench-go: ## Go benchmarks (PKG=./internal/store BENCH=Book)
	@scripts/with-postgres go test -run '^$$' -bench '$(or $(BENCH),.)' -benchmem $(or $(PKG),./...)

bench-web: $(binary) ## Core Web Vitals, first load and menu in Chromium (docs/performance.md)
	@chromium=$${CHROMIUM:-$$(scripts/need chromium)}; cd web && CHROMIUM=$$chromium node e2e/bench/web.mjs

.PHONY: test-faults test-security vuln sbom soak

test-faults: ## fault injection, long forms (short forms run with the Go tests)
	@scripts/need go litestream versitygw postgresql etcd patroni >/dev/null
	@scripts/with-postgres go -C test run ./faults crash -times $(or $(TIMES),100)
	@go -C test run ./faults replica
	@go -C test run ./faults disk
	@scripts/with-postgres go -C test run ./faults clock
	@go -C test run ./faults clients
	@go -C test run ./faults outside
	@go -C test run ./faults network
	@go -C test run ./faults failover

test-security: vuln ## attacks, long forms (short forms run with the Go tests)
	@scripts/need go sqlmap wapiti >/dev/null
	@go -C test run ./security anonymous
	@scripts/with-postgres go -C test run ./security scanners
	@go -C test run ./security requests -n $(or $(N),1000000) -seed $(or $(SEED),1)

vuln: ## known vulnerabilities of the modules (VULNDB=file:///... or https://vuln.go.dev)
ifdef VULNDB
	@check=$$(scripts/need govulncheck); "$$check" -db '$(VULNDB)' ./...
else
	@echo "govulncheck: skipped, because no vulnerability database was given (VULNDB=file:///path or https://vuln.go.dev)"
endif

sbom: $(binary) ## components of the binary and the app as CycloneDX in .cache/sbom
	@scripts/sbom

soak: ## 200 simulated users for ten minutes on each database (ARGS="-for 60m")
	@scripts/with-postgres go -C test run ./soak $(ARGS)

## Maintain

.PHONY: types pictures fmt clean distclean help

types: $(packages) ## regenerate the app's API types from the server
	@scripts/types

pictures: $(binary) ## update the screenshots of the documentation (ONLY=dashboard,calendar)
	@chromium=$${CHROMIUM:-$$(scripts/need chromium)}; cd web && CHROMIUM=$$chromium node e2e/pictures.mjs

fmt: $(packages) ## format all code
	@lint=$$(scripts/need golangci-lint); "$$lint" fmt; cd test && "$$lint" fmt
	@cd web && node_modules/.bin/biome check --write .

clean: ## remove build outputs (never data/)
	rm -rf bin .cache web/playwright-report web/test-results
	find internal/web/dist -mindepth 1 ! -name .gitkeep -delete

distclean: clean ## also remove installed tools and packages
	rm -rf .tools web/node_modules

help: ## this list
	@awk -F ':.*## ' '/^## / { print "\n" substr($$0, 4) } /^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile
