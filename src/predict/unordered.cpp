// SPDX-License-Identifier: Apache-2.0
#include "predict/unordered.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "trace/happens_before.h"
#include "trace/store_buffers.h"

namespace treadle {
namespace {

constexpr unsigned most_attempts = 1000;  // for one question

constexpr bool acquires(unsigned order) { return order == 1 || order == 2 || order >= 4; }
constexpr bool releases(unsigned order) { return order >= 3; }
unsigned order_of(const Event& event) { return event.order & 7u; }

bool is_atomic(const Event& event) {
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_ATOMIC_READ:
    case TREADLE_EV_ATOMIC_WRITE:
    case TREADLE_EV_RMW:
    case TREADLE_EV_CAS_OK:
    case TREADLE_EV_CAS_FAIL:
      return true;
    default:
      return false;
  }
}

bool orders_something(const Event& event) {
  return is_atomic(event) || event.kind == TREADLE_EV_FENCE || event.kind == TREADLE_EV_FREE ||
         (event.kind != TREADLE_EV_FLUSH && class_of(static_cast<EventKind>(event.kind)) == EventClass::SYNC);
}

enum class Kind : std::uint8_t { Mutex, RwLock, Readers, Spinlock, Semaphore, Barrier, Once, Exclusive };

}  // namespace

bool passes_unordered(const Trace& trace) {
  std::map<std::uint64_t, std::set<std::uint64_t>> mutexes;                // by condition variable: those that waits for it go with
  std::map<std::uint8_t, std::map<std::uint64_t, std::uint64_t>> holding;  // by thread and mutex
  std::set<std::uint8_t> exclusive;  // threads in an atomic section, which is made as one: what it releases before an access is no order
  for (const Event& e : trace.events)
    if (e.kind == TREADLE_EV_COND_WAIT) mutexes[e.address].insert(e.value);
  const auto holds_those_of = [&](const Event& signal) {
    return std::ranges::all_of(mutexes[signal.address], [&](std::uint64_t mutex) { return holding[signal.thread][mutex] > 0; });
  };
  return std::ranges::any_of(trace.events, [&](const Event& e) {
    const unsigned order = order_of(e);
    if (e.kind == TREADLE_EV_EXCLUSIVE_BEGIN || e.kind == TREADLE_EV_EXCLUSIVE_END) {
      e.kind == TREADLE_EV_EXCLUSIVE_BEGIN || e.value > 0 ? void(exclusive.insert(e.thread)) : void(exclusive.erase(e.thread));
      return false;
    }
    if (exclusive.contains(e.thread) && is_visible(static_cast<EventKind>(e.kind), Races::Stop)) return true;
    switch (static_cast<EventKind>(e.kind)) {
      case TREADLE_EV_ATOMIC_READ:
      case TREADLE_EV_CAS_FAIL:
        return !acquires(order);
      case TREADLE_EV_ATOMIC_WRITE:
        return !releases(order);
      case TREADLE_EV_RMW:
      case TREADLE_EV_CAS_OK:
        return !acquires(order) || !releases(order);
      case TREADLE_EV_LOCK:
      case TREADLE_EV_TRYLOCK:
      case TREADLE_EV_TIMEDLOCK:
        if (e.extra == 0) holding[e.thread][e.address] = e.value;
        return e.extra != 0;
      case TREADLE_EV_UNLOCK:
        holding[e.thread][e.address] = e.value;
        return false;
      case TREADLE_EV_COND_WAIT:
        holding[e.thread][e.value] = 0;
        return false;
      case TREADLE_EV_COND_SIGNAL:
      case TREADLE_EV_COND_BROADCAST:
        return !holds_those_of(e);
      case TREADLE_EV_TRYRDLOCK:
      case TREADLE_EV_TIMEDRDLOCK:
      case TREADLE_EV_TRYWRLOCK:
      case TREADLE_EV_TIMEDWRLOCK:
      case TREADLE_EV_SPIN_TRYLOCK:
      case TREADLE_EV_SEM_TRYWAIT:
      case TREADLE_EV_SEM_TIMEDWAIT:
        return e.extra != 0;
      case TREADLE_EV_SEM_GETVALUE:
      case TREADLE_EV_FUTEX_WAIT:
      case TREADLE_EV_FUTEX_WOKEN:
      case TREADLE_EV_FUTEX_WAKE:
        return true;
      default:
        return false;
    }
  });
}

