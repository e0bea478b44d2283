# SPDX-License-Identifier: Apache-2.0
"""`treadle show --dependence`: what the compiler found out about which events depend on which reads."""
import re
import unittest

import support

HEAD = """#include <pthread.h>
#include <stdlib.h>
int x, y, z, counter;
"""
MAIN = """
static void *other(void *unused) { x = 1; y = 2; return unused; }
int main(int argc, char **argv) {
  pthread_t t[2];
  (void)argv;
  pthread_create(&t[0], 0, thread, &argc);
  pthread_create(&t[1], 0, other, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
"""
NOTHING = "does not depend on any read"
EVERYTHING = "depends on everything, as far as is known"


class Dependence(support.EndToEnd):
    levels = ("-O0", "-O2")

    def shown(self, program, place):
        """What is said about each event of a line: {"read of y": {"happens": ..., "before": ..., "writes": ...}}."""
        run = self.treadle("show", "--dependence", place, program)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        events = {}
        for line in run.stdout.splitlines():
            if line.startswith("note:"):
                continue
            if not line.startswith(" "):
                event = events.setdefault(line.split(" in ")[0], {})
            else:
                question, answer = re.fullmatch(r"  (.*?): +(.*)", line).groups()
                event[{"whether and where it happens": "happens", "and what happens before it": "before"}.get(question, "writes")] = answer
        return events

    def lines(self, text):
        """Lines that end in a comment `// name`."""
        return {match[1]: number for number, line in enumerate(text.splitlines(), 1) if (match := re.search(r"// (\w+)$", line))}

    def each_level(self, body, name="program.c", main=MAIN, head=HEAD):
        text = head + body + main
        places = {mark: f"{name}:{line}" for mark, line in self.lines(text).items()}
        for level in self.levels:
            yield self.build(name, text, level), places, places.get

    def test_the_four_cases_of_control_dependence(self):
        """Fig. 4.2: directly, through a local, through a called function, and because a function may not return."""
        body = """
static __attribute__((noinline)) int get(void) { return x; }  // get
static __attribute__((noinline)) void ends(void) { if (x == 3) abort(); }  // ends
static void *thread(void *unused) {
  if (x == 1)  // direct
    z = y;  // case1
  int a = x;  // local
  int b = a + 1;
  if (b == 2)
    z = y;  // case2
  int c = get();
  if (c)
    z = y;  // case3
  ends();
  z = y;  // case4
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            for case, reads in (("case1", ["direct"]), ("case2", ["local"]), ("case3", ["get"]), ("case4", ["ends"])):
                events = self.shown(program, places[case])
                self.assertEqual(set(events), {"read of y", "write of z"})
                expected = "depends on " + ", ".join(f"read of x at {at(read)}" for read in reads)
                self.assertEqual(events["read of y"]["happens"], expected)
                self.assertEqual(events["write of z"]["happens"], expected)
                self.assertEqual(events["write of z"]["writes"], f"depends on read of y at {at(case)}")

    def test_data_dependence_of_a_write(self):
        body = """
