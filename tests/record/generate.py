# SPDX-License-Identifier: Apache-2.0
"""Random C++ programs with much control flow and little else: what each thread does depends on its seed alone."""
import random

PRELUDE = """#include <csetjmp>
#include <cstdlib>
#include <thread>
struct State { unsigned x; unsigned fuel; std::jmp_buf there; bool armed; };
static inline unsigned draw(State& s) { s.x = s.x * 1664525u + 1013904223u; return s.x >> 16; }
static bool spent(State& s) { if (s.fuel == 0) return true; --s.fuel; return false; }
static int up(const void* a, const void* b) { unsigned p = *(const unsigned*)a, q = *(const unsigned*)b; return p < q ? -1 : p > q; }
struct Guard { State& s; ~Guard() { if (draw(s) % 3 == 0) s.x ^= 5; else s.x += 3; } };
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = self.random.randint(3, 6)
        self.loops = 0

    def text(self):
        out = [PRELUDE]
        out += [f"{self.linkage(i)}unsigned f{i}(State& s);" for i in range(self.functions)]
        out.append("static unsigned (*const table[])(State&) = {" + ", ".join(f"f{i}" for i in range(self.functions) if i % 2) + "};")
        for i in range(self.functions):
            out.append(f"{self.linkage(i)}unsigned f{i}(State& s) {{\n  if (spent(s)) return 1;\n  unsigned r = draw(s);")
            out.append(self.block(i, 1, self.random.randint(2, 5), False))
            out.append("  return r;\n}")
        out.append(self.main())
        return "\n".join(out) + "\n"

    def linkage(self, i):
        return "static " if i % 3 == 0 else ""

    def main(self):
        return f"""static void run(unsigned seed) {{
  State s = {{seed, 400, {{}}, false}};
  while (s.fuel > 0) {{
    try {{ f{self.functions - 1}(s); }} catch (int) {{ s.x += 7; }} catch (unsigned) {{ s.x += 9; }}
    if (draw(s) % 50 == 0) break;
  }}
}}
int main() {{
  std::thread a(run, 1), b([] {{ std::thread c(run, 2); run(3); c.join(); }});
  run(4);
  a.join();
  b.join();
  return 0;
}}"""

    def block(self, i, depth, count, in_loop):
        return "\n".join("  " * depth + self.statement(i, depth, in_loop) for _ in range(count))

    def body(self, i, depth, in_loop):
        return "{\n" + self.block(i, depth + 1, self.random.randint(1, 3), in_loop) + "\n" + "  " * depth + "}"

    def condition(self):
        return self.random.choice(["draw(s) & 1", "draw(s) % 3 == 0", "r > 7 && draw(s) % 5", "(r & 2) || (draw(s) & 4)", "r % 2"])

    def statement(self, i, depth, in_loop):
        kinds = ["set", "set", "call", "pointer", "sort", "return", "throw", "select"]
        if depth < 4:
            kinds += ["if", "if", "else", "for", "for", "packed", "while", "do", "switch", "try", "guard", "jump"]
        if in_loop:
            kinds += ["break", "continue"]
        return getattr(self, "make_" + self.random.choice(kinds))(i, depth, in_loop)

    def make_set(self, i, depth, in_loop):
        return self.random.choice(["r += draw(s);", "r ^= r >> 3;", "s.x += r;", "r = r * 31 + 1;"])

    def make_call(self, i, depth, in_loop):
        return f"r += f{self.random.randrange(self.functions)}(s);"

    def make_pointer(self, i, depth, in_loop):
        return "r += table[draw(s) % (sizeof table / sizeof *table)](s);"

    def make_sort(self, i, depth, in_loop):
        return "{ unsigned a[3] = {r, draw(s), draw(s)}; std::qsort(a, 3, sizeof *a, up); r += a[1]; }"

    def make_return(self, i, depth, in_loop):
        return f"if ({self.condition()}) return r;"

    def make_throw(self, i, depth, in_loop):
        return "if (draw(s) % 11 == 0) throw " + self.random.choice(["1;", "2u;"])

    def make_select(self, i, depth, in_loop):
        return f"r += ({self.condition()}) ? r >> 1 : draw(s);"

    def make_if(self, i, depth, in_loop):
        return f"if ({self.condition()}) " + self.body(i, depth, in_loop)

    def make_else(self, i, depth, in_loop):
        return f"if ({self.condition()}) " + self.body(i, depth, in_loop) + " else " + self.body(i, depth, in_loop)

    def loop_variable(self):
        self.loops += 1
        return f"i{self.loops}"

    def make_for(self, i, depth, in_loop):
        v = self.loop_variable()
        if self.random.random() < 0.4:  # one way through it
            return f"for (unsigned {v} = 0; {v} < draw(s) % {self.random.choice([3, 9, 300])}; ++{v}) r += {v};"
        return f"for (unsigned {v} = 0; {v} < {self.random.randint(1, 5)}; ++{v}) " + self.body(i, depth, True)

    def make_packed(self, i, depth, in_loop):
        """Several ways through it and no call on them; few iterations, or many; how many the compiler may know."""
        v, n = self.loop_variable(), self.random.choice([3, 9, 70, 1000])
        count = f"draw(s) % {n}" if self.random.random() < 0.6 else str(self.random.choice([2, 8, 9, 20, 31, 40, 62, 70]))
        parts = ["if (r & 1) r = r * 3 + 1; else r >>= 1;", "if (r % 5 == 2) r ^= 9;", "if (r % 7 == 3) continue;", "if (r % 97 == 3) break;",
                 "if (r % 1009 == 5) return r;", "switch (r % 4) { case 0: r += 3; break; case 1: r ^= 2; case 2: ++r; }", "if (r > 7 && r % 3) r -= 5;"]
        inside = " ".join(self.random.sample(parts, self.random.randint(1, 3)))
        return f"for (unsigned {v} = 0, n{v} = {count}; {v} < n{v}; ++{v}) {{ {inside} r += {v}; }}"

    def make_while(self, i, depth, in_loop):
        return "while (draw(s) % 4 && !spent(s)) " + self.body(i, depth, True)

    def make_do(self, i, depth, in_loop):
        return "do " + self.body(i, depth, True) + " while (draw(s) % 3 == 0 && !spent(s));"

    def make_switch(self, i, depth, in_loop):
        cases = "".join(f" case {k}: r += {k};" + self.random.choice(["", " break;"]) for k in range(self.random.randint(2, 5)))
        return f"switch (draw(s) % 6) {{{cases} default: r ^= 1; }}"

    def make_try(self, i, depth, in_loop):
        return "try " + self.body(i, depth, in_loop) + " catch (" + self.random.choice(["int", "unsigned", "..."]) + ") { r += 5; }"

    def make_guard(self, i, depth, in_loop):
        return "{ Guard g{s}; r += f%d(s); }" % self.random.randrange(self.functions)

    def make_jump(self, i, depth, in_loop):
        """From a function without destructors into this one."""
        return "{ State t = s; t.armed = true; if (setjmp(t.there) == 0) { if (draw(t) & 1) std::longjmp(t.there, 1); r += 2; } else r += 3; }"

    def make_break(self, i, depth, in_loop):
        return f"if ({self.condition()}) break;"

    def make_continue(self, i, depth, in_loop):
        return f"if ({self.condition()}) continue;"
