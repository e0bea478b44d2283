// SPDX-License-Identifier: Apache-2.0
#include "trace/given_inputs.h"

#include <algorithm>
#include <array>

#include "trace/trace.h"

namespace treadle {
namespace {

/// The entry that begins with `key`, made where it belongs if there is none.
template <class Entry>
Entry& entry_of(std::vector<Entry>& all, std::string Entry::* key, std::string_view wanted) {
  auto at = std::ranges::lower_bound(all, wanted, std::less<>{}, [key](const Entry& entry) { return std::string_view(entry.*key); });
  if (at == all.end() || (*at).*key != wanted) {
    at = all.insert(at, Entry{});
    (*at).*key = wanted;
  }
  return *at;
}

}  // namespace

void GivenInputs::add(std::string_view thread, std::uint64_t value) {
  entry_of(threads, &OfThread::thread, thread).values.push_back(value);
}

bool GivenInputs::add_named(const std::string& name, std::uint64_t value) {
  const std::size_t before = names.size();
  OfName& entry = entry_of(names, &OfName::name, name);
  if (names.size() == before) return false;
  entry.value = value;
  return true;
}

GivenInputs given_in(const Trace& trace) {
  std::array<std::vector<std::uint64_t>, 256> by_number;
  for (const Event& event : trace.events)
    if (event.kind == TREADLE_EV_INPUT) by_number[event.thread].push_back(event.value);
  GivenInputs given;
  for (unsigned number = 0; number < by_number.size(); ++number) {
    if (by_number[number].empty()) continue;
    const std::string name = name_of(ThreadId{static_cast<std::uint8_t>(number)}, trace.threads);
    entry_of(given.threads, &GivenInputs::OfThread::thread, name).values = std::move(by_number[number]);
  }
  return given;
}

std::string text_of(const GivenInputs& inputs) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  for (const auto& [thread, values] : inputs.threads)
    for (std::size_t i = 0; i < values.size(); ++i)
      add((i > 0 || (thread == "0" && text.empty()) ? "" : thread + ":") + std::to_string(static_cast<std::int64_t>(values[i])));
  for (const auto& [name, value] : inputs.names) add(name + "=" + std::to_string(static_cast<std::int64_t>(value)));
  return text;
}

}  // namespace treadle
