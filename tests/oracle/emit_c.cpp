// SPDX-License-Identifier: Apache-2.0
#include "emit_c.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "emit_bytes.h"
#include "emit_words.h"

namespace oracle {
namespace {

constexpr const char* kHead = R"(#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include "treadle/treadle.h"

)";

// The registers of a thread, 16 bits each.
constexpr const char* kUnpack = R"(#define UNPACK(result, r) ((int16_t)((uint64_t)(result) >> (16 * (r))))
)";

// When a timed operation gives up: whenever it has to wait, if the schedule says so.
constexpr const char* kSoon = "static const struct timespec soon = {1, 0};\n";
bool is_timed(const std::string& text) { return text.find("&soon") != std::string::npos; }

// What syscall(2) is declared in is hidden by what pthreads are declared in.
constexpr const char* kFutex = R"(#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
long syscall(long, ...);
#define FUTEX_SLEEP(word, expected, limit) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, limit, (void*)0, 0)
#define FUTEX_ROUSE(word, most) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, (void*)0, (void*)0, 0)
)";
bool has_futexes(const std::string& text) { return text.find("FUTEX_") != std::string::npos; }

// `told` is the next element of the running thread's path. The names are constants, which nothing is said about when they are read.
constexpr const char* kMark = "#define MARK(told) treadle_observe(marks[mark++], told)\n";

class Emitter {
 public:
  Emitter(const Program& program, std::string prefix, Emit how) : program_(program), prefix_(std::move(prefix)), how_(how) {}

  std::string run() {
    for (int t = int(program_.threads.size()) - 1; t > 0; --t) thread(t);  // those that create others come after these
    main_thread();
    std::string functions = std::exchange(text_, "");
    for (int o = 0; o < int(program_.onces.size()); ++o) initialiser(o);
    functions = std::exchange(text_, "") + functions;
    globals();  // known to be used only now
    return text_ + functions;
  }

 private:
  bool in_array(int v) const { return program_.array && !program_.variables[v].atomic; }
  std::string name(const char* kind, int i) const {
    return *kind == 'x' && in_array(i) ? prefix_ + "xs[" + num(i) + "]" : prefix_ + kind + num(i);
  }
  std::string at(const char* kind, int i) {
    used_.insert(name(kind, i));
    return "&" + name(kind, i);
  }
  void object(const char* type, const char* kind, int i, const char* initial) {
    if (used_.count(name(kind, i))) line("static " + (type + (" " + name(kind, i))) + initial + ";");
  }
  void line(const std::string& code) { text_.append(2 * indent_, ' ').append(code).append("\n"); }

  void globals() {
    if (program_.array) array();
    if (program_.bytes) {
      std::string initial;
      for (const Variable& variable : program_.variables) initial += (initial.empty() ? "" : ", ") + num(variable.initial);
      line("static _Alignas(8) bytes1 " + prefix_ + "x[8] = {" + initial + "};");
    }
    for (int v = 0; v < int(program_.variables.size()) && !program_.bytes; ++v) {
      const Variable& variable = program_.variables[v];
      if (in_array(v)) continue;
      line(std::string("static ") + (variable.atomic ? "atomic_int " : "int ") + name("x", v) +
           (variable.initial ? " = " + num(variable.initial) : "") + ";");
    }
    for (int m = 0; m < program_.mutexes; ++m) object("pthread_mutex_t", "m", m, " = PTHREAD_MUTEX_INITIALIZER");
    for (int c = 0; c < program_.condvars; ++c) object("pthread_cond_t", "c", c, " = PTHREAD_COND_INITIALIZER");
    for (int r = 0; r < program_.rwlocks; ++r) object("pthread_rwlock_t", "w", r, " = PTHREAD_RWLOCK_INITIALIZER");
    for (int i = 0; i < int(program_.semaphores.size()); ++i) object("sem_t", "s", i, "");
    for (int b = 0; b < int(program_.barriers.size()); ++b) object("pthread_barrier_t", "b", b, "");
    for (int o = 0; o < int(program_.onces.size()); ++o) object("pthread_once_t", "o", o, " = PTHREAD_ONCE_INIT");
    if (program_.threads.size() > 1) line("static void* " + prefix_ + "result[" + num(int(program_.threads.size())) + "];");
  }

  void array() {
    std::string initial, pointers;
    for (int v = 0; v < int(program_.variables.size()); ++v) {
      initial += (v ? ", " : "") + num(program_.variables[v].initial);
      pointers += (v ? ", &" : "&") + name("x", v);
    }
    line("static int " + prefix_ + "xs[] = {" + initial + "};");
    if (used_.count(prefix_ + "to")) line("static void* const " + prefix_ + "to[] = {" + pointers + "};");
  }

