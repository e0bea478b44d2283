# SPDX-License-Identifier: Apache-2.0
# The front door. `make demo` and `make test` start from a fresh Debian 12: they install what is missing, then build.
BUILD ?= build
JOBS ?= $(shell nproc)
TARGET ?= all
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

# Everything that is needed, all from Debian's archive. Kept here and nowhere else.
PACKAGES := cmake ninja-build ccache g++ clang-19 llvm-19-dev llvm-19-tools libclang-rt-19-dev lld-19 \
  libcli11-dev libfmt-dev nlohmann-json3-dev libzstd-dev libdw-dev libelf-dev libz3-dev libipt-dev \
  libgtest-dev libgmock-dev libbenchmark-dev python3 pkg-config
# What only tests, debugging and measuring need.
TEST_PACKAGES := clang-format-19 catch2 gdb python3-jsonschema python3-yaml graphviz groff-base dpkg-dev libbz2-dev autoconf automake chromium
WANTED := $(PACKAGES) $(TEST_PACKAGES)

.PHONY: build setup demo test test-long bench install deb format clean

build:
	@command -v cmake >/dev/null || { echo "make: cmake is missing; 'make setup' installs what is needed"; exit 2; }
	@test -f $(BUILD)/build.ninja || cmake -G Ninja -S . -B $(BUILD) -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19
	@cmake --build $(BUILD) -j $(JOBS) --target $(TARGET)

setup:
	@missing=; have=$$(dpkg-query -W -f='$${Package} $${db:Status-Status}\n' $(WANTED) 2>/dev/null || true); \
	wanted="$(WANTED)"; command -v npm >/dev/null || wanted="$$wanted nodejs npm"; \
	for package in $$wanted; do \
	  echo "$$have" | grep -qx "$$package installed" || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "installing:$$missing"; \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get update -q && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; \
	fi

# The tool and nothing else: the tests are three times as much to compile.
demo: WANTED := $(PACKAGES)
demo: setup
	@$(MAKE) --no-print-directory build TARGET=treadle
	@echo '$$ treadle check examples/racy.c'
	@$(BUILD)/bin/treadle check examples/racy.c; status=$$?; [ $$status -eq 1 ] || { echo "expected to find the race (status 1), got $$status"; exit 1; }

test: setup
	@$(MAKE) --no-print-directory build
	ctest --test-dir $(BUILD) -j2 --output-on-failure -LE long

test-long: setup
	@$(MAKE) --no-print-directory build
	ctest --test-dir $(BUILD) -j2 --output-on-failure

bench: setup
	@$(MAKE) --no-print-directory build
	python3 bench/run.py --build $(BUILD)

PREFIX ?= /usr/local
install: setup
	@$(MAKE) --no-print-directory build
	cmake --install $(BUILD) --prefix $(PREFIX)

# build/treadle_VERSION_ARCH.deb
deb: setup
	@$(MAKE) --no-print-directory build
	cd $(BUILD) && cpack -G DEB

# Not the twelve lines of the front page, nor the lines that FileCheck reads.
format:
	git ls-files '*.c' '*.cpp' '*.h' ':!examples/racy.c' ':!tests/ir' | xargs clang-format-19 -i

clean:
	rm -rf $(BUILD)
