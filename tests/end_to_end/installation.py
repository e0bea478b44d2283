# SPDX-License-Identifier: Apache-2.0
"""Installed somewhere else than it was built: the tool, its CMake package, its manual, its completions, its Debian package."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import CLEAN, RACY, EndToEnd, TREADLE

BUILD = pathlib.Path(os.environ.get("TREADLE_BUILD", TREADLE.parent.parent))

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user C)
enable_testing()
find_package(Treadle REQUIRED)
treadle_add_check(racy SOURCES racy.c BUDGET 60s)
treadle_add_check(clean SOURCES clean.c STRATEGY optimal MODEL tso BUDGET 60s)
"""


class Installation(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.prefix = pathlib.Path(tempfile.mkdtemp(prefix="treadle-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True, timeout=600)

    def test_the_installed_tool_finds_its_parts(self):
        self.write("racy.c", RACY)
        run = self.run_command(self.prefix / "bin/treadle", "check", "racy.c")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("data-race", run.stdout)
        built = self.run_command(self.prefix / "bin/treadle-cc", "-o", "racy", "racy.c")
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_a_cmake_project_checks_its_sources_under_ctest(self):
        self.write("CMakeLists.txt", PROJECT)
        self.write("racy.c", RACY)
        self.write("clean.c", CLEAN)
        made = self.run_command("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        tested = self.run_command("ctest", "--test-dir", "build", "--output-on-failure")
        self.assertRegex(tested.stdout, r"racy \.+\*+Failed")
        self.assertRegex(tested.stdout, r"clean \.+ +Passed")
        self.assertTrue((self.folder / "build/treadle/racy/junit.xml").exists())
        self.assertTrue((self.folder / "build/treadle/racy/result.sarif").exists())

    def test_a_check_without_sources_is_explained(self):
        self.write("CMakeLists.txt", PROJECT.replace("SOURCES racy.c", "racy.c"))
        made = self.run_command("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("did you forget SOURCES?", " ".join(made.stderr.split()))

    def test_pkg_config_knows_the_headers_and_the_compiler(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.prefix / "share/pkgconfig"))
        flags = self.run_command("pkg-config", "--cflags", "treadle", env=environment)
        self.assertEqual(flags.returncode, 0, flags.stderr)
        include = pathlib.Path(flags.stdout.strip().removeprefix("-I"))
        self.assertTrue((include / "treadle/treadle.h").exists(), include)
        compiler = self.run_command("pkg-config", "--variable=cc", "treadle", env=environment)
        self.assertTrue(os.access(compiler.stdout.strip(), os.X_OK), compiler.stdout)

    def test_the_manual_is_well_formed_and_complete(self):
        page = self.prefix / "share/man/man1/treadle.1"
        formatted = self.run_command("groff", "-man", "-Tascii", "-ww", "-P-cbou", page)
        self.assertEqual((formatted.returncode, formatted.stderr), (0, ""))
        for word in ("--strategy", "--sarif", "--gdb", "EXIT STATUS"):
            self.assertIn(word, formatted.stdout)

    def test_bash_completes_commands_and_options(self):
        script = self.prefix / "share/bash-completion/completions/treadle"
        ask = f'. {script}; COMP_WORDS=(treadle %s); COMP_CWORD=%d; _treadle; echo "${{COMPREPLY[@]}}"'
        self.assertEqual(self.run_command("bash", "-c", ask % ("rep", 1)).stdout.split()[0], "replay")
        self.assertEqual(self.run_command("bash", "-c", ask % ("check --sar", 2)).stdout.split(), ["--sarif"])

    def test_the_debian_package_has_all_of_it(self):
        packed = self.run_command("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", self.folder, timeout=300)
        self.assertEqual(packed.returncode, 0, packed.stdout + packed.stderr)
        package = next(self.folder.glob("*.deb"))
        listed = self.run_command("dpkg-deb", "--contents", package).stdout
        for path in ("/usr/bin/treadle", "/usr/bin/treadle-cc", "/usr/lib/treadle/TreadlePass.so", "/usr/lib/treadle/libtreadle_rt.a",
                     "/usr/include/treadle/treadle.h", "/usr/include/treadle/others/klee/klee.h", "/usr/include/treadle/others/crest.h",
                     "/usr/lib/cmake/Treadle/TreadleConfig.cmake"):
            self.assertIn(path, listed)
        depends = self.run_command("dpkg-deb", "--field", package, "Depends").stdout
        self.assertIn("clang-19", depends)
        self.assertRegex(depends, r"libc6 \(>=")


if __name__ == "__main__":
    unittest.main()
