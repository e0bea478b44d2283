// SPDX-License-Identifier: Apache-2.0
// The few things that we take from ELF files besides symbols for people: sections, names of functions, line tables.
#pragma once

#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// A row of a line table, as far as the next one: addresses of the file.
struct LineRow {
  std::uint64_t low = 0, high = 0;
  std::uint32_t line = 0, discriminator = 0;
};

class ElfReader {
 public:
  explicit ElfReader(const std::string& path);  // a file that cannot be read has nothing in it
  ~ElfReader();
  ElfReader(const ElfReader&) = delete;
  ElfReader& operator=(const ElfReader&) = delete;

  struct Section {
    std::string_view bytes;
    std::uint64_t address = 0;
  };
  std::optional<Section> section(std::string_view name) const;

  /// What to add to an address of the file when its lowest segment is loaded at `base`.
  std::uint64_t bias(std::uint64_t base) const;

  enum class Table { Symbols, DynamicSymbols };
  struct Name {
    std::string_view name;
    bool is_defined, is_function;
  };
  /// Those that other files can see. False when there is no such table.
  bool for_each_name(Table table, const std::function<void(const Name&)>& visit) const;

  /// Rows with a discriminator.
  std::vector<LineRow> rows_with_discriminator() const;

  /// The global names that an archive defines.
  std::vector<std::string> names_in_archive() const;

 private:
  int descriptor_ = -1;
  Elf* elf_ = nullptr;
};

}  // namespace treadle
