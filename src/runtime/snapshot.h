// SPDX-License-Identifier: Apache-2.0
// The program's whole memory as a value: saved, and put back. The base image is the one every execution starts from (taken when main would
// be called). Snapshots taken in mid-run form a stack on top of it: those of one path. Resuming from one drops the ones above it, since
// shadow memory goes back by an undo log; a run from the start leaves them alone, and drops them only when it saves one itself.
#pragma once

#include <cstdint>

#include "abi/shared_block.h"

namespace treadle {

/// On the controller's stack, before the first execution.
void save_base_image() noexcept;

/// Takes everything back to where the job wants to go on. On the controller's stack. True: that is a snapshot, and `result` is where it was
/// then. False: the base image, because the job wants that, or the snapshot is not there.
bool restore_snapshot(const TreadleJob& job, TreadleResult& result) noexcept;

/// Is there room for the trace that the snapshot brings along?
bool snapshot_fits(const TreadleJob& job) noexcept;

/// Forgets all of them. In the middle of an execution, which goes on as if it had begun at the start.
void drop_snapshots() noexcept;

/// Called by the running thread at a decision point; returns there now and again each time the snapshot is restored.
void save_snapshot_here() noexcept;

/// The controller's half of it. False: this execution cannot be saved.
bool save_snapshot(std::uint64_t name) noexcept;

}  // namespace treadle
