// SPDX-License-Identifier: Apache-2.0
// The HTML report: one file that shows the findings and their executions, opens from disk and needs no network.
#pragma once

#include <string>

#include "base/result.h"
#include "report/html_model.h"

namespace treadle {

/// Nothing, or why this Treadle cannot make the report: it was built without the front end.
Result<Done> html_is_built_in();

std::string html_page(const HtmlDocument& document);

}  // namespace treadle
