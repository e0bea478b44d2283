// SPDX-License-Identifier: Apache-2.0
#include <dwarf.h>

#include "finding/dwarf.h"

namespace treadle {
namespace {

constexpr int kDeepest = 32;

/// One step inwards from `type`: says how, and changes type and offset. False when there is nothing more to name.
class Inwards {
 public:
  Inwards(Dwarf_Die type, std::uint64_t offset) : type_(type), offset_(offset) {}

  bool step(std::string& path) {
    Dwarf_Die plain;
    if (dwarf_peel_type(&type_, &plain) != 0) return false;
    type_ = plain;
    switch (dwarf_tag(&type_)) {
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
        return into_member(path);
      case DW_TAG_array_type:
        return into_element(path);
      default:
        return false;
    }
  }

  std::uint64_t offset() const { return offset_; }

 private:
  static bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) != nullptr && dwarf_formref_die(&attribute, type) != nullptr;
  }

  bool into_member(std::string& path) {
    Dwarf_Die member;
    if (dwarf_child(&type_, &member) != 0) return false;
    do {
      const int tag = dwarf_tag(&member);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
      Dwarf_Attribute attribute;
      Dwarf_Word at = 0, size = 0;
      if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) != nullptr && dwarf_formudata(&attribute, &at) != 0) continue;
      if (dwarf_hasattr(&member, DW_AT_data_bit_offset) || dwarf_hasattr(&member, DW_AT_declaration)) continue;
      Dwarf_Die type;
      if (!type_of(&member, &type) || dwarf_aggregate_size(&type, &size) != 0) continue;
      if (offset_ < at || offset_ - at >= size) continue;

      const char* name = dwarf_diename(&member);
      // Names that begin with an underscore are the library's own: "queue.mutex" says more than "queue.mutex._M_mutex.__data".
      if (tag == DW_TAG_member && name != nullptr && name[0] == '_') return false;
      if (tag == DW_TAG_member && name != nullptr) path += std::string(".") + name;
      type_ = type;
      offset_ -= at;
      return true;
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
  }

  bool into_element(std::string& path) {
    Dwarf_Die element;
    Dwarf_Word size = 0, whole = 0;
    if (!type_of(&type_, &element) || dwarf_aggregate_size(&element, &size) != 0 || size == 0) return false;
    if (dwarf_aggregate_size(&type_, &whole) != 0 || offset_ >= whole) return false;
    std::uint64_t index = offset_ / size;
    std::string subscripts;
    for (std::uint64_t below = whole / size; const std::uint64_t extent : extents()) {
      below /= extent;
      if (below == 0) return false;
      subscripts += "[" + std::to_string(index / below) + "]";
      index %= below;
    }
    path += subscripts;
    type_ = element;
    offset_ %= size;
    return true;
  }

  std::vector<std::uint64_t> extents() {
    std::vector<std::uint64_t> all;
    Dwarf_Die range;
    if (dwarf_child(&type_, &range) != 0) return all;
    do {
      Dwarf_Attribute attribute;
      Dwarf_Word number = 0;
      if (dwarf_tag(&range) != DW_TAG_subrange_type) continue;
      if (dwarf_attr(&range, DW_AT_count, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0 && number > 0)
        all.push_back(number);
      else if (dwarf_attr(&range, DW_AT_upper_bound, &attribute) != nullptr && dwarf_formudata(&attribute, &number) == 0)
        all.push_back(number + 1);
    } while (dwarf_siblingof(&range, &range) == 0);
    return all;
  }

  Dwarf_Die type_;
  std::uint64_t offset_;
};

}  // namespace

std::string member_path(Dwarf_Die type, std::uint64_t& offset) {
  std::string path;
  Inwards inwards(type, offset);
  for (int depth = 0; depth < kDeepest && inwards.step(path); ++depth) {
  }
  offset = inwards.offset();
  return path;
}

}  // namespace treadle
