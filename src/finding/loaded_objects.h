// SPDX-License-Identifier: Apache-2.0
// Which files a process has mapped as code, and where: what Symbols::of_objects needs to name places in shared libraries.
#pragma once

#include <string_view>
#include <vector>

#include "finding/symbols.h"

namespace treadle {

/// Of a live process; empty when it cannot be asked. The executable comes first.
std::vector<LoadedObject> loaded_objects(int pid);

/// The same from the text of /proc/PID/maps.
std::vector<LoadedObject> parse_maps(std::string_view maps, const std::string& executable);

}  // namespace treadle
