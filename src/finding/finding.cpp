// SPDX-License-Identifier: Apache-2.0
#include "finding/finding.h"

#include "finding/verdict.h"

namespace treadle {

const char* text_of(FindingKind kind) {
  switch (kind) {
#define X(name, text)     \
  case FindingKind::name: \
    return text;
    TREADLE_FINDING_KINDS(X)
#undef X
  }
  return "?";
}

const char* text_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Clean:
      return "clean";
    case VerdictKind::Bugs:
      return "bugs";
    case VerdictKind::Incomplete:
      return "incomplete";
  }
  return "?";
}

bool is_cut_short(Ending ending) {
  switch (ending) {
    case TREADLE_END_STEP_LIMIT:
    case TREADLE_END_TIME_LIMIT:
    case TREADLE_END_MEMORY_LIMIT:
    case TREADLE_END_STOPPED:
      return true;
    default:
      return false;
  }
}

bool is_regular_end(Ending ending) { return ending == TREADLE_END_COMPLETED || ending == TREADLE_END_ASSUMPTION_FAILED; }

Verdict verdict_of(bool found_something, bool exhausted, bool cut_short, std::string covers) {
  if (found_something) return {VerdictKind::Bugs, std::move(covers)};
  return {exhausted && !cut_short ? VerdictKind::Clean : VerdictKind::Incomplete, std::move(covers)};
}

}  // namespace treadle
