// SPDX-License-Identifier: Apache-2.0
#include "record/pt_emulate.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "base/atomic_file.h"
#include "record/instruction_kind.h"
#include "record/pt_packets.h"

namespace treadle {
namespace {

constexpr std::size_t synchronise_every = 2048;  // bytes
constexpr double patience = 100;                 // times the limit of standing still, for programs that turn in circles
constexpr useconds_t look_again_after = 500;     // microseconds
constexpr useconds_t kernel_needs = 50;          // microseconds, for what does not block
constexpr std::uint64_t longest_sleep = 25'000;  // steps: for who sleeps while others turn in circles
constexpr std::uint32_t most_slices_alone = 5;

using Clock = std::chrono::steady_clock;

Problem lost(const char* what) { return {std::string("cannot trace the program: ") + what + ": " + std::strerror(errno), ""}; }

struct Layout {
  std::uint64_t entry = 0;
  std::vector<PtSideBand::Code> code;  // executable parts of the program, where they are in memory
};

/// Where the kernel has put the program itself.
std::uint64_t base_of(pid_t process, const std::string& program) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(program)) return std::strtoull(line.c_str(), nullptr, 16);
  return 0;
}

Result<Layout> layout_of(pid_t process, const std::string& program) {
  const auto file = read_file(program);
  if (!file) return file.problem();
  Elf64_Ehdr header;
  if (file->size() < sizeof header) return Problem{program + " is no program", ""};
  std::memcpy(&header, file->data(), sizeof header);
  const std::uint64_t base = header.e_type == ET_DYN ? base_of(process, program) : 0;
  if (header.e_type == ET_DYN && base == 0) return Problem{"cannot find out where " + program + " is loaded", ""};
  Layout layout;
  layout.entry = header.e_entry + base;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const std::size_t at = header.e_phoff + i * sizeof part;
    if (at + sizeof part > file->size()) return Problem{program + " is cut short", ""};
    std::memcpy(&part, file->data() + at, sizeof part);
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
      layout.code.push_back({program, part.p_offset, part.p_filesz, part.p_vaddr + base});
  }
  return layout;
}

/// On a busy machine a thread may wait for the processor for long: that is no standing still.
bool wants_to_run(pid_t process) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", error)) {
    std::ifstream file(task.path() / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_ends = line.rfind(')');
    if (name_ends != line.npos && name_ends + 2 < line.size() && line[name_ends + 2] == 'R') return true;
  }
  return false;
}

/// For how many nanoseconds a thread sleeps that stands before a system call; 0: it is another call.
std::uint64_t about_to_sleep(pid_t tid) {
  user_regs_struct registers;
  if (::ptrace(PTRACE_GETREGS, tid, 0, &registers) != 0) return 0;
  std::uint64_t asked = 0;
  if (registers.rax == SYS_nanosleep) asked = registers.rdi;
  if (registers.rax == SYS_clock_nanosleep && registers.rsi == 0) asked = registers.rdx;  // not until a time of day
  timespec time{};
  iovec here{&time, sizeof time}, there{reinterpret_cast<void*>(asked), sizeof time};
  if (asked == 0 || ::process_vm_readv(tid, &here, 1, &there, 1, 0) != sizeof time || time.tv_sec < 0 || time.tv_nsec < 0) return 0;
  constexpr std::uint64_t second = 1'000'000'000;
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(time.tv_sec), second) * second + static_cast<std::uint64_t>(time.tv_nsec);
}

struct Thread {
  pid_t tid = 0;
  std::uint64_t pc = 0;
  std::uint64_t wakes_at = 0;     // by the clock of the emulated processor
  std::uint64_t slept_since = 0;  // steps
  bool is_stopped = false;
  int signal = 0;  // to be delivered with its next step
};

struct Core {
  std::unique_ptr<PtWriter> writer = std::make_unique<PtWriter>();
  pid_t tid = 0;
  bool tracing = false;
};

class Emulator {
 public:
  Emulator(pid_t process, Layout layout, const PtEmulation& how)
      : process_(process), layout_(std::move(layout)), how_(how), cores_(how.cores) {
    side_band_.cores = how.cores;
    side_band_.code = layout_.code;
    for (Core& core : cores_) core.writer->synchronise(++time_, 0);
  }

