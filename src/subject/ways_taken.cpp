// SPDX-License-Identifier: Apache-2.0
#include "subject/ways_taken.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "abi/branches.h"
#include "base/atomic_file.h"

namespace treadle {

Result<std::unique_ptr<WaysTaken>> WaysTaken::begin() {
  std::unique_ptr<WaysTaken> made(new WaysTaken);
  if (made->folder_.path.empty())
    return Problem{"cannot make a folder for what is covered: " + std::string(std::strerror(errno)), "is there room for temporary files?"};
  const std::string file = (made->folder_.path / "taken").string();
  if (auto written = write_file_atomically(file, std::string(sizeof(TreadleWaysTaken), '\0')); !written) return written.problem();
  ::setenv(TREADLE_ENV_WAYS, file.c_str(), 1);
  return made;
}

WaysTaken::~WaysTaken() { ::unsetenv(TREADLE_ENV_WAYS); }

WaysTaken::Known WaysTaken::so_far() const {
  Known known;
  const auto bytes = read_file((folder_.path / "taken").string());
  if (!bytes || bytes->size() != sizeof(TreadleWaysTaken)) return known;
  const auto copy = std::make_unique<TreadleWaysTaken>();
  std::memcpy(copy.get(), bytes->data(), sizeof *copy);
  for (const std::uint64_t way : copy->taken)
    if (way != 0) known.ways.insert(way);
  known.complete = copy->is_used != 0 && copy->some_lost == 0;
  return known;
}

}  // namespace treadle
