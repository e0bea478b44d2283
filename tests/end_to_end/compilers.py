# SPDX-License-Identifier: Apache-2.0
"""`treadle cc` and `treadle c++` stand in for the compiler of a build system, without edits to the project."""
import os
import shutil
import unittest

from support import REPOSITORY, TREADLE, EndToEnd

LIBRARY = "#include \"count.h\"\nstatic int total;\nvoid count(void) {\n#ifdef FIXED\n  __atomic_fetch_add(&total, 1, 5);\n#else\n  total++;\n#endif\n}\n"
HEADER = "#pragma once\n#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid count(void);\n"
MAIN = """#include <pthread.h>
#include "count.h"
static void *work(void *unused) { count(); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


class Project(EndToEnd):
    def setUp(self):
        super().setUp()
        self.write("count.c", LIBRARY)
        self.write("count.h", HEADER)
        self.write("main.c", MAIN)
        self.environment = {**os.environ, "CC": f"{TREADLE} cc", "CXX": f"{TREADLE} c++"}

    def built(self, *command, **more):
        run = self.run_command(*command, env=self.environment, **more)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run

    def has_the_race(self, program):
        [finding] = self.check_json(program)["findings"]
        self.assertEqual((finding["kind"], finding["location"]["line"]), ("data-race", 7))

    def is_clean(self, program):
        self.assertEqual(self.check_json(program)["verdict"], "clean")


class UnderMake(Project):
    MAKEFILE = """
CFLAGS = -g -O2
main: main.o libcount.a
	$(CC) $(CFLAGS) -o $@ main.o -L. -lcount -lpthread
libcount.a: count.o
	$(AR) rcs $@ count.o
clean:
	rm -f *.o *.a main
"""

    def test_plain_make_with_a_static_library(self):
        self.write("Makefile", self.MAKEFILE)
        self.built("make", "-e", f"CC={TREADLE} cc")
        self.has_the_race("main")
        self.built("make", "-e", f"CC={TREADLE} cc", "clean")
        self.built("make", f"CC={TREADLE} cc", "CFLAGS=-g -O1 -DFIXED")
        self.is_clean("main")

    def test_a_shared_library_of_the_users(self):
        self.built(TREADLE, "cc", "-g", "-O1", "-shared", "-fPIC", "count.c", "-o", "libcount.so")
        self.built(TREADLE, "cc", "-g", "-O1", "main.c", "-L.", "-lcount", f"-Wl,-rpath,{self.folder}", "-o", "main", "-pthread")
        self.has_the_race("main")

    def test_the_program_also_runs_by_itself(self):
        self.built(TREADLE, "cc", "-g", "main.c", "count.c", "-o", "main", "-pthread")
        self.assertEqual(self.run_command("./main").returncode, 0)

    def test_the_compilers_called_by_their_own_names(self):
        names = {name: TREADLE.parent / f"treadle-{name}" for name in ("cc", "c++")}
        for path in names.values():
            self.assertTrue(path.exists(), path)
        self.built(names["cc"], "-g", "main.c", "count.c", "-o", "main", "-pthread")
        self.has_the_race("main")


class UnderConfigure(Project):
    # What a configure script made by autoconf does: compile, link and run small programs, and look at the compiler's words and statuses.
    CONFIGURE = """#!/bin/sh
