// SPDX-License-Identifier: Apache-2.0
#include "explore/transition.h"

namespace treadle {

void serve_from_buffer(Action& load, const Action& flush) {
  load.store = flush.store;
  load.served = load.accesses[0];
  load.accesses = {};
}

void pass_by(Action& waiting, const Action& done) {
  if (waiting.served.bytes == 0 || !is_flush(done.process) || thread_of(done.process) != thread_of(waiting.process)) return;
  if (done.store < waiting.store) return;  // an older one
  for (std::size_t i = 0; i < done.accesses.size(); ++i)
    if (share_object(done.accesses[i], waiting.served)) {
      waiting.accesses.add(waiting.served);
      waiting.served.bytes = 0;
      return;
    }
}

}  // namespace treadle
