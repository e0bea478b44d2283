// SPDX-License-Identifier: Apache-2.0
#include "subject/subject.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <tuple>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/mapped_file.h"
#include "subject/decode.h"
#include "subject/guest_process.h"
#include "subject/jobs.h"
#include "subject/loaded_objects.h"
#include "subject/shared_memory.h"
#include "subject/thread_table.h"

namespace treadle {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::uint32_t kThreadsAtFirst = 12;  // each takes a moment to prepare; who needs more is started again
constexpr auto kLongestPrelude = 30s;
constexpr auto kGraceAfterInterrupt = 2s;

std::uint32_t acquire(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

void wait_while(const std::uint32_t& word, std::uint32_t value, std::chrono::milliseconds limit) {
  const timespec timeout{limit.count() / 1000, (limit.count() % 1000) * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}

bool several_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

/// The guest names the process to interrupt, but its word alone is not enough to send signals about.
bool is_process_or_its_child(pid_t candidate, pid_t guest) {
  if (candidate == guest) return true;
  if (candidate <= 1) return false;
  std::ifstream stat("/proc/" + std::to_string(candidate) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  const std::size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return false;
  std::istringstream rest(text.substr(after_name + 1));
  char state = 0;
  pid_t parent = 0;
  return static_cast<bool>(rest >> state >> parent) && parent == guest;
}

/// A program is started for each worker, and for each of its tests: what has been read once is not read again while the file is the same.
std::optional<std::uint64_t> hash_of_file(const std::string& path, const struct stat& about) {
  using Identity = std::tuple<dev_t, ino_t, off_t, time_t, long>;
  static std::mutex guard;
  static std::map<Identity, std::uint64_t> known;
  const Identity identity{about.st_dev, about.st_ino, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
  const std::lock_guard lock(guard);
  if (const auto found = known.find(identity); found != known.end()) return found->second;
  const MappedFile file(path);
  if (!file.ok()) return std::nullopt;
  return known[identity] = hash_of(file.bytes());
}

}  // namespace

struct Subject::Parts {
  SubjectOptions options;
  SharedMemory memory;
  std::optional<GuestProcess> process;
  ThreadTable threads;
  Carrier carrier;
  std::string why_fork;
  std::uint32_t prepared_threads = kThreadsAtFirst;
  std::uint64_t starts = 0;
  std::uint64_t hash = 0;
  bool used_before = false;
  bool may_spin = several_cores();

  TreadleSharedBlock& block() { return memory.block(); }
  Result<Done> ensure_running();
  Result<Done> begin();
  Result<Done> wait_until_ready();
  void post(std::span<const Schedule> schedules, const Recording& recording, std::span<const Snapshots> snapshots);
  void wait_for_batch();
  Result<bool> settle(unsigned job, const Recording& recording, Trace& out);
  Trace trace_of_death();
  bool take_up_again(const SubjectOptions& wanted);
};

Result<Done> Subject::Parts::ensure_running() {
  if (process && !process->has_died()) return Done{};
  if (auto begun = begin(); !begun) return begun;
  return wait_until_ready();
}

Result<Done> Subject::Parts::begin() {
  memory.reset_header();
  block().carrier = static_cast<std::uint32_t>(carrier);
  block().prepared_threads = prepared_threads;
  auto started = GuestProcess::start({options.program, options.arguments, options.environment, memory.descriptor(), options.show_output,
                                      options.stdin_file, options.follow});
  if (!started) return started.problem();
  process.emplace(*std::move(started));
  ++starts;
  return Done{};
}

Result<Done> Subject::Parts::wait_until_ready() {
  const auto deadline = Clock::now() + kLongestPrelude;
  while (acquire(block().guest_state) == TREADLE_GUEST_STARTING && !process->has_died() && Clock::now() < deadline)
    wait_while(block().guest_state, TREADLE_GUEST_STARTING, 20ms);
  switch (acquire(block().guest_state)) {
    case TREADLE_GUEST_READY:
      return Done{};
    case TREADLE_GUEST_REFUSES: {
      const std::string sentence(block().message, strnlen(block().message, sizeof block().message));
      return Problem{options.program + ": " + sentence, ""};
    }
    default:
      break;
  }
  const bool died = process->has_died();
  process.reset();
  if (died)
    return Problem{options.program + " ends before main is called",
                   "run it by itself to see why; was it built with `treadle cc` or `treadle c++`?"};
  return Problem{options.program + " does not reach main within 30 seconds", "does a constructor of a global object wait for something?"};
}

void Subject::Parts::post(std::span<const Schedule> schedules, const Recording& recording, std::span<const Snapshots> snapshots) {
  JobWriter jobs(memory, threads, options);
  for (std::size_t i = 0; i < schedules.size(); ++i)
    if (!jobs.add(schedules[i], recording, snapshots.empty() ? Snapshots{} : snapshots[i])) break;
  jobs.finish();
  __atomic_store_n(&block().posted, block().posted + 1, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &block().posted, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Until the batch is finished, or the process is gone. A run that makes no end is interrupted, then killed.
void Subject::Parts::wait_for_batch() {
  const std::uint32_t posted = block().posted;
  // A batch that will take long is not worth waiting for awake: that takes processor time from somebody else.
  if (may_spin && block().job_count <= TREADLE_SHORT_BATCH)
    for (unsigned i = 0, most = 3000 / (1 + block().job_count / 4); i < most; ++i) {
      if (acquire(block().finished) == posted) return;
      __builtin_ia32_pause();
    }
  std::uint64_t watched = __atomic_load_n(&block().execution, __ATOMIC_ACQUIRE);
  auto since = Clock::now();
  bool interrupted = false;
  const auto limit = std::chrono::milliseconds(options.max_milliseconds);
  for (;;) {
    const std::uint32_t finished = acquire(block().finished);
    if (finished == posted || process->has_died()) return;
    wait_while(block().finished, finished, std::clamp(limit, 1ms, 20ms));
    const std::uint64_t now_running = __atomic_load_n(&block().execution, __ATOMIC_ACQUIRE);
    if (now_running != watched) {
      watched = now_running;
      since = Clock::now();
      interrupted = false;
      continue;
    }
    const auto waited = Clock::now() - since;
    if (waited > limit && !interrupted) {
      block().interrupt = watched;
      const auto guest = static_cast<pid_t>(block().guest_pid);
      if (is_process_or_its_child(guest, process->id())) ::kill(guest, SIGVTALRM);
      interrupted = true;
    } else if (waited > limit + kGraceAfterInterrupt) {
      process->kill();
      return;
    }
  }
}

/// The process is gone without a word; what we know is how it died.
Trace Subject::Parts::trace_of_death() {
  Trace trace;
  trace.threads = threads.names();
  const int status = process->status();
  trace.end.ending = TREADLE_END_HOST_SAW_DEATH;
  trace.end.detail = WIFSIGNALED(status) ? static_cast<unsigned>(WTERMSIG(status)) : 0;
  trace.end.text = WIFSIGNALED(status) ? std::string("killed by ") + ::strsignal(WTERMSIG(status))
                                       : "the process left with status " + std::to_string(WEXITSTATUS(status)) + " past our back";
  process.reset();
  return trace;
}

/// True: `out` is the outcome. False: the run must be repeated, in a process that is prepared for it.
Result<bool> Subject::Parts::settle(unsigned job, const Recording& recording, Trace& out) {
  if (job >= acquire(block().results_done)) {
    out = trace_of_death();
    return true;
  }
  if (!decode(memory, job, recording.choices, out)) {
    process->kill();
    out = trace_of_death();
    out.end.text = "the program has written over the checker's records";
    return true;
  }
  threads.learn(out.threads);
  switch (out.end.ending) {
    case TREADLE_END_UNSUPPORTED:
      return Problem{options.program + ": " + out.end.text, "docs/limits.md lists what is supported"};
    case TREADLE_END_NEEDS_FORK:
      if (!options.may_fall_back)
        return Problem{"the program " + out.end.text + ", which cannot be taken back in place",
                       "leave --carrier away, or use --carrier fork"};
      carrier = Carrier::Fork;
      why_fork = "the program " + out.end.text;
      process.reset();
      return false;
    case TREADLE_END_NEEDS_THREADS:
      prepared_threads = std::min<std::uint32_t>(
          TREADLE_MAX_THREADS, std::max<std::uint32_t>(prepared_threads * 2, static_cast<std::uint32_t>(out.end.detail) + 1));
      process.reset();
      return false;
    default:
      return true;
  }
}

/// With other arguments, as many and as long as the old ones: then all that the program has in memory is where it would be.
bool Subject::Parts::take_up_again(const SubjectOptions& wanted) {
  SubjectOptions like = options;
  like.arguments = wanted.arguments;
  if (like != wanted || starts != 1 || !process || process->has_died() || block().arguments_replaceable == 0) return false;
  const auto as_long = [](const std::string& a, const std::string& b) { return a.size() == b.size(); };
  if (!std::ranges::equal(options.arguments, wanted.arguments, as_long)) return false;
  std::string all;
  for (const std::string& argument : wanted.arguments) all.append(argument.c_str(), argument.size() + 1);
  if (all.size() > sizeof block().arguments) return false;
  std::memcpy(block().arguments, all.data(), all.size());
  block().argument_bytes = static_cast<std::uint32_t>(all.size());
  options = wanted;
  threads = {};
  return used_before = true;
}

Result<std::unique_ptr<Subject>> Subject::start(SubjectOptions options, std::unique_ptr<Subject> used) {
  if (options.program.find('/') == std::string::npos) options.program = "./" + options.program;
  if (used && used->parts_->take_up_again(options)) return used;
  used.reset();
  struct stat about;
  if (::stat(options.program.c_str(), &about) != 0)
    return Problem{"cannot find the program " + options.program, "give the path of a program, or of its sources"};
  auto memory = SharedMemory::create();
  if (!memory) return memory.problem();
  const Carrier carrier = options.carrier;
  auto parts = std::make_unique<Parts>(Parts{std::move(options), *std::move(memory), {}, {}, carrier, {}});
  if (auto begun = parts->begin(); !begun) return begun.problem();
  const auto hash = hash_of_file(parts->options.program, about);  // while it starts
  if (auto ready = parts->wait_until_ready(); !ready) return ready.problem();
  if (!hash) return Problem{"cannot read the program " + parts->options.program, ""};
  parts->hash = *hash;
  return std::unique_ptr<Subject>(new Subject(std::move(parts)));
}

Subject::Subject(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Subject::~Subject() = default;

Result<Done> Subject::run(const Schedule& schedule, const Recording& recording, Trace& out, const Snapshots& snapshots) {
  for (;;) {
    if (auto running = parts_->ensure_running(); !running) return running.problem();
    parts_->post(std::span(&schedule, 1), recording, std::span(&snapshots, 1));
    parts_->wait_for_batch();
    auto settled = parts_->settle(0, recording, out);
    if (!settled) return settled.problem();
    if (*settled) return Done{};
  }
}

Result<Done> Subject::run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out,
                                std::span<const Snapshots> snapshots) {
  check(snapshots.empty() || snapshots.size() == schedules.size(), "every schedule of a batch says what it does with snapshots, or none");
  out.resize(schedules.size());
  std::size_t done = 0;
  while (done < schedules.size()) {
    if (auto running = parts_->ensure_running(); !running) return running.problem();
    parts_->post(std::span(schedules).subspan(done), recording, snapshots.empty() ? snapshots : snapshots.subspan(done));
    parts_->wait_for_batch();
    const bool whole = parts_->process && !parts_->process->has_died();
    // Everything that has a result, and when the process is gone also the run that took it along.
    const unsigned results = std::min<unsigned>(acquire(parts_->block().results_done), static_cast<unsigned>(schedules.size() - done));
    const unsigned settled_now = whole ? results : std::min<unsigned>(results + 1, static_cast<unsigned>(schedules.size() - done));
    for (unsigned i = 0; i < settled_now; ++i) {
      auto settled = parts_->settle(i, recording, out[done]);
      if (!settled) return settled.problem();
      if (!*settled) break;
      ++done;
      if (!parts_->process) break;
    }
  }
  return Done{};
}

const std::vector<ThreadName>& Subject::threads() const { return parts_->threads.names(); }
void Subject::use_threads(std::vector<ThreadName> names) { parts_->threads = ThreadTable(std::move(names)); }
Carrier Subject::carrier() const { return parts_->carrier; }
const std::string& Subject::why_fork() const { return parts_->why_fork; }
std::uint64_t Subject::restarts() const { return parts_->starts - 1; }
bool Subject::was_used_before() const { return parts_->used_before; }
std::uint64_t Subject::binary_hash() const { return parts_->hash; }
std::vector<LoadedObject> Subject::loaded_objects() const {
  return parts_->process ? objects_of_process(parts_->process->id()) : std::vector<LoadedObject>{};
}

}  // namespace treadle