  /// Which one it was is told by values, not by branches: they would make the ways themselves.
  void element(const Element& s) {
    if (s.pointer) used_.insert(prefix_ + "to");
    const std::string at = (s.pointer ? prefix_ + "to[" : prefix_ + "xs[") + "k]", place = s.pointer ? "*(int*)" + at : at;
    line("{");
    ++indent_;
    line("const unsigned k = (unsigned)(" + text_of(s.index) + ") % " + num(s.count) + "u;");
    line(s.stores ? place + " = " + text_of(s.value) + ";" : "r" + num(s.reg) + " = " + place + ";");
    for (int v = 0; v + 1 < s.count; ++v) mark("k == " + num(v) + "u");
    --indent_;
    line("}");
  }

  void initialiser(int o) {
    if (!used_.count(name("o", o))) return;
    nested("static void " + name("init", o) + "(void)", program_.onces[o]);
    line("}");
  }

  void registers(int t) {
    std::string declaration;
    for (int r = 0; r < registers_of(program_.threads[t]); ++r) declaration += (r ? ", r" : "int r") + num(r) + " = 0";
    if (!declaration.empty()) line(declaration + ";");
  }

  void path(int t) {
    if (!marks()) return;
    std::string names;
    for (int n = 0; n < kMaxMarks; ++n) names += (n ? ", \"" : "\"") + mark_name(t, n) + "\"";
    line("static const char* const marks[] = {" + names + "};");
    line("int mark = 0;");
    line("(void)mark;");
  }

  // A thread's own handles: nobody else reads them.
  void handles(int t) {
    const auto creates = [](const Statement& statement) { return std::holds_alternative<Create>(statement.is); };
    const Block& body = program_.threads[t];
    if (std::any_of(body.begin(), body.end(), creates)) line("pthread_t t[" + num(int(program_.threads.size())) + "];");
  }

  void thread(int t) {
    thread_ = t;
    asserts_ = 0;
    line("static void* " + name("t", t) + "(void* unused) {");
    ++indent_;
    line("(void)unused;");
    path(t);
    handles(t);
    registers(t);
    block(program_.threads[t]);
    std::string result;
    for (int r = 0; r < registers_of(program_.threads[t]) && how_ == Emit::Observing; ++r)
      result += (r ? " | " : "") + ("(uint64_t)(uint16_t)r" + num(r)) + (r ? " << " + num(16 * r) : "");
    line(result.empty() ? "return 0;" : "return (void*)(" + result + ");");
    --indent_;
    line("}");
  }

  void main_thread() {
    thread_ = asserts_ = 0;
    line("static void " + prefix_ + "run(void) {");
    ++indent_;
    for (int s = 0; s < int(program_.semaphores.size()); ++s) line("sem_init(" + at("s", s) + ", 0, " + num(program_.semaphores[s]) + ");");
    for (int b = 0; b < int(program_.barriers.size()); ++b)
      line("pthread_barrier_init(" + at("b", b) + ", 0, " + num(program_.barriers[b]) + ");");
    path(0);
    handles(0);
    registers(0);
    block(program_.threads[0]);
    if (how_ == Emit::Observing) observe();
    if (marks()) call("treadle_observe", "\"end\", 1");
    // Nobody else is left: not a choice of any schedule.
    for (int s = 0; s < int(program_.semaphores.size()); ++s) call("sem_destroy", at("s", s));
    for (int b = 0; b < int(program_.barriers.size()); ++b) call("pthread_barrier_destroy", at("b", b));
    --indent_;
    line("}");
  }

  void observe() {
    for (int v = 0; v < int(program_.variables.size()); ++v) {
      const std::string value = program_.bytes ? prefix_ + "x[" + num(v) + "]" : name("x", v);
      const std::string load = program_.bytes ? "__atomic_load_n" : "atomic_load_explicit";
      line("treadle_observe(\"x" + num(v) + "\", " +
           (program_.variables[v].atomic ? load + "(&" + value + ", memory_order_relaxed)" : value) + ");");
    }
    for (int t = 0; t < int(program_.threads.size()); ++t)
      for (int r = 0; r < registers_of(program_.threads[t]); ++r)
        line("treadle_observe(\"t" + num(t) + "_r" + num(r) + "\", " +
             (t == 0 ? "r" + num(r) : "UNPACK(" + prefix_ + "result[" + num(t) + "], " + num(r) + ")") + ");");
  }

  void atomic(const char* function, int reg, int variable, const Value& value, Order order) {
    line("r" + num(reg) + " = " + function + "(" + at("x", variable) + ", " + text_of(value) + ", " + order_name(order) + ");");
  }
  void attempt(const std::string& function, const std::string& object, int reg, bool timed) {
    line("r" + num(reg) + " = " + function + "(" + object + (timed ? ", &soon" : "") + ") == 0;");
    mark("r" + num(reg));
  }
  void call(const std::string& function, const std::string& argument) { line(function + "(" + argument + ");"); }

