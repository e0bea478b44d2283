// SPDX-License-Identifier: Apache-2.0
// The paths of a search as a tree: first the turns of the first thread, then those of the next, …; a leaf is a path.
#pragma once

#include <string>

#include "explore/path_list.h"
#include "report/path_tree_shown.h"

namespace treadle {

/// What each finding of the search is called, by number: "assertion at bank.c:12".
std::string paths_text(const PathList& list, const std::vector<std::string>& findings, const PathTreeShown& shown);

/// "bank.c:12 true: balance < 0"
std::string text_of(const PathTurn& turn);

}  // namespace treadle
