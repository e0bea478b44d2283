// SPDX-License-Identifier: Apache-2.0
#include "finding/symbols.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "finding/dwarf.h"
#include "finding/library_files.h"

namespace treadle {
namespace {

std::string normal(const std::string& file) { return std::filesystem::path(file).lexically_normal().string(); }

/// Under this name the build system compiles it, whatever folder it stands in.
bool is_in_runtime_folder(const std::string& file) { return normal(file).starts_with(TREADLE_SOURCES "/src/runtime/"); }

bool is_system_folder(const std::string& path) {
  for (const char* folder : {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/lib/", "/lib64/", "/usr/local/lib/gcc/"})
    if (path.starts_with(folder)) return true;
  return false;
}

/// Without debug information only the name tells.
bool is_library_function(const std::string& name) {
  static constexpr const char* kPrefixes[] = {"std::",          "__gnu_cxx::", "__cxxabiv1::", "treadle::",      "__treadle_",
                                              "treadle_fiber_", "pthread_",    "__pthread_",   "__libc_",        "__cxa_",
                                              "__assert",       "_Unwind_",    "operator new", "operator delete"};
  for (const char* prefix : kPrefixes)
    if (name.starts_with(prefix)) return true;
  for (const char* exact : {"abort", "raise", "exit", "malloc", "free", "calloc", "realloc", "_start"})
    if (name == exact) return true;
  return false;
}

const Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

class DwarfSymbols final : public Symbols {
 public:
  explicit DwarfSymbols(const std::vector<LoadedObject>& objects) : session_(dwfl_begin(&kCallbacks), &dwfl_end) {
    if (!session_) return;
    // The executable is mapped below its libraries; wherever it is installed, it is the user's.
    std::uint64_t lowest = UINT64_MAX;
    for (const LoadedObject& object : objects) lowest = std::min(lowest, object.base);
    dwfl_report_begin(session_.get());
    for (const LoadedObject& object : objects) {
      Dwfl_Module* module = dwfl_report_elf(session_.get(), object.path.c_str(), object.path.c_str(), -1, object.base, false);
      const bool is_system = object.base > lowest && is_system_folder(object.path);
      if (module != nullptr) modules_.emplace(module, Module{is_system, DebugUnits(module)});
    }
    dwfl_report_end(session_.get(), nullptr, nullptr);
  }

  const std::vector<SourceFrame>& frames_at(std::uint64_t pc, Pc is) const override {
    const std::uint64_t address = is == Pc::ReturnAddress && pc != 0 ? pc - 1 : pc;
    const auto [entry, is_new] = frames_.try_emplace(address);
    if (is_new) entry->second = look_up_code(address);
    return entry->second;
  }

  std::string data_name(std::uint64_t address) const override {
    const auto [entry, is_new] = data_.try_emplace(address);
    if (is_new) entry->second = look_up_data(address);
    return entry->second;
  }

 private:
  struct Module {
    bool is_system;
    DebugUnits units;
  };

  Dwfl_Module* module_at(std::uint64_t address) const { return session_ ? dwfl_addrmodule(session_.get(), address) : nullptr; }

  std::vector<SourceFrame> look_up_code(std::uint64_t address) const {
    std::vector<SourceFrame> frames;
    Dwfl_Module* module = module_at(address);
    const auto known = modules_.find(module);
    if (module == nullptr || known == modules_.end()) return {SourceFrame{.function = "??"}};

    // The system's libraries are never where the bug is: their names are enough.
    if (!known->second.is_system) frames = known->second.units.frames_at(address);
    for (SourceFrame& frame : frames) {
      frame.library = is_runtime_code(frame) || (frame.file.empty() ? is_library_function(frame.function) : is_library_file(frame.file));
      if (frame.library) frame.file = normal(frame.file);
    }
    if (!frames.empty()) return frames;

    const char* symbol = dwfl_module_addrname(module, address);
    SourceFrame frame{.function = symbol == nullptr ? "??" : demangled(symbol)};
    frame.library = known->second.is_system || is_runtime_code(frame) || is_library_function(frame.function);
    return {frame};
  }

  std::string look_up_data(std::uint64_t address) const {
    Dwfl_Module* module = module_at(address);
    const auto known = modules_.find(module);
    if (module == nullptr || known == modules_.end()) return "";

    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* found = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    const bool covers = found != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && offset < symbol.st_size;
    const StaticVariable* variable = known->second.is_system ? nullptr : known->second.units.variable_at(address);
    if (!covers && variable == nullptr) return "";

    // A mangled symbol carries the scope ("bank::total", "main::calls"); a C one may carry the compiler's numbering ("calls.1").
    std::string name = covers ? demangled(found) : variable->name;
    if (variable != nullptr && covers && name == found && !variable->name.empty()) name = variable->name;
    std::uint64_t rest = variable != nullptr ? address - variable->address : offset;
    if (variable != nullptr) name += member_path(variable->type, rest);
    return rest == 0 ? name : name + "+" + std::to_string(rest);
  }

  std::unique_ptr<Dwfl, decltype(&dwfl_end)> session_;
  mutable std::unordered_map<Dwfl_Module*, Module> modules_;
  mutable std::unordered_map<std::uint64_t, std::vector<SourceFrame>> frames_;
  mutable std::unordered_map<std::uint64_t, std::string> data_;
};

}  // namespace

/// Headers of the C++ library are reached through paths like /usr/bin/../lib/gcc/…/../include/c++.
bool is_library_file(const std::string& file) { return is_system_folder(normal(file)); }

bool is_runtime_code(const SourceFrame& frame) {
  if (!frame.file.empty()) return is_in_runtime_folder(frame.file);
  // What is written in assembly, and everything in a build without debug information.
  return frame.function.starts_with("treadle_fiber") || frame.function.starts_with("treadle::") || frame.function.starts_with("__treadle_");
}

std::unique_ptr<Symbols> Symbols::of_program(const std::string& path) { return of_objects({{path, kExecutableBase, 0}}); }

std::unique_ptr<Symbols> Symbols::of_objects(std::vector<LoadedObject> objects) { return std::make_unique<DwarfSymbols>(objects); }

}  // namespace treadle
