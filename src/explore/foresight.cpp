// SPDX-License-Identifier: Apache-2.0
#include "explore/foresight.h"

#include "base/check.h"

namespace treadle {

Foresight::Foresight(std::unique_ptr<Strategy> strategy, Ask ask, const Recording& also, Gaps gaps)
    : strategy_(std::move(strategy)), ask_(std::move(ask)), also_(also), gaps_(std::move(gaps)) {}

std::optional<Item> Foresight::next() {
  if (!hints_.empty()) {
    Item item{std::move(hints_.front()), ours | made_++};
    hints_.pop_front();
    ++out_;
    return item;
  }
  auto item = strategy_->next();
  check(!item || (item->ticket & ours) == 0, "a strategy leaves the highest bit of its tickets alone");
  return item;
}

void Foresight::learn_from(Ticket ticket, const Trace& trace) {
  if ((ticket & ours) != 0) {
    --out_;
    return;
  }
  strategy_->learn_from(ticket, trace);
  for (Hint& hint : ask_(trace))
    if (tried_[hint.key]++ < most_tries) hints_.push_back(std::move(hint.schedule));
}

std::string Foresight::gaps() const {
  std::string all = strategy_->gaps();
  if (!gaps_) return all;
  const std::string own = gaps_();
  return all + (all.empty() || own.empty() ? "" : ", ") + own;
}

Recording Foresight::needs() const {
  Recording needs = strategy_->needs();
  needs.plain |= also_.plain;
  needs.symbolic |= also_.symbolic;
  return needs;
}

std::size_t Foresight::ahead() const {
  const std::size_t ahead = strategy_->ahead();
  return ahead == any_number ? ahead : ahead + hints_.size() + out_;
}

std::optional<double> Foresight::estimate() const {
  const auto inner = strategy_->estimate();
  return inner ? std::optional(*inner + static_cast<double>(made_ + hints_.size())) : std::nullopt;
}

}  // namespace treadle
