// SPDX-License-Identifier: Apache-2.0
#include "explore/made_up_program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "abi/probe.h"

namespace treadle {
namespace {

struct State {
  std::vector<std::size_t> position;
  std::map<unsigned, std::uint64_t> memory;
  std::map<unsigned, std::size_t> owner;
};

class Execution {
 public:
  Execution(const MadeUpProgram& program, const Schedule& schedule, bool choices, std::uint64_t chaos, Trace& out)
      : program_(program), schedule_(schedule), choices_(choices), chaos_(chaos), out_(out), random_(schedule.seed) {
    state_.position.resize(program.threads.size());
    out_.clear();
    out_.threads = {ThreadName{}};
    for (std::uint16_t i = 1; i < program.threads.size(); ++i) out_.threads.push_back({0, static_cast<std::uint16_t>(i - 1)});
    for (std::size_t i = 0; i < program.threads.size(); ++i) priority_.push_back(schedule.pct_depth + i);
    std::shuffle(priority_.begin(), priority_.end(), random_);
    std::uniform_int_distribution<std::uint32_t> anywhere(0, std::max(schedule.pct_length, 1u) - 1);
    for (std::uint32_t i = 1; i < schedule.pct_depth; ++i) change_points_.push_back(anywhere(random_));
  }

  void go() {
    for (;;) {
      const auto enabled = enabled_threads();
      if (enabled.empty()) {
        end(is_done() ? TREADLE_END_COMPLETED : TREADLE_END_DEADLOCK);
        return note_pending();
      }
      if (out_.choices.size() >= schedule_.max_steps) return end(TREADLE_END_STEP_LIMIT);
      const auto thread = choose(enabled);
      if (!thread) return;
      note_choice(*thread, enabled);
      if (!step(*thread)) return note_pending();
      current_ = *thread;
    }
  }

 private:
  bool is_done() const {
    for (std::size_t t = 0; t < program_.threads.size(); ++t)
      if (state_.position[t] < program_.threads[t].size()) return false;
    return true;
  }

  std::vector<std::size_t> enabled_threads() const {
    std::vector<std::size_t> enabled;
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (state_.position[t] == program_.threads[t].size()) continue;
      const Op& op = program_.threads[t][state_.position[t]];
      if (op.kind != Op::Lock || !state_.owner.contains(op.at)) enabled.push_back(t);
    }
    return enabled;
  }

  std::optional<std::size_t> choose(const std::vector<std::size_t>& enabled) {
    const std::size_t step = out_.choices.size();
    const auto is_enabled = [&](std::size_t t) { return std::ranges::find(enabled, t) != enabled.end(); };
    if (step < schedule_.prefix.size()) {
      const std::size_t wanted = index_of(schedule_.prefix[step].thread);
      if (is_enabled(wanted)) return wanted;
      end(TREADLE_END_DIVERGED);
      out_.end.detail = step;
      return std::nullopt;
    }
    switch (schedule_.policy) {
      case Policy::Random:
        return at_random(enabled);
      case Policy::Pct:
        return schedule_.pct_depth == TREADLE_PROBE_DEPTH ? at_random(enabled) : by_priority(enabled, step);
      case Policy::Continue:
      case Policy::Patient:  // whoever fails here does so at once
        return is_enabled(current_) ? current_ : enabled.front();
      case Policy::Stop:
        end(TREADLE_END_STOPPED);
        return std::nullopt;
    }
    return std::nullopt;
  }

  std::size_t at_random(const std::vector<std::size_t>& enabled) {
    return enabled[std::uniform_int_distribution<std::size_t>(0, enabled.size() - 1)(random_)];
  }

  std::size_t by_priority(const std::vector<std::size_t>& enabled, std::size_t step) {
    const auto highest = [&] { return *std::ranges::max_element(enabled, {}, [&](std::size_t t) { return priority_[t]; }); };
    for (std::size_t i = 0; i < change_points_.size(); ++i)
      if (change_points_[i] == step) priority_[highest()] = i;
    return highest();
  }

  void note_choice(std::size_t taken, const std::vector<std::size_t>& enabled) {
    const auto decision = [](std::size_t t) { return Decision{DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(t)}, 0}; };
    Choice choice{decision(taken), static_cast<std::uint32_t>(out_.alternatives.size()), 0};
    if (choices_) {
      choice.alternatives = static_cast<std::uint32_t>(enabled.size());
      out_.alternatives.push_back(decision(taken));
      for (const std::size_t t : enabled)
        if (t != taken) out_.alternatives.push_back(decision(t));
    }
    out_.choices.push_back(choice);
  }

