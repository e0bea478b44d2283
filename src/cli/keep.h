// SPDX-License-Identifier: Apache-2.0
// `treadle check --keep DIR`: the executions of a search, kept as witnesses. `treadle replay DIR` runs all of them again.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "explore/runner.h"
#include "trace/witness.h"

namespace treadle {

/// The result of the search, in the folder.
inline constexpr const char* kept_result = "result.json";

/// A folder for the executions of all workers, each kept once, as its decisions and the values of its inputs.
class KeptExecutions {
 public:
  /// `of` says which program they are of.
  static Result<std::unique_ptr<KeptExecutions>> in(const std::string& folder, Witness of);

  /// Executions whose assumptions do not hold are none, and one that was given up ends nowhere.
  void keep(const Schedule& schedule, const Trace& trace);

  /// The name of the file in which it is kept; empty: it is not.
  static std::string file_of(const Schedule& schedule, const Trace& trace);

  /// What could not be written.
  std::optional<Problem> problem() const;

 private:
  KeptExecutions(std::string folder, Witness of) : folder_(std::move(folder)), of_(std::move(of)) {}
  std::string folder_;
  Witness of_;
  mutable std::mutex mutex_;
  std::set<std::uint64_t> kept_;  // by the schedule's hash
  std::optional<Problem> problem_;
};

/// Batches are what a search explores; single runs look again at what was found.
class KeepingRunner final : public Runner {
 public:
  KeepingRunner(Runner& inner, KeptExecutions& kept) : inner_(inner), kept_(kept) {}
  Result<Done> run(const Schedule& schedule, const Recording& recording, Trace& out) override {
    return inner_.run(schedule, recording, out);
  }
  Result<Done> run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) override;

 private:
  Runner& inner_;
  KeptExecutions& kept_;
};

}  // namespace treadle
