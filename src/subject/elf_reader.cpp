// SPDX-License-Identifier: Apache-2.0
#include "subject/elf_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace treadle {

namespace {

constexpr std::uint64_t page = 4096;

/// Sorted by address; the last row of a sequence only says where it ends.
void append_rows(Dwarf_Lines* lines, std::size_t count, std::vector<LineRow>& rows) {
  for (std::size_t i = 0; i + 1 < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Line* next = dwarf_onesrcline(lines, i + 1);
    LineRow row;
    bool ends = false;
    int number = 0;
    if (line == nullptr || next == nullptr || dwarf_lineendsequence(line, &ends) != 0 || ends) continue;
    if (dwarf_linediscriminator(line, &row.discriminator) != 0 || row.discriminator == 0 || dwarf_lineno(line, &number) != 0) continue;
    if (dwarf_lineaddr(line, &row.low) != 0 || dwarf_lineaddr(next, &row.high) != 0 || row.low >= row.high) continue;
    row.line = static_cast<std::uint32_t>(number);
    rows.push_back(row);
  }
}

}  // namespace

ElfReader::ElfReader(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  elf_version(EV_CURRENT);
  if (descriptor_ >= 0) elf_ = elf_begin(descriptor_, ELF_C_READ, nullptr);
}

ElfReader::~ElfReader() {
  if (elf_ != nullptr) elf_end(elf_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<ElfReader::Section> ElfReader::section(std::string_view wanted) const {
  std::size_t names = 0;
  if (elf_ == nullptr || elf_getshdrstrndx(elf_, &names) != 0) return std::nullopt;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf_, names, header.sh_name);
    if (name == nullptr || wanted != name) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return std::nullopt;
    return Section{{static_cast<const char*>(data->d_buf), data->d_size}, header.sh_addr};
  }
  return std::nullopt;
}

std::uint64_t ElfReader::bias(std::uint64_t base) const {
  GElf_Ehdr header;
  std::size_t count = 0;
  if (elf_ == nullptr || gelf_getehdr(elf_, &header) == nullptr || header.e_type == ET_EXEC) return 0;
  std::uint64_t lowest = UINT64_MAX;
  if (elf_getphdrnum(elf_, &count) == 0)
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD)
        lowest = std::min<std::uint64_t>(lowest, segment.p_vaddr);
    }
  return lowest == UINT64_MAX ? base : base - lowest / page * page;
}

bool ElfReader::for_each_name(Table table, const std::function<void(const Name&)>& visit) const {
  const GElf_Word wanted = table == Table::Symbols ? SHT_SYMTAB : SHT_DYNSYM;
  for (Elf_Scn* section = nullptr; elf_ != nullptr && (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    Elf_Data* data = nullptr;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != wanted || header.sh_entsize == 0) continue;
    if ((data = elf_getdata(section, nullptr)) == nullptr) return false;
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
      if (name == nullptr || GELF_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      const int type = GELF_ST_TYPE(symbol.st_info);
      visit({name, symbol.st_shndx != SHN_UNDEF, type == STT_FUNC || type == STT_GNU_IFUNC});
    }
    return true;
  }
  return false;
}

std::vector<LineRow> ElfReader::rows_with_discriminator() const {
  std::vector<LineRow> rows;
  Dwarf* dwarf = elf_ != nullptr ? dwarf_begin_elf(elf_, DWARF_C_READ, nullptr) : nullptr;
  if (dwarf == nullptr) return rows;
  Dwarf_Off offset = 0, next = 0;
  std::size_t header_size = 0;
  while (dwarf_nextcu(dwarf, offset, &next, &header_size, nullptr, nullptr, nullptr) == 0) {
    Dwarf_Die unit;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dwarf_offdie(dwarf, offset + header_size, &unit) != nullptr && dwarf_getsrclines(&unit, &lines, &count) == 0)
      append_rows(lines, count, rows);
    offset = next;
  }
  dwarf_end(dwarf);
  return rows;
}

std::vector<std::string> ElfReader::names_in_archive() const {
  std::vector<std::string> names;
  std::size_t count = 0;
  const Elf_Arsym* symbols = elf_ != nullptr && elf_kind(elf_) == ELF_K_AR ? elf_getarsym(elf_, &count) : nullptr;
  for (std::size_t i = 0; symbols != nullptr && i < count; ++i)
    if (symbols[i].as_name != nullptr) names.emplace_back(symbols[i].as_name);
  return names;
}

}  // namespace treadle
