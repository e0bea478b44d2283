// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>
#include <sstream>

#include "base/check.h"
#include "trace/text.h"

namespace treadle {
namespace {

constexpr std::string_view kTitle = "treadle schedule 2";
constexpr std::size_t kMostDecisions = 50'000'000;  // what a short line ("0 x4000000000") may unfold to

constexpr const char* kDecisions[] = {"step", "timeout", "spurious", "wake", "flush", "any"};
constexpr const char* kPolicies[] = {"continue", "random", "pct", "stop", "patient"};
constexpr const char* kModels[] = {"sc", "tso", "pso"};
constexpr const char* kRaces[] = {"stop", "explore", "ignore"};
constexpr const char* kYesNo[] = {"no", "yes"};

/// A thread number as decisions carry it, also one that the table does not know.
std::string thread_text(unsigned number, const std::vector<ThreadName>& threads) {
  return number < TREADLE_MAX_THREADS ? name_of(ThreadId{static_cast<std::uint8_t>(number)}, threads) : "?" + std::to_string(number);
}

std::string decision_text(const Decision& decision, const std::vector<ThreadName>& threads) {
  std::string text = thread_text(index_of(decision.thread), threads);
  if (decision.kind == DecisionKind::Step && decision.argument == 0) return text;
  text += std::string(" ") + kDecisions[static_cast<unsigned>(decision.kind)];
  if (decision.kind == DecisionKind::Wake) return text + " " + thread_text(decision.argument, threads);
  if (decision.kind == DecisionKind::Flush || decision.argument != 0) text += " " + std::to_string(decision.argument);
  return text;
}

/// What would end the line, or be lost at its end, is written as C does.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else if (c == '\r')
      line += "\\r";
    else if (c == '\\')
      line += "\\\\";
    else
      line += c;
  }
  return line;
}

/// The inverse; a backslash before anything else stands for itself.
std::string from_one_line(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char next = line[i] == '\\' && i + 1 < line.size() ? line[i + 1] : '\0';
    if (next == 'n' || next == 'r' || next == '\\')
      text += next == 'n' ? '\n' : next == 'r' ? '\r' : '\\', ++i;
    else
      text += line[i];
  }
  return text;
}

/// Reads one line word by word and remembers what was wrong with it.
class Line {
 public:
  explicit Line(std::string_view text) : words_{std::string(text)} {}

  std::optional<std::string> word() {
    std::string word;
    if (words_ >> word) return word;
    return std::nullopt;
  }

  template <class Number>
  bool number(Number& out) {
    const auto text = word();
    return text && parse(*text, out);
  }

  template <class Enum, std::size_t N>
  bool one_of(const char* const (&names)[N], Enum& out) {
    const auto text = word();
    for (std::size_t i = 0; text && i < N; ++i)
      if (*text == names[i]) return out = static_cast<Enum>(i), true;
    return false;
  }

  bool at_end() { return (words_ >> std::ws).eof(); }

  /// Behind one blank.
  std::string rest() {
    std::string all;
    words_.get();
    std::getline(words_, all);
    words_.setstate(std::ios::eofbit);
    return all;
  }

  template <class Number>
  static bool parse(std::string_view text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
  }

 private:
  std::istringstream words_;
};

