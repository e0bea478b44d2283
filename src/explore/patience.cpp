// SPDX-License-Identifier: Apache-2.0
#include "explore/patience.h"

#include <algorithm>
#include <array>
#include <span>

#include "explore/learned_program.h"
#include "explore/run_order.h"
#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

bool makes_a_step(const Decision& d, ThreadId thread) { return d.thread == thread && d.kind != DecisionKind::Flush; }

/// What its thread had announced.
PendingOperation announced(const Event& event) {
  PendingOperation pending;
  pending.thread = ThreadId{event.thread};
  pending.kind = static_cast<EventKind>(event.kind == TREADLE_EV_CAS_FAIL ? TREADLE_EV_CAS_OK : event.kind);
  pending.pc = event.pc;
  pending.address = event.address;
  pending.size = event.kind == TREADLE_EV_THREAD_JOIN ? 0 : event.size;
  pending.extra = event.kind == TREADLE_EV_THREAD_JOIN ? event.value + 1 : event.extra;
  return pending;
}

/// What the thread waited to do when the first `made` decisions were made; none: that cannot be told.
std::optional<PendingOperation> pending_then(const Trace& trace, const PendingOperation& at_the_end, std::size_t made) {
  const auto is_own = [&](const Choice& choice) { return makes_a_step(choice.taken, at_the_end.thread); };
  const auto next = std::find_if(trace.choices.begin() + static_cast<std::ptrdiff_t>(made), trace.choices.end(), is_own);
  PendingOperation pending = at_the_end;
  if (next != trace.choices.end()) {
    const auto step = static_cast<std::uint32_t>(next - trace.choices.begin());
    const auto event = std::ranges::find_if(trace.events, [&](const Event& e) {
      return e.step == step && ThreadId{e.thread} == at_the_end.thread && !is_trouble(static_cast<EventKind>(e.kind));
    });
    if (event == trace.events.end() || next->taken.kind != DecisionKind::Step) return std::nullopt;
    pending = announced(*event);
  } else if (pending.state == TREADLE_THREAD_FINISHED) {
    return pending;
  }
  if (pending.kind == TREADLE_EV_FAIL || pending.kind == TREADLE_EV_SPIN || pending.kind == TREADLE_EV_NONE) return std::nullopt;
  const Choice& then = trace.choices[made];
  if (then.alternatives == 0) return std::nullopt;
  const auto all = std::span(trace.alternatives).subspan(then.first_alternative, then.alternatives);
  pending.enabled = std::ranges::any_of(all, [&](const Decision& d) { return d.thread == pending.thread && d.kind == DecisionKind::Step; });
  pending.state = pending.enabled ? TREADLE_THREAD_READY : TREADLE_THREAD_BLOCKED;
  return pending;
}

bool is_about_descriptors(EventKind kind) {
  return kind == TREADLE_EV_FD_READ || kind == TREADLE_EV_FD_WRITE || kind == TREADLE_EV_FD_POLL || kind == TREADLE_EV_FD_CLOSE;
}

PendingOperation of_who_failed(ThreadId thread) {
  PendingOperation own;
  own.thread = thread;
  own.state = TREADLE_THREAD_READY;
  own.enabled = true;
  return own;
}

/// An execution in which somebody failed last, cut out of one in which he let the others go first.
class FailedLast {
 public:
  FailedLast(const Trace& trace, Races races, MemoryModel model)
      : trace_(trace), races_(races), model_(model), order_(trace, races, model) {}

