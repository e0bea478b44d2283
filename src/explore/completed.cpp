// SPDX-License-Identifier: Apache-2.0
#include "explore/completed.h"

#include "base/bytes.h"
#include "base/check.h"
#include "explore/patience.h"

namespace treadle {

std::optional<Item> Completed::next() {
  if (!over_) {
    if (auto item = first_->next()) {
      ++out_;
      if (how_ == First::RunsNothingTwice && item->schedule.policy == Policy::Continue) item->schedule.policy = Policy::Patient;
      return item;
    }
    if (out_ > 0 || first_->thinking()) return std::nullopt;
    over_ = true;
  }
  return rest_.next();
}

void Completed::learn_from(Ticket ticket, const Trace& trace) {
  if (over_) return rest_.learn_from(ticket, trace);
  if (lets_others_go_first(trace)) return learn_as_if_it_failed_last(ticket, trace);
  --out_;
  rest_.take_note(trace, how_ == First::RunsNothingTwice ? Value::Begins::WithTheFirstUnsettled : Value::Begins::Anew);
  over_ = how_ == First::RunsNothingTwice && out_ == 0 && rest_.should_go_on_alone();
  if (!over_) first_->learn_from(ticket, trace);
}

void Completed::learn_as_if_it_failed_last(Ticket ticket, const Trace& trace) {
  auto told = as_if_it_failed_last(trace, races_, model_);
  if (!told) told = as_if_it_failed_at_once(trace);
  check(told.has_value(), "who failed");
  learn_from(ticket, *told);
}

/// Asked again when nothing is out: the two need not want the same.
Recording Completed::needs() const {
  Recording recording = over_ ? rest_.needs() : first_->needs();
  recording.plain = recording.choices = true;  // for what the second learns from the first
  return recording;
}

std::string Completed::save() const {
  ByteWriter out;
  out.byte(over_);
  out.text(first_->save());
  out.text(rest_.save());
  return out.take();
}

bool Completed::load(std::string_view bytes) {
  ByteReader in(bytes);
  over_ = in.up_to(1) != 0;
  return first_->load(in.text()) && rest_.load(in.text()) && in.ok() && in.at_end();
}

Counts Completed::counts() const {
  Counts both = first_->counts();
  both.blocked += rest_.counts().blocked;
  both.redundant += rest_.counts().redundant;
  return both;
}

}  // namespace treadle