  bool step(std::size_t t) {
    const Op& op = program_.threads[t][state_.position[t]++];
    switch (op.kind) {
      case Op::Write:
        state_.memory[op.at] = op.value;
        return note(TREADLE_EV_ATOMIC_WRITE, t, op, op.value);
      case Op::Read:
        return note(TREADLE_EV_ATOMIC_READ, t, op, state_.memory[op.at]);
      case Op::Lock:
        state_.owner[op.at] = t;
        return note(TREADLE_EV_LOCK, t, op, 1);
      case Op::Unlock:
        state_.owner.erase(op.at);
        return note(TREADLE_EV_UNLOCK, t, op, 0);
      case Op::Random:
        return note(TREADLE_EV_ATOMIC_READ, t, op, chaos_);
      case Op::Observe:
        note(TREADLE_EV_ATOMIC_READ, t, op, state_.memory[op.at]);
        out_.texts.push_back("x" + std::to_string(op.at));
        note(TREADLE_EV_OBSERVE, t, op, state_.memory[op.at]);
        out_.events.back().address = out_.texts.size() - 1;
        return true;
      case Op::Assume:
        note(TREADLE_EV_ATOMIC_READ, t, op, state_.memory[op.at]);
        if (state_.memory[op.at] == op.value) return true;
        end(TREADLE_END_ASSUMPTION_FAILED);
        return false;
      case Op::FailIf:
        note(TREADLE_EV_ATOMIC_READ, t, op, state_.memory[op.at]);
        if (state_.memory[op.at] != op.value) return true;
        end(TREADLE_END_ASSERTION);
        out_.end.thread = ThreadId{static_cast<std::uint8_t>(t)};
        out_.end.text = "it failed";
        out_.end.pc = 0x1000 + op.at;
        return false;
    }
    return true;
  }

  bool note(TreadleEventKind kind, std::size_t thread, const Op& op, std::uint64_t value) {
    Event event{};
    event.kind = static_cast<std::uint8_t>(kind);
    event.thread = static_cast<std::uint8_t>(thread);
    event.size = 8;
    event.order = 5;
    event.step = static_cast<std::uint32_t>(out_.choices.size() - 1);
    event.address = 0x2000 + 8 * op.at;
    event.value = value;
    event.pc = 0x1000 + op.at;
    out_.events.push_back(event);
    return true;
  }

  static TreadleEventKind kind_of(const Op& op) {
    switch (op.kind) {
      case Op::Write:
        return TREADLE_EV_ATOMIC_WRITE;
      case Op::Lock:
        return TREADLE_EV_LOCK;
      case Op::Unlock:
        return TREADLE_EV_UNLOCK;
      default:
        return TREADLE_EV_ATOMIC_READ;
    }
  }

  /// Where everybody stood when it ended.
  void note_pending() {
    const auto enabled = enabled_threads();
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (state_.position[t] == program_.threads[t].size()) continue;
      const Op& op = program_.threads[t][state_.position[t]];
      PendingOperation pending;
      pending.thread = ThreadId{static_cast<std::uint8_t>(t)};
      pending.enabled = std::ranges::find(enabled, t) != enabled.end();
      pending.state = pending.enabled ? TREADLE_THREAD_READY : TREADLE_THREAD_BLOCKED;
      pending.kind = kind_of(op);
      pending.size = 8;
      pending.address = 0x2000 + 8 * op.at;
      out_.pending.push_back(pending);
    }
  }

  void end(TreadleEnding how) { out_.end.ending = how; }

  const MadeUpProgram& program_;
  const Schedule& schedule_;
  bool choices_;
  std::uint64_t chaos_;
  Trace& out_;
  State state_;
  std::size_t current_ = 0;
  std::mt19937_64 random_;
  std::vector<std::size_t> priority_;
  std::vector<std::uint32_t> change_points_;
};

}  // namespace

MadeUpProgram independent_writers(unsigned n, unsigned steps) {
  MadeUpProgram program;
  for (unsigned t = 0; t < n; ++t) program.threads.emplace_back(steps, Op{Op::Write, t, 1});
  return program;
}

Result<Done> MadeUpRunner::run(const Schedule& schedule, const Recording& recording, Trace& out) {
  Execution(program_, schedule, recording.choices, runs++, out).go();
  return Done{};
}

Result<Done> MadeUpRunner::run_batch(const std::vector<Schedule>& schedules, const Recording& recording, std::vector<Trace>& out) {
  largest_batch = std::max(largest_batch, schedules.size());
  out.resize(schedules.size());
  for (std::size_t i = 0; i < schedules.size(); ++i)
    if (auto ran = run(schedules[i], recording, out[i]); !ran) return ran;
  return Done{};
}

}  // namespace treadle
