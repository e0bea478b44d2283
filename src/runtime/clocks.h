// SPDX-License-Identifier: Apache-2.0
// Happens-before, as synchronisation objects see it. An object keeps a `Clock*` (null until first released); the running thread releases
// into it and acquires from it. Works and costs nothing when races are not checked.
#pragma once

#include "runtime/world.h"

namespace treadle {

void hb_release(Clock*& object) noexcept;       // object := object joined with the thread; the thread's own time advances
void hb_release_only(Clock*& object) noexcept;  // object := the thread's clock (a release store starts a new history)
void hb_acquire(const Clock* object) noexcept;  // thread := thread joined with object
void hb_create(Thread& child) noexcept;         // everything so far happens before the child
void hb_join(const Thread& finished) noexcept;  // everything of the finished thread happens before what follows

}  // namespace treadle
