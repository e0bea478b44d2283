# SPDX-License-Identifier: Apache-2.0
"""A real program with a bug that it once had: pbzip2 from Debian's source archive, in which main does not wait for the consumers of its queue any
more (pbzip2 0.9.4 did not). Recorded until it fails, reproduced, replayed. Skipped when the archive cannot be reached."""
import json
import pathlib
import random
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "end_to_end"))
import debian_package  # noqa: E402

# The seeded bug, and delays that make it likely; each is one line.
EDITS = {
    "ret = pthread_join(fifo->consumers[i], NULL);": "ret = 0;",
    "queueDelete(fifo);": "queueDelete(fifo); usleep(700000);",
    "if (fifo->empty && ((syncGetProducerDone() == 1) || (syncGetTerminateFlag() != 0)))":
        "if (usleep(300000), fifo->empty && ((syncGetProducerDone() == 1) || (syncGetTerminateFlag() != 0)))",
}
FLAGS = ["-g", "-O2", "-w", "-Wno-reserved-user-defined-literal", "-D_LARGEFILE64_SOURCE=1", "-D_FILE_OFFSET_BITS=64", "-DPBZIP_NO_LOADAVG"]


class Recorded(debian_package.Pbzip2):
    test_compresses_and_decompresses_under_many_schedules = None

    def test_a_failure_of_its_queue_is_recorded_and_reproduced(self):
        source = self.source()
        if subprocess.run(["c++", "-E", "-x", "c++", "-include", "bzlib.h", "/dev/null"], capture_output=True).returncode != 0:
            self.skipTest("libbz2-dev is not installed")
        text = (source / "pbzip2.cpp").read_text(errors="surrogateescape")
        for old, new in EDITS.items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        (source / "pbzip2.cpp").write_text(text, errors="surrogateescape")
        for build in ("record", "follow"):
            built = self.treadle("c++", f"--{build}", *FLAGS, *sorted(source.glob("*.cpp")), "-o", source / build, "-lbz2", "-lpthread", timeout=300)
            self.assertEqual(built.returncode, 0, built.stderr)
        (source / "data").write_bytes(random.Random(1).randbytes(110_000))
        recorded = self.treadle("record", "--recording", "failing.recording", "--until-fails", "50", "--hang-after", "20s", "./record", "--",
                                "-p2", "-b1", "-k", "-c", "-q", "data", cwd=source, timeout=300, stdin=subprocess.DEVNULL)
        self.assertEqual(recorded.returncode, 1, recorded.stdout + recorded.stderr)
        done = self.treadle("reproduce", "--json", "result.json", "--max-time", "700s", "failing.recording", "./follow", cwd=source, timeout=800)
        self.assertEqual(done.returncode, 1, recorded.stdout + done.stdout + done.stderr)
        self.assertIn("libbz2", done.stdout)  # not built with Treadle, and named
        [finding] = json.loads((source / "result.json").read_text())["findings"]
        [witness] = (source / ".treadle").glob("*.witness")
        for carrier in ("reset", "fork", "kernel"):
            again = self.treadle("replay", "--carrier", carrier, witness, cwd=source)
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
            self.assertIn(finding["message"], again.stdout)


if __name__ == "__main__":
    unittest.main()
