// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "finding/symbols.h"

namespace treadle {

/// The program and the libraries that a process has loaded, from the text of its /proc/PID/maps.
std::vector<LoadedObject> objects_in_maps(std::string_view maps);

/// Empty when the process is gone.
std::vector<LoadedObject> objects_of_process(pid_t process);

}  // namespace treadle