  std::optional<Trace> cut_out() {
    const auto last = last_step();
    if (!last || order_.decisions(*last) > 1) return std::nullopt;
    last_ = *last;
    leave_out();
    if (left_out_[last_] || has_stores_under_way()) return std::nullopt;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t t = 0; t < order_.size(); ++t)
      if (!left_out_[t] && t != last_) kept.push_back(t);
    kept.push_back(last_);
    Trace out = order_.reordered(trace_, kept);
    out.pending.clear();
    for (const PendingOperation& at_the_end : trace_.pending) {
      if (!was_created(at_the_end.thread)) continue;
      const auto pending = at_the_end.thread == failed() ? of_who_failed(failed()) : pending_then(at_the_end);
      if (!pending) return std::nullopt;
      out.pending.push_back(*pending);
    }
    tell_alternatives(out);
    return out;
  }

 private:
  ThreadId failed() const { return trace_.end.thread; }
  bool is_own(std::uint32_t t) const { return order_.process(t) == Process{index_of(failed())}; }

  /// Of the thread that failed, before it failed, which was a step of its own.
  std::optional<std::uint32_t> last_step() const {
    const std::uint32_t all = order_.size();
    if (all == 0 || order_.with_decision(static_cast<std::uint32_t>(trace_.choices.size() - 1)) != all - 1 || !is_own(all - 1))
      return std::nullopt;
    for (std::uint32_t t = all - 1; t-- > 0;)
      if (is_own(t)) return t;
    return std::nullopt;
  }

  /// What came after that step, with which others failed later, and what needed that.
  void leave_out() {
    std::vector<char> these(order_.size(), 0);
    these.back() = 1;
    for (const PendingOperation& pending : trace_.pending)
      if (pending.kind == TREADLE_EV_FAIL && pending.thread != failed())
        for (std::uint32_t t = order_.size(); t-- > 0;)
          if (order_.process(t) == Process{index_of(pending.thread)}) {
            these[t] = 1;
            break;
          }
    these[last_] = 1;
    left_out_ = order_.comes_after(these);
    these[last_] = 0;
    left_out_[last_] = order_.comes_after(these)[last_];
    first_left_out_.fill(nothing);
    for (std::uint32_t t = 0; t < order_.size(); ++t) {
      std::uint32_t& first = first_left_out_[index_of(thread_of(order_.process(t)))];
      if (left_out_[t] && !is_flush(order_.process(t)) && first == nothing) first = t;
    }
  }

  /// Which of them could reach memory then would have to be told.
  bool has_stores_under_way() const {
    if (model_ == MemoryModel::Sc) return false;
    std::array<int, 256> under_way{};
    for (std::uint32_t t = 0; t < order_.size(); ++t) {
      if (left_out_[t]) continue;
      for (const Event& e : order_.events(trace_, t)) {
        if (is_buffered(e) && writes_memory(static_cast<EventKind>(e.kind))) ++under_way[e.thread];
        if (e.kind == TREADLE_EV_FLUSH) --under_way[e.thread];
      }
    }
    return std::ranges::any_of(under_way, [](int stores) { return stores != 0; });
  }

  bool was_created(ThreadId thread) const {
    if (thread == ThreadId{}) return true;
    for (std::uint32_t t = 0; t < order_.size(); ++t)
      for (const Event& e : order_.events(trace_, t))
        if (e.kind == TREADLE_EV_THREAD_CREATE && e.value == index_of(thread)) return !left_out_[t];
    return false;
  }

  bool has_ended(std::uint64_t thread) const {
    for (std::uint32_t t = 0; t < order_.size(); ++t)
      for (const Event& e : order_.events(trace_, t))
        if (e.kind == TREADLE_EV_THREAD_EXIT && e.thread == thread) return !left_out_[t];
    return false;
  }

  /// Would who waits for this not have waited then?
  bool may_have_changed(const PendingOperation& pending) const {
    const auto lets_it_go_on = [&](const Event& e) {
      if (e.kind == TREADLE_EV_THREAD_EXIT) return pending.kind == TREADLE_EV_THREAD_JOIN && e.thread + 1u == pending.extra;
      if (disturbs(e) || e.kind == TREADLE_EV_THREAD_DETACH) return true;
      return (e.address == pending.address && e.address != 0) || is_about_descriptors(static_cast<EventKind>(e.kind));
    };
    for (std::uint32_t t = 0; t < order_.size(); ++t)
      if (left_out_[t] || t == last_)
        if (std::ranges::any_of(order_.events(trace_, t), [&](const Event& e) { return e.kind != TREADLE_EV_FAIL && lets_it_go_on(e); }))
          return true;
    return false;
  }

  /// None: it cannot be told whether it could have been done.
  std::optional<PendingOperation> pending_then(const PendingOperation& at_the_end) const {
    const std::uint32_t next = first_left_out_[index_of(at_the_end.thread)];
    if (next == nothing) {
      const bool is_known = at_the_end.state == TREADLE_THREAD_FINISHED || never_waits(at_the_end.kind);
      const bool says_nothing = at_the_end.kind == TREADLE_EV_SPIN || at_the_end.kind == TREADLE_EV_NONE;
      if (!is_known && (says_nothing || may_have_changed(at_the_end))) return std::nullopt;
      return at_the_end;
    }
    const auto events = order_.events(trace_, next);
    const auto event = std::ranges::find_if(events, [&](const Event& e) {
      return ThreadId{e.thread} == at_the_end.thread && is_visible(static_cast<EventKind>(e.kind), races_);
    });
    if (event == events.end()) return std::nullopt;
    const auto kind = static_cast<EventKind>(event->kind);
    const bool joins = kind == TREADLE_EV_THREAD_JOIN && event->size == 0;  // and has to wait for it
    if (!never_waits(kind) && !joins) return std::nullopt;
    PendingOperation pending = announced(*event);
    pending.enabled = !joins || has_ended(event->value);
    pending.state = pending.enabled ? TREADLE_THREAD_READY : TREADLE_THREAD_BLOCKED;
    return pending;
  }

  void tell_alternatives(Trace& out) const {
    Choice& choice = out.choices.back();
    std::vector<Decision> all;
    for (const Decision& d : std::span(out.alternatives).subspan(choice.first_alternative, choice.alternatives))
      if (makes_a_step(d, failed())) all.push_back(d);
    for (const PendingOperation& pending : out.pending)
      if (pending.thread != failed() && pending.enabled) all.push_back({DecisionKind::Step, pending.thread, 0});
    choice.first_alternative = static_cast<std::uint32_t>(out.alternatives.size());
    choice.alternatives = static_cast<std::uint32_t>(all.size());
    out.alternatives.insert(out.alternatives.end(), all.begin(), all.end());
  }

  static constexpr std::uint32_t nothing = UINT32_MAX;

  const Trace& trace_;
  Races races_;
  MemoryModel model_;
  RunOrder order_;
  std::uint32_t last_ = 0;
  std::vector<char> left_out_;
  std::array<std::uint32_t, 256> first_left_out_;
};

}  // namespace

