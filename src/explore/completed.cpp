// SPDX-License-Identifier: Apache-2.0
#include "explore/completed.h"

#include "base/bytes.h"
#include "explore/patience.h"

namespace treadle {

std::optional<Item> Completed::next() {
  if (!over_) {
    if (auto item = first_->next()) {
      ++out_;
      // How far the others have come when somebody fails is nothing that two executions should be made for.
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
  const auto begins = how_ == First::RunsNothingTwice ? Value::Begins::WithTheFirstUnsettled : Value::Begins::Anew;
  if (!lets_others_go_first(trace)) return learn_of_first(ticket, trace, begins);
  auto told = as_if_it_failed_last(trace, races_, model_);
  if (!told) told = as_if_it_failed_at_once(trace);
  if (told) return learn_of_first(ticket, *told, begins);
  learn_of_first(ticket, until_it_failed(trace), Value::Begins::Anew);  // not enough to begin with
}

void Completed::learn_of_first(Ticket ticket, const Trace& trace, Value::Begins begins) {
  --out_;
  rest_.take_note(trace, begins);
  over_ = how_ == First::RunsNothingTwice && out_ == 0 && rest_.should_go_on_alone();
  if (!over_) first_->learn_from(ticket, trace);
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
