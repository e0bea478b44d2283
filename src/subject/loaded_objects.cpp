// SPDX-License-Identifier: Apache-2.0
#include "subject/loaded_objects.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

namespace treadle {

/// Lines "start-end permissions offset device inode path". Only what has code in it counts: other files may be mapped for their data.
std::vector<LoadedObject> objects_in_maps(std::string_view maps) {
  struct Found {
    LoadedObject object;
    bool has_code = false;
  };
  std::map<std::string, Found> by_path;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::uint64_t start = 0, end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, path;
    if (!(words >> std::hex >> start >> dash >> end >> permissions >> offset >> device >> inode) || dash != '-') continue;
    std::getline(words >> std::ws, path);
    if (!path.starts_with("/") || path.ends_with(" (deleted)")) continue;
    Found& found = by_path.try_emplace(path, Found{{path, start, end}}).first->second;
    found.object.base = std::min(found.object.base, start);
    found.object.end = std::max(found.object.end, end);
    found.has_code |= permissions.size() > 2 && permissions[2] == 'x';
  }
  std::vector<LoadedObject> objects;
  for (auto& [path, found] : by_path)
    if (found.has_code) objects.push_back(std::move(found.object));
  return objects;
}

std::vector<LoadedObject> objects_of_process(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  const std::string maps((std::istreambuf_iterator<char>(file)), {});
  return objects_in_maps(maps);
}

}  // namespace treadle
