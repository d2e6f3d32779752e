# Thin on purpose: each target calls one script or the build itself. `make` alone lists the targets.
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help build quickstart quickstart-clean test test-long test-cluster bench profile lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

build: ## install what is missing, build bin/chandler and bin/svcat
	scripts/install-deps build
	cmake --preset release
	cmake --build --preset release --target chandler --target svcat --parallel $(JOBS)
	install -D -t bin build/release/cmd/chandler build/release/cmd/svcat

quickstart: ## build, start a server, provision a database and use it
	scripts/quickstart

quickstart-clean: ## stop that server, remove its data
	scripts/quickstart --clean

test: ## install, build and run every test (what CI runs)
	scripts/test

test-long: ## the same with long fuzzing and the robustness runs
	scripts/test --long

test-cluster: build ## run definitions and controllers against a real Kubernetes control plane; needs Go
	scripts/install-deps cluster
	tests/cluster/run

bench: ## measure beside limits taken in the same run
	scripts/install-deps bench
	scripts/bench

profile: ## make anew what the release build is optimized by
	scripts/install-deps bench
	scripts/profile

lint: ## format, clang-tidy, lock analysis, rules of the house
	scripts/install-deps test
	scripts/lint

clean: ## remove what was built (downloaded tools stay)
	find build -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} + 2>/dev/null || true
	rm -rf bin
