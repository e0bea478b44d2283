// SPDX-License-Identifier: Apache-2.0
// What web/build.mjs makes of the front end's sources; the definitions are generated at build time. Empty when built without.
#pragma once

#include <string_view>

namespace treadle {

std::string_view html_script();
std::string_view html_style();

}  // namespace treadle
