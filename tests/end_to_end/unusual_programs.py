# SPDX-License-Identifier: Apache-2.0
"""Programs that do what a checker does not like. Each is either supported or refused with one sentence and status 2; the checker
survives all of them, and none leaves anything behind."""
from support import EndToEnd

TWO_THREADS = """
#include <pthread.h>
static void run_two(void *(*f)(void *), void *(*g)(void *)) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0);
  pthread_create(&b, 0, g, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


class UnusualPrograms(EndToEnd):
    def check(self, text, *options, flags=()):
        program = self.build("program.c", "#define _GNU_SOURCE\n" + TWO_THREADS + text, *flags)
        run = self.treadle("check", *options, program)
        self.assertIn(run.returncode, (0, 1, 2), run.stdout + run.stderr)
        if run.returncode == 2:
            self.assertRegex(run.stderr, r"(?m)^treadle: .+")
        return run

    def refused(self, run, *said):
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        for text in said:
            self.assertIn(text, run.stderr)

    def found(self, run, kind):
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(kind, run.stdout)

    def forked(self, run, why):
        """Clean, and told that it took a fork for each execution."""
        self.clean(run)
        self.assertIn(why, run.stdout)

    def clean(self, run):
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_fork(self):
        self.refused(self.check("#include <unistd.h>\nint main(void) { return fork() == 0; }"), "fork")

    def test_exec(self):
        self.refused(self.check("#include <unistd.h>\nint main(void) { execl(\"/bin/true\", \"true\", (char *)0); return 1; }"), "exec")

    def test_system_and_popen(self):
        self.clean(self.check("#include <stdlib.h>\nint main(void) { return system(\"true\"); }"))
        self.clean(self.check("#include <stdio.h>\nint main(void) { FILE *f = popen(\"true\", \"r\"); return f ? pclose(f) : 1; }"))

    def test_anonymous_mapping(self):
        self.clean(self.check("""
            #include <assert.h>
            #include <sys/mman.h>
            int main(void) {
              char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              assert(page != MAP_FAILED && page[5] == 0);
              page[5] = 1;
              return munmap(page, 4096);
            }"""))

    def test_shared_mapping(self):
        run = self.check("""
            #include <assert.h>
            #include <sys/mman.h>
            int main(void) {
              char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
              assert(page != MAP_FAILED && page[5] == 0);
              page[5] = 1;
              return 0;
            }""")
        self.forked(run, "maps shared memory")

    def test_file_mapping_shared(self):
        shared = self.write("shared", "x" * 4096)
        run = self.check("""
            #include <fcntl.h>
            #include <sys/mman.h>
            int main(void) {
              int fd = open("%s", O_RDWR);
              char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
              page[0] = 'y';
              return 0;
            }""" % shared)
        self.forked(run, "maps shared memory")

    def test_signal_handler(self):
        run = self.check("""
            #include <assert.h>
            #include <signal.h>
            static volatile sig_atomic_t seen;
            static void handler(int number) { seen = number; }
            int main(void) {
              signal(SIGUSR1, handler);
              raise(SIGUSR1);
              assert(seen == SIGUSR1);
              return 0;
            }""")
        self.clean(run)

    def test_own_segv_handler(self):
        run = self.check("""
            #include <signal.h>
            #include <unistd.h>
            static void handler(int number) { _exit(0); }
            int main(void) { signal(SIGSEGV, handler); *(volatile int *)8 = 1; return 0; }""")
        self.assertIn(run.returncode, (0, 1, 2))

    def test_signal_between_threads(self):
        run = self.check("""
            #include <signal.h>
            static _Atomic int seen;
            static void handler(int number) { seen++; }
            static void *target(void *x) { while (!seen) {} return 0; }
            int main(void) {
              pthread_t t;
              signal(SIGUSR1, handler);
              pthread_create(&t, 0, target, 0);
              pthread_kill(t, SIGUSR1);
              pthread_join(t, 0);
              return 0;
            }""")
        self.clean(run)

    def test_dlopen(self):
        library = self.write("library.c", "int answer(void) { static int calls; return ++calls; }\n")
        built = self.treadle("cc", "-shared", "-fPIC", "-g", library, "-o", self.folder / "library.so")
        self.assertEqual(built.returncode, 0, built.stderr)
        run = self.check("""
            #include <assert.h>
            #include <dlfcn.h>
            int main(void) {
              void *library = dlopen("%s", RTLD_NOW);
              assert(library);
              int (*answer)(void) = (int (*)(void))dlsym(library, "answer");
              assert(answer() == 1);
              return dlclose(library);
            }""" % (self.folder / "library.so"), flags=("-ldl",))
        self.forked(run, "loads a library at run time")

    def test_a_race_in_a_library_that_is_loaded_at_run_time(self):
        library = self.write("library.c", "int calls;\nvoid count(void) { calls++; }\n")
        built = self.treadle("cc", "-shared", "-fPIC", "-g", library, "-o", self.folder / "library.so")
        self.assertEqual(built.returncode, 0, built.stderr)
        program = """
            #include <dlfcn.h>
            static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
            static void (*count)(void);
            static void *call(void *x) {
              if (LOCKED) pthread_mutex_lock(&lock);
              count();
              if (LOCKED) pthread_mutex_unlock(&lock);
              return 0;
            }
            int main(void) {
              void *library = dlopen("%s", RTLD_NOW);
              count = (void (*)(void))dlsym(library, "count");
              run_two(call, call);
              return dlclose(library);
            }""" % (self.folder / "library.so")
        run = self.check(program, flags=("-ldl", "-DLOCKED=0"))
        self.found(run, "data race")
        self.forked(self.check(program, flags=("-ldl", "-DLOCKED=1")), "loads a library at run time")

    def test_a_file_written_by_each_execution(self):
        run = self.check("""
            #include <assert.h>
            #include <stdio.h>
            static void *append(void *x) { FILE *f = fopen("%s", "a"); fputs("x", f); fclose(f); return 0; }
            int main(void) { run_two(append, append); return 0; }""" % (self.folder / "log"), "--strategy", "random", "--max-executions", "20")
        self.clean(run)

    def test_a_socket_pair_between_threads(self):
        self.clean(self.check("""
            #include <assert.h>
            #include <sys/socket.h>
            #include <unistd.h>
            static int ends[2];
            static void *talk(void *x) { assert(write(ends[0], "hello", 5) == 5); return 0; }
            static void *hear(void *x) { char b[8]; assert(read(ends[1], b, 5) == 5); return 0; }
            int main(void) { assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); run_two(talk, hear); return 0; }"""))

    def test_an_endless_loop(self):
        run = self.check("int main(void) { volatile unsigned long i = 0; for (;;) i++; }", "--timeout-per-run", "500ms", "--max-time", "5s")
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        self.assertNotIn("clean", run.stdout)

    def test_an_endless_loop_outside_our_code(self):
        run = self.check("int main(void) { __asm__ volatile(\"1: jmp 1b\"); return 0; }", "--timeout-per-run", "500ms", "--max-time", "5s")
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)
        self.assertNotIn("clean", run.stdout)

    def test_memory_hunger(self):
        run = self.check("#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) { char *p = malloc(1 << 20); if (!p) return 0; memset(p, 1, 1 << 20); } }",
                         "--max-memory", "64M", "--max-time", "20s")
        self.assertIn(run.returncode, (0, 1), run.stdout + run.stderr)

    def test_garbage_written_over_its_own_memory(self):
        for where in ("0x200000000000", "0x210000000000", "0x218000000000", "0x220000000000", "0x310000000000", "&garbage"):
            with self.subTest(where):
                run = self.check("""
                    #include <string.h>
                    static char garbage[16];
                    int main(void) { memset((char *)%s, 0x5a, 1 << 16); (void)garbage; return 0; }""" % where, "--max-time", "10s")
                self.assertIn(run.returncode, (0, 1, 2))

    def test_a_process_that_kills_itself(self):
        for signal in ("SIGKILL", "SIGSTOP", "SIGTERM", "SIGINT"):
            with self.subTest(signal):
                self.check("#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getpid(), %s); return 0; }" % signal,
                           "--timeout-per-run", "500ms", "--max-time", "5s")

    def test_descriptors_closed_behind_our_back(self):
        self.check("#include <unistd.h>\nint main(void) { for (int i = 0; i < 1024; i++) close(i); return 0; }")

    def test_quick_exits(self):
        for how in ("_exit(0)", "_Exit(0)", "quick_exit(0)"):
            with self.subTest(how):
                self.clean(self.check("#include <stdlib.h>\n#include <unistd.h>\nint main(void) { %s; }" % how))

    def test_many_threads(self):
        self.clean(self.check("""
            static void *work(void *x) { return 0; }
            int main(void) {
              pthread_t t[100];
              for (int i = 0; i < 100; i++) pthread_create(&t[i], 0, work, 0);
              for (int i = 0; i < 100; i++) pthread_join(t[i], 0);
              return 0;
            }""", "--strategy", "random", "--max-executions", "20"))

    def test_more_threads_than_we_can_number(self):
        self.refused(self.check("""
            static void *work(void *x) { return 0; }
            int main(void) {
              pthread_t t[400];
              for (int i = 0; i < 400; i++) pthread_create(&t[i], 0, work, 0);
              for (int i = 0; i < 400; i++) pthread_join(t[i], 0);
              return 0;
            }""", "--strategy", "random", "--max-executions", "5"), "threads")

    def test_a_crash_before_main(self):
        run = self.check("#include <stdlib.h>\n__attribute__((constructor)) static void early(void) { abort(); }\nint main(void) { return 0; }")
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)

    def test_threads_started_before_main(self):
        run = self.check("""
            static void *work(void *x) { return 0; }
            static pthread_t early;
            __attribute__((constructor)) static void start(void) { pthread_create(&early, 0, work, 0); }
            int main(void) { pthread_join(early, 0); return 0; }""")
        self.refused(run, "before main")

    def test_setjmp_and_longjmp(self):
        self.clean(self.check("#include <setjmp.h>\nint main(void) { static jmp_buf b; if (setjmp(b)) return 0; longjmp(b, 1); }"))

    def test_alloca_and_deep_stacks(self):
        self.clean(self.check("""
            #include <string.h>
            static void *deep(void *x) { char big[4 << 20]; memset(big, 1, sizeof big); return (void *)(long)big[77]; }
            int main(void) { run_two(deep, deep); return 0; }"""))
