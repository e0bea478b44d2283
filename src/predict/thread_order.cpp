// SPDX-License-Identifier: Apache-2.0
#include "predict/thread_order.h"

#include <algorithm>

namespace treadle {

ThreadOrder::ThreadOrder(const Trace& trace) {
  places_.reserve(trace.events.size());
  for (const Event& event : trace.events) {
    if (event.kind == TREADLE_EV_THREAD_JOIN && event.extra == 0) tell(event.value, event.thread);
    Thread& self = thread(event.thread);
    places_.push_back({event.thread, self.events++, self.clock});
    if (event.kind == TREADLE_EV_THREAD_CREATE) tell(event.thread, event.value);
  }
}

ThreadOrder::Thread& ThreadOrder::thread(std::size_t number) {
  if (number >= threads_.size()) threads_.resize(number + 1);
  return threads_[number];
}

void ThreadOrder::tell(std::size_t from, std::size_t to) {
  if (from == to || from > UINT8_MAX || to > UINT8_MAX) return;
  const Thread teller = thread(from);
  Clock merged = clocks_[thread(to).clock];
  const Clock& news = clocks_[teller.clock];
  merged.resize(std::max({merged.size(), news.size(), from + 1}));
  for (std::size_t i = 0; i < news.size(); ++i) merged[i] = std::max(merged[i], news[i]);
  merged[from] = std::max(merged[from], teller.events);
  thread(to).clock = static_cast<std::uint32_t>(clocks_.size());
  clocks_.push_back(std::move(merged));
}

}  // namespace treadle
