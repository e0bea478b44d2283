// SPDX-License-Identifier: Apache-2.0
// What is asked at once, and executed at once: as many questions as there are jobs, and of their answers those that cannot be the same
// path. The others wait until it is known what the ones before them have become.
#include <algorithm>
#include <thread>

#include "abi/wish.h"
#include "base/deadline.h"
#include "explore/mpc.h"
#include "trace/marked_decisions.h"

namespace treadle {

/// Each execution has a model of its own.
void Mpc::ask_all(std::vector<Asked>& asked) {
  std::vector<Asked*> open;
  for (Asked& one : asked)
    if (!one.is_answered) open.push_back(&one);
  const auto ask = [this](Asked& one) {
    try {
      one.reply = one.inquiries.ask(*one.execution, [&] { return solve(*one.execution, one.what()); });
    } catch (const OutOfTime&) {
      one.reply.answer = Answer::Unknown;  // the search will notice
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < open.size(); ++i) others.emplace_back([&, i] { ask(*open[i]); });
  if (!open.empty()) ask(*open.front());
}

void Mpc::take_answer(Asked& asked) {
  inquiries_.add(asked.inquiries);
  Question& question = asked.what();
  if (asked.reply.answer == Answer::Unknown && question.seconds < options_.seconds_per_question) {
    question.seconds = std::min(question.seconds * 10, options_.seconds_per_question);
    return;
  }
  if (asked.reply.answer == Answer::Unknown) inquiries_.give_up();
  if (asked.reply.answer != Answer::Yes || has_values_enough(*asked.execution, question)) {
    question.done = true;
    return;
  }
  Out out{asked.execution->number(), asked.question, beginning_of(*asked.execution, question, asked.reply)};
  Item item{base_, 0};
  item.schedule.prefix = std::move(asked.reply.decisions);
  if (!asked.execution->goes_on(question)) let_others_go_first(*asked.execution, question, asked.reply, item.schedule.prefix);
  item.schedule.inputs = std::move(asked.reply.inputs);
  if (!may_be_out(out.beginning)) return send_out(std::move(out), std::move(item));
  question.waits = true;
  waiting_.push_back({std::move(out), std::move(item), static_cast<std::uint32_t>(executions_.size())});
}

bool Mpc::may_be_out(const Beginning& beginning) const {
  return std::ranges::any_of(out_, [&](const auto& other) { return !part(beginning, other.second.beginning); });
}

/// Where a loop spins, or somebody has failed, more is the same than what went the same ways: that is asked again.
bool Mpc::may_be_known(Waiting& waiting) const {
  for (std::uint32_t& known = waiting.parts_before; known < executions_.size(); ++known)
    if (loops_spin_ || !is_whole(*executions_[known]) || !part(waiting.out.beginning, {executions_[known]->path, {}})) return true;
  return false;
}

void Mpc::send_out(Out out, Item item) {
  executions_[out.execution]->questions[out.question].out = true;
  item.ticket = next_ticket_++;
  out_.emplace(item.ticket, std::move(out));
  ready_.push_back(std::move(item));
}

/// What may be known by now is asked again.
void Mpc::send_out_who_waited() {
  std::vector<Waiting> waiting;
  std::swap(waiting, waiting_);
  for (Waiting& one : waiting) {
    Question& question = executions_[one.out.execution]->questions[one.out.question];
    question.waits = false;
    if (question.done || may_be_known(one)) continue;
    if (out_.size() < options_.jobs && !may_be_out(one.out.beginning)) {
      send_out(std::move(one.out), std::move(one.item));
    } else {
      question.waits = true;
      waiting_.push_back(std::move(one));
    }
  }
}

/// Whoever makes no turns any more goes on to where he ends or waits before the one that turned does: should that one fail, nobody of them
/// was cut off, and nothing has to be executed again to see what they would have made possible. That he fails is not known before.
void Mpc::let_others_go_first(const Execution& execution, const Question& question, const Reply& reply,
                              std::vector<Decision>& prefix) const {
  if (loops_spin_) return;
  const auto& all = execution.units().all;
  std::vector<char> is_made(all.size(), 0);
  std::vector<UnitId> last(execution.path.size(), nothing);
  for (const UnitId u : reply.units) {
    is_made[u] = 1;
    if (!all[u].is_flush) last[index_of(all[u].thread)] = u;
  }
  const auto is_ahead = [&](std::uint32_t t, const Turn& turn) {  // a pin has one value mostly
    return turn.kind != TurnKind::Pin && turn.kind != TurnKind::Assume && (last[t] == nothing || turn.unit > last[t]);
  };
  std::vector<char> goes_first(execution.path.size(), 1);
  goes_first[question.thread] = 0;
  for (std::uint32_t t = 0; t < goes_first.size(); ++t)
    for (const Turn& turn : execution.turns().of_threads()[t])
      if (is_ahead(t, turn)) goes_first[t] = 0;
  const std::size_t before = prefix.size();
  const auto wish = [&](Decision decision) {
    decision.argument |= TREADLE_WISH;
    prefix.push_back(decision);
  };
  for (UnitId u = 0; u < all.size(); ++u) {
    const bool was_made = all[u].choice < decisions_made(execution.trace());
    if (is_made[u] || !was_made || all[u].left_out || all[u].ends || !goes_first[index_of(all[u].thread)]) continue;
    for (const Decision& decision : all[u].decisions) wish(decision);
  }
  if (prefix.size() > before) wish({DecisionKind::Step, ThreadId{static_cast<std::uint8_t>(question.thread)}, 0});
}

}  // namespace treadle
