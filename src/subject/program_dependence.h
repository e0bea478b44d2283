// SPDX-License-Identifier: Apache-2.0
// Which events of a program may depend on which of its reads: what the compiler left in its files (trace/dependence_section.h), put
// together for the program as it is loaded.
//
// A file was compiled without knowledge of the others. What it assumed about them ("nobody else calls this function") is checked here,
// where all are there, and what does not hold becomes dependence on everything. The same for code that was not built with Treadle.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "finding/symbols.h"
#include "trace/dependence.h"
#include "trace/dependence_section.h"

namespace treadle {

/// What a site of the tables is.
struct SiteNote {
  TreadleSiteKind kind = TREADLE_SITE_OTHER;
  std::string what;  // the variable, the library function, the thread's function; empty when it is not that simple
};

struct ProgramDependence {
  DependenceTables tables;
  std::vector<SiteNote> notes;  // one per site
  std::string gap;              // why less is known than could be: one sentence, empty when nothing is missing
};

/// Of a program with these objects loaded; `runtime` is the archive that was linked into it.
ProgramDependence dependence_in(std::span<const LoadedObject> objects, const std::string& runtime);

}  // namespace treadle
