// SPDX-License-Identifier: Apache-2.0
// How the run ends: fatal signals, failed assertions.
#pragma once

namespace treadle {

/// Takes down where the program was when a signal ends it. A handler of the program's own goes first.
void watch_fatal_signals() noexcept;

/// The program says itself that something is wrong.
[[noreturn]] void fail(const char* text) noexcept;

}  // namespace treadle