set -e
fail() { echo "configure: $1" >&2; exit 1; }
echo 'int main(void) { return 0; }' > conftest.c
$CC conftest.c || fail "the C compiler cannot create executables"
test -x a.out || fail "no a.out"
./a.out || fail "cannot run C compiled programs"
$CC -c conftest.c && test -f conftest.o || fail "no object file"
$CC -E conftest.c | grep -q main || fail "cannot preprocess"
$CC --version > /dev/null || fail "no version"
echo '#ifndef __GNUC__
#error not gcc
#endif' > conftest.c
$CC -c conftest.c || fail "not compatible with gcc"
echo 'this is not C' > conftest.c
if $CC -c conftest.c 2> conftest.err; then fail "accepts anything"; fi
grep -q error conftest.err || fail "does not say why"
echo 'char pthread_create(); int main(void) { return pthread_create(); }' > conftest.c
$CC -w -fno-builtin conftest.c -o conftest -lpthread || fail "no pthread_create"
echo 'char no_such_function_anywhere(); int main(void) { return no_such_function_anywhere(); }' > conftest.c
if $CC -w conftest.c -o conftest 2> /dev/null; then fail "links what does not exist"; fi
printf '#include <pthread.h>\\nstatic void *f(void *x) { return x; }\\nint main(void) { pthread_t t; void *r; if (pthread_create(&t, 0, f, &t)) return 1; pthread_join(t, &r); return r != &t; }\\n' > conftest.c
$CC conftest.c -o conftest -pthread && ./conftest || fail "threads do not work"
printf '#include <cstdio>\\n#include <thread>\\nint main() { std::thread([] { std::puts("yes"); }).join(); }\\n' > conftest.cpp
$CXX -std=c++17 conftest.cpp -o conftest -pthread && test "$(./conftest)" = yes || fail "C++ threads do not work"
$CC -MMD -MF conftest.d -c main.c -o conftest.o && grep -q count.h conftest.d || fail "no dependencies"
rm -rf conftest* a.out
sed "s|@CC@|$CC|" Makefile.in > Makefile
"""

    def test_a_configure_script_is_satisfied(self):
        script = self.write("configure", self.CONFIGURE)
        script.chmod(0o755)
        self.write("Makefile.in", "CC = @CC@\n" + UnderMake.MAKEFILE)
        self.built("./configure")
        self.built("make")
        self.has_the_race("main")

    @unittest.skipUnless(shutil.which("autoreconf"), "autoconf and automake are not installed")
    def test_autotools(self):
        self.write("configure.ac", "AC_INIT([count], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_PROG_RANLIB\nAM_PROG_AR\nAC_SEARCH_LIBS([pthread_create], [pthread])\n"
                   "AC_CHECK_FUNCS([clock_gettime pthread_setname_np])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n")
        self.write("Makefile.am", "noinst_LIBRARIES = libcount.a\nlibcount_a_SOURCES = count.c count.h\nbin_PROGRAMS = main\nmain_SOURCES = main.c\nmain_LDADD = libcount.a\n")
        self.built("autoreconf", "-fi")
        self.built("./configure")
        self.built("make")
        self.has_the_race("main")


class UnderCMake(Project):
    def test_a_cmake_project_with_two_languages(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(count C CXX)\nfind_package(Threads REQUIRED)\nadd_library(count STATIC count.c)\n"
                   "add_executable(main main.c)\ntarget_link_libraries(main count Threads::Threads)\n"
                   "add_executable(other other.cpp)\ntarget_compile_features(other PRIVATE cxx_std_20)\ntarget_link_libraries(other count Threads::Threads)\n")
        self.write("other.cpp", "#include <thread>\n#include \"count.h\"\nint main() { std::jthread a(count), b(count); }\n")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        self.built("cmake", *generator, "-S", ".", "-B", "out", "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
        self.built("cmake", "--build", "out")
        self.has_the_race("out/main")
        self.has_the_race("out/other")


class Flags(Project):
    def test_every_optimisation_level_finds_the_race(self):
        for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Og"):
            with self.subTest(level):
                self.built(TREADLE, "cc", "-g", level, "main.c", "count.c", "-o", "main", "-pthread")
                self.has_the_race("main")

    def test_every_standard_of_c_compiles(self):
        for standard in ("c11", "c17", "c23", "gnu11", "gnu17", "gnu23"):
            with self.subTest(standard):
                self.built(TREADLE, "cc", f"-std={standard}", "main.c", "count.c", "-o", "main", "-pthread")

    def test_every_standard_of_cplusplus_compiles(self):
        self.write("thread.cpp", "#include <atomic>\n#include <iostream>\n#include <mutex>\n#include <thread>\n#include <vector>\n"
                   "int main() { std::atomic<int> n{0}; std::thread t([&] { ++n; }); t.join(); std::vector<int> v(10, n); std::cout << v[3] << '\\n'; }\n")
        for standard in ("c++11", "c++14", "c++17", "c++20", "c++23"):
            with self.subTest(standard):
                self.built(TREADLE, "c++", f"-std={standard}", "-O2", "thread.cpp", "-o", "thread", "-pthread")
                self.assertEqual(self.run_command("./thread").stdout, "1\n")

    def test_several_sources_are_checked_at_once(self):
        self.has_the_race_in_sources()

    def has_the_race_in_sources(self):
        [finding] = self.check_json("main.c", "count.c")["findings"]
        self.assertEqual(finding["kind"], "data-race")
        self.assertEqual(self.check_json("--cflags", "-DFIXED -O2", "main.c", "count.c")["verdict"], "clean")

    def test_lto_and_gc_sections_link(self):
        self.built(TREADLE, "cc", "-g", "-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "main.c", "count.c", "-o", "main", "-pthread")
        self.has_the_race("main")
