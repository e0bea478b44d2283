// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace treadle {
namespace {

/// Three dots where the help has one character for them: troff reads ASCII.
std::string with_plain_dots(std::string text) {
  static const std::string dots = "…";
  for (std::size_t at = text.find(dots); at != std::string::npos; at = text.find(dots, at)) text.replace(at, dots.size(), "...");
  return text;
}

/// What troff would take for something else.
std::string escaped(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : with_plain_dots(text)) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

/// Newlines in the text stay.
std::string filled(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += (out.empty() ? "" : "\n.br\n") + escaped(line);
  return out;
}

std::string entry(const Flag& flag) {
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escaped(flag.name), flag.value.empty() ? "" : fmt::format(" \\fI{}\\fR", flag.value),
                     filled(flag.help));
}

std::vector<std::string> groups_of(const std::vector<Flag>& flags) {
  std::vector<std::string> groups;
  for (const Flag& flag : flags)
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  return groups;
}

std::string section(const Command& command) {
  std::string text = fmt::format(".SH \"TREADLE {}\"\n", command.name);
  if (command.describe == nullptr) return text + escaped(command.help) + "\n";
  const Subcommand about = command.describe();
  text += fmt::format("\\fB{}\\fR\n.PP\n{}\n", escaped(about.usage), filled(about.about));
  for (const std::string& group : groups_of(about.flags)) {
    text += fmt::format(".SS \"{}\"\n", group);
    for (const Flag& flag : about.flags)
      if (flag.group == group) text += entry(flag);
  }
  return text + fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(about.examples));
}

std::string words_of(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands) text += (text.empty() ? "" : " ") + command.name;
  return text;
}

std::string flags_of(const Command& command) {
  std::string text = "--help";
  if (command.describe != nullptr)
    for (const Flag& flag : command.describe().flags) text += " " + flag.name;
  return text;
}

std::string for_bash(std::span<const Command> commands) {
  std::string text =
      "_treadle() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} flags=\n"
      "  COMPREPLY=()\n";
  text +=
      fmt::format("  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; fi\n", words_of(commands));
  text += "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands) text += fmt::format("    {}) flags=\"{}\" ;;\n", command.name, flags_of(command));
  return text +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _treadle treadle\n";
}

/// One line, without what the shell would take for syntax.
std::string first_line(const std::string& help) {
  std::string out;
  for (const char c : help.substr(0, help.find('\n'))) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\'' || c == '"' || c == '`' || c == '$' ? ' ' : c;
  }
  return out;
}

std::string for_zsh(std::span<const Command> commands) {
  std::string text = "#compdef treadle\n_treadle() {\n  local -a commands=(\n";
  for (const Command& command : commands) text += fmt::format("    '{}:{}'\n", command.name, first_line(command.help));
  text +=
      "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n  local command=$words[2]\n  shift words; (( CURRENT-- "
      "))\n";
  text += "  case $command in\n";
  for (const Command& command : commands) {
    text += fmt::format("    {}) _arguments", command.name);
    if (command.describe != nullptr)
      for (const Flag& flag : command.describe().flags)
        text += fmt::format(" '{}[{}]{}'", flag.name, first_line(flag.help), flag.value.empty() ? "" : ":" + flag.value + ":_files");
    text += " '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_treadle \"$@\"\n";
}

std::string for_fish(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands) {
    text += fmt::format("complete -c treadle -n __fish_use_subcommand -f -a '{}' -d '{}'\n", command.name, first_line(command.help));
    if (command.describe == nullptr) continue;
    for (const Flag& flag : command.describe().flags)
      text += fmt::format("complete -c treadle -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n", command.name, flag.name.substr(2),
                          flag.value.empty() ? "" : " -r", first_line(flag.help));
  }
  return text;
}

}  // namespace

std::string man_page(std::span<const Command> commands) {
  std::string text = fmt::format(
      ".TH TREADLE 1 \"\" \"treadle {}\" \"User Commands\"\n"
      ".SH NAME\ntreadle \\- find, replay and rule out concurrency bugs in C and C++ programs\n"
      ".SH SYNOPSIS\n\\fBtreadle\\fR \\fICOMMAND\\fR [options] ...\n"
      ".SH DESCRIPTION\nTreadle runs a multithreaded program under full control of its threads: can it fail? show me. is it fixed? prove "
      "it.\n",
      TREADLE_VERSION);
  for (const Command& command : commands)
    text += fmt::format(".TP\n\\fBtreadle {}\\fR\n{}\n", escaped(command.name), escaped(command.help));
  for (const Command& command : commands) text += section(command);
  return text +
         ".SH \"EXIT STATUS\"\n0 nothing found, 1 found, 2 could not do what was asked, 3 a bug in Treadle itself.\n"
         ".SH FILES\n.TP\n.I .treadle/\nwitnesses and compiled sources, in the current folder\n";
}

std::string completions(const std::string& shell, std::span<const Command> commands) {
  if (shell == "bash") return for_bash(commands);
  if (shell == "zsh") return for_zsh(commands);
  if (shell == "fish") return for_fish(commands);
  return "";
}

}  // namespace treadle
