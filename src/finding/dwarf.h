// SPDX-License-Identifier: Apache-2.0
// What we ask of libdw beyond what it does by itself. Clang writes no .debug_aranges, without which libdw finds no unit for an address;
// libdw's dwarf_getscopes misses functions that stand inside a namespace; and nobody indexes variables by address. The tables for all three
// are made here, on first use.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "finding/finding.h"

namespace treadle {

std::string demangled(const char* name);

/// A variable that lives at a fixed address, and what its type says about the bytes in it.
struct StaticVariable {
  std::uint64_t address = 0, size = 0;  // in the subject
  Dwarf_Die type{};
  std::string name;  // as declared, without its scope
};

/// The debug information of one loaded object.
class DebugUnits {
 public:
  explicit DebugUnits(Dwfl_Module* module) : module_(module) {}

  /// Innermost first, inlined calls expanded; empty when there is no debug information for the address.
  std::vector<SourceFrame> frames_at(std::uint64_t address);

  const StaticVariable* variable_at(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t low, high;  // in the subject
    std::size_t unit;
  };
  struct Function {
    std::uint64_t low, high;  // in the file
    Dwarf_Die die;
  };
  struct Unit {
    Dwarf_Die die;
    std::uint64_t bias;  // subject's address - address in the file
    bool functions_known = false;
    std::vector<Function> functions{};  // by low
  };
  void index_units();
  void index_variables();
  void collect_variables(Dwarf_Die& parent, std::uint64_t bias, int depth);
  static void collect_functions(Dwarf_Die& parent, Unit& unit, int depth);
  static Dwarf_Die* function_at(Unit& unit, std::uint64_t in_file);
  Unit* unit_at(std::uint64_t address);

  Dwfl_Module* module_;
  bool units_known_ = false, variables_known_ = false;
  std::vector<Unit> units_;
  std::vector<Range> ranges_;              // by low
  std::vector<StaticVariable> variables_;  // by address
};

/// ".balance", "[3].state": the way from a variable of this type to the member at `offset`, as far as the user's own names go; `offset`
/// becomes what is left of it.
std::string member_path(Dwarf_Die type, std::uint64_t& offset);

}  // namespace treadle
