// SPDX-License-Identifier: Apache-2.0
// Accesses of different sizes to the same bytes, of each of which a value has four bits, as C.
#pragma once

#include <string>

#include "program.h"

namespace oracle {

// Each is a statement; the bytes are the array that `prefix` and "x" name.
std::string bytes_load(const Load& load, const std::string& prefix);
std::string bytes_store(const Store& store, const std::string& prefix);
std::string bytes_exchange(const Exchange& exchange, const std::string& prefix);
std::string bytes_compare_exchange(const CompareExchange& exchange, const std::string& prefix);

/// The types and functions that those in `text` need.
const char* parts_for(const std::string& text);

}  // namespace oracle
