// SPDX-License-Identifier: Apache-2.0
// From addresses of the program to its source, with DWARF and ELF symbols. Missing debug information is no error: the answers get poorer
// ("??", an empty file), never wrong.
//
// Programs run with ASLR off, so an address means the same in every run. Not for use by two threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "trace/names.h"

namespace treadle {

struct LoadedObject {
  std::string path;
  std::uint64_t base = 0;  // where its lowest segment begins
  std::uint64_t end = 0;   // 0: as long as the file says
  bool operator==(const LoadedObject&) const = default;
};

/// Where Linux puts a position-independent executable when ASLR is off.
inline constexpr std::uint64_t kExecutableBase = 0x555555554000;

/// Addresses in events and of callers are return addresses: the call is the instruction before. A faulting pc is exact.
enum class Pc { ReturnAddress, Exact };

class Symbols : public SymbolSource {
 public:
  /// Just the executable: enough for everything but positions in the program's shared libraries.
  static std::unique_ptr<Symbols> of_program(const std::string& path);
  /// The executable and its shared libraries, in any order.
  static std::unique_ptr<Symbols> of_objects(std::vector<LoadedObject> objects);

  /// Innermost first, inlined calls expanded; never empty ("??" at least).
  virtual const std::vector<SourceFrame>& frames_at(std::uint64_t pc, Pc is = Pc::ReturnAddress) const = 0;

  SourceStack resolve(std::span<const std::uint64_t> pcs, Pc innermost = Pc::ReturnAddress) const;
  std::string place_of(std::uint64_t pc) const override;
};

/// Neither the runtime's nor the C and C++ library's: a frame that the user would put a breakpoint in.
bool is_user_code(const SourceFrame& frame);

/// The runtime's own: it stands at both ends of every stack and is nobody's business.
bool is_runtime_code(const SourceFrame& frame);

/// The first frame in the user's code; the innermost when there is none; a "??" frame for an empty stack.
SourceFrame user_frame(const SourceStack& stack);

/// "bank.c:12" (file name without folders), "transfer" when only the function is known, "??".
std::string text_of(const SourceFrame& frame);

}  // namespace treadle
