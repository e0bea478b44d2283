// SPDX-License-Identifier: Apache-2.0
#include "subject/compiler_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/atomic_file.h"

namespace treadle {
namespace {

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool starts_with_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view start) { return word.starts_with(start); });
}

/// Options whose value is the next word, so that the value is not taken for an input.
bool takes_next_word(std::string_view word) {
  return is_one_of(word, {"-o",
                          "-x",
                          "-I",
                          "-D",
                          "-U",
                          "-L",
                          "-l",
                          "-F",
                          "-B",
                          "-u",
                          "-e",
                          "-T",
                          "-z",
                          "-A",
                          "-h",
                          "-MF",
                          "-MT",
                          "-MQ",
                          "-MJ",
                          "-include",
                          "-imacros",
                          "-isystem",
                          "-iquote",
                          "-idirafter",
                          "-iprefix",
                          "-isysroot",
                          "-iwithprefix",
                          "-iwithprefixbefore",
                          "-include-pch",
                          "-target",
                          "-arch",
                          "-Xclang",
                          "-Xlinker",
                          "-Xassembler",
                          "-Xpreprocessor",
                          "-Xanalyzer",
                          "-mllvm",
                          "--param",
                          "--sysroot",
                          "-rpath",
                          "-framework",
                          "-gcc-toolchain",
                          "-working-directory",
                          "-serialize-diagnostics",
                          "-dependency-file",
                          "-undefined",
                          "--config"});
}

bool asks_about_compiler(std::string_view word) {
  return is_one_of(word, {"--version", "-dumpmachine", "-dumpversion", "-dumpspecs", "--help", "--help-hidden", "-V", "-qversion"}) ||
         starts_with_one_of(word, {"-print-", "--print-", "--autocomplete"});
}

bool stops_before_link(std::string_view word) {
  return is_one_of(word, {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-emit-ast", "--analyze", "--precompile", "-r", "--compile",
                          "--assemble", "--preprocess", "-emit-pch"});
}

/// One text in the manner of GNU response files: white space separates, quotes and backslashes protect.
Words split_response(std::string_view text) {
  Words words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word = word.value_or("") + text[++i];
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word = *word + c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      word = word.value_or("");
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      word = word.value_or("") + c;
    }
  }
  if (word) words.push_back(*word);
  return words;
}

constexpr int deepest_response = 10;

void expand(const Words& from, Words& to, int depth) {
  for (const std::string& word : from) {
    std::optional<std::string> text;
    if (word.size() > 1 && word[0] == '@' && depth < deepest_response)
      if (auto file = read_file(word.substr(1))) text = *file;
    if (text)
      expand(split_response(*text), to, depth + 1);
    else
      to.push_back(word);  // also a file that cannot be read: clang has the better words for it
  }
}

/// Why a single word cannot be honoured.
std::optional<Problem> objection(std::string_view word, std::string_view value, bool links) {
  if (word.starts_with("-fsanitize=") && word != "-fsanitize=")
    return Problem{fmt::format("{} cannot be combined with Treadle's own instrumentation", word),
                   "leave it out for this build; Treadle finds data races and heap errors by itself"};
  if (starts_with_one_of(word, {"-fopenmp", "-qopenmp"}) && word != "-fopenmp-simd")
    return Problem{fmt::format("{} is not supported: OpenMP's threads synchronise in a library that Treadle cannot see into", word), ""};
  if (is_one_of(word, {"-m32", "-mx32", "-m16"}))
    return Problem{fmt::format("{} is not supported: Treadle runs 64-bit programs only", word), ""};
  bool is_target = word == "-target" || word.starts_with("--target=");
  std::string_view target = word == "-target" ? value : word.substr(std::min(word.find('=') + 1, word.size()));
  if (is_target && !(target.starts_with("x86_64") && target.find("linux") != std::string_view::npos))
    return Problem{fmt::format("the target {} is not supported: Treadle runs programs for x86-64 Linux only", target), ""};
  if (links && is_one_of(word, {"-static", "--static", "-static-pie"}))
    return Problem{fmt::format("{} is not supported: Treadle's runtime takes the place of functions of a *shared* C library", word),
                   "link dynamically for this build; -static-libstdc++ is fine"};
  return std::nullopt;
}

bool is_link_time_optimisation(std::string_view word) {
  return word == "-flto" ||
         starts_with_one_of(word, {"-flto=", "-flto-", "-ffat-lto-objects", "-fwhole-program-vtables", "-fsplit-lto-unit"});
}

/// Counters in the program, and a file of them to which every execution adds: what it does then depends on the ones before.
bool counts_coverage(std::string_view word) {
  return is_one_of(word, {"--coverage", "-coverage", "-fprofile-arcs", "-ftest-coverage", "-fcoverage-mapping"}) ||
         starts_with_one_of(word, {"-fprofile-generate", "-fprofile-instr-generate", "-fcs-profile-generate"});
}

