// SPDX-License-Identifier: Apache-2.0
#include "finding/loaded_objects.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/atomic_file.h"

namespace treadle {
namespace {

struct Mapping {
  std::uint64_t start = 0, end = 0;
  bool executable = false;
  std::string_view path;
};

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// "555555554000-555555556000 r-xp 00001000 fe:00 1234   /home/me/a.out"
Mapping parse_line(std::string_view line) {
  Mapping mapping;
  const std::string_view range = take_word(line), rights = take_word(line);
  take_word(line);
  take_word(line);
  take_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t dash = std::min(range.find('-'), range.size());
  std::from_chars(range.data(), range.data() + dash, mapping.start, 16);
  if (dash < range.size()) std::from_chars(range.data() + dash + 1, range.data() + range.size(), mapping.end, 16);
  mapping.executable = rights.size() >= 3 && rights[2] == 'x';
  mapping.path = line.starts_with('/') ? line : std::string_view{};
  return mapping;
}

}  // namespace

std::vector<LoadedObject> parse_maps(std::string_view maps, const std::string& executable) {
  std::vector<LoadedObject> objects;
  std::vector<bool> has_code;
  while (!maps.empty()) {
    const std::size_t end = std::min(maps.find('\n'), maps.size());
    const Mapping mapping = parse_line(maps.substr(0, end));
    maps.remove_prefix(std::min(end + 1, maps.size()));
    if (mapping.path.empty()) continue;
    // The segments of an object follow one another; the same file mapped elsewhere once more is another object.
    if (objects.empty() || objects.back().path != mapping.path) {
      objects.push_back({std::string(mapping.path), mapping.start, mapping.end});
      has_code.push_back(false);
    }
    objects.back().end = mapping.end;
    if (mapping.executable) has_code.back() = true;
  }
  std::vector<LoadedObject> code;
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (has_code[i]) code.push_back(std::move(objects[i]));
  std::stable_partition(code.begin(), code.end(), [&](const LoadedObject& object) { return object.path == executable; });
  return code;
}

std::vector<LoadedObject> loaded_objects(int pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  const auto maps = read_file(process + "/maps");
  std::error_code unknown;
  const auto executable = std::filesystem::read_symlink(process + "/exe", unknown);
  return maps && !unknown ? parse_maps(*maps, executable.string()) : std::vector<LoadedObject>{};
}

}  // namespace treadle
