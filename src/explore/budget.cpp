// SPDX-License-Identifier: Apache-2.0
#include "explore/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "abi/shared_block.h"

namespace treadle {
namespace {

constexpr double moment = 0.05;                  // seconds that a batch may last
constexpr std::uint64_t batch_steps = 1u << 17;  // steps of all its executions together

}  // namespace

double Meter::since_start() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

std::optional<double> Meter::deadline() const { return budget_.seconds ? std::optional(*budget_.seconds + earlier_) : std::nullopt; }

std::optional<std::string> Meter::spent(std::uint64_t executions) const {
  if (budget_.executions && executions >= *budget_.executions)
    return fmt::format("the limit of {} execution{} is reached", *budget_.executions, *budget_.executions == 1 ? "" : "s");
  if (budget_.seconds && since_start() >= *budget_.seconds) return fmt::format("the time limit of {:g} s is reached", *budget_.seconds);
  return std::nullopt;
}

std::size_t Meter::batch(std::size_t at_once, const Spent& so_far) const {
  const auto& [executions, steps, out] = so_far;
  std::uint64_t size = at_once - std::min<std::uint64_t>(at_once, out);
  if (budget_.executions) size = std::min(size, *budget_.executions - std::min(executions + out, *budget_.executions));
  if (size == 0) return 0;
  if (executions < 8) return 1;  // nothing is known about it yet
  // A share of all that may be out, not of what is left of it: shares would shrink from worker to worker, and small batches cost time.
  size = std::min<std::uint64_t>({size, at_once / workers_ + (at_once % workers_ != 0), TREADLE_MAX_BATCH});
  size = std::min(size, batch_steps / std::max<std::uint64_t>(steps / executions, 1));
  size = std::min(size, static_cast<std::uint64_t>(moment * static_cast<double>(executions) / std::max(seconds(), 1e-6) / workers_));
  return std::max<std::uint64_t>(size, 1);
}

}  // namespace treadle
