# SPDX-License-Identifier: Apache-2.0
"""The seed's Table 2: its kinds of bugs, in programs of ours after the descriptions of the four applications. Each states what must be
found, `// FINDS: kind label… "part of the message"`, where a label stands for the line marked `// @label`; and nothing else may be found.
Built with -DFIXED it must be clean, for all schedules."""
import shlex
import unittest

from support import HERE, check, marked_lines, places, replay

# Findings come early; what is left is counting. Only the scanner has so many schedules that it matters.
ENOUGH = ("--max-executions", "10000")


def promised(source):
    lines = marked_lines(source)
    found = []
    for line in source.read_text().splitlines():
        if line.startswith("// FINDS: "):
            kind, *labels, message = shlex.split(line.removeprefix("// FINDS: "))
            found.append((kind, sorted({lines[label] for label in labels}), message))
    return found


class Programs(unittest.TestCase):
    def finds_exactly_what_it_promises(self, name):
        source = HERE / name
        expected = promised(source)
        result = check(source, options=ENOUGH if expected else ())
        self.assertEqual(sorted((f["kind"], places(f)) for f in result["findings"]), sorted((kind, lines) for kind, lines, _ in expected))
        self.assertEqual(result["verdict"], "bugs" if expected else "clean")
        for finding in result["findings"]:
            said = [message for kind, lines, message in expected if (kind, lines) == (finding["kind"], places(finding))]
            self.assertTrue(any(text in finding["message"] for text in said), finding["message"])
            self.assertTrue(finding["confirmed"])
            self.assertEqual(replay(finding), 1)

    def is_clean_when_fixed(self, name):
        for strategy in ("dpor", "optimal"):
            with self.subTest(strategy=strategy):
                result = check(HERE / name, "-DFIXED", strategy=strategy)
                self.assertEqual((result["verdict"], result["findings"]), ("clean", []))
                self.assertTrue(result["covers"].startswith("all schedules"), result["covers"])

    def test_a_downloader_races_on_its_statistics(self):
        self.finds_exactly_what_it_promises("downloader.c")
        self.is_clean_when_fixed("downloader.c")

    def test_a_file_scanner_has_four_misuses_and_a_race(self):
        self.finds_exactly_what_it_promises("scanner.c")
        self.is_clean_when_fixed("scanner.c")

    def test_a_player_with_a_prefetch_thread_is_clean(self):
        self.finds_exactly_what_it_promises("player.c")
        self.is_clean_when_fixed("player.c")

    def test_an_avl_tree_races_on_two_statistics(self):
        self.finds_exactly_what_it_promises("containers/avl.c")
        self.is_clean_when_fixed("containers/avl.c")

    def test_a_heap_is_clean(self):
        self.finds_exactly_what_it_promises("containers/heap.c")
        self.is_clean_when_fixed("containers/heap.c")

    def test_a_hash_list_races_on_its_count_and_destroys_an_uninitialised_condition_variable(self):
        self.finds_exactly_what_it_promises("containers/hashlist.c")
        self.is_clean_when_fixed("containers/hashlist.c")

    def test_a_linked_list_races_on_its_count(self):
        self.finds_exactly_what_it_promises("containers/linked_list.c")
        self.is_clean_when_fixed("containers/linked_list.c")

    def test_a_splay_tree_races_on_its_count(self):
        self.finds_exactly_what_it_promises("containers/splay_tree.c")
        self.is_clean_when_fixed("containers/splay_tree.c")


if __name__ == "__main__":
    unittest.main()