/// Along one execution: what comes behind an access, and by which edges.
class Unordered::Walk {
 public:
  Walk(const Unordered& all, std::uint32_t one, std::uint32_t other) : all_(all), trace_(all.trace_), one_(one), other_(other) {}

  /// Is the other access behind the one? It is the last unit of the execution.
  bool leads_there(const std::vector<UnitId>& order) {
    for (const UnitId u : order) make(u);
    const unsigned thread = trace_.events[other_].thread;
    if (!last_[thread]) return false;
    edges_.push_back({{What::Known, *last_[thread]}, {What::Asked, other_}});
    return true;
  }

  const std::vector<Edge>& edges() const { return edges_; }

 private:
  const Units& units() const { return all_.model_.units(); }

  void make(UnitId u) {
    const Unit& unit = units().all[u];
    if (unit.is_flush) {
      flushed_.insert(u);
      for (const UnitWrite& write : unit.writes) newest_[write.cell] = write.event;
      return;
    }
    const bool is_asked = u == units().unit_of[other_], is_first = u == units().unit_of[one_];
    bool past = !is_first;
    for (const std::uint32_t number : all_.events_[u]) {
      if (is_asked && number >= other_) return;
      if (!past && number >= one_) past = true, last_[trace_.events[one_].thread] = one_;
      if (trace_.events[number].kind == TREADLE_EV_FREE)
        forget(trace_.events[number]);
      else
        take(number, trace_.events[number]);
    }
    if (!past) last_[trace_.events[one_].thread] = one_;
  }

  bool is_behind(const Event& event) const { return last_[event.thread].has_value(); }

  /// From now on its thread is known by this event.
  void stand_at(std::uint32_t number) {
    std::optional<std::uint32_t>& last = last_[trace_.events[number].thread];
    if (last && *last != number) edges_.push_back({{What::Known, *last}, {What::Known, number}});
    last = number;
  }

  void acquire(Kind kind, std::uint64_t address, std::uint32_t number, std::uint64_t round = 0) {
    const auto object = objects_.find({kind, address, round});
    if (object == objects_.end()) return;
    for (const std::uint32_t release : object->second)
      if (units().unit_of[release] != units().unit_of[number])
        edges_.push_back({{What::Known, release}, {What::Known, number}, Edge::Order});
    if (!object->second.empty()) stand_at(number);
  }

  /// Of a thread the first one says most.
  void release(Kind kind, std::uint64_t address, std::uint32_t number, std::uint64_t round = 0) {
    if (!is_behind(trace_.events[number])) return;
    stand_at(number);
    std::vector<std::uint32_t>& from = objects_[{kind, address, round}];
    const auto is_own = [&](std::uint32_t other) { return trace_.events[other].thread == trace_.events[number].thread; };
    if (std::ranges::none_of(from, is_own)) from.push_back(number);
  }

  void begin_anew(Kind kind, std::uint64_t address) {
    std::erase_if(objects_, [&](const auto& entry) { return std::get<0>(entry.first) == kind && std::get<1>(entry.first) == address; });
  }

  void forget(const Event& block) {
    const auto is_in_it = [&](std::uint64_t address) { return address - block.address < block.value; };
    std::erase_if(objects_, [&](const auto& entry) { return is_in_it(std::get<1>(entry.first)); });
    std::erase_if(newest_, [&](const auto& entry) { return is_in_it(units().cells[entry.first].start); });
  }

  void take(std::uint32_t number, const Event& event);
  void take_atomic(std::uint32_t number, const Event& event);
  void load(std::uint32_t number, const Event& event, bool stores);
  void fence(std::uint32_t number, const Event& event);