  void assertion(const Assert& s) {
    const std::string label = prefix_ + assertion_label(thread_, asserts_++);
    call("assert", how_ == Emit::Observing ? text_of(s.holds) : "(" + text_of(s.holds) + ") && \"" + label + "\"");
  }

  void nested(const std::string& head, const Block& body, const char* told = "") {
    line(head + " {");
    ++indent_;
    if (*told != '\0') mark(told);
    block(body);
    --indent_;
  }

  bool marks() const { return how_ == Emit::Marking; }
  // A call stands in each arm, so that the branch stays one.
  void mark(const std::string& told) {
    if (marks()) line("MARK(" + told + ");");
  }

  void marked_loop(const Loop& s) {
    const std::string n = "n" + num(loops_++);
    line("for (int " + n + " = 0;; ++" + n + ") {");
    ++indent_;
    line("if (" + n + " == " + num(s.most) + (s.until.reg < 0 ? "" : " || " + text_of(s.until)) + ") {");
    line("  MARK(1);");
    line("  break;");
    line("}");
    mark("0");
    block(s.body);
    --indent_;
    line("}");
  }

  void block(const Block& statements) {
    for (const Statement& statement : statements) one(statement);
  }

  void one(const Statement& statement) {
    std::visit(
        Cases{
            [&](const Load& s) {
              if (s.size > 0) return line(bytes_load(s, prefix_));
              line("r" + num(s.reg) + " = " +
                   (s.order == Order::Plain ? name("x", s.variable)
                                            : "atomic_load_explicit(" + at("x", s.variable) + ", " + order_name(s.order) + ")") +
                   ";");
            },
            [&](const Store& s) {
              if (s.size > 0) return line(bytes_store(s, prefix_));
              if (s.order == Order::Plain)
                line(name("x", s.variable) + " = " + text_of(s.value) + ";");
              else
                line("atomic_store_explicit(" + at("x", s.variable) + ", " + text_of(s.value) + ", " + order_name(s.order) + ");");
            },
            [&](const Element& s) { element(s); },
            [&](const FetchAdd& s) { atomic("atomic_fetch_add_explicit", s.reg, s.variable, s.value, s.order); },
            [&](const Exchange& s) {
              if (s.size > 0) return line(bytes_exchange(s, prefix_));
              atomic("atomic_exchange_explicit", s.reg, s.variable, s.value, s.order);
            },
            [&](const CompareExchange& s) {
              if (s.size > 0) return line(bytes_compare_exchange(s, prefix_));
              // Either way `seen` ends up with the value that was found.
              const std::string call = "atomic_compare_exchange_strong_explicit(" + at("x", s.variable) + ", &seen, " + text_of(s.desired) +
                                       ", " + order_name(s.order) + ", " + order_name(failure_order(s.order)) + ")";
              line("{ int seen = " + text_of(s.expected) + "; " + (marks() ? "if (" + call + ") MARK(1); else MARK(0);" : call + ";") +
                   " r" + num(s.reg) + " = seen; }");
            },
            [&](const Fence& s) { call("atomic_thread_fence", order_name(s.order)); },
            [&](const Await& s) {
              line("while (atomic_load_explicit(" + at("x", s.variable) + ", " + order_name(s.order) + ") != " + num(s.value) + ") {}");
            },
            [&](const Lock& s) { call("pthread_mutex_lock", at("m", s.mutex)); },
            [&](const Unlock& s) { call("pthread_mutex_unlock", at("m", s.mutex)); },
            [&](const TryLock& s) {
              attempt(s.timed ? "pthread_mutex_timedlock" : "pthread_mutex_trylock", at("m", s.mutex), s.reg, s.timed);
            },
            [&](const Wait& s) {
              const std::string objects = at("c", s.condvar) + ", " + at("m", s.mutex);
              if (s.reg < 0) return call("pthread_cond_wait", objects);
              line("r" + num(s.reg) + " = pthread_cond_timedwait(" + objects + ", &soon) != 0;");
              mark("r" + num(s.reg));
            },
            [&](const Signal& s) { call("pthread_cond_signal", at("c", s.condvar)); },
            [&](const Broadcast& s) { call("pthread_cond_broadcast", at("c", s.condvar)); },
            [&](const SemWait& s) { call("sem_wait", at("s", s.semaphore)); },
            [&](const SemPost& s) { call("sem_post", at("s", s.semaphore)); },
            [&](const SemTry& s) { attempt(s.timed ? "sem_timedwait" : "sem_trywait", at("s", s.semaphore), s.reg, s.timed); },
            [&](const SemGetValue& s) {
              line("{ int count; sem_getvalue(" + at("s", s.semaphore) + ", &count); r" + num(s.reg) + " = count; }");
              mark("r" + num(s.reg));
            },
            [&](const RwLock& s) { call(s.writes ? "pthread_rwlock_wrlock" : "pthread_rwlock_rdlock", at("w", s.rwlock)); },
            [&](const RwTryLock& s) {
              attempt(std::string("pthread_rwlock_") + (s.timed ? "timed" : "try") + (s.writes ? "wrlock" : "rdlock"), at("w", s.rwlock),
                      s.reg, s.timed);
            },
            [&](const RwUnlock& s) { call("pthread_rwlock_unlock", at("w", s.rwlock)); },
            [&](const BarrierWait& s) { call("pthread_barrier_wait", at("b", s.barrier)); },
            [&](const Once& s) { call("pthread_once", at("o", s.once) + ", " + name("init", s.once)); },
            [&](const FutexWait& s) {
              const std::string limit = s.timed ? "&soon" : "(void*)0";
              line("r" + num(s.reg) + " = FUTEX_SLEEP(" + at("x", s.variable) + ", " + text_of(s.expected) + ", " + limit +
                   ") == 0 ? 0 : " + (s.timed ? "errno == ETIMEDOUT ? 2 : 1;" : "1;"));
              mark("r" + num(s.reg));
            },
            [&](const FutexWake& s) {
              const std::string made = "FUTEX_ROUSE(" + at("x", s.variable) + ", " + (s.all ? "INT_MAX" : "1") + ");";
              line(s.reg < 0 ? made : "r" + num(s.reg) + " = (int)" + made);
              if (s.reg >= 0) mark("r" + num(s.reg));
            },
            [&](const Create& s) { call("pthread_create", "&t[" + num(s.thread) + "], 0, " + name("t", s.thread) + ", 0"); },
            [&](const Join& s) { call("pthread_join", "t[" + num(s.thread) + "], &" + prefix_ + "result[" + num(s.thread) + "]"); },
            [&](const Input& s) {
              const InputRange range = program_.inputs[s.input];
              line("r" + num(s.reg) + " = treadle_input_range(\"i" + num(s.input) + "\", " + num(range.lowest) + ", " + num(range.highest) +
                   ");");
            },
            [&](const Assume& s) { call("treadle_assume", text_of(s.holds)); },
            [&](const Assert& s) {
              assertion(s);
              mark("1");
            },
            [&](const If& s) {
              nested("if (" + text_of(s.when) + ")", s.then, "1");
              if (!s.otherwise.empty() || marks()) nested("} else", s.otherwise, "0");
              line("}");
            },
            [&](const Loop& s) {
              if (marks()) return marked_loop(s);
              const std::string n = "n" + num(loops_++);
              nested("for (int " + n + " = 0; " + n + " < " + num(s.most) + (s.until.reg < 0 ? "" : " && !(" + text_of(s.until) + ")") +
                         "; ++" + n + ")",
                     s.body);
              line("}");
            },
            [&](const Spin& s) {
              nested("do", s.body);
              line("} while (!(" + text_of(s.until) + "));");
            },
        },
        statement.is);
  }

