// SPDX-License-Identifier: Apache-2.0
#include "cli/keep.h"

#include <fmt/format.h>

#include <filesystem>

#include "trace/files.h"

namespace treadle {
namespace {

constexpr std::size_t most_kept = 10'000;

/// By itself, well or badly.
bool ends_somewhere(const Trace& trace) { return trace.end.ending >= TREADLE_END_COMPLETED && trace.end.ending <= TREADLE_END_LIVELOCK; }

}  // namespace

Result<std::unique_ptr<KeptExecutions>> KeptExecutions::in(const std::string& folder, Witness of) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Problem{fmt::format("cannot make the folder {}: {}", folder, error.message()), ""};
  return std::unique_ptr<KeptExecutions>(new KeptExecutions(folder, std::move(of)));
}

std::string KeptExecutions::file_of(const Schedule& schedule, const Trace& trace) {
  return ends_somewhere(trace) ? fmt::format("{:016x}.witness", hash_of(exactly(schedule, trace))) : "";
}

void KeptExecutions::keep(const Schedule& schedule, const Trace& trace) {
  if (!ends_somewhere(trace)) return;
  Witness one = of_;
  one.schedule = exactly(schedule, trace);
  const std::uint64_t name = hash_of(one.schedule);
  const std::lock_guard lock(mutex_);
  if (problem_ || kept_.size() == most_kept || !kept_.insert(name).second) return;
  const std::string file = fmt::format("{:016x}.witness", name);
  if (auto written = write_witness((std::filesystem::path(folder_) / file).string(), one); !written) problem_ = written.problem();
}

std::optional<Problem> KeptExecutions::problem() const {
  const std::lock_guard lock(mutex_);
  if (problem_ || kept_.size() < most_kept) return problem_;
  return Problem{fmt::format("only the first {} executions are kept in {}", most_kept, folder_), ""};
}

Result<Done> KeepingRunner::run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) {
  auto ran = inner_.run_batch(schedules, recording, out);
  if (ran)
    for (std::size_t i = 0; i < schedules.size(); ++i) kept_.keep(schedules[i], out[i]);
  return ran;
}

}  // namespace treadle
