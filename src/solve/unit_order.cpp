// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <unordered_map>

#include "solve/unit_parts.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

constexpr std::size_t most_buffered = 64;  // as in runtime/store_buffer.h

bool is_release(const Event& event) { return event.kind == TREADLE_EV_ATOMIC_WRITE && ((event.order & 7) == 3 || (event.order & 7) == 4); }

class Orderer {
 public:
  Orderer(const Trace& trace, MemoryModel model, Units& units) : trace_(trace), model_(model), units_(units) {}

  void order() {
    number_queues();
    for (UnitId u = 0; u < units_.all.size(); ++u) {
      Unit& unit = units_.all[u];
      if (unit.is_flush) continue;
      if (unit.before != nothing) {
        unit.must.push_back(unit.before);
      } else if (const auto made = created_by_.find(index_of(unit.thread)); made != created_by_.end()) {
        unit.must.push_back(made->second);
        past_[index_of(unit.thread)] = past_at_creation_[index_of(unit.thread)];
      }
      ++past_of(unit.thread)[index_of(unit.thread)];
      for (const std::uint32_t event : unit.syncs) order_sync(u, trace_.events[event]);
      for (const std::uint32_t event : unit.syncs) order_lifetime(u, trace_.events[event]);
      look_at_blocks(u);
      if (model_ != MemoryModel::Sc) order_buffer(u);
    }
  }

 private:
  void order_sync(UnitId u, const Event& event) {
    switch (static_cast<EventKind>(event.kind)) {
      case TREADLE_EV_THREAD_CREATE:
        created_by_[static_cast<unsigned>(event.value)] = u;
        past_at_creation_[static_cast<unsigned>(event.value)] = past_of(units_.all[u].thread);
        return;
      case TREADLE_EV_THREAD_EXIT:
        exited_in_[event.thread] = u;
        return;
      case TREADLE_EV_THREAD_JOIN:
        if (const auto exit = exited_in_.find(static_cast<unsigned>(event.value)); exit != exited_in_.end() && event.extra == 0) {
          units_.all[u].must.push_back(exit->second);
          Past& past = past_of(units_.all[u].thread);
          for (const auto& [thread, units] : past_[static_cast<unsigned>(event.value)]) past[thread] = std::max(past[thread], units);
        } else if (event.extra == 0) {
          tell_unmodelled(units_, u, "a join with a thread that has not ended by itself");
        }
        return;
      default:
        return;
    }
  }

  /// An object is used after it was made, and destroyed after it was used: what comes of anything else is misuse, and no matter of values.
  /// Where threads have only agreed on that among themselves, by a lock or a counter, it may come otherwise: that is for those who look at
  /// orders.
  void order_lifetime(UnitId u, const Event& event) {
    switch (static_cast<EventKind>(event.kind)) {
      case TREADLE_EV_MUTEX_INIT:
      case TREADLE_EV_RWLOCK_INIT:
      case TREADLE_EV_COND_INIT:
      case TREADLE_EV_BARRIER_INIT:
      case TREADLE_EV_SEM_INIT:
      case TREADLE_EV_SPIN_INIT:
      case TREADLE_EV_MUTEX_DESTROY:
      case TREADLE_EV_RWLOCK_DESTROY:
      case TREADLE_EV_COND_DESTROY:
      case TREADLE_EV_BARRIER_DESTROY:
      case TREADLE_EV_SEM_DESTROY:
      case TREADLE_EV_SPIN_DESTROY: {
        Object& object = objects_[event.address];
        for (const User& user : object.users)
          if (user.unit != u) units_.all[u].must.push_back(user.unit);
        if (destroys(event) && !comes_after_all(u, object.users))
          tell_unmodelled(units_, u, "an object that is destroyed while others may still use it");
        object = {u, {}};
        return;
      }
      default:
        break;
    }
    const auto uses = [&](std::uint64_t address) {
      if (address == 0) return;
      Object& object = objects_[address];
      if (object.changed != nothing && object.changed != u) units_.all[u].must.push_back(object.changed);
      if (!units_.all[u].left_out) object.users.push_back({u, past_of(units_.all[u].thread)[index_of(units_.all[u].thread)]});
    };
    if (event.kind >= TREADLE_EV_MUTEX_INIT && event.kind <= TREADLE_EV_ONCE_END) uses(event.address);
    if (event.kind == TREADLE_EV_COND_WAIT) uses(event.value);
  }

  /// A store buffer is told from the others of its thread by its number: PSO counts the locations in the order of their first stores.
  void number_queues() {
    std::map<std::pair<unsigned, std::pair<std::uint64_t, unsigned>>, std::uint16_t> numbers;
    std::unordered_map<unsigned, std::uint16_t> next;
    for (Unit& unit : units_.all) {
      if (unit.is_flush || unit.partner == nothing) continue;
      const Event& store = trace_.events[unit.event];
      std::uint16_t number = 0;
      if (model_ == MemoryModel::Pso) {
        const auto [entry, is_new] = numbers.try_emplace({index_of(unit.thread), {store.address, store.size}}, std::uint16_t{0});
        if (is_new) entry->second = next[index_of(unit.thread)]++;
        number = entry->second;
      }
      Unit& flush = units_.all[unit.partner];
      if (flush.decisions.empty()) flush.decisions.push_back({DecisionKind::Flush, unit.thread, number});
    }
  }

