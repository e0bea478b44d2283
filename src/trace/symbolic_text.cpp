// SPDX-License-Identifier: Apache-2.0
#include "trace/symbolic_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "trace/definitions.h"
#include "trace/expression_text.h"
#include "trace/guarded_assignments.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

constexpr std::size_t kMostListed = 20;
constexpr std::size_t kPlaceColumn = 72;

bool is_range(const Event& event) { return event.kind == TREADLE_EV_RANGE_READ || event.kind == TREADLE_EV_RANGE_WRITE; }

class Printer {
 public:
  Printer(const Trace& trace, SymbolicForm form, const SymbolSource* symbols)
      : trace_(trace),
        single_(form == SymbolicForm::StaticSingleAssignment),
        symbols_(symbols),
        names_(trace, symbols),
        definitions_(trace),
        steps_(guarded_assignments(trace)),
        expressions_(trace, [this](const Expression& leaf) { return leaf_name(leaf); }) {
    for (const Expression& e : trace.expressions)
      if (e.op == TREADLE_OP_READ || e.op == TREADLE_OP_INPUT) is_symbol_[e.a] = true;
    for (const Note& note : trace.notes)
      if (note.kind == TREADLE_NOTE_WRITE) left_[note.event].push_back(&note);
    unsigned reads = 0, inputs = 0;
    for (const GuardedAssignment& step : steps_) {
      if (step.event == UINT64_MAX || step.reads_inline) continue;
      const auto kind = static_cast<EventKind>(trace.events[step.event].kind);
      if (kind == TREADLE_EV_INPUT) locals_[step.event] = "i" + std::to_string(++inputs);
      if (reads_memory(kind) && is_symbol_.contains(step.event)) locals_[step.event] = "r" + std::to_string(++reads);
    }
    // Plain writes say what they overwrite only where they are steps of their own.
    knows_overwritten_ = std::ranges::any_of(trace.events, [](const Event& e) { return e.kind == TREADLE_EV_WRITE && e.extra != 0; });
  }

  std::string text() {
    std::string lines = initially();
    for (std::size_t i = 0; i < steps_.size(); ++i) lines += line(i + 1, steps_[i]);
    if (const std::string deeper = expressions_.deeper_ones(); !deeper.empty()) lines += "where\n" + deeper;
    return lines;
  }

 private:
  std::string variable(std::uint64_t event) const { return names_.object_of(trace_.events[event], event); }

  std::string defined(std::uint64_t event) const {
    return single_ ? variable(event) + "_" + std::to_string(definitions_.number_of(event)) : variable(event);
  }