class ScheduleParser {
 public:
  Result<Schedule> parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_number_;
      if (!line(text.substr(0, end))) return problem();
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!titled_) return Problem{"this is not the text of a schedule: it does not begin with \"" + std::string(kTitle) + "\"", ""};
    return std::move(schedule_);
  }

 private:
  bool line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    line_ = text;
    if (text.find_first_not_of(" \t") == std::string_view::npos || text[text.find_first_not_of(" \t")] == '#') return true;
    if (!titled_) return titled_ = text == kTitle;
    Line words(text);
    return (in_decisions_ ? decision(words) : setting(words)) && words.at_end();
  }

  bool setting(Line& words) {
    const std::string key = words.word().value_or("");
    if (key == "model") return words.one_of(kModels, schedule_.model);
    if (key == "races") return words.one_of(kRaces, schedule_.races);
    if (key == "policy") return words.one_of(kPolicies, schedule_.policy);
    if (key == "pct-depth") return words.number(schedule_.pct_depth);
    if (key == "pct-length") return words.number(schedule_.pct_length);
    if (key == "seed") return words.number(schedule_.seed);
    if (key == "max-steps") return words.number(schedule_.max_steps);
    if (key == "spurious-wakeups") return words.one_of(kYesNo, schedule_.spurious_wakeups);
    if (key == "exit-status-matters") return words.one_of(kYesNo, schedule_.status_matters);
    if (key == "inputs") return inputs(words);
    if (key == "input") return named_input(words);
    if (key == "threads") return threads(words);
    return in_decisions_ = key == "decisions";
  }

  bool inputs(Line& words) {
    const auto thread = words.word();
    if (!thread || !thread_hash(*thread) || words.at_end()) return false;
    for (std::uint64_t input = 0; !words.at_end(); schedule_.inputs.add(*thread, input))
      if (!words.number(input)) return false;
    return true;
  }

  bool named_input(Line& words) {
    std::uint64_t value = 0;
    return words.number(value) && schedule_.inputs.add_named(from_one_line(words.rest()), value);
  }

  bool threads(Line& words) {
    schedule_.threads.clear();
    while (const auto name = words.word()) {
      if (*name == "0" && schedule_.threads.empty()) {
        schedule_.threads.push_back({});
        continue;
      }
      const std::size_t dot = name->rfind('.');
      ThreadName entry;
      if (dot == std::string::npos || !thread(std::string_view(*name).substr(0, dot), entry.parent) ||
          !Line::parse(std::string_view(*name).substr(dot + 1), entry.ordinal))
        return false;
      schedule_.threads.push_back(entry);
      if (!is_well_formed(schedule_.threads)) return false;
    }
    return schedule_.threads.empty() || is_well_formed(schedule_.threads);
  }

  template <class Number>
  bool thread(std::string_view name, Number& out) const {
    if (name == "0") return out = 0, true;
    if (name.starts_with('?')) return Line::parse(name.substr(1), out);
    for (std::size_t i = 1; i < schedule_.threads.size(); ++i)
      if (name_of(ThreadId{static_cast<std::uint8_t>(i)}, schedule_.threads) == name) return out = static_cast<Number>(i), true;
    return false;
  }

  bool decision(Line& words) {
    Decision decision;
    std::uint8_t number = 0;
    if (!thread(words.word().value_or(""), number) || number >= TREADLE_MAX_THREADS) return false;
    decision.thread = ThreadId{number};
    std::uint64_t times = 1;
    for (auto word = words.word(); word; word = words.word()) {
      if (word->starts_with('x')) {
        if (!Line::parse(std::string_view(*word).substr(1), times)) return false;
        break;
      }
      if (!kind(*word, words, decision)) return false;
    }
    if (times == 0 || times > kMostDecisions - schedule_.prefix.size()) return false;
    schedule_.prefix.insert(schedule_.prefix.end(), times, decision);
    return true;
  }

  bool kind(const std::string& word, Line& words, Decision& decision) const {
    for (std::size_t i = 0; i < std::size(kDecisions); ++i) {
      if (word != kDecisions[i]) continue;
      decision.kind = static_cast<DecisionKind>(i);
      if (decision.kind == DecisionKind::Wake) return thread(words.word().value_or(""), decision.argument);
      if (decision.kind == DecisionKind::Flush) return words.number(decision.argument);
      return true;
    }
    return Line::parse(word, decision.argument);  // "0 timeout 7": kinds that make no use of an argument still keep it
  }

  Problem problem() const {
    if (!titled_) return {"this is not the text of a schedule: it does not begin with \"" + std::string(kTitle) + "\"", ""};
    return {"cannot understand line " + std::to_string(line_number_) + " of the schedule: \"" + std::string(line_.substr(0, 80)) + "\"",
            ""};
  }

  Schedule schedule_;
  std::string_view line_;
  unsigned line_number_ = 0;
  bool titled_ = false;
  bool in_decisions_ = false;
};

}  // namespace

std::string text_of(const Schedule& schedule) {
  std::ostringstream out;
  out << kTitle << "\nmodel " << kModels[static_cast<unsigned>(schedule.model)];
  out << "\nraces " << kRaces[static_cast<unsigned>(schedule.races)];
  out << "\npolicy " << kPolicies[static_cast<unsigned>(schedule.policy)];
  if (schedule.pct_depth != 0) out << "\npct-depth " << schedule.pct_depth;
  if (schedule.pct_length != 0) out << "\npct-length " << schedule.pct_length;
  out << "\nseed " << schedule.seed << "\nmax-steps " << schedule.max_steps;
  out << "\nspurious-wakeups " << kYesNo[schedule.spurious_wakeups ? 1 : 0];
  if (schedule.status_matters) out << "\nexit-status-matters yes";
  for (const auto& [thread, values] : schedule.inputs.threads) {
    out << "\ninputs " << thread;
    for (const std::uint64_t value : values) out << ' ' << value;
  }
  for (const auto& [name, value] : schedule.inputs.names) out << "\ninput " << value << ' ' << on_one_line(name);
  out << "\nthreads";
  for (std::size_t i = 0; i < schedule.threads.size(); ++i) out << ' ' << thread_text(static_cast<unsigned>(i), schedule.threads);
  out << "\ndecisions\n";
  for (std::size_t i = 0; i < schedule.prefix.size();) {
    std::size_t next = i;
    while (next < schedule.prefix.size() && schedule.prefix[next] == schedule.prefix[i]) ++next;
    out << decision_text(schedule.prefix[i], schedule.threads);
    if (next - i > 1) out << " x" << next - i;
    out << '\n';
    i = next;
  }
  return out.str();
}

Result<Schedule> parse_schedule(std::string_view text) { return ScheduleParser().parse(text); }

std::string text_of(const Witness& witness) {
  std::ostringstream out;
  out << "# program " << on_one_line(witness.program) << "\n# binary " << std::hex << witness.binary_hash << std::dec << '\n';
  for (const std::string& argument : witness.arguments) out << "# argument " << on_one_line(argument) << '\n';
  for (const std::string& variable : witness.environment) out << "# environment " << on_one_line(variable) << '\n';
  return out.str() + text_of(witness.schedule);
}

}  // namespace treadle
