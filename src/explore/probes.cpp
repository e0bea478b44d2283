// SPDX-License-Identifier: Apache-2.0
#include "explore/probes.h"

#include <algorithm>

#include "explore/random.h"

namespace treadle {
namespace {

// A probe takes about twice the time of another execution, since it shares no prefix with the one before: three in a hundred of the time.
constexpr std::uint64_t first_after = 64, first_probes = 32, one_in = 64, at_once = 16;

}  // namespace

Size size_of_search(std::string_view strategy, bool bounded) {
  if (strategy == "optimal" || strategy == "dpor") return Size::Classes;
  return strategy == "exhaustive" && !bounded ? Size::Schedules : Size::Unknown;
}

Probes::Probes(Size of, Schedule base) : of_(of), base_(std::move(base)), seed_(base_.seed), weight_(base_) { base_.prefix.clear(); }

std::size_t Probes::due(std::uint64_t executions) const {
  const std::uint64_t made = executions - std::min(executions, begun_at_);
  if (of_ == Size::Unknown || made < first_after) return 0;
  const std::uint64_t wanted = first_probes + made / one_in;
  if (asked_ >= wanted || (wanted - asked_ < at_once && asked_ >= first_probes)) return 0;
  return std::min(wanted - asked_, at_once);
}

Schedule Probes::next() {
  make_probe(base_, nth_seed(seed_, asked_++));
  return base_;
}

void Probes::learn_from(Trace& trace) {
  if (trace.threads.size() > base_.threads.size()) base_.threads = trace.threads;
  mean_.add(of_ == Size::Classes ? weight_.of(trace) : schedules_behind(trace));
  without_favours(trace);
}

std::optional<Mean> Probes::size() const { return mean_.count < 2 ? std::nullopt : std::optional(mean_); }

}  // namespace treadle
