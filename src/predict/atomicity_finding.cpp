// SPDX-License-Identifier: Apache-2.0
#include "predict/atomicity_finding.h"

#include <algorithm>
#include <set>

#include "finding/evidence.h"
#include "predict/interference.h"
#include "trace/happens_before.h"

namespace treadle {
namespace {

const char* does(const Event& event) {
  const auto kind = static_cast<EventKind>(event.kind);
  if (!writes_memory(kind)) return "reads";
  return reads_memory(kind) ? "reads and writes" : "writes";
}

Part part_of(const Evidence& evidence, std::uint32_t number, const std::string& object, std::string also) {
  const Event& event = evidence.trace().events[number];
  Part part;
  part.thread = evidence.thread(event);
  part.does = std::string(does(event)) + " " + object;
  part.also = std::move(also);
  part.where = evidence.at_event(number).stack;
  part.event = number;
  return part;
}

std::string place(const Evidence& evidence, std::uint32_t number) { return text_of(user_frame(evidence.at_event(number).stack)); }

/// The innermost region around both.
const Region* region_of(const Triple& triple, const Trace& trace, std::span<const Region> regions) {
  const Region* found = nullptr;
  for (const Region& region : regions)
    if (region.thread == trace.events[triple.first].thread && region.begin < triple.first && triple.last < region.end) found = &region;
  return found;
}

Finding finding_of(const Evidence& evidence, const Triple& triple, std::span<const Region> regions) {
  const Trace& trace = evidence.trace();
  const std::string object = evidence.object(trace.events[triple.remote].address, triple.remote);
  const Region* region = region_of(triple, trace, regions);
  const std::string since = region == nullptr ? "" : "in what is meant to be atomic since " + place(evidence, region->begin);
  const Position first = evidence.at_event(triple.first), remote = evidence.at_event(triple.remote), last = evidence.at_event(triple.last);
  const std::string message = evidence.thread(trace.events[triple.remote]) + " " + does(trace.events[triple.remote]) + " " + object +
                              " at " + place(evidence, triple.remote) + ", between two accesses of " +
                              evidence.thread(trace.events[triple.first]) + " that are meant to be atomic: it " +
                              does(trace.events[triple.first]) + " it at " + place(evidence, triple.first) + " and " +
                              does(trace.events[triple.last]) + " it at " + place(evidence, triple.last);
  return make_finding(FindingKind::Atomicity, message, last,
                      {part_of(evidence, triple.first, object, since), part_of(evidence, triple.remote, object, ""),
                       part_of(evidence, triple.last, object, "")},
                      {key_of(first), key_of(remote), key_of(last)});
}

}  // namespace

std::vector<AtomicityViolation> atomicity_violations(const Trace& trace, const Symbols& symbols, bool critical_sections) {
  const auto regions = atomic_regions(trace, critical_sections);
  std::vector<AtomicityViolation> all;
  if (regions.empty()) return all;
  const auto locations = shared_locations(trace);
  const Evidence evidence(trace, symbols);
  std::set<std::string> known;
  for (const Triple& triple : interferences(trace, regions, locations)) {
    Finding finding = finding_of(evidence, triple, regions);
    if (known.insert(finding.fingerprint).second) all.push_back({triple, std::move(finding)});
  }
  return all;
}

}  // namespace treadle