static void *thread(void *unused) {
  x = 1;
  y = x;  // copy
  y = 3;  // constant
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            events = self.shown(program, places["copy"])
            self.assertEqual(events["read of x"]["happens"], NOTHING)
            self.assertEqual(events["write of y"], {"happens": NOTHING, "before": NOTHING, "writes": f"depends on read of x at {at('copy')}"})
            self.assertEqual(self.shown(program, places["constant"])["write of y"]["writes"], NOTHING)

    def test_a_loop_with_a_local_bound_depends_on_nothing(self):
        body = """
static void *thread(void *limit) {
  int i = 0, most = (int)(long)limit & 7;
  while (i++ < most)
    counter += 1;  // count
  return limit;
}
"""
        for program, places, at in self.each_level(body):
            events = self.shown(program, places["count"])
            self.assertEqual(events["read of counter"], {"happens": NOTHING, "before": NOTHING})
            self.assertEqual(events["write of counter"]["writes"], f"depends on read of counter at {at('count')}")

    def test_what_comes_after_a_waiting_loop_depends_on_its_end(self):
        body = """
static void *thread(void *unused) {
  while (!x) {}  // wait
  y = 2;  // after
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            self.assertEqual(self.shown(program, places["after"])["write of y"]["happens"], f"depends on read of x at {at('wait')}")

    def test_what_comes_after_a_branch_happens_anyway_but_not_by_the_same_way(self):
        body = """
static void *thread(void *unused) {
  if (x)  // branch
    z = 1;
  int a = x ? 1 : 2;  // choice
  y = a;  // after
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            event = self.shown(program, places["after"])["write of y"]
            self.assertEqual(event["happens"], NOTHING)
            self.assertEqual(event["before"], f"depends on read of x at {at('branch')}")
            self.assertEqual(event["writes"], f"depends on read of x at {at('choice')}")

    def test_an_address_counts_like_control(self):
        body = """
int list[8];
static void *thread(void *unused) {
  int i = x & 7;  // index
  list[i] = 1;  // store
  y = 1;  // after
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            self.assertEqual(self.shown(program, places["store"])["write of list"]["happens"], f"depends on read of x at {at('index')}")
            self.assertEqual(self.shown(program, places["after"])["write of y"]["before"], f"depends on read of x at {at('index')}")

    def test_function_pointers_and_unknown_functions_depend_on_everything(self):
        body = """
void (*pointer)(void);
static void a(void) { y = 1; }  // called
static void *thread(void *unused) {
  pointer = a;
  z = 1;  // before
  pointer();
  z = 2;  // after
  z = atoi(getenv("HOME"));
  return unused;
}
"""
        for program, places, _ in self.each_level(body):
            self.assertEqual(self.shown(program, places["before"])["write of z"]["happens"], NOTHING)
            self.assertEqual(self.shown(program, places["after"])["write of z"]["happens"], EVERYTHING)
            self.assertEqual(self.shown(program, places["called"])["write of y"]["happens"], EVERYTHING)

    def test_callbacks_depend_on_whether_they_are_handed_over(self):
        body = """
pthread_once_t once = PTHREAD_ONCE_INIT;
static void first(void) { y = 1; }  // callback
static void *thread(void *unused) {
  if (x)  // decides
    pthread_once(&once, first);
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            self.assertEqual(self.shown(program, places["callback"])["write of y"]["happens"], f"depends on read of x at {at('decides')}")

    def test_a_thread_depends_on_what_its_creator_read(self):
        body = """
static void *child(void *n) {
  if (n) y = 1;  // event
  return n;
}
static void *thread(void *unused) {
  pthread_t t;
  long n = x;  // argument
  if (z)  // start
    pthread_create(&t, 0, child, (void *)n), pthread_join(t, 0);
  return unused;
}
"""
        for program, places, at in self.each_level(body):
            happens = self.shown(program, places["event"])["write of y"]["happens"]
            self.assertIn(f"read of x at {at('argument')}", happens)
            self.assertIn(f"read of z at {at('start')}", happens)

    def test_cpp_code_is_followed_and_std_thread_is_not(self):
        """A std::thread calls through a pointer, which may lead anywhere."""
        text = """#include <mutex>
#include <pthread.h>
#include <thread>
int x, y, z;
std::mutex mutex;
struct Guarded {
  std::lock_guard<std::mutex> lock{mutex};
  int get() const { return x; }  // read
};
static void *thread(void *unused) {
  auto set = [](int n) { z = n; };  // bound
  Guarded guarded;
  int seen = guarded.get();
  y = 1;  // free
  if (seen) set(2);
  return unused;
}
int main() {
  pthread_t t;
  pthread_create(&t, nullptr, thread, nullptr);
  pthread_join(t, nullptr);
  MORE
}
"""
        for program, places, at in self.each_level(text.replace("MORE", ""), "program.cpp", main="", head=""):
            self.assertNotIn("read of x", self.shown(program, places["free"])["write of y"]["happens"])
            self.assertNotEqual(self.shown(program, places["free"])["write of y"]["happens"], EVERYTHING)
            self.assertIn(f"read of x at {at('read')}", self.shown(program, places["bound"])["write of z"]["happens"])
        for program, places, at in self.each_level(text.replace("MORE", "std::thread([] { x = 1; }).join();"), "program.cpp", main="", head=""):
            self.assertEqual(self.shown(program, places["bound"])["write of z"]["happens"], EVERYTHING)

    def test_other_files_may_call_what_they_can_name(self):
        one = self.write("one.c", "int x, y;\nvoid f(void) { y = 1; }\nstatic void g(void) { y = 2; }\nint main(void) { f(); g(); return x; }\n")
        two = self.write("two.c", "extern int x; void f(void);\nvoid h(void) { if (x) f(); }\n")
        program = self.folder / "program"
        self.assertEqual(self.treadle("cc", "-g", "-O0", "-fno-inline", one, "-o", program).returncode, 0)
        self.assertEqual(self.shown(program, "one.c:2")["write of y"]["happens"], NOTHING)
        self.assertEqual(self.treadle("cc", "-g", "-O0", "-fno-inline", one, two, "-o", program).returncode, 0)
        self.assertEqual(self.shown(program, "one.c:2")["write of y"]["happens"], EVERYTHING)
        self.assertEqual(self.shown(program, "one.c:3")["write of y"]["happens"], NOTHING)

    def test_code_that_was_not_built_with_treadle_may_call_anything(self):
        one = self.write("one.c", "int x, y;\nvoid f(void) { y = 1; }\nint main(void) { f(); return x; }\n")
        two = self.write("two.c", "void h(void) {}\n")
        self.assertEqual(self.run_command("cc", "-c", two, "-o", self.folder / "two.o").returncode, 0)
        program = self.folder / "program"
        self.assertEqual(self.treadle("cc", "-g", "-O0", one, self.folder / "two.o", "-o", program).returncode, 0)
        run = self.treadle("show", "--dependence", "one.c:2", program)
        self.assertIn(EVERYTHING, run.stdout)
        self.assertIn("h was not built with Treadle", run.stdout)

    def test_sources_are_compiled_first(self):
        source = self.write("racy.c", support.RACY)
        run = self.treadle("show", "--dependence", "racy.c:3", source)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("read of counter in add", run.stdout)

    def test_what_cannot_be_shown_is_said(self):
        program = self.build("racy.c", support.RACY)
        self.could_not(self.treadle("show", "--dependence", "racy.c", program), "is not a line of a file")
        self.could_not(self.treadle("show", "--dependence", "racy.c:1", program), "no shared access")
        self.could_not(self.treadle("show", "--dependence", "racy.c:3", "/bin/true"), "not built with Treadle")
        self.could_not(self.treadle("show", "--dependence", "racy.c:3", self.build("bare.c", support.RACY, "-g0")), "line tables")


if __name__ == "__main__":
    unittest.main()
