// SPDX-License-Identifier: Apache-2.0
#include "explore/known_runs.h"

#include <algorithm>

namespace treadle {
namespace {

bool begins_with(const Trace& trace, std::span<const Decision> prefix) {
  const auto same = [](const Choice& made, const Decision& wanted) {
    const bool any = wanted.kind == DecisionKind::Any && made.taken.thread == wanted.thread && made.taken.kind != DecisionKind::Flush;
    return any || made.taken == wanted;
  };
  return prefix.size() <= trace.choices.size() &&
         std::equal(prefix.begin(), prefix.end(), trace.choices.begin(),
                    [&](const Decision& wanted, const Choice& made) { return same(made, wanted); });
}

}  // namespace

void KnownRuns::keep(Trace trace, std::span<const Place* const> places, bool in_any_order, Told told) {
  const auto number = static_cast<std::uint32_t>(runs_.size());
  events_ += trace.events.size();
  runs_.push_back({std::move(trace), in_any_order, told == Told::Yes ? search_ : 0});
  told_ += told == Told::Yes;
  if (places.empty()) return not_followed_.push_back(number);
  for (const Place* place : places)
    for (; place != nullptr; place = place->before) {
      Numbers& numbers = came_by_[place];
      if (!numbers.empty() && numbers.back() == number) break;  // by way of another thread, whose child it is
      numbers.push_back(number);
    }
}

std::optional<Trace> KnownRuns::beginning_with(std::span<const Decision> prefix, std::span<const Place* const> places,
                                               const IsOfUse& is_of_use) {
  if (told_ == runs_.size()) return std::nullopt;
  const Numbers* fewest = nullptr;
  for (const Place* place : places) {
    if (place == nullptr) continue;
    const auto came_by = came_by_.find(place);
    static const Numbers nobody;
    const Numbers& numbers = came_by == came_by_.end() ? nobody : came_by->second;
    if (fewest == nullptr || numbers.size() < fewest->size()) fewest = &numbers;
  }
  for (const Numbers* numbers : {fewest, static_cast<const Numbers*>(&not_followed_)})
    for (std::size_t i = 0; numbers != nullptr && i < numbers->size(); ++i) {
      Run& run = runs_[(*numbers)[i]];
      if (run.told_in == search_) continue;
      if (auto trace = look_at(run, prefix); trace && is_of_use(*trace)) return trace;
    }
  return std::nullopt;
}

std::optional<Trace> KnownRuns::look_at(Run& run, std::span<const Decision> prefix) {
  if (begins_with(run.trace, prefix)) return run.trace;
  if (!run.in_any_order) return std::nullopt;
  if (run.order == nullptr) run.order = std::make_unique<RunOrder>(run.trace, races_, model_);
  const auto order = run.order->beginning_with(run.trace, prefix);
  if (!order) return std::nullopt;
  return run.order->reordered(run.trace, *order);
}

}  // namespace treadle