bool lets_others_go_first(const Trace& trace) { return !trace.events.empty() && trace.events.back().kind == TREADLE_EV_FAIL; }

Trace until_it_failed(const Trace& trace) {
  std::size_t made = trace.choices.size() - 1;  // the last one is that it fails
  while (made > 0 && !makes_a_step(trace.choices[made - 1].taken, trace.end.thread)) --made;
  Trace shorter = trace;
  shorter.expressions.clear();
  shorter.notes.clear();
  shorter.pending.clear();
  shorter.choices.resize(made);
  std::erase_if(shorter.events, [&](const Event& e) { return e.step >= made; });
  return shorter;
}

std::optional<Trace> as_if_it_failed_at_once(const Trace& trace) {
  Trace shorter = until_it_failed(trace);
  const std::size_t made = shorter.choices.size();
  if (made == 0) return std::nullopt;
  std::array<bool, 256> exists{};
  exists[0] = true;
  for (const Event& e : shorter.events)
    if (e.kind == TREADLE_EV_THREAD_CREATE && e.value < exists.size()) exists[e.value] = true;
  for (const PendingOperation& at_the_end : trace.pending) {
    if (!exists[index_of(at_the_end.thread)]) continue;
    const bool failed = at_the_end.thread == trace.end.thread;
    const auto pending = failed ? of_who_failed(trace.end.thread) : pending_then(trace, at_the_end, made);
    if (!pending) return std::nullopt;
    shorter.pending.push_back(*pending);
  }
  return shorter;
}

std::optional<Trace> as_if_it_failed_last(const Trace& trace, Races races, MemoryModel model) {
  return FailedLast(trace, races, model).cut_out();
}

}  // namespace treadle
