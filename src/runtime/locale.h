// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace treadle {

/// Once per process, before the image is saved: the locale that setlocale(LC_ALL, "") asks for is then part of the image.
void load_users_locale() noexcept;

}  // namespace treadle