  /// The variable; in single assignment form a new name, whose π-function goes to the end of the line.
  std::string used(std::uint64_t event) {
    if (!single_) return variable(event);
    const auto [known, is_new] = pis_.try_emplace(event, "pi" + std::to_string(pis_.size() + 1));
    if (!is_new) return known->second;
    std::string list;
    const auto seen = definitions_.seen_by(event);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!list.empty()) list += ", ";
      if (i == kMostListed) {
        list += "... " + std::to_string(seen.size() - i) + " more";
        break;
      }
      list += seen[i] == Definitions::kInitial ? variable(event) + "_0" : defined(seen[i]);
    }
    where_ += (where_.empty() ? " where " : ", ") + known->second + " <- pi(" + list + ")";
    return known->second;
  }

  std::string leaf_name(const Expression& leaf) {
    const auto local = locals_.find(leaf.a);
    const std::string name = local != locals_.end() ? local->second : used(leaf.a);
    const Event& event = trace_.events[leaf.a];
    const unsigned bytes = leaf.bits / 8;
    if (leaf.part == 0 && (leaf.op == TREADLE_OP_INPUT || bytes == bytes_of(event))) return name;
    const std::string first = "[" + std::to_string(leaf.part);
    return name + (bytes == 1 ? first + "]" : first + ".." + std::to_string(leaf.part + bytes - 1) + "]");
  }

  std::string what_is_left(std::uint64_t number) {
    const Event& event = trace_.events[number];
    const auto notes = left_.find(number);
    if (!is_range(event)) {
      const std::string value =
          notes != left_.end() ? expressions_.of(notes->second.front()->expression) : value_text(value_written(event), event.size * 8u);
      return defined(number) + " := " + value;
    }
    if (notes == left_.end()) return defined(number) + " := ...";
    std::string list;
    for (std::size_t i = 0; i < notes->second.size(); ++i) {
      const Note& note = *notes->second[i];
      if (!list.empty()) list += ", ";
      if (i == kMostListed) return list + "...";
      list += defined(number) + "[" + std::to_string(note.part) + "] := " + expressions_.of(note.expression);
    }
    return list;
  }

  /// A read that no symbol stands for was used in a way that has no model.
  bool keeps_value(std::uint64_t number) const {
    const Event& event = trace_.events[number];
    return reads_memory(static_cast<EventKind>(event.kind)) && !is_symbol_.contains(number) && !is_range(event);
  }

  std::string guard_of(const GuardedAssignment& step) {
    if (step.guard != 0) return expressions_.of(step.guard);
    if (step.event == UINT64_MAX) return "true";
    const Event& event = trace_.events[step.event];
    if (change_of_semaphore(event) < 0) return used(step.event) + " > 0";
    if (keeps_value(step.event)) return used(step.event) + " == " + value_text(value_read(event), event.size * 8u);
    return "true";
  }

  std::string assignments_of(const GuardedAssignment& step) {
    if (step.event == UINT64_MAX) return "";
    const Event& event = trace_.events[step.event];
    const auto kind = static_cast<EventKind>(event.kind);
    if (const int change = change_of_semaphore(event); change != 0) {
      const std::string before = used(step.event);
      return defined(step.event) + " := " + before + (change < 0 ? " - 1" : " + 1");
    }
    std::string list;
    if (kind == TREADLE_EV_INPUT) return locals_.at(step.event) + " := input " + trace_.texts.at(event.address);
    if (const auto local = locals_.find(step.event); local != locals_.end() && reads_memory(kind))
      list = local->second + " := " + used(step.event);
    if (writes_memory(kind)) list += (list.empty() ? "" : ", ") + what_is_left(step.event);
    return list;
  }

  std::string action(const GuardedAssignment& step) {
    if (step.kind == GuardedAssignment::Kind::Assert) return "(assert(" + expressions_.of(step.guard) + "))";
    if (step.event != UINT64_MAX && step.guard == 0) {
      const Event& event = trace_.events[step.event];
      const auto kind = static_cast<EventKind>(event.kind);
      if (!reads_memory(kind) && !writes_memory(kind) && kind != TREADLE_EV_INPUT && change_of_semaphore(event) == 0) {
        const std::string object = variable(step.event);
        return std::string(text_of(kind)) + (object.empty() ? "" : " " + object);
      }
    }
    const std::string guard = guard_of(step), assignments = assignments_of(step);
    return "(assume(" + guard + "), {" + assignments + "})";
  }

  std::string line(std::size_t number, const GuardedAssignment& step) {
    where_.clear();
    std::string text = "t" + std::to_string(number) + ": <" + names_.thread(step.thread) + ", " + action(step) + ">" + where_;
    std::string comment = symbols_ == nullptr || step.pc == 0 ? "" : symbols_->place_of(step.pc);
    if (*step.remark != '\0') comment += (comment.empty() ? "" : ", ") + std::string(step.remark);
    if (!comment.empty()) {
      if (text.size() < kPlaceColumn) text.append(kPlaceColumn - text.size(), ' ');
      text += "  # " + comment;
    }
    return text + "\n";
  }

  /// As far as the first event that touches it tells.
  std::optional<std::string> first_value(std::uint64_t number) const {
    const Event& event = trace_.events[number];
    const auto kind = static_cast<EventKind>(event.kind);
    if (const int change = change_of_semaphore(event); change != 0) {
      const bool counts =
          kind == TREADLE_EV_SEM_WAIT || kind == TREADLE_EV_SEM_TRYWAIT || kind == TREADLE_EV_SEM_TIMEDWAIT || kind == TREADLE_EV_SEM_POST;
      return std::to_string(counts ? static_cast<std::int64_t>(event.value) - change : change < 0 ? 1 : 0);
    }
    if (is_range(event)) return std::nullopt;
    if (reads_memory(kind)) return value_text(value_read(event), event.size * 8u);
    if ((kind == TREADLE_EV_WRITE && knows_overwritten_) || (kind == TREADLE_EV_ATOMIC_WRITE && event.size <= 8))
      return value_text(event.extra, event.size * 8u);
    return std::nullopt;
  }

  std::string initially() {
    std::map<std::string, bool> seen;
    std::string list;
    for (const GuardedAssignment& step : steps_) {
      if (step.event == UINT64_MAX) continue;
      const Event& event = trace_.events[step.event];
      const auto kind = static_cast<EventKind>(event.kind);
      if (!reads_memory(kind) && !writes_memory(kind) && change_of_semaphore(event) == 0) continue;
      if (const std::string name = variable(step.event); !std::exchange(seen[name], true))
        list += (list.empty() ? "" : ", ") + name + (single_ ? "_0 := " : " := ") + first_value(step.event).value_or("?");
    }
    return list.empty() ? "" : "t0: <0, (assume(true), {" + list + "})>\n";
  }

  const Trace& trace_;
  bool single_;
  bool knows_overwritten_ = false;
  const SymbolSource* symbols_;
  Names names_;
  Definitions definitions_;
  std::vector<GuardedAssignment> steps_;
  ExpressionText expressions_;
  std::map<std::uint64_t, bool> is_symbol_;
  std::map<std::uint64_t, std::vector<const Note*>> left_;
  std::map<std::uint64_t, std::string> locals_;
  std::map<std::uint64_t, std::string> pis_;
  std::string where_;
};

}  // namespace

std::string symbolic_text(const Trace& trace, SymbolicForm form, const SymbolSource* symbols) {
  return Printer(trace, form, symbols).text();
}

}  // namespace treadle
