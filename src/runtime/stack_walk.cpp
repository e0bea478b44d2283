// SPDX-License-Identifier: Apache-2.0
#include "runtime/stack_walk.h"

#include "runtime/carrier.h"

namespace treadle {

void walk_stack(TreadleStack& out, std::uint64_t event, std::uint64_t frame_pointer, std::uint64_t innermost) noexcept {
  const Thread& self = *world().current;
  const std::uint64_t top = stack_top(self.id);
  const std::uint64_t low = top - self.stack_bytes;
  world().result->stacks_taken = 1;
  out.event = event;
  out.thread = self.id;
  out.count = 0;
  if (innermost != 0) out.pc[out.count++] = innermost;
  while (out.count < TREADLE_MAX_FRAMES && frame_pointer >= low && frame_pointer + 16 <= top && frame_pointer % 8 == 0) {
    const auto* frame = reinterpret_cast<const std::uint64_t*>(frame_pointer);
    if (frame[1] == 0) break;
    out.pc[out.count++] = frame[1];
    if (frame[0] <= frame_pointer) break;
    frame_pointer = frame[0];
  }
}

}  // namespace treadle
