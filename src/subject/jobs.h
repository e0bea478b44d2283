// SPDX-License-Identifier: Apache-2.0
// Schedules as the guest reads them: a batch of jobs in the shared block.
#pragma once

#include "subject/shared_memory.h"
#include "subject/subject.h"
#include "subject/thread_table.h"

namespace treadle {

class JobWriter {
 public:
  JobWriter(SharedMemory& memory, ThreadTable& threads, const SubjectOptions& options)
      : memory_(memory), threads_(threads), options_(options) {}

  /// False: the block is full; this one belongs to the next batch.
  bool add(const Schedule& schedule, const Recording& recording, const Snapshots& snapshots = {});

  /// Everything but the call itself.
  void finish();

 private:
  SharedMemory& memory_;
  ThreadTable& threads_;
  const SubjectOptions& options_;
  unsigned count_ = 0;
  std::uint64_t decisions_ = 0, inputs_ = 0;
};

}  // namespace treadle
