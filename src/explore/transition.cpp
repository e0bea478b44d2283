// SPDX-License-Identifier: Apache-2.0
#include "explore/transition.h"

namespace treadle {
namespace {

bool is_bytes(const Access& access) { return access.space == Space::Memory && (access.address & as_a_block) == 0; }

}  // namespace

void add_being_there(Access access, Accesses& out) {
  access.writes = false;
  if (access.address - TREADLE_AT_HEAP < TREADLE_AT_MAPPINGS - TREADLE_AT_HEAP) out.add(being_there(access));
}

void serve_from_buffer(Action& load, const Action& flush) {
  load.store = flush.store;
  load.served = load.accesses[0];
  for (std::size_t i = 0; i < load.accesses.size(); ++i)
    if (is_bytes(load.accesses[i])) load.served = load.accesses[i];
  load.accesses = {};
  add_being_there(load.served, load.accesses);
}

void pass_by(Action& waiting, const Action& done) {
  if (waiting.served.bytes == 0 || !is_flush(done.process) || thread_of(done.process) != thread_of(waiting.process)) return;
  if (done.store < waiting.store) return;  // an older one
  for (std::size_t i = 0; i < done.accesses.size(); ++i)
    if (share_object(done.accesses[i], waiting.served)) {
      Accesses accesses;
      accesses.add(waiting.served);
      for (std::size_t a = 0; a < waiting.accesses.size(); ++a)
        if (waiting.accesses[a] != being_there(waiting.served)) accesses.add(waiting.accesses[a]);
      waiting.accesses = std::move(accesses);
      waiting.served.bytes = 0;
      return;
    }
}

}  // namespace treadle
