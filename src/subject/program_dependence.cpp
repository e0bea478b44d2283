// SPDX-License-Identifier: Apache-2.0
#include "subject/program_dependence.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "subject/elf_reader.h"

namespace treadle {
namespace {

std::uint64_t hash_of_name(std::string_view name) { return treadle_name_hash(name.data(), name.size()); }

/// A loaded file with pieces in it.
struct Known {
  const LoadedObject* object;
  std::unique_ptr<ElfReader> file;
  std::uint64_t section_address;
  std::vector<DependencePiece> pieces;
};

struct Names {
  std::unordered_map<std::uint64_t, unsigned> defined, referenced;  // in how many pieces
  std::unordered_set<std::uint64_t> in_libraries, in_runtime;
  std::string unknown_code;  // of functions that nobody told us about: they may call anything

  bool is_defined_elsewhere(std::uint64_t name) const {
    const auto found = defined.find(name);
    return found != defined.end() && found->second > 1;
  }
};

bool is_startup_code(std::string_view name) {
  for (const char* known : {"_start", "_init", "_fini", "_dl_relocate_static_pie", "__libc_csu_init", "__libc_csu_fini", "__start"})
    if (name == known) return true;
  return false;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

class Linker {
 public:
  explicit Linker(const std::string& runtime) {
    for (const std::string& name : ElfReader(runtime).names_in_archive()) names_.in_runtime.insert(hash_of_name(name));
  }

  void add(const LoadedObject& object) {
    auto file = std::make_unique<ElfReader>(object.path);
    const auto section = file->section(TREADLE_DEPENDENCE_SECTION);
    if (!section) {
      // Anything that a library refers to or defines it may call, and get the program's function of that name.
      file->for_each_name(ElfReader::Table::DynamicSymbols,
                          [&](const ElfReader::Name& name) { names_.in_libraries.insert(hash_of_name(name.name)); });
      return;
    }
    auto pieces = pieces_in(section->bytes);
    if (!pieces) {
      names_.unknown_code = fmt::format("{} was built with another version of Treadle", file_name(object.path));
      return;
    }
    for (const DependencePiece& piece : *pieces) {
      for (const std::uint64_t name : piece.defined) ++names_.defined[name];
      for (const std::uint64_t name : piece.referenced) ++names_.referenced[name];
    }
    known_.push_back({&object, std::move(file), section->address, std::move(*pieces)});
  }

  ProgramDependence link() {
    for (const Known& known : known_) look_for_unknown_code(known);
    for (const char* loader : {"dlopen", "dlmopen", "dlsym", "dlvsym"})
      if (names_.referenced.contains(hash_of_name(loader)))
        names_.unknown_code = fmt::format("the program calls {}, and what it loads may call its functions", loader);
    std::size_t pieces = 0;
    for (const Known& known : known_) pieces += known.pieces.size();
    is_alone_ = pieces == 1 && names_.unknown_code.empty();
    for (const Known& known : known_) add_tables(known);
    result_.gap = known_.empty() ? "the program was built by a Treadle that leaves nothing about dependence in it" : names_.unknown_code;
    if (!known_.empty() && !has_lines_) {
      result_.tables.code.clear();
      result_.gap = "there are no line tables, by which code is found";
    }
    return std::move(result_);
  }

 private:
  void look_for_unknown_code(const Known& known) {
    auto is_known = [&](std::string_view name) {
      const std::uint64_t hash = hash_of_name(name);
      return names_.defined.contains(hash) || names_.in_runtime.contains(hash) || is_startup_code(name);
    };
    const bool has_table = known.file->for_each_name(ElfReader::Table::Symbols, [&](const ElfReader::Name& name) {
      if (name.is_function && name.is_defined && !is_known(name.name))
        names_.unknown_code = fmt::format("{} was not built with Treadle, and may call any function", name.name);
    });
    if (!has_table) names_.unknown_code = fmt::format("{} has no symbol table", file_name(known.object->path));
  }

  bool holds(const DependencePiece::Other& other) const {
    if (!names_.unknown_code.empty()) return true;
    switch (other.kind) {
      case TREADLE_OTHER_EXISTS:
        return !is_alone_;
      case TREADLE_OTHER_REPLACES:
        return names_.is_defined_elsewhere(other.name);
      case TREADLE_OTHER_ENTERS:
        return names_.referenced.contains(other.name) || names_.is_defined_elsewhere(other.name) ||
               names_.in_libraries.contains(other.name) || names_.in_runtime.contains(other.name);
      case TREADLE_OTHER_KINDS:
        break;
    }
    return true;
  }

  void add_tables(const Known& known) {
    std::unordered_map<std::uint32_t, std::uint32_t> site_of_key;  // UINT32_MAX: of more than one
    std::unordered_map<std::uint32_t, std::uint32_t> line_of_key;
    for (const DependencePiece& piece : known.pieces) {
      const auto first = static_cast<std::uint32_t>(result_.tables.sites.size());
      add_sites(piece);
      for (std::uint32_t i = 0; i < piece.sites.size(); ++i) {
        if (piece.sites[i].key == 0) continue;
        const auto [entry, is_new] = site_of_key.try_emplace(piece.sites[i].key, first + i);
        if (!is_new) entry->second = UINT32_MAX;
        line_of_key[piece.sites[i].key] = piece.sites[i].line;
      }
      for (const auto& function : piece.functions) {
        const std::uint64_t start = known.section_address + function.offset + known.file->bias(known.object->base);
        result_.tables.code.push_back({start, start + 1, first + function.site});
      }
    }
    const std::uint64_t bias = known.file->bias(known.object->base);
    for (const LineRow& row : known.file->rows_with_discriminator()) {
      const auto site = site_of_key.find(row.discriminator);
      if (site == site_of_key.end() || site->second == UINT32_MAX || line_of_key[row.discriminator] != row.line) continue;
      result_.tables.code.push_back({row.low + bias, row.high + bias, site->second});
      has_lines_ = true;
    }
  }

  void add_sites(const DependencePiece& piece) {
    DependenceTables& tables = result_.tables;
    const auto first = static_cast<std::uint32_t>(tables.sites.size());
    std::vector<std::uint32_t> number_of_set;
    for (const auto& members : piece.sets) {
      std::vector<std::uint32_t> sites;
      bool is_everything = false;
      for (const std::uint32_t member : members) {
        if (member < piece.sites.size())
          sites.push_back(first + member);
        else
          is_everything |= holds(piece.others[member - piece.sites.size()]);
      }
      number_of_set.push_back(is_everything ? DependenceTables::everything : static_cast<std::uint32_t>(tables.sets.size()));
      if (!is_everything) tables.sets.push_back(std::move(sites));
    }
    auto number = [&](std::uint32_t set) { return set == DependencePiece::everything ? DependenceTables::everything : number_of_set[set]; };
    for (const auto& site : piece.sites) {
      tables.sites.push_back({number(site.control), number(site.way), number(site.data), number(site.carried)});
      result_.notes.push_back({site.kind, piece.texts[site.text]});
    }
  }

  Names names_;
  std::deque<Known> known_;
  bool is_alone_ = false, has_lines_ = false;
  ProgramDependence result_;
};

}  // namespace

ProgramDependence dependence_in(std::span<const LoadedObject> objects, const std::string& runtime) {
  Linker linker(runtime);
  for (const LoadedObject& object : objects) linker.add(object);
  return linker.link();
}

}  // namespace treadle
