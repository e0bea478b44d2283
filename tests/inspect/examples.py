# SPDX-License-Identifier: Apache-2.0
"""The seed's worked examples: Fig. 3 (database), §4.4 (locksets), Fig. 7 (sleep sets)."""
import unittest

from support import HERE, check, marked_lines, places, replay, variants

DATABASE = HERE / "database.c"


class Database(unittest.TestCase):
    """Fig. 3."""

    def test_the_deadlock_is_found_in_both_directions_with_its_cycle(self):
        lines = marked_lines(DATABASE)
        result = check(DATABASE)
        self.assertEqual(result["verdict"], "bugs")
        self.assertEqual({f["kind"] for f in result["findings"]}, {"deadlock"})
        cycles = sorted(places(f) for f in result["findings"])
        self.assertEqual(cycles, sorted([sorted([lines["a-leaves"], lines["b-waits"]]), sorted([lines["b-leaves"], lines["a-waits"]])]))
        for finding in result["findings"]:
            self.assertIn("waits for mutex `mutex`, held by", finding["message"])
            self.assertIn("waits for mutex `lock`, held by", finding["message"])
            self.assertEqual(replay(finding), 1)
        self.assertEqual((result["executions"], result["blocked"], result["redundant"]), (4, 0, 0))

    def test_with_a_mutex_for_each_class_there_are_just_the_two_orders(self):
        result = check(DATABASE, "-DFIXED")
        self.assertEqual((result["verdict"], result["executions"]), ("clean", 2))
        self.assertTrue(result["covers"].startswith("all schedules"), result["covers"])

    def test_two_threads_of_each_class_are_clean_too(self):
        self.assertEqual(check(DATABASE, "-DFIXED", "-DEACH=2")["verdict"], "clean")


class Locksets(unittest.TestCase):
    """§4.4: the state before a's second lock is no backtrack point, because b cannot want that lock while a holds the first."""

    def test_two_executions_with_the_lockset_test_and_a_blocked_third_without(self):
        source = HERE / "locksets.c"
        self.assertEqual(variants(source), (2, 0, 0))
        self.assertEqual(variants(source, "no-locksets"), (3, 1, 0))
        self.assertEqual(variants(source, "no-locksets", "no-sleep-sets"), (4, 0, 0))


class Philosophers(unittest.TestCase):
    """Fig. 7: pairs that look co-enabled and are not, which only sleep sets find out."""

    def test_sleep_sets_cut_the_redundant_backtracking_short(self):
        source = HERE / "philosophers.c"
        self.assertEqual(variants(source, "no-locksets", "no-sleep-sets"), (36, 0, 0))
        self.assertEqual(variants(source, "no-locksets"), (10, 2, 0))  # two begin in vain, and are given up at once
        self.assertEqual(variants(source, "no-sleep-sets"), (21, 0, 0))
        self.assertEqual(variants(source), (8, 0, 0))

    def test_it_is_clean(self):
        self.assertEqual(check(HERE / "philosophers.c")["verdict"], "clean")


if __name__ == "__main__":
    unittest.main()
