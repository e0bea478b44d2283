# SPDX-License-Identifier: Apache-2.0
"""A real program: pbzip2 from Debian's source archive, fetched into a scratch folder, built with `treadle c++`, run under random and PCT
schedules. Skipped when the archive cannot be reached. The machine's own list of sources is left alone."""
import bz2
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from support import TREADLE, EndToEnd


class Pbzip2(EndToEnd):
    def apt(self, *words, timeout=120):
        root = self.folder / "apt"
        (root / "lists/partial").mkdir(parents=True, exist_ok=True)
        (root / "archives/partial").mkdir(parents=True, exist_ok=True)
        (root / "sources").mkdir(exist_ok=True)
        release = next((l.split("=")[1].strip().strip('"') for l in pathlib.Path("/etc/os-release").read_text().splitlines()
                        if l.startswith("VERSION_CODENAME=")), "bookworm")
        (root / "sources/source.list").write_text(f"deb-src {self.mirror()} {release} main\n")
        options = [f"Dir::Etc::sourcelist={root}/sources/source.list", f"Dir::Etc::sourceparts={root}/none", f"Dir::State::lists={root}/lists",
                   f"Dir::Cache={root}", f"Dir::Cache::archives={root}/archives", "APT::Sandbox::User=root", "Acquire::Retries=1",
                   "Acquire::http::Timeout=15", "Acquire::https::Timeout=15", "APT::Get::List-Cleanup=0"]
        return self.run_command("apt-get", "-q", *[w for o in options for w in ("-o", o)], *words, timeout=timeout)

    @staticmethod
    def mirror():
        """Where this machine gets its packages from, so that a local mirror is used."""
        places = [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]
        for place in places:
            if not place.is_file():
                continue
            for line in place.read_text(errors="replace").splitlines():
                words = [w for w in line.split() if not w.startswith("[") and not w.endswith("]")]
                if words[:1] in (["deb"], ["URIs:"]) and words[1].rstrip("/").endswith("/debian"):
                    return words[1]
        return "http://deb.debian.org/debian"

    def source(self):
        if not shutil.which("apt-get"):
            self.skipTest("apt-get is not there")
        try:
            updated = self.apt("update")
            fetched = self.apt("--download-only", "source", "pbzip2") if updated.returncode == 0 else updated
        except subprocess.TimeoutExpired:
            self.skipTest("Debian's source archive does not answer")
        if fetched.returncode != 0:
            self.skipTest("Debian's source archive cannot be reached: " + fetched.stderr.strip()[-200:])
        [archive] = self.folder.glob("pbzip2_*.orig.tar.*")
        subprocess.run(["tar", "xf", archive], cwd=self.folder, check=True)
        return next(p.parent for p in self.folder.glob("*/pbzip2.cpp"))

    def test_compresses_and_decompresses_under_many_schedules(self):
        source = self.source()
        if subprocess.run(["c++", "-E", "-x", "c++", "-include", "bzlib.h", "/dev/null"], capture_output=True).returncode != 0:
            self.skipTest("libbz2-dev is not installed")
        built = self.treadle("c++", "-g", "-O2", "-w", "-Wno-reserved-user-defined-literal", "-D_LARGEFILE64_SOURCE=1", "-D_FILE_OFFSET_BITS=64", "-DPBZIP_NO_LOADAVG",
                             *sorted(source.glob("*.cpp")), "-o", source / "pbzip2", "-lbz2", "-lpthread", timeout=300)
        self.assertEqual(built.returncode, 0, built.stderr)
        original = bytes(i * i % 251 for i in range(300_000))
        (source / "data").write_bytes(original)
        for strategy in ("random", "pct"):
            with self.subTest(strategy):
                # The first execution must find what the later ones find, or the guard against nondeterminism rightly complains.
                (source / "data.bz2").write_text("to be replaced")
                packed = self.checked(source, strategy, "-p3", "-b1", "-k", "-f", "data")
                self.assertEqual(packed["verdict"], "incomplete", packed["findings"])
                self.assertEqual(bz2.decompress((source / "data.bz2").read_bytes()), original)
                (source / "data").write_text("to be replaced")
                unpacked = self.checked(source, strategy, "-d", "-p3", "-k", "-f", "data.bz2")
                self.assertEqual(unpacked["verdict"], "incomplete", unpacked["findings"])
                self.assertEqual((source / "data").read_bytes(), original)

    def checked(self, source, strategy, *arguments):
        # pbzip2 gives its input's times to its output. The first read after a write sets the time of the last access, in a later second when
        # the machine is slow; one that lies ahead stays (relatime).
        now = time.time()
        os.utime(source / arguments[-1], (now + 3600, now))
        return self.check_json("--strategy", strategy, "--max-executions", "15", "--timeout-per-run", "20s",
                               source / "pbzip2", "--", *arguments, cwd=source, timeout=500)


if __name__ == "__main__":
    unittest.main()
