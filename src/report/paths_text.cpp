// SPDX-License-Identifier: Apache-2.0
#include "report/paths_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "finding/symbols.h"

namespace treadle {
namespace {

constexpr std::size_t most_inputs = 12;

std::string counted(std::size_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::string inputs_of(const ListedPath& path) {
  std::string text;
  for (std::size_t i = 0; i < std::min(path.inputs.size(), most_inputs); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", path.inputs[i].name, path.inputs[i].value);
  if (path.inputs.size() > most_inputs) text += fmt::format(", and {} more", path.inputs.size() - most_inputs);
  return text;
}

/// A turn that somebody made, and what followed.
struct Node {
  std::size_t thread = 0;
  std::uint32_t turn = 0;
  std::vector<std::size_t> children;
  std::vector<std::size_t> paths;  // that end here
};

class Tree {
 public:
  Tree(const PathList& list, const std::vector<std::string>& findings, const PathTreeShown& shown)
      : list_(list), findings_(findings), shown_(shown), nodes_(1) {
    for (std::size_t p = 0; p < list.paths.size(); ++p)
      if (!shown.failing || !list.paths[p].findings.empty()) add(p);
  }

  std::string text() {
    std::string out = head();
    print(0, "", 0, out);
    return out;
  }

 private:
  void add(std::size_t number) {
    std::size_t at = 0;
    const ListedPath& path = list_.paths[number];
    for (std::size_t t = 0; t < path.threads.size(); ++t) {
      if (!shown_.thread.empty() && path.threads[t].thread != shown_.thread) continue;
      for (const std::uint32_t turn : path.threads[t].turns) at = child(at, t, turn);
    }
    nodes_[at].paths.push_back(number);
  }

  std::size_t child(std::size_t from, std::size_t thread, std::uint32_t turn) {
    const auto [known, is_new] = known_.try_emplace({from, thread, turn}, nodes_.size());
    if (is_new) {
      nodes_[from].children.push_back(nodes_.size());
      nodes_.push_back({thread, turn, {}, {}});
    }
    return known->second;
  }

  std::string head() const {
    const auto count = static_cast<std::size_t>(std::ranges::count(list_.paths, true, &ListedPath::counts));
    std::string text = counted(count, "path");
    if (count < list_.paths.size())
      text += fmt::format(", and {} that {} none", list_.paths.size() - count, list_.paths.size() - count == 1 ? "is" : "are");
    const auto failing =
        static_cast<std::size_t>(std::ranges::count_if(list_.paths, [](const ListedPath& path) { return !path.findings.empty(); }));
    if (failing > 0) text += fmt::format("; {} show{} {}", failing, failing == 1 ? "s" : "", counted(findings_.size(), "finding"));
    if (list_.left_out > 0) text += fmt::format("; {} more were executed and are not listed", list_.left_out);
    return text + "\n";
  }

  const std::string& thread_name(std::size_t node) const {
    static const std::string nobody;
    for (const ListedPath& path : list_.paths)
      if (nodes_[node].thread < path.threads.size()) return path.threads[nodes_[node].thread].thread;
    return nobody;
  }

  std::string leaf(std::size_t number) const {
    const ListedPath& path = list_.paths[number];
    std::string text = fmt::format("path {}: {}", number + 1, path.ended);
    for (const std::uint32_t finding : path.findings)
      text += fmt::format(", finding {}{}", finding + 1, finding < findings_.size() ? " (" + findings_[finding] + ")" : "");
    if (!path.inputs.empty()) text += "; " + inputs_of(path);
    if (!path.witness.empty()) text += "; " + path.witness;
    return text;
  }

  struct Below {
    std::size_t paths = 0, failing = 0;
  };
  Below below(std::size_t node) const {
    Below all;
    for (const std::size_t path : nodes_[node].paths) {
      ++all.paths;
      all.failing += list_.paths[path].findings.empty() ? 0 : 1;
    }
    for (const std::size_t one : nodes_[node].children) {
      const Below of_one = below(one);
      all.paths += of_one.paths;
      all.failing += of_one.failing;
    }
    return all;
  }

  /// Where ways part; what lies between is passed over unless every turn is wanted.
  std::size_t next_parting(std::size_t node) const {
    while (!shown_.every_turn && nodes_[node].children.size() == 1 && nodes_[node].paths.empty()) node = nodes_[node].children.front();
    return node;
  }

  void line(const std::string& margin, bool last, const std::string& text, std::string& out) const {
    out += margin + (last ? "└─ " : "├─ ") + text + "\n";
  }

  void print(std::size_t node, const std::string& margin, std::size_t depth, std::string& out) const {
    const std::size_t at = next_parting(node);
    const auto& paths = nodes_[at].paths;
    const auto& children = nodes_[at].children;
    for (std::size_t i = 0; i < paths.size(); ++i) line(margin, i + 1 == paths.size() && children.empty(), leaf(paths[i]), out);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const bool last = i + 1 == children.size();
      const std::string turn = fmt::format("{} {}", thread_name(children[i]), text_of(list_.turns[nodes_[children[i]].turn]));
      if (depth + 1 >= shown_.levels) {
        const Below all = below(children[i]);
        line(margin, last,
             turn + fmt::format(" … {}{}", counted(all.paths, "path"),
                                all.failing > 0 ? fmt::format(", {} of them failing", all.failing) : ""),
             out);
        continue;
      }
      line(margin, last, turn, out);
      print(children[i], margin + (last ? "   " : "│  "), depth + 1, out);
    }
  }

  const PathList& list_;
  const std::vector<std::string>& findings_;
  const PathTreeShown& shown_;
  std::vector<Node> nodes_;
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, std::size_t> known_;  // by parent, thread and turn
};

}  // namespace

std::string text_of(const PathTurn& turn) {
  std::string text = text_of(turn.where);
  if (!turn.way.empty()) text += " " + turn.way;
  if (turn.kind == TurnKind::Assume) text += " assumed";
  if (turn.kind == TurnKind::Pin) text += " taken as it was";
  return turn.condition.empty() ? text : text + ": " + turn.condition;
}

std::string paths_text(const PathList& list, const std::vector<std::string>& findings, const PathTreeShown& shown) {
  return Tree(list, findings, shown).text();
}

}  // namespace treadle
