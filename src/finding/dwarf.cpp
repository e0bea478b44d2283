// SPDX-License-Identifier: Apache-2.0
#include "finding/dwarf.h"

#include <cxxabi.h>
#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace treadle {
namespace {

constexpr int kDeepest = 64;  // nesting of scopes and types that we follow: foreign input

std::string function_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
    if (dwarf_attr_integrate(die, which, &attribute) != nullptr)
      if (const char* name = dwarf_formstring(&attribute)) return demangled(name);
  return "??";
}

std::uint64_t number_of(Dwarf_Die* die, unsigned which) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, which, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

/// Compilers give line 0 to instructions that belong to no line; the nearest before it in the function is what the user wants to see.
void set_position(SourceFrame& frame, Dwarf_Die* unit, std::uint64_t address, std::uint64_t function_start) {
  for (int tries = 0; tries < 16; ++tries) {
    Dwarf_Line* line = dwarf_getsrc_die(unit, address);
    int number = 0, column = 0;
    Dwarf_Addr starts = 0;
    if (line == nullptr || dwarf_lineno(line, &number) != 0) return;
    if (number != 0) {
      const char* file = dwarf_linesrc(line, nullptr, nullptr);
      dwarf_linecol(line, &column);
      frame.file = file == nullptr ? "" : file;
      frame.line = static_cast<unsigned>(number);
      frame.column = static_cast<unsigned>(column);
      return;
    }
    if (dwarf_lineaddr(line, &starts) != 0 || starts <= function_start) return;
    address = starts - 1;
  }
}

/// The place from which `inlined` was called.
void set_call_position(SourceFrame& frame, Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint64_t index = number_of(inlined, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) == 0 && index < count)
    if (const char* file = dwarf_filesrc(files, index, nullptr, nullptr)) frame.file = file;
  frame.line = static_cast<unsigned>(number_of(inlined, DW_AT_call_line));
  frame.column = static_cast<unsigned>(number_of(inlined, DW_AT_call_column));
}

/// The chain of inlined calls at the address, outermost first.
void collect_inlined(Dwarf_Die& parent, std::uint64_t address, std::vector<Dwarf_Die>& calls, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block && tag != DW_TAG_catch_block) continue;
    if (dwarf_haspc(&child, address) <= 0) continue;
    if (tag == DW_TAG_inlined_subroutine) calls.push_back(child);
    return collect_inlined(child, address, calls, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// Where a variable lives, when that is one fixed address.
std::optional<std::uint64_t> fixed_address(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return std::nullopt;
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  if (operations[0].atom != DW_OP_addrx && operations[0].atom != DW_OP_GNU_addr_index) return std::nullopt;
  Dwarf_Attribute indirect;
  Dwarf_Addr address = 0;
  if (dwarf_getlocation_attr(&attribute, operations, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0) return std::nullopt;
  return address;
}

}  // namespace

std::string demangled(const char* name) {
  if (std::strncmp(name, "_Z", 2) != 0) return name;  // a C variable `x` is not the type `long long`
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  std::string result = status == 0 && plain ? plain.get() : name;
  for (std::size_t at; (at = result.find("[abi:cxx11]")) != std::string::npos;)
    result.erase(at, 11);  // true of every std::string, told by none
  return result;
}

void DebugUnits::index_units() {
  if (std::exchange(units_known_, true)) return;
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* die = nullptr; (die = dwfl_module_nextcu(module_, die, &bias)) != nullptr;) {
    units_.push_back({*die, bias, false, {}});
    Dwarf_Addr base = 0, low = 0, high = 0;
    std::ptrdiff_t next = 0;
    while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0)
      if (low != 0 && low < high) ranges_.push_back({low + bias, high + bias, units_.size() - 1});
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
}

DebugUnits::Unit* DebugUnits::unit_at(std::uint64_t address) {
  index_units();
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address, [](std::uint64_t a, const Range& r) { return a < r.low; });
  if (after == ranges_.begin() || address >= std::prev(after)->high) return nullptr;
  return &units_[std::prev(after)->unit];
}

void DebugUnits::collect_functions(Dwarf_Die& parent, Unit& unit, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram: {
        Dwarf_Addr base = 0, low = 0, high = 0;
        std::ptrdiff_t next = 0;
        while ((next = dwarf_ranges(&child, next, &base, &low, &high)) > 0)
          if (low < high) unit.functions.push_back({low, high, child});
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
        collect_functions(child, unit, depth + 1);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

Dwarf_Die* DebugUnits::function_at(Unit& unit, std::uint64_t address) {
  if (!std::exchange(unit.functions_known, true)) {
    collect_functions(unit.die, unit, 0);
    std::sort(unit.functions.begin(), unit.functions.end(), [](const Function& a, const Function& b) { return a.low < b.low; });
  }
  auto after =
      std::upper_bound(unit.functions.begin(), unit.functions.end(), address, [](std::uint64_t a, const Function& f) { return a < f.low; });
  return after == unit.functions.begin() || address >= std::prev(after)->high ? nullptr : &std::prev(after)->die;
}

std::vector<SourceFrame> DebugUnits::frames_at(std::uint64_t in_subject) {
  Unit* unit = unit_at(in_subject);
  const std::uint64_t address = unit == nullptr ? 0 : in_subject - unit->bias;
  Dwarf_Die* function = unit == nullptr ? nullptr : function_at(*unit, address);
  if (function == nullptr) return {};

  std::vector<Dwarf_Die> calls{*function};  // outermost first
  collect_inlined(*function, address, calls, 0);
  std::vector<SourceFrame> frames;
  SourceFrame frame;
  Dwarf_Addr start = 0;
  dwarf_entrypc(function, &start);
  set_position(frame, &unit->die, address, start);
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    frame.function = function_name(&*call);
    frames.push_back(frame);
    frame = {};
    if (std::next(call) != calls.rend()) set_call_position(frame, &unit->die, &*call);
  }
  return frames;
}

void DebugUnits::collect_variables(Dwarf_Die& parent, std::uint64_t bias, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable: {
        const auto address = fixed_address(&child);
        Dwarf_Attribute attribute;
        StaticVariable variable;
        Dwarf_Word size = 0;
        if (!address || dwarf_attr_integrate(&child, DW_AT_type, &attribute) == nullptr ||
            dwarf_formref_die(&attribute, &variable.type) == nullptr || dwarf_aggregate_size(&variable.type, &size) != 0)
          break;
        const char* name = dwarf_attr_integrate(&child, DW_AT_name, &attribute) == nullptr ? nullptr : dwarf_formstring(&attribute);
        variable.address = *address + bias;
        variable.size = size;
        variable.name = name == nullptr ? "" : name;
        variables_.push_back(variable);
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
        collect_variables(child, bias, depth + 1);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void DebugUnits::index_variables() {
  if (std::exchange(variables_known_, true)) return;
  index_units();
  for (Unit& unit : units_) collect_variables(unit.die, unit.bias, 0);
  std::sort(variables_.begin(), variables_.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
}

const StaticVariable* DebugUnits::variable_at(std::uint64_t address) {
  index_variables();
  auto after = std::upper_bound(variables_.begin(), variables_.end(), address,
                                [](std::uint64_t a, const StaticVariable& v) { return a < v.address; });
  if (after == variables_.begin()) return nullptr;
  const StaticVariable& variable = *std::prev(after);
  return address - variable.address < variable.size ? &variable : nullptr;
}

}  // namespace treadle