  const Unordered& all_;
  const Trace& trace_;
  std::uint32_t one_, other_;
  std::vector<Edge> edges_;
  std::array<std::optional<std::uint32_t>, 256> last_{};    // by thread that is behind the access: the event that stands for it
  std::array<std::optional<std::uint32_t>, 256> fenced_{};  // its last release fence
  std::array<std::vector<std::uint32_t>, 256> seen_{};      // its loads for an acquire fence
  std::map<std::tuple<Kind, std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> objects_;
  std::map<CellId, std::uint32_t> newest_;  // atomic store
  std::set<std::uint32_t> carry_;           // stores
  std::set<UnitId> flushed_;
};

/// As RaceWatch::take().
void Unordered::Walk::take(std::uint32_t number, const Event& event) {
  if (is_atomic(event)) return take_atomic(number, event);
  const bool succeeded = event.extra == 0;
  const std::uint64_t at = event.address;
  switch (static_cast<EventKind>(event.kind)) {
    case TREADLE_EV_FENCE:
      if (event.extra == 0) fence(number, event);
      return;
    case TREADLE_EV_THREAD_CREATE:
      if (!is_behind(event)) return;
      stand_at(number);
      last_[event.value & 0xff] = number;
      return;
    case TREADLE_EV_THREAD_JOIN:
      if (!succeeded || event.value >= last_.size() || !last_[event.value]) return;
      edges_.push_back({{What::Known, *last_[event.value]}, {What::Known, number}});
      return stand_at(number);

    case TREADLE_EV_MUTEX_INIT:
    case TREADLE_EV_MUTEX_DESTROY:
      return begin_anew(Kind::Mutex, at);
    case TREADLE_EV_LOCK:
    case TREADLE_EV_TRYLOCK:
    case TREADLE_EV_TIMEDLOCK:
      if (succeeded && event.value == 1) acquire(Kind::Mutex, at, number);
      return;
    case TREADLE_EV_UNLOCK:
      if (succeeded && event.value == 0) release(Kind::Mutex, at, number);
      return;
    case TREADLE_EV_COND_WAIT:
      return release(Kind::Mutex, event.value, number);

    case TREADLE_EV_RWLOCK_INIT:
    case TREADLE_EV_RWLOCK_DESTROY:
      begin_anew(Kind::RwLock, at);
      return begin_anew(Kind::Readers, at);
    case TREADLE_EV_RDLOCK:
    case TREADLE_EV_TRYRDLOCK:
    case TREADLE_EV_TIMEDRDLOCK:
      if (succeeded) acquire(Kind::RwLock, at, number);
      return;
    case TREADLE_EV_WRLOCK:
    case TREADLE_EV_TRYWRLOCK:
    case TREADLE_EV_TIMEDWRLOCK:
      if (!succeeded) return;
      acquire(Kind::RwLock, at, number);
      return acquire(Kind::Readers, at, number);
    case TREADLE_EV_RWUNLOCK:
      return release(event.extra == 1 ? Kind::RwLock : Kind::Readers, at, number);

    case TREADLE_EV_SPIN_INIT:
    case TREADLE_EV_SPIN_DESTROY:
      return begin_anew(Kind::Spinlock, at);
    case TREADLE_EV_SPIN_LOCK:
    case TREADLE_EV_SPIN_TRYLOCK:
      if (succeeded) acquire(Kind::Spinlock, at, number);
      return;
    case TREADLE_EV_SPIN_UNLOCK:
      return release(Kind::Spinlock, at, number);

    case TREADLE_EV_SEM_INIT:
    case TREADLE_EV_SEM_DESTROY:
      return begin_anew(Kind::Semaphore, at);
    case TREADLE_EV_SEM_WAIT:
    case TREADLE_EV_SEM_TRYWAIT:
    case TREADLE_EV_SEM_TIMEDWAIT:
      if (succeeded) acquire(Kind::Semaphore, at, number);
      return;
    case TREADLE_EV_SEM_POST:
      if (succeeded) release(Kind::Semaphore, at, number);
      return;

    case TREADLE_EV_BARRIER_INIT:
      return begin_anew(Kind::Barrier, at);
    case TREADLE_EV_BARRIER_ARRIVE:
      return release(Kind::Barrier, at, number, event.extra);
    case TREADLE_EV_BARRIER_LEAVE:
      return acquire(Kind::Barrier, at, number, event.extra);

    case TREADLE_EV_ONCE_BEGIN:
      return acquire(Kind::Once, at, number);
    case TREADLE_EV_ONCE_END:
      return release(Kind::Once, at, number);

    case TREADLE_EV_EXCLUSIVE_BEGIN:
      return acquire(Kind::Exclusive, at, number);
    case TREADLE_EV_EXCLUSIVE_END:
      return release(Kind::Exclusive, at, number);
    default:
      return;
  }
}

