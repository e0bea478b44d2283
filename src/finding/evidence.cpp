// SPDX-License-Identifier: Apache-2.0
#include "finding/evidence.h"

#include <algorithm>
#include <cstdio>

namespace treadle {
namespace {

bool faults_at_exact_pc(Ending ending) {
  return ending == TREADLE_END_SIGNALLED || ending == TREADLE_END_STACK_OVERFLOW || ending == TREADLE_END_TIME_LIMIT;
}

SourceStack without_runtime(SourceStack stack) {
  auto& frames = stack.frames;
  const auto is_programs = [](const SourceFrame& frame) { return !is_runtime_code(frame); };
  const auto first = std::find_if(frames.begin(), frames.end(), is_programs);
  if (first == frames.end()) return stack;
  frames.erase(frames.begin(), first);
  while (frames.size() > 1 && (is_runtime_code(frames.back()) || frames.back().function == "??")) frames.pop_back();
  return stack;
}

}  // namespace

/// A stack begins and ends inside the runtime. The event's pc is the first frame of the program in it. A stack without that pc
/// is not of this event (an object is reported where it was made, at the end of the run).
Position Evidence::from(const Stack* stack, std::uint64_t pc, Pc is) const {
  std::span<const std::uint64_t> pcs;
  if (stack != nullptr) pcs = stack->frames;
  const auto first = pc == 0 ? pcs.begin() : std::find(pcs.begin(), pcs.end(), pc);
  if (first == pcs.end()) return {SourceStack{symbols_.frames_at(pc, is)}, pc};
  return {without_runtime(symbols_.resolve(std::span(first, pcs.end()), is)), *first};
}

Position Evidence::at_event(std::uint64_t number) const {
  const auto stack = std::find_if(trace_.stacks.begin(), trace_.stacks.end(), [&](const Stack& s) { return s.event == number; });
  const Event& event = trace_.events.at(number);
  Position position = from(stack == trace_.stacks.end() ? nullptr : &*stack, event.pc, Pc::ReturnAddress);
  position.object = names_.object_of(event, number);
  return position;
}

Position Evidence::at_pending(const PendingOperation& pending) const {
  const auto stack = std::find_if(trace_.stacks.begin(), trace_.stacks.end(), [&](const Stack& s) {
    return s.event >= kBlocked && s.thread == pending.thread && std::find(s.frames.begin(), s.frames.end(), pending.pc) != s.frames.end();
  });
  Position position = from(stack == trace_.stacks.end() ? nullptr : &*stack, pending.pc, Pc::ReturnAddress);
  position.object = names_.object_of(pending);
  return position;
}

Position Evidence::at_end() const {
  const Stack* stack = stack_of_end(trace_);
  // A pc in a crash is exact, unless the program sent the signal to itself: then it is a return address further out.
  const bool exact = faults_at_exact_pc(trace_.end.ending) && (stack == nullptr || stack->frames.front() == trace_.end.pc);
  if (exact) return from(stack, trace_.end.pc, Pc::Exact);
  Position position = from(stack, trace_.end.pc, Pc::ReturnAddress);
  // Reached through a library that keeps no frame pointers, the pc is not in the stack: then the whole stack tells more than the pc.
  if (stack != nullptr && !is_user_code(user_frame(position.stack)))
    position = {without_runtime(symbols_.resolve(stack->frames)), trace_.end.pc};
  return position;
}

Position Evidence::at_pc(std::uint64_t pc, const std::string& object) const {
  Position position = from(nullptr, pc, Pc::ReturnAddress);
  position.object = object;
  return position;
}

std::string key_of(const Position& position) {
  const SourceFrame frame = user_frame(position.stack);
  std::string key;
  if (frame.line != 0) {
    key = text_of(frame) + ":" + std::to_string(frame.column) + " " + frame.function;
  } else {
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(position.pc - kExecutableBase));
    key = frame.function + offset;
  }
  return is_user_code(frame) || position.object.empty() ? key : key + " of " + position.object;
}

Finding make_finding(FindingKind kind, std::string message, const Position& location, std::vector<Part> parts,
                     std::vector<std::string> keys) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.location = user_frame(location.stack);
  finding.parts = std::move(parts);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  finding.fingerprint = text_of(kind);
  for (const std::string& key : keys) finding.fingerprint += " | " + key;
  return finding;
}

}  // namespace treadle
