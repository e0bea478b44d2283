// SPDX-License-Identifier: Apache-2.0
// Executions that a trace implies in which everybody waits in the end, though not for locks alone: for a signal that was given too early
// (a lost wake-up), a token of a semaphore, others at a barrier, an initialiser, the end of a thread. Who waits for what is exactly that of
// the model; every thread has ended, was never created, or stands at a wait of its way for which nothing can come any more.
#pragma once

#include "predict/lock_sets.h"
#include "predict/race.h"
#include "trace/spinning.h"

namespace treadle {

/// One prediction for each place at most where somebody waits for something else than a lock, or joins while it holds one, or
/// when the trace was ended by somebody else. Where threads are followed into spin loops: one for each place where somebody goes round for
/// ever, because what he looks at is what stands there in the end.
Predictions predict_standstill(const Trace& trace, TraceModel& model, const LockSets& locks, const KeepAsking& keep_asking,
                               std::span<const Spinning> spinning = {});

}  // namespace treadle