  Result<PtTrace> run() {
    if (::ptrace(PTRACE_SETOPTIONS, process_, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0) return lost("options");
    if (auto started = run_to_entry(); !started) return started.problem();
    for (std::uint32_t next = 0; !ended_ && !hangs_; next = (next + 1) % how_.cores) {
      hangs_ = is_limited() && seconds_since(begin_) > patience * how_.hang_after_seconds;
      if (slices_ > most_slices_alone) look_who_is_back();
      if (ended_) break;
      Thread* thread = next_thread();
      if (thread == nullptr) {
        slices_ = 0;
        if (!wake_a_sleeper() && !wait_for_any()) break;
        continue;
      }
      ++slices_;
      run_slice(cores_[next], next, *thread);
    }
    PtTrace trace{std::move(side_band_), {}, status_, hangs_};
    for (Core& core : cores_) trace.packets.push_back(core.writer->take());
    return trace;
  }

 private:
  /// The dynamic loader's work is not traced: it is not the program's code.
  Result<Done> run_to_entry() {
    errno = 0;
    const long original = ::ptrace(PTRACE_PEEKTEXT, process_, layout_.entry, 0);
    if (errno != 0) return lost("its code");
    if (::ptrace(PTRACE_POKETEXT, process_, layout_.entry, (original & ~0xffl) | 0xcc) != 0) return lost("a breakpoint");
    int status = 0;
    if (::ptrace(PTRACE_CONT, process_, 0, 0) != 0 || ::waitpid(process_, &status, 0) != process_ || !WIFSTOPPED(status))
      return lost("its start");
    user_regs_struct registers;
    ::ptrace(PTRACE_POKETEXT, process_, layout_.entry, original);
    ::ptrace(PTRACE_GETREGS, process_, 0, &registers);
    registers.rip = layout_.entry;
    ::ptrace(PTRACE_SETREGS, process_, 0, &registers);
    threads_[process_] = {process_, layout_.entry, 0, 0, true, 0};
    queue_.push_back(process_);
    return Done{};
  }

  bool is_traced(std::uint64_t pc) const {
    return std::ranges::any_of(layout_.code, [&](const PtSideBand::Code& code) { return pc - code.address < code.size; });
  }

  bool sleeps(const Thread& thread) const { return thread.wakes_at > clock_ && steps_ - thread.slept_since < longest_sleep; }

  /// Whose turn it is; nullptr: nobody can go on.
  Thread* next_thread() {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const pid_t tid = queue_.front();
      queue_.pop_front();
      queue_.push_back(tid);
      if (Thread& thread = threads_[tid]; thread.is_stopped && !sleeps(thread)) return &thread;
    }
    return nullptr;
  }

  /// Nobody can go on but those that sleep: the time of the first one has come. What the kernel is about to do for others is waited for
  /// before. False: there is no such thread, or the kernel has not sent it back yet.
  bool wake_a_sleeper() {
    for (;; ::usleep(kernel_needs)) {
      Thread* first = nullptr;
      for (auto& [tid, thread] : threads_)
        if (sleeps(thread) && (first == nullptr || thread.wakes_at < first->wakes_at)) first = &thread;
      if (first == nullptr || !first->is_stopped) return false;
      const bool moves = wants_to_run(process_);
      bool is_heard = false;
      int status = 0;
      for (pid_t tid = 0; (tid = next_news(status, WNOHANG)) > 0; is_heard = true) take(tid, status);
      if (is_heard) return true;
      if (!moves) return clock_ = first->wakes_at, true;
    }
  }

