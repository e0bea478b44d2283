// SPDX-License-Identifier: Apache-2.0
// The program's whole memory as a value: saved, and put back. Number 0 is the image every execution starts from (taken when main would be
// called); 1, 2, … are taken in mid-run and form a stack: saving number n drops those above it.
#pragma once

#include <cstdint>

namespace treadle {

/// Number 0, on the controller's stack, before the first execution.
void save_base_image() noexcept;

/// Takes everything back to where snapshot `number` was taken. On the controller's stack. False: there is no such snapshot.
bool restore_snapshot(unsigned number) noexcept;

/// Called by the running thread at a decision point; returns there now and again each time the snapshot is restored.
void save_snapshot_here() noexcept;

/// The controller's half of it: 0 when this execution cannot be saved.
unsigned save_snapshot(unsigned number) noexcept;

}  // namespace treadle
