// SPDX-License-Identifier: Apache-2.0
// The payloads of our files. Addresses, pcs and steps are written as differences from the event before, which zstd then makes small.
// Readers accept exactly what the writers make; whatever else the bytes say leaves the ByteReader failed.
#pragma once

#include "base/bytes.h"
#include "trace/trace.h"
#include "trace/witness.h"

namespace treadle {

void put(ByteWriter& out, const Decision& decision);
void put(ByteWriter& out, const std::vector<ThreadName>& threads);
void put(ByteWriter& out, const Schedule& schedule);
void put(ByteWriter& out, const Witness& witness);
void put(ByteWriter& out, const Trace& trace);

Decision get_decision(ByteReader& in);
std::vector<ThreadName> get_threads(ByteReader& in);
Schedule get_schedule(ByteReader& in);
Witness get_witness(ByteReader& in);
Trace get_trace(ByteReader& in);

}  // namespace treadle
