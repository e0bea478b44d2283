// SPDX-License-Identifier: Apache-2.0
#include "finding/evidence.h"

namespace treadle {
namespace {

constexpr const char* kTexts[] = {
#define X(name, text) text,
    TREADLE_MISUSES(X)
#undef X
};

bool other_is_an_object(std::uint64_t what) { return what == TREADLE_MISUSE_COND_TWO_MUTEXES || what == TREADLE_MISUSE_COND_WAIT_UNLOCKED; }

bool other_is_a_thread(std::uint64_t what) {
  return what == TREADLE_MISUSE_UNLOCK_NOT_OWNER || what == TREADLE_MISUSE_DESTROY_IN_USE || what == TREADLE_MISUSE_REINITIALISED;
}

}  // namespace

void diagnose_misuse(const Evidence& evidence, std::uint64_t number, std::vector<Finding>& out) {
  const Event& event = evidence.trace().events[number];
  const std::string what = event.value < std::size(kTexts) ? kTexts[event.value] : "misuse";
  const std::string object = event.address == 0 ? "" : evidence.object(event.address, number);
  Position where = evidence.at_event(number);

  Part part;
  part.thread = evidence.thread(event);
  part.does = object.empty() ? what : what + ": " + object;
  if (event.extra != 0 && other_is_an_object(event.value)) part.also = "with mutex " + evidence.object(event.extra, number);
  if (event.extra != 0 && event.extra <= TREADLE_MAX_THREADS && other_is_a_thread(event.value))
    part.also = "in use by " + evidence.thread(ThreadId{static_cast<std::uint8_t>(event.extra - 1)});
  part.where = where.stack;
  part.event = number;

  std::string message = what + (object.empty() ? "" : ": " + object);
  if (!part.also.empty()) message += ", " + part.also;
  out.push_back(make_finding(FindingKind::Misuse, message, where, {part}, {what + " " + key_of(where)}));
}

}  // namespace treadle