void Unordered::Walk::take_atomic(std::uint32_t number, const Event& event) {
  const bool stores = writes_memory(static_cast<EventKind>(event.kind));
  if (reads_memory(static_cast<EventKind>(event.kind))) load(number, event, stores);
  if (!stores) return;
  const std::optional<std::uint32_t> published = releases(order_of(event)) ? last_[event.thread] : fenced_[event.thread];
  if (published) {
    edges_.push_back({{What::Known, *published}, {What::Carried, number}});
    carry_.insert(number);
  }
  if (is_buffered(event)) return;
  for (const UnitWrite& write : units().all[units().unit_of[number]].writes)
    if (write.event == number) newest_[write.cell] = number;
}

void Unordered::Walk::load(std::uint32_t number, const Event& event, bool stores) {
  for (const UnitRead& read : units().all[units().unit_of[number]].reads) {
    if (read.event != number) continue;
    if (read.own_flush != nothing && !flushed_.contains(read.own_flush)) continue;  // not from memory
    const auto newest = newest_.find(read.cell);
    if (newest == newest_.end() || !carry_.contains(newest->second)) continue;
    const auto give_to = [&](What what) {
      edges_.push_back({{What::Carried, newest->second}, {what, number}, Edge::ReadsFrom, read.cell});
    };
    if (stores) {
      give_to(What::Carried);
      carry_.insert(number);
    }
    if (acquires(order_of(event))) {
      give_to(What::Known);
      stand_at(number);
    } else {
      give_to(What::Seen);
      seen_[event.thread].push_back(number);
    }
  }
}

void Unordered::Walk::fence(std::uint32_t number, const Event& event) {
  if (acquires(order_of(event)) && !seen_[event.thread].empty()) {
    for (const std::uint32_t load : seen_[event.thread]) edges_.push_back({{What::Seen, load}, {What::Known, number}});
    stand_at(number);
  }
  if (!releases(order_of(event)) || !is_behind(event)) return;
  stand_at(number);
  fenced_[event.thread] = number;
}

Unordered::Unordered(const Trace& trace, TraceModel& model)
    : trace_(trace), model_(model), events_(model.units().all.size()), plain_writes_(events_.size()) {
  const Units& units = model.units();
  for (std::uint32_t e = 0; e < trace.events.size(); ++e)
    if (units.unit_of[e] != nothing) {
      const auto kind = static_cast<EventKind>(trace.events[e].kind);
      if (orders_something(trace.events[e])) events_[units.unit_of[e]].push_back(e);
      if (kind == TREADLE_EV_WRITE || kind == TREADLE_EV_RANGE_WRITE) plain_writes_[units.unit_of[e]].push_back(e);
    }
  for (UnitId u = 0; u < units.all.size(); ++u)
    for (const UnitWrite& write : units.all[u].writes)
      if (is_atomic(trace.events[write.event]) && !model.happens(u).is_false()) writers_[write.cell].push_back(u);
}

UnitId Unordered::reaches_memory(std::uint32_t store) const {
  const UnitId unit = model_.units().unit_of[store];
  return is_buffered(trace_.events[store]) ? model_.units().all[unit].partner : unit;
}

Truth Unordered::at(Behind& behind, std::uint32_t one, Node node) {
  if (node == Node{What::Known, one}) return true;
  const auto known = behind.nodes.find(node);
  return known != behind.nodes.end() ? known->second : behind.nodes.emplace(node, model_.open()).first->second;
}

