// SPDX-License-Identifier: Apache-2.0
// Blocks of memory used, freed or left behind in the wrong way.
#include "finding/evidence.h"

namespace treadle {
namespace {

std::string does(std::uint64_t what) {
  switch (what) {
    case TREADLE_HEAP_USE_AFTER_FREE_READ:
      return "reads freed memory";
    case TREADLE_HEAP_USE_AFTER_FREE_WRITE:
      return "writes to freed memory";
    case TREADLE_HEAP_OUT_OF_BOUNDS_READ:
      return "reads outside of a block (out of bounds)";
    case TREADLE_HEAP_OUT_OF_BOUNDS_WRITE:
      return "writes outside of a block (out of bounds)";
    case TREADLE_HEAP_DOUBLE_FREE:
      return "frees a block twice";
    case TREADLE_HEAP_INVALID_FREE:
      return "frees what is not a block";
    default:
      return "breaks the heap";
  }
}

bool is_use_after_free(std::uint64_t what) {
  return what == TREADLE_HEAP_USE_AFTER_FREE_READ || what == TREADLE_HEAP_USE_AFTER_FREE_WRITE || what == TREADLE_HEAP_DOUBLE_FREE;
}

/// The last event of this kind on the block that begins at `address`.
std::uint64_t last_event(const Trace& trace, EventKind kind, std::uint64_t address, std::uint64_t before) {
  for (std::uint64_t i = std::min<std::uint64_t>(before, trace.events.size()); i-- > 0;)
    if (trace.events[i].kind == kind && trace.events[i].address == address) return i;
  return UINT64_MAX;
}

Part part_at(const Evidence& evidence, std::uint64_t number, std::string does) {
  Part part;
  part.thread = evidence.thread(evidence.trace().events[number]);
  part.does = std::move(does);
  part.where = evidence.at_event(number).stack;
  part.event = number;
  return part;
}

}  // namespace

void diagnose_heap_error(const Evidence& evidence, const HeapError& error, std::vector<Finding>& out) {
  const Trace& trace = evidence.trace();
  const std::string what = does(error.what);
  const std::uint64_t block = error.block == 0 ? error.address : error.block;
  const Position where = error.event == kTheEnd ? evidence.at_end() : evidence.at_event(error.event);
  const std::string object = evidence.object(block, error.event);

  Part part;
  part.thread = evidence.thread(error.thread);
  part.does = what;
  if (error.address != block)
    part.does += ", " + std::to_string(static_cast<std::int64_t>(error.address - block)) + " bytes from the start of " + object;
  part.where = where.stack;
  part.event = error.event;
  std::vector<Part> parts{part};

  // Outside of a block is wrong wherever it was freed; freed memory is explained by who freed it.
  const std::uint64_t freed = is_use_after_free(error.what) ? last_event(trace, TREADLE_EV_FREE, block, error.event) : UINT64_MAX;
  const std::uint64_t allocated = last_event(trace, TREADLE_EV_ALLOC, block, error.event);
  if (freed != UINT64_MAX) parts.push_back(part_at(evidence, freed, "freed it"));
  if (allocated != UINT64_MAX)
    parts.push_back(part_at(evidence, allocated, "allocated it, " + std::to_string(trace.events[allocated].value) + " bytes"));

  std::string message = "thread " + part.thread + " " + what + ": " + object;
  if (freed != UINT64_MAX) message += ", freed by " + parts[1].thread + " at " + text_of(user_frame(parts[1].where));
  std::vector<std::string> keys{what + " " + key_of(where)};
  if (freed != UINT64_MAX) keys.push_back("freed " + key_of(evidence.at_event(freed)));
  out.push_back(make_finding(is_use_after_free(error.what) ? FindingKind::UseAfterFree : FindingKind::Crash, message, where, parts, keys));
}

void diagnose_leak(const Evidence& evidence, std::uint64_t number, std::vector<Finding>& out) {
  const Trace& trace = evidence.trace();
  const Event& event = trace.events[number];
  const std::string object = evidence.object(event.address, number);
  std::string message;
  Position where = evidence.at_event(number);
  Part part;
  part.thread = evidence.thread(event);
  part.event = number;
  switch (event.extra) {
    case TREADLE_LEAK_MEMORY: {
      const std::uint64_t allocated = evidence.names().allocation_of(event.address, number);
      if (allocated != UINT64_MAX) {
        where = evidence.at_event(allocated);
        part.thread = evidence.thread(trace.events[allocated]);
        part.event = allocated;
      }
      part.does = "allocates " + std::to_string(event.value) + " bytes that nobody frees";
      message = std::to_string(event.value) + " bytes, allocated by " + part.thread + " at " + text_of(user_frame(where.stack)) +
                ", are never freed";
      break;
    }
    case TREADLE_LEAK_THREAD:
      part.does = "creates a thread that nobody joins or detaches";
      message = evidence.names().at(event.address, number) + " is neither joined nor detached";
      break;
    default:
      part.does = "makes a lock that nobody destroys";
      message = object + " is never destroyed";
      break;
  }
  // All blocks from one place are one leak; their names would tell them apart again.
  where.object.clear();
  part.where = where.stack;
  out.push_back(make_finding(FindingKind::Leak, message, where, {part}, {std::to_string(event.extra) + " " + key_of(where)}));
}

std::vector<std::uint64_t> events_of_block(const Trace& trace, std::uint64_t address, std::uint64_t before) {
  std::vector<std::uint64_t> events;
  for (const EventKind kind : {TREADLE_EV_FREE, TREADLE_EV_ALLOC})
    if (const std::uint64_t found = last_event(trace, kind, address, before); found != UINT64_MAX) events.push_back(found);
  return events;
}

}  // namespace treadle
