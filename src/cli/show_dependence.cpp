// SPDX-License-Identifier: Apache-2.0
#include "cli/show_dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/commands.h"
#include "cli/program.h"
#include "finding/symbols.h"

namespace treadle {
namespace {

struct Line {
  std::string file;
  unsigned line = 0;
};

std::optional<Line> line_in(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  Line place{text.substr(0, colon)};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, place.line);
  if (error != std::errc{} || stop != end || place.line == 0) return std::nullopt;
  return place;
}

/// "bank.c" stands for every bank.c; "src/bank.c" only for those in a folder src.
bool is_file(const std::string& full, const std::string& wanted) {
  const std::string path = std::filesystem::path(full).lexically_normal().string();
  const std::string end = std::filesystem::path(wanted).lexically_normal().string();
  return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

const char* noun_of(TreadleSiteKind kind) {
  switch (kind) {
    case TREADLE_SITE_READ:
      return "read of";
    case TREADLE_SITE_WRITE:
      return "write of";
    case TREADLE_SITE_UPDATE:
      return "update of";
    case TREADLE_SITE_CALL:
      return "call of";
    case TREADLE_SITE_THREAD:
      return "start and end of thread";
    case TREADLE_SITE_OTHER:
    case TREADLE_SITE_KINDS:
      break;
  }
  return "";
}

class Printer {
 public:
  Printer(const ProgramDependence& known, const Symbols& symbols) : known_(known), symbols_(symbols), code_(known.notes.size()) {
    for (const auto& code : known.tables.code)
      if (code_[code.site] == 0 || code.low < code_[code.site]) code_[code.site] = code.low;
  }

  bool is_at(std::uint32_t site, const Line& place) const {
    if (code_[site] == 0) return false;
    const SourceFrame& frame = frame_of(site);
    return frame.line == place.line && is_file(frame.file, place.file);
  }

  void print(std::uint32_t site) const {
    fmt::print("{} in {}\n", description(site), frame_of(site).function);
    const auto& sets = known_.tables.sites[site];
    const auto kind = known_.notes[site].kind;
    fmt::print("  whether and where it happens: {}\n", list(sets.control));
    fmt::print("  and what happens before it:   {}\n", list(sets.way));
    if (kind == TREADLE_SITE_WRITE || kind == TREADLE_SITE_UPDATE) fmt::print("  what it writes:               {}\n", list(sets.data));
    if (kind == TREADLE_SITE_CALL) fmt::print("  what it is handed:            {}\n", list(sets.data));
    if (kind == TREADLE_SITE_THREAD) fmt::print("  its result:                   {}\n", list(sets.data));
  }

 private:
  const SourceFrame& frame_of(std::uint32_t site) const { return symbols_.frames_at(code_[site], Pc::Exact).front(); }

  std::string description(std::uint32_t site) const {
    const SiteNote& note = known_.notes[site];
    return fmt::format("{} {}", noun_of(note.kind), note.what.empty() ? "memory" : note.what);
  }

  std::string list(std::uint32_t set) const {
    if (set == DependenceTables::everything) return "depends on everything, as far as is known";
    std::set<std::string> seen;
    std::string text;
    for (const std::uint32_t site : known_.tables.sets[set]) {
      const std::string place = code_[site] == 0 ? "code that is gone" : text_of(frame_of(site));
      const std::string item = fmt::format("{} at {}", description(site), place);
      if (!seen.insert(item).second) continue;
      text += (text.empty() ? "depends on " : ", ") + item;
    }
    return text.empty() ? "does not depend on any read" : text;
  }

  const ProgramDependence& known_;
  const Symbols& symbols_;
  std::vector<std::uint64_t> code_;  // of each site: the first
};

}  // namespace

int show_dependence(const Options& options) {
  const auto place = line_in(options.dependence_at);
  if (!place) return could_not({fmt::format("\"{}\" is not a line of a file", options.dependence_at), "write bank.c:12"});
  const auto program = program_from(options);
  if (!program) return could_not(program.problem());
  const ProgramDependence known = dependence_of(*program);
  if (known.tables.code.empty())
    return could_not({known.gap, "build it again with CC=\"treadle cc\" and CXX=\"treadle c++\", and with -g"});

  const auto symbols = Symbols::of_program(*program);
  const Printer printer(known, *symbols);
  unsigned shown = 0;
  for (std::uint32_t site = 0; site < known.notes.size(); ++site) {
    if (known.notes[site].kind == TREADLE_SITE_OTHER || !printer.is_at(site, *place)) continue;
    printer.print(site);
    ++shown;
  }
  if (!known.gap.empty()) fmt::print("note: {}\n", known.gap);
  if (shown > 0) return 0;
  return could_not({fmt::format("there is no shared access and no call of a library at {}", options.dependence_at),
                    "locals have no events; with optimisation a line may have lost its own"});
}

}  // namespace treadle