/// `writer` stored, then the other one did, and then the reader came.
Truth Unordered::between(UnitId writer, UnitId other, UnitId reader) {
  const auto known = between_.find({writer, other, reader});
  if (known != between_.end()) return known->second;
  const Truth between = model_.open();
  model_.clause({~between, model_.happens(other)});
  model_.clause({~between, model_.before(writer, other)});
  model_.clause({~between, model_.before(other, reader)});
  return between_.emplace(std::tuple(writer, other, reader), between).first->second;
}

/// The value in memory is that of this store, and the load takes it from there.
void Unordered::add_reads_from(const Edge& edge, std::vector<Truth>& unless) {
  const UnitId writer = reaches_memory(edge.from.event), reader = model_.units().unit_of[edge.to.event];
  unless.push_back(~model_.happens(writer));
  unless.push_back(~model_.before(writer, reader));
  for (const UnitRead& read : model_.units().all[reader].reads) {
    if (read.event != edge.to.event || read.cell != edge.cell || read.own_flush == nothing || read.own_flush == writer) continue;
    unless.push_back(~model_.happens(read.own_flush));
    unless.push_back(~model_.before(read.own_flush, reader));
  }
  for (const UnitId other : writers_[edge.cell]) {
    if (other == writer || other == reader || model_.must_precede(other, writer) || model_.must_precede(reader, other)) continue;
    unless.push_back(between(writer, other, reader));
  }
}

bool Unordered::say(Behind& behind, std::uint32_t one, const std::vector<Edge>& edges) {
  bool any = false;
  for (const Edge& edge : edges) {
    if (!behind.said.insert(edge).second) continue;
    any = true;
    std::vector<Truth> unless{~at(behind, one, edge.from), at(behind, one, edge.to)};
    const UnitId from = model_.units().unit_of[edge.from.event], to = model_.units().unit_of[edge.to.event];
    if (edge.takes != Edge::Nothing) unless.push_back(~model_.reached(to));
    if (edge.takes == Edge::Order) {
      unless.push_back(~model_.happens(from));
      unless.push_back(~model_.before(from, to));
    }
    if (edge.takes == Edge::ReadsFrom) add_reads_from(edge, unless);
    model_.clause(unless);
  }
  return any;
}

/// Units of other threads that write there between the two: theirs is the race that will be reported, and is asked about by itself.
std::vector<UnitId> Unordered::hiding(const std::vector<UnitId>& order, std::uint32_t one, std::uint32_t other) const {
  const auto hides = [&](UnitId u) {
    const ThreadId thread = model_.units().all[u].thread;
    if (index_of(thread) == trace_.events[one].thread || index_of(thread) == trace_.events[other].thread) return false;
    return std::ranges::any_of(plain_writes_[u], [&](std::uint32_t write) { return overlap(trace_.events[write], trace_.events[one]); });
  };
  std::vector<UnitId> found;
  auto at = std::ranges::find(order, model_.units().unit_of[one]);
  std::ranges::copy_if(at, order.end(), std::back_inserter(found), hides);
  return found;
}

Reply Unordered::ask(std::uint32_t one, std::uint32_t other) {
  const UnitId first = model_.units().unit_of[one], second = model_.units().unit_of[other];
  if (model_.happens(first).is_false() || model_.reached(second).is_false() || model_.must_precede(second, first)) return {};
  Behind& behind = behind_[one];
  std::vector<Truth> wanted{~at(behind, one, {What::Asked, other})};
  const Target ends[] = {{second, 0}};
  const UnitId also[] = {first};
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    Reply reply = model_.ask(wanted, ends, also, {}, TraceModel::Needs::Everything);
    if (reply.answer != Answer::Yes) return reply;
    Walk walk(*this, one, other);
    if (walk.leads_there(reply.units)) {
      if (!say(behind, one, walk.edges())) break;
      continue;
    }
    const std::vector<UnitId> between = hiding(reply.units, one, other);
    if (between.empty()) return reply;
    for (const UnitId unit : between) {
      wanted.push_back(model_.open());
      model_.clause({~wanted.back(), ~model_.happens(unit), model_.before(unit, first)});
    }
  }
  Reply unknown;
  unknown.answer = Answer::Unknown;
  return unknown;
}

}  // namespace treadle