  static double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }
  bool is_limited() const { return how_.hang_after_seconds > 0; }

  struct News {
    pid_t tid;
    int status;
  };

  /// What was heard of others while one was waited for comes first.
  pid_t next_news(int& status, int options) {
    if (held_.empty()) return ::waitpid(-1, &status, __WALL | options);
    const News news = held_.front();
    held_.pop_front();
    status = news.status;
    return news.tid;
  }

  /// A stop or the end of any thread. False when there are none left, or none moves for too long.
  bool wait_for_any() {
    auto since = Clock::now();
    for (;;) {
      int status = 0;
      const pid_t tid = next_news(status, is_limited() ? WNOHANG : 0);
      if (tid < 0) return errno == EINTR;
      if (tid > 0) return take(tid, status), true;
      if (wants_to_run(process_)) since = Clock::now();
      if (seconds_since(since) > how_.hang_after_seconds) return !(hangs_ = true);
      ::usleep(look_again_after);
    }
  }

  /// The step of one thread is over. When another one ends the process, the end of the first thread is told only after those of all others:
  /// so they are heard meanwhile, and those that only stopped are put aside. False: it cannot be waited for.
  bool wait_for(pid_t tid) {
    for (;;) {
      int status = 0;
      const pid_t got = ::waitpid(tid == process_ ? -1 : tid, &status, __WALL);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      if (got == tid) return take(tid, status), true;
      if (WIFSTOPPED(status))
        held_.push_back({got, status});
      else
        take(got, status);
    }
  }

  /// Who comes back from a system call waits until nobody else can move, which makes runs differ from each other; but not for ever.
  void look_who_is_back() {
    int status = 0;
    if (const pid_t tid = next_news(status, WNOHANG); tid > 0) take(tid, status);
    slices_ = 0;
  }

  /// Always the same slices would make always the same run.
  std::uint32_t draw_slice() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return 1 + static_cast<std::uint32_t>((random_ >> 32) % (2 * how_.slice));
  }

  void take(pid_t tid, int status) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (tid == process_) {
        status_ = status;
        ended_ = true;
      }
      threads_.erase(tid);
      std::erase(queue_, tid);
      std::erase_if(held_, [&](const News& news) { return news.tid == tid; });
      return;
    }
    if (!WIFSTOPPED(status)) return;
    if (!threads_.contains(tid)) queue_.push_back(tid);
    Thread& thread = threads_[tid];
    thread.tid = tid;
    thread.is_stopped = true;
    const int signal = WSTOPSIG(status);
    thread.signal = signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
    if (thread.signal != 0) thread.wakes_at = 0;
    user_regs_struct registers;
    if (::ptrace(PTRACE_GETREGS, tid, 0, &registers) == 0) thread.pc = registers.rip;
  }

  InstructionInfo look_at(pid_t tid, std::uint64_t pc) const {
    std::uint8_t bytes[16];
    iovec here{bytes, sizeof bytes}, there{reinterpret_cast<void*>(pc), sizeof bytes};
    const ssize_t size = ::process_vm_readv(tid, &here, 1, &there, 1, 0);
    return kind_of({bytes, size > 0 ? static_cast<std::size_t>(size) : 0});
  }

  void run_slice(Core& core, std::uint32_t number, Thread& first) {
    const pid_t tid = first.tid;
    if (core.tid != tid) side_band_.switches.push_back({number, static_cast<std::uint32_t>(tid), ++time_});
    core.tid = tid;
    const std::uint32_t slice = draw_slice();
    for (std::uint32_t i = 0; i < slice && !ended_; ++i) {
      const auto found = threads_.find(tid);
      if (found == threads_.end() || !found->second.is_stopped) break;
      step(core, found->second);
    }
    // The kernel takes the core away: tracing of user code stops in front of the next instruction.
    if (const auto found = threads_.find(tid); core.tracing && found != threads_.end()) core.writer->end_anywhere(found->second.pc);
    core.tracing = false;
  }

  void step(Core& core, Thread& thread) {
    const pid_t tid = thread.tid;
    const std::uint64_t pc = thread.pc;
    const bool traced = is_traced(pc);
    ++time_;
    if (traced && !core.tracing) core.writer->begin(time_, pc);
    core.tracing = traced;
    if (traced && core.writer->unsynchronised() > synchronise_every) core.writer->synchronise(time_, pc);
    const InstructionInfo info = look_at(tid, pc);
    thread.is_stopped = false;
    ++steps_;
    ++clock_;
    if (info.kind == InstructionKind::SystemCall) {
      thread.wakes_at = clock_ + about_to_sleep(tid);
      thread.slept_since = steps_;
    }
    if (::ptrace(PTRACE_SINGLESTEP, tid, 0, std::exchange(thread.signal, 0)) != 0) return void(take_gone(core));
    if (info.kind == InstructionKind::SystemCall) {
      // It may block: the others go on.
      if (traced) core.writer->end_at_branch(0);
      core.tracing = false;
      return;
    }
    if (!wait_for(tid)) return void(take_gone(core));
    const auto now = threads_.find(tid);
    if (!traced || now == threads_.end()) return void(core.tracing = false);
    if (now->second.signal != 0) return;  // it has not been done, or a handler comes next
    follow(core, info, pc, now->second.pc);
  }

  void take_gone(Core& core) { core.tracing = false; }

  void follow(Core& core, const InstructionInfo& info, std::uint64_t pc, std::uint64_t next) {
    if (info.kind == InstructionKind::Conditional) return core.writer->branch(next != pc + info.size);
    const bool stays = is_traced(next);
    if (info.kind == InstructionKind::Indirect && stays) return core.writer->jump(next);
    if (stays) return;
    core.writer->end_at_branch(next);
    core.tracing = false;
  }

  const pid_t process_;
  const Layout layout_;
  const PtEmulation how_;
  std::vector<Core> cores_;
  PtSideBand side_band_;
  std::map<pid_t, Thread> threads_;
  std::deque<pid_t> queue_;
  std::deque<News> held_;     // in the order in which it was heard
  std::uint32_t slices_ = 0;  // since somebody came back
  std::uint64_t time_ = 0;
  // A step takes a nanosecond, about as long as on a real processor, though we need a hundred thousand times as long for it: so delays are
  // as long for the program as they would be there, and what it does meanwhile does not depend on what else this machine has to do.
  std::uint64_t steps_ = 0, clock_ = 0;
  std::uint64_t random_ = how_.seed * 0x9e3779b97f4a7c15ull | 1;
  const Clock::time_point begin_ = Clock::now();
  bool ended_ = false, hangs_ = false;
  int status_ = 0;
};

}  // namespace

Result<PtTrace> emulate_pt(pid_t process, const std::string& program, const PtEmulation& how) {
  auto layout = layout_of(process, program);
  if (!layout) return layout.problem();
  return Emulator(process, std::move(*layout), how).run();
}

}  // namespace treadle