/// Linker options that would keep the program from finding the runtime. A shared library gets its hooks from the executable, so they are
/// undefined in it; an executable must show ours to all libraries.
bool hides_the_runtime(std::string_view option, bool is_shared) {
  if (is_shared) return is_one_of(option, {"--no-undefined", "-no-undefined", "-zdefs", "-z=defs"});
  return starts_with_one_of(option, {"--exclude-libs", "-exclude-libs", "--version-script", "-version-script"}) ||
         is_one_of(option, {"--no-export-dynamic"});
}

struct LinkerRun {
  Words original;  // as the user wrote it: -Wl,a,b or -Xlinker a
  Words options;   // a, b

  void add(const std::string& word, std::string_view list) {
    original.push_back(word);
    for (std::size_t at = 0; at <= list.size();) {
      std::size_t end = std::min(list.find(',', at), list.size());
      options.emplace_back(list.substr(at, end - at));
      at = end + 1;
    }
  }

  void flush(CompilerArguments& result) {
    Words kept;
    for (std::size_t i = 0; i < options.size(); ++i) {
      bool is_pair = i + 1 < options.size() && options[i] == "-z" && options[i + 1] == "defs" && result.is_shared;
      if (!is_pair && !hides_the_runtime(options[i], result.is_shared)) {
        kept.push_back(options[i]);
        continue;
      }
      result.notes.push_back(
          fmt::format("linker option {}{} left out: the program could not find Treadle's runtime", options[i], is_pair ? " defs" : ""));
      bool has_value = is_pair || is_one_of(options[i], {"--exclude-libs", "-exclude-libs", "--version-script", "-version-script"});
      if (has_value) ++i;
    }
    if (kept.size() == options.size()) {
      result.words.insert(result.words.end(), original.begin(), original.end());
    } else {
      for (const std::string& option : kept) {
        result.words.push_back("-Xlinker");
        result.words.push_back(option);
      }
    }
    *this = {};
  }
};

bool is_debug_flag(std::string_view word) {
  return word.starts_with("-g") && !starts_with_one_of(word, {"-gcc-toolchain", "-gz", "-grecord", "-gno-", "-gsplit", "-gpubnames"});
}

void look_at(std::string_view word, CompilerArguments& result, bool& has_input, bool& stops) {
  has_input |= word == "-" || !word.starts_with('-') || word.starts_with("-l");
  stops |= stops_before_link(word);
  result.is_query |= asks_about_compiler(word);
  result.is_shared |= is_one_of(word, {"-shared", "--shared"});
  result.has_debug_flag |= is_debug_flag(word);
}

}  // namespace

namespace {

/// --record is ours, not clang's.
void take_record(Words& words, CompilerArguments& result) {
  const bool both = std::erase(words, "--record=both") > 0, processor = std::erase(words, "--record=pt") > 0;
  result.records = std::erase(words, "--record") > 0 || both || processor;
  result.maps_blocks = both || processor;
  result.records_paths = both || !processor;
  result.follows = std::erase(words, "--follow") > 0 && !result.records;
}

}  // namespace

Result<CompilerArguments> understand(const std::vector<std::string>& given) {
  Words words;
  expand(given, words, 0);

  CompilerArguments result;
  result.is_symbolic = std::erase(words, "--symbolic") > 0;
  static const std::string atomic = "--atomic=";
  std::erase_if(words, [&](const std::string& word) {
    if (word.starts_with(atomic)) result.atomic.push_back(word.substr(atomic.size()));
    return word.starts_with(atomic);
  });
  take_record(words, result);
  bool has_input = false, stops = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    look_at(words[i], result, has_input, stops);
    if (takes_next_word(words[i])) ++i;
  }
  result.is_query |= !has_input;
  result.links = !stops && !result.is_query;
  if (result.is_query) {
    result.words = words;
    return result;
  }

  LinkerRun run;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_value = takes_next_word(word) && i + 1 < words.size();
    if (auto problem = objection(word, has_value ? words[i + 1] : "", result.links)) return *problem;
    if (word.starts_with("-Wl,")) {
      run.add(word, std::string_view(word).substr(4));
    } else if (word == "-Xlinker" && has_value) {
      run.original.push_back(word);
      run.original.push_back(words[i + 1]);
      run.options.push_back(words[++i]);
    } else if (word == "-z" && has_value) {
      run.original.insert(run.original.end(), {word, words[i + 1]});
      run.options.insert(run.options.end(), {word, words[++i]});
    } else {
      run.flush(result);
      if (is_link_time_optimisation(word)) {
        result.notes.push_back(fmt::format("{} left out: shared accesses must not be optimised across files", word));
        continue;
      }
      if (counts_coverage(word)) {
        result.notes.push_back(fmt::format("{} left out: each execution would find the counts of those before it", word));
        continue;
      }
      result.words.push_back(word);
      if (has_value) result.words.push_back(words[++i]);
    }
  }
  run.flush(result);
  return result;
}

}  // namespace treadle
