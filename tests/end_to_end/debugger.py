# SPDX-License-Identifier: Apache-2.0
"""`treadle replay --gdb`: forwards and backwards through a failing execution, by a scripted gdb."""
import re
import unittest

from support import RACY, REPOSITORY, EndToEnd


class Debugger(EndToEnd):
    def gdb(self, source, *commands):
        """What each command printed."""
        self.treadle("check", source)
        witness = next((self.folder / ".treadle").glob("*.witness"))
        words = [word for command in commands for word in ("-ex", f"echo <{command}>\\n", "-ex", command)]
        run = self.treadle("replay", "--gdb", witness, "--", "-batch", *words)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        parts = re.split(r"^<(.*)>$", run.stdout + run.stderr, flags=re.M)
        self.before = parts[0]
        return [text.strip() for text in parts[2::2]]

    def stands_at(self, text):
        found = re.search(r"^treadle: at event (\d+)\*?: (.*)$", text, re.M)
        self.assertIsNotNone(found, text)
        return int(found[1]), found[2]

    def racy(self):
        return self.write("racy.c", RACY)

    def test_a_replay_stops_at_the_first_access_of_a_race_in_the_users_own_code(self):
        frame, threads = self.gdb(self.racy(), "frame", "info threads")
        number, text = self.stands_at(self.before)
        self.assertRegex(text, r"thread 0\.\d (read|write) counter")
        self.assertIn("racy.c:3", frame)
        self.assertEqual(len(re.findall(r"^\*? +\d+ +Thread", threads, re.M)), 3, threads)

    def test_events_go_by_one_by_one_and_back_again(self):
        self.write("racy.c", RACY)
        on, further, back, again, first = self.gdb(self.racy(), "treadle next-event", "treadle next-event 2", "treadle back", "treadle next-event",
                                                   "treadle back 0")
        start, _ = self.stands_at(self.before)
        self.assertEqual([self.stands_at(text)[0] for text in (on, further, back, again, first)], [start + 1, start + 3, start + 2, start + 3, 0])
        self.assertEqual(self.stands_at(further), self.stands_at(again))

    def test_going_back_takes_memory_back(self):
        value, later, before, earlier = self.gdb(self.racy(), "continue", "print counter", "treadle back 0", "print counter")
        self.assertIn("stopped at the end of the execution", value)
        self.assertNotEqual(later.split()[-1], "0")
        self.assertEqual(earlier.split()[-1], "0")

    def test_why_and_threads_tell_what_the_report_tells(self):
        why, threads = self.gdb(REPOSITORY / "tests/programs/mutex_order.c", "treadle why", "treadle threads")
        self.assertIn("0.1 waits for mutex `b`, held by 0.2", why)
        for thread in ("0", "0.1", "0.2"):
            self.assertRegex(threads, rf"(?m)^thread {re.escape(thread)}( |$)")

    def test_what_cannot_be_done_is_said(self):
        beyond, nonsense = self.gdb(self.racy(), "treadle back 9999", "treadle next-event soon")
        self.assertIn("events are numbered 0 to", beyond + self.before + nonsense)
        self.assertIn("one number, please", beyond + nonsense)


if __name__ == "__main__":
    unittest.main()
