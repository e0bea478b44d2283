# SPDX-License-Identifier: Apache-2.0
"""The seed's Table 1: runs of indexer and fsbench by number of threads; with a mutex in place of the compare-and-swap, and with a real one."""
import unittest

from support import BENCH, check

INDEXER = {1: 1, 2: 1, 11: 1, 12: 8, 13: 64, 14: 512, 15: 4096, 16: 32768}
FSBENCH = {1: 1, 2: 1, 13: 1, 14: 2, 16: 8, 18: 32, 20: 128, 22: 512, 24: 2048, 26: 8192}


class Table(unittest.TestCase):
    def runs(self, program, threads, expected, strategies=("dpor", "optimal")):
        for strategy in strategies:
            with self.subTest(program=program, threads=threads, strategy=strategy):
                result = check(BENCH / f"{program}.c", f"-DTHREADS={threads}", strategy=strategy)
                self.assertEqual((result["verdict"], result["executions"], result["blocked"], result["redundant"]), ("clean", expected, 0, 0))

    def both(self, name, table, sizes):
        for threads in sizes:
            self.runs(name, threads, table[threads])
            self.runs(f"{name}_cas", threads, table[threads])


class SmallSizes(Table):
    def test_indexer_has_the_runs_of_the_seed(self):
        self.both("indexer", INDEXER, [1, 2, 11, 12, 13])

    def test_fsbench_has_the_runs_of_the_seed(self):
        self.both("fsbench", FSBENCH, [1, 2, 13, 14, 16, 18])


class LargeSizes(Table):
    def test_indexer_has_the_runs_of_the_seed(self):
        self.both("indexer", INDEXER, [14, 15, 16])

    def test_fsbench_has_the_runs_of_the_seed(self):
        self.both("fsbench", FSBENCH, [20, 22, 24, 26])


if __name__ == "__main__":
    unittest.main()