  const Program& program_;
  std::string prefix_;
  std::string text_;
  Emit how_;
  int indent_ = 0;
  int loops_ = 0;
  int thread_ = 0;              // being written
  int asserts_ = 0;             // of it, so far
  std::set<std::string> used_;  // mutexes and other objects
};

}  // namespace

std::string emit_c(const Program& program) {
  const std::string text = Emitter(program, "", Emit::Observing).run();
  return kHead + std::string(kUnpack) + (is_timed(text) ? kSoon : "") + (has_futexes(text) ? kFutex : "") + parts_for(text) + "\n" + text +
         "\nint main(void) {\n  run();\n  return 0;\n}\n";
}

std::string mark_name(int thread, int number) { return "t" + num(thread) + "_" + num(number); }

std::string assertion_label(int thread, int number) { return "t" + num(thread) + "a" + num(number); }

std::string emit_batch(std::span<const Program> programs, Emit how) {
  std::string text, cases;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const std::string prefix = "p" + std::to_string(k) + "_";
    text += "\n" + Emitter(programs[k], prefix, how).run();
    cases += "    case " + std::to_string(k) + ": " + prefix + "run(); break;\n";
  }
  return kHead +
         std::string(how == Emit::Observing ? kUnpack
                     : how == Emit::Marking ? kMark
                                            : "") +
         (is_timed(text) ? kSoon : "") + (has_futexes(text) ? kFutex : "") + parts_for(text) + text +
         "\nint main(int argc, char** argv) {\n  switch (argc == 2 ? atoi(argv[1]) : -1) {\n" + cases +
         "    default: return 2;\n  }\n  return 0;\n}\n";
}

}  // namespace oracle
