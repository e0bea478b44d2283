// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "abi/symbolic.h"
#include "cli/words.h"
#include "subject/compiler.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;

bool is_source(const std::string& path) {
  static constexpr const char* suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".i", ".ii"};
  return std::ranges::any_of(suffixes, [&](const char* suffix) { return fs::path(path).extension() == suffix; });
}

/// Objects and archives have no program header; an executable or a shared object has.
enum class FileIs { Program, Linkable, Other };

struct ElfFile {
  int descriptor = -1;
  Elf* elf = nullptr;
  explicit ElfFile(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (descriptor >= 0) elf = elf_begin(descriptor, ELF_C_READ, nullptr);
  }
  ~ElfFile() {
    if (elf) elf_end(elf);
    if (descriptor >= 0) ::close(descriptor);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
};

FileIs what_is(const ElfFile& file) {
  if (!file.elf) return FileIs::Other;
  if (elf_kind(file.elf) == ELF_K_AR) return FileIs::Linkable;
  GElf_Ehdr header;
  if (elf_kind(file.elf) != ELF_K_ELF || !gelf_getehdr(file.elf, &header)) return FileIs::Other;
  return header.e_type == ET_REL ? FileIs::Linkable : FileIs::Program;
}

bool has_section(Elf* elf, const char* wanted) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name && std::strcmp(name, wanted) == 0) return true;
  }
  return false;
}

Result<std::string> compiled(const Options& options) {
  auto flags = split_words(options.compiler_flags);
  if (!flags) return Problem{"--cflags: " + flags.problem().sentence, ""};
  auto program = compile({options.files, *flags, options.out, options.symbolic});
  if (!program) return program;
  return fs::absolute(*program).string();
}

/// Without it nothing is known about the runtime's functions, and less is known about the program.
std::string runtime_file() {
  const auto archive = runtime_archive();
  return archive ? *archive : "";
}

}  // namespace

const char* text_of(Carrier carrier) {
  switch (carrier) {
    case Carrier::Reset:
      return "reset";
    case Carrier::Fork:
      return "fork";
    case Carrier::Kernel:
      return "kernel";
  }
  return "?";
}

std::unique_ptr<Symbols> symbols_of(const Subject& subject, const std::string& program) {
  auto objects = subject.loaded_objects();
  return objects.empty() ? Symbols::of_program(program) : Symbols::of_objects(std::move(objects));
}

ProgramDependence dependence_of(const Subject& subject, const std::string& program) {
  const auto objects = subject.loaded_objects();
  return objects.empty() ? dependence_of(program) : dependence_in(objects, runtime_file());
}

ProgramDependence dependence_of(const std::string& program) {
  const std::vector<LoadedObject> objects{{program, kExecutableBase, 0}};
  return dependence_in(objects, runtime_file());
}

Result<Done> check_built_with_treadle(const std::string& path) {
  const ElfFile file(path);
  if (file.descriptor < 0) return Problem{fmt::format("cannot read {}: {}", path, std::strerror(errno)), ""};
  if (what_is(file) != FileIs::Program) return Problem{fmt::format("{} is neither a program nor a C or C++ source", path), ""};
  if (!has_section(file.elf, "treadle_abi"))
    return Problem{fmt::format("{} was not built with Treadle", path), "build it with CC=\"treadle cc\" and CXX=\"treadle c++\""};
  return Done{};
}

bool is_symbolic_build(const std::string& path) {
  const ElfFile file(path);
  return file.descriptor >= 0 && has_section(file.elf, TREADLE_SYMBOLIC_SECTION);
}

bool asks_for_inputs(const std::string& path) {
  const ElfFile file(path);
  return file.descriptor >= 0 && has_section(file.elf, TREADLE_INPUTS_SECTION);
}

bool is_compiled_here(const Options& options) { return std::ranges::any_of(options.files, is_source); }

Result<std::string> program_from(const Options& options) {
  for (const std::string& path : options.files) {
    std::error_code error;
    if (!fs::exists(path, error)) return Problem{fmt::format("there is no file {}", path), ""};
    if (fs::is_directory(path, error)) return Problem{fmt::format("{} is a folder", path), "give a program or its sources"};
  }
  if (is_compiled_here(options)) return compiled(options);
  if (std::ranges::all_of(options.files, [](const std::string& path) { return what_is(ElfFile(path)) == FileIs::Linkable; }))
    return compiled(options);
  if (options.files.size() > 1)
    return Problem{"one program at a time, please", "what follows -- is handed to the program as its arguments"};
  if (!options.compiler_flags.empty()) return Problem{"--cflags is for sources, and this is a program already", ""};
  const std::string& path = options.files.front();
  if (auto built = check_built_with_treadle(path); !built) return built.problem();
  if (options.symbolic && !is_symbolic_build(path))
    return Problem{fmt::format("{} is no symbolic build", path),
                   "build it with CC=\"treadle cc --symbolic\" and CXX=\"treadle c++ --symbolic\""};
  if (::access(path.c_str(), X_OK) != 0) return Problem{fmt::format("{} may not be executed", path), "chmod +x " + path};
  return fs::absolute(path).lexically_normal().string();
}

}  // namespace treadle
