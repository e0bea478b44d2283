# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: where the tool is, a scratch folder per test, and running things."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
TREADLE = pathlib.Path(os.environ.get("TREADLE", REPOSITORY / "build/bin/treadle")).resolve()

RACY = """#include <pthread.h>
int counter;
static void *add(void *unused) { counter++; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""

CLEAN = RACY.replace("counter++;", "__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);")

# Too many schedules to finish.
ENDLESS = RACY.replace("counter++;", "for (int i = 0; i < 40; i++) __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);")


def kinds_of_findings():
    """All there are, by their names in reports."""
    return set(re.findall(r'X\(\w+, "([a-z-]+)"\)', (REPOSITORY / "src/finding/finding.h").read_text()))


class EndToEnd(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="treadle-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_command(self, *command, timeout=600, **more):
        return subprocess.run([str(word) for word in command], cwd=more.pop("cwd", self.folder), capture_output=True, text=True, timeout=timeout,
                              errors="replace", **more)

    @staticmethod
    def processes_of(program):
        running = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == str(program.resolve()):
                    running.append(entry)
            except OSError:
                pass  # ended meanwhile
        return running

    def wait_until_it_runs(self, program, seconds=0.3):
        """The program has had so much of a processor: it is being executed again and again. How long that takes depends on what else there is to do."""
        until = time.monotonic() + 300
        while time.monotonic() < until:
            for process in self.processes_of(program):
                try:
                    words = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # ended meanwhile
                if (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK") >= seconds:
                    return
            time.sleep(0.02)
        self.fail(f"{program} is not executed")

    def treadle(self, *words, **more):
        return self.run_command(TREADLE, *words, **more)

    def check_json(self, *words, **more):
        run = self.treadle("check", "--json", "-", *words, **more)
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        return json.loads(run.stdout)

    def build(self, name, text, *flags):
        """A program built with Treadle's compiler."""
        source = self.write(name, text)
        program = source.with_suffix("")
        compiler = "c++" if source.suffix == ".cpp" else "cc"
        built = self.treadle(compiler, "-g", "-O1", *flags, source, "-o", program, "-pthread")
        self.assertEqual(built.returncode, 0, built.stderr)
        return program

    def could_not(self, run, *said):
        """Status 2, one clear sentence that says these things, and no sign of a crash."""
        self.assertEqual(run.returncode, 2, f"status {run.returncode}\n{run.stdout}{run.stderr}")
        for text in said:
            self.assertIn(text, run.stderr)
        return run