  void order_buffer(UnitId u) {
    Unit& unit = units_.all[u];
    const bool stores = unit.partner != nothing;
    if (!unit.drains && !stores) return;
    // The own stores that may be on their way, the newest first, each with the number of release fences behind it.
    struct Underway {
      UnitId flush;
      std::uint32_t fences;
    };
    std::vector<Underway> under_way;
    std::uint32_t fences = 0;
    for (UnitId v = unit.before; v != nothing; v = units_.all[v].before) {
      const Unit& earlier = units_.all[v];
      if (earlier.partner != nothing) under_way.push_back({earlier.partner, fences});
      if (earlier.kind == TREADLE_EV_FENCE && (trace_.events[earlier.event].order & 7) >= 3) ++fences;
      if (earlier.drains) break;
    }
    if (unit.drains) {
      for (const Underway& one : under_way) unit.must.push_back(one.flush);
      return;
    }
    if (model_ == MemoryModel::Tso && under_way.size() >= most_buffered) unit.must.push_back(under_way[most_buffered - 1].flush);
    if (model_ == MemoryModel::Pso && under_way.size() >= most_buffered)
      tell_unmodelled(units_, u, "more stores under way than a store buffer holds");
    const Event& store = trace_.events[unit.event];
    std::vector<UnitId>& must = units_.all[unit.partner].must;
    must.push_back(u);
    for (const Underway& one : under_way) {
      const Event& older = trace_.events[units_.all[units_.all[one.flush].partner].event];
      if (model_ == MemoryModel::Tso || is_release(store) || one.fences > 0 || overlap(older, store)) must.push_back(one.flush);
      if (model_ == MemoryModel::Tso) break;  // the older ones are in front of that one
    }
  }

  /// Who uses a block that somebody frees without having to come later, by creating or joining, may find it freed in another order.
  void look_at_blocks(UnitId u) {
    for (; next_event_ < trace_.events.size(); ++next_event_) {
      const UnitId unit = units_.unit_of[next_event_];
      if (unit != nothing && unit > u) return;
      if (unit != u || units_.all[u].left_out) continue;
      const Event& event = trace_.events[next_event_];
      const std::uint32_t nth = past_of(units_.all[u].thread)[index_of(units_.all[u].thread)];
      if (event.kind == TREADLE_EV_ALLOC) blocks_[event.address] = {event.value, {}};
      if (event.kind == TREADLE_EV_FREE) {
        const auto block = blocks_.find(event.address);
        if (block == blocks_.end()) continue;
        units_.frees_what_others_use |= !comes_after_all(u, block->second.users);
        blocks_.erase(block);
      } else if (touches_memory(event)) {
        auto block = blocks_.upper_bound(event.address);
        if (block == blocks_.begin() || event.address - (--block)->first >= block->second.bytes) continue;
        std::vector<User>& users = block->second.users;
        const auto known =
            std::ranges::find_if(users, [&](const User& user) { return units_.all[user.unit].thread == units_.all[u].thread; });
        if (known == users.end())
          users.push_back({u, nth});
        else
          *known = {u, nth};
      }
    }
  }

  static bool touches_memory(const Event& event) {
    const auto kind = static_cast<EventKind>(event.kind);
    return kind == TREADLE_EV_RANGE_READ || kind == TREADLE_EV_RANGE_WRITE || reads_memory(kind) || writes_memory(kind);
  }

  struct User {
    UnitId unit;
    std::uint32_t nth;  // of its thread
  };

  struct Object {
    UnitId changed = nothing;  // made or destroyed
    std::vector<User> users;
  };

  struct Block {
    std::uint64_t bytes = 0;
    std::vector<User> users;  // the last use by each thread
  };

  using Past = std::unordered_map<unsigned, std::uint32_t>;  // by thread: so many of its units

  static bool destroys(const Event& event) {
    switch (static_cast<EventKind>(event.kind)) {
      case TREADLE_EV_MUTEX_DESTROY:
      case TREADLE_EV_RWLOCK_DESTROY:
      case TREADLE_EV_COND_DESTROY:
      case TREADLE_EV_BARRIER_DESTROY:
      case TREADLE_EV_SEM_DESTROY:
      case TREADLE_EV_SPIN_DESTROY:
        return true;
      default:
        return false;
    }
  }

  Past& past_of(ThreadId thread) { return past_[index_of(thread)]; }

  /// Because its thread does, or has created or joined who does, whatever values there are.
  bool comes_after_all(UnitId u, const std::vector<User>& users) {
    Past& past = past_of(units_.all[u].thread);
    return std::ranges::all_of(users, [&](const User& user) { return past[index_of(units_.all[user.unit].thread)] >= user.nth; });
  }

  const Trace& trace_;
  MemoryModel model_;
  Units& units_;
  std::unordered_map<std::uint64_t, Object> objects_;
  std::map<std::uint64_t, Block> blocks_;  // that are not freed, by address
  std::size_t next_event_ = 0;
  std::unordered_map<unsigned, UnitId> created_by_, exited_in_;
  std::unordered_map<unsigned, Past> past_, past_at_creation_;  // by program order, creating and joining only
};

}  // namespace

void order_units(const Trace& trace, MemoryModel model, Units& units) { Orderer(trace, model, units).order(); }

}  // namespace treadle
