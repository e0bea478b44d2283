// SPDX-License-Identifier: Apache-2.0
#include "runtime/code.h"

#include <link.h>

#include <cstring>
#include <initializer_list>

#include "runtime/real.h"

// Where the linker has put them: section.h, memory.h.
extern "C" {
extern const char __start_treadle_rt[], __stop_treadle_rt[], __start_treadle_touches[], __stop_treadle_touches[];
}

namespace treadle {

namespace {

bool is_between(const char* from, const char* to, std::uint64_t pc) noexcept {
  return pc >= reinterpret_cast<std::uint64_t>(from) && pc < reinterpret_cast<std::uint64_t>(to);
}

struct Range {
  std::uint64_t from, to;
  bool has_hooks;
};

constexpr unsigned kMostRanges = 512;  // more of them are taken for code without hooks

/// Filled before main, and again when libraries come and go. The program's own code comes first.
struct Code {
  unsigned count;
  Range ranges[kMostRanges];
};
TREADLE_KEPT Code g_code{};

const ElfW(Dyn) * find(const ElfW(Dyn) * entries, ElfW(Sxword) tag) noexcept {
  for (; entries->d_tag != DT_NULL; ++entries)
    if (entries->d_tag == tag) return entries;
  return nullptr;
}

/// A library of the user's calls hooks by name. Names that a library only uses stand before those that GNU's hash table covers.
bool calls_hooks(const dl_phdr_info& info) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entries = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    const auto *symbols = find(entries, DT_SYMTAB), *names = find(entries, DT_STRTAB), *hash = find(entries, DT_GNU_HASH);
    if (symbols == nullptr || names == nullptr || hash == nullptr || hash->d_un.d_ptr < info.dlpi_addr) return false;
    const std::uint32_t used_only = reinterpret_cast<const std::uint32_t*>(hash->d_un.d_ptr)[1];
    for (std::uint32_t n = 1; n < used_only; ++n) {
      const auto& symbol = reinterpret_cast<const ElfW(Sym)*>(symbols->d_un.d_ptr)[n];
      if (std::strncmp(reinterpret_cast<const char*>(names->d_un.d_ptr) + symbol.st_name, "__treadle_", 10) == 0) return true;
    }
  }
  return false;
}

int note_object(dl_phdr_info* info, std::size_t, void*) noexcept {
  const bool hooks = g_code.count == 0 || calls_hooks(*info);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0 || g_code.count == kMostRanges) continue;
    const std::uint64_t from = info->dlpi_addr + header.p_vaddr;
    g_code.ranges[g_code.count++] = {from, from + header.p_memsz, hooks};
  }
  return 0;
}

const Range* range_of(std::uint64_t pc) noexcept {
  for (unsigned i = 0; i < g_code.count; ++i)
    if (pc >= g_code.ranges[i].from && pc <= g_code.ranges[i].to) return &g_code.ranges[i];
  return nullptr;
}

std::uint64_t within(const Range& range, std::uint64_t low_bits) noexcept {
  std::uint64_t candidate = (range.from & ~kLowPcBits) | low_bits;
  if (candidate < range.from) candidate += kLowPcBits + 1;
  return candidate <= range.to ? candidate : 0;
}

}  // namespace

void note_code() noexcept {
  g_code.count = 0;
  ::dl_iterate_phdr(note_object, nullptr);
}

bool has_hooks(std::uint64_t pc) noexcept {
  const Range* range = range_of(pc);
  if (range == nullptr) {  // a library whose constructors are running
    note_code();
    range = range_of(pc);
  }
  return range != nullptr && range->has_hooks;
}

bool touches_memory(std::uint64_t pc) noexcept { return is_between(__start_treadle_touches, __stop_treadle_touches, pc); }

bool is_of_the_program(std::uint64_t pc) noexcept {
  const Range* range = range_of(pc);
  return range != nullptr && range->has_hooks && !is_between(__start_treadle_rt, __stop_treadle_rt, pc) && !touches_memory(pc);
}

std::uint64_t full_pc(std::uint64_t low_bits, std::uint64_t near) noexcept {
  if (const Range* range = range_of(near))
    if (const std::uint64_t found = within(*range, low_bits)) return found;
  for (const bool hooks : {true, false})
    for (unsigned i = 0; i < g_code.count; ++i)
      if (g_code.ranges[i].has_hooks == hooks)
        if (const std::uint64_t found = within(g_code.ranges[i], low_bits)) return found;
  return (near & ~kLowPcBits) | low_bits;
}

}  // namespace treadle
