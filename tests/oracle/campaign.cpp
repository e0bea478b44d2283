// SPDX-License-Identifier: Apache-2.0
#include "campaign.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include "process.h"

namespace oracle {
namespace {

struct Strategy {
  const char* name;
  Field field;
  bool CompareOptions::* promises[2];  // null: none
  bool only_sc;
};

constexpr Strategy kStrategies[] = {
    {"exhaustive", Field::Unreduced, {&CompareOptions::exact_executions, nullptr}, false},
    {"icb", Field::Unreduced, {&CompareOptions::exact_executions, nullptr}, false},
    {"optimal", Field::Reduced, {&CompareOptions::exact_classes, nullptr}, false},
    {"dpor", Field::Reduced, {&CompareOptions::covers_classes, nullptr}, false},
    {"icb-dpor", Field::Reduced, {&CompareOptions::covers_classes, nullptr}, true},
    {"value", Field::Reduced, {&CompareOptions::exact_value_classes, &CompareOptions::within_classes}, false},
    {"rf", Field::Reduced, {&CompareOptions::exact_rf_classes, &CompareOptions::within_classes}, false},
    {"mcr", Field::Reduced, {nullptr, nullptr}, false},
    {"mcr-s", Field::Reduced, {nullptr, nullptr}, false},
    {"mcr-s+", Field::Reduced, {&CompareOptions::exact_value_classes, &CompareOptions::within_classes}, false},
    {"se-mcr", Field::Reduced, {&CompareOptions::exact_value_classes, &CompareOptions::within_classes}, false},
};

/// Which batches have been compared already, in an earlier session perhaps.
class Log {
 public:
  explicit Log(const std::string& file) {
    if (file.empty()) return;
    std::ifstream before(file);
    for (std::string line; std::getline(before, line);) answered_.insert(line.substr(0, line.find(':')));
    out_.open(file, std::ios::app);
    if (!out_) throw std::runtime_error("cannot write " + file);
  }
  bool has(const std::string& entry) const { return answered_.contains(entry); }
  void add(const std::string& entry, std::size_t programs, int mismatches) {
    const std::string line = entry + ": " + std::to_string(programs) + " programs, " + std::to_string(mismatches) + " mismatches";
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    if (out_.is_open()) out_ << line << std::endl;
  }

 private:
  std::set<std::string> answered_;
  std::ofstream out_;
};

std::string entry(const Selection& part, const Question& question) {
  return "seeds " + std::to_string(part.seed) + " to " + std::to_string(part.seed + part.count - 1) + ", " + question.name();
}

int ask(const Campaign& campaign, const Question& question, const std::vector<Case>& cases, const std::string& builds) {
  CompareOptions options = question.options;
  options.builds = builds;
  const auto results = Comparison(options).run(cases);
  int mismatches = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (!results[k]) continue;
    ++mismatches;
    campaign.report(question, cases[k], *results[k]);
  }
  return mismatches;
}

}  // namespace

std::string Question::name() const { return options.strategy + " " + text_of(options.model); }

std::vector<Question> questions_of(Field field, const CompareOptions& common) {
  std::vector<Question> questions;
  for (const Strategy& strategy : kStrategies)
    for (const Model model : kModels) {
      if (strategy.field != field || (strategy.only_sc && model != Model::Sc)) continue;
      CompareOptions options = common;
      options.strategy = strategy.name;
      options.model = model;
      for (const auto promise : strategy.promises)
        if (promise != nullptr) options.*promise = true;
      questions.push_back({options});
    }
  return questions;
}

Selection programs_of(Field field) {
  Selection selection;
  selection.limit_model = Model::Pso;  // the weakest: the same programs for all models, compiled once
  if (field == Field::Reduced)
    selection.most_classes = 100;
  else
    selection.most_executions = 1000;
  return selection;
}

int mismatches_of(const Campaign& campaign) {
  Log log(campaign.log);
  int mismatches = 0;
  Selection part = campaign.selection;
  for (int done = 0; done < campaign.selection.count; done += part.count) {
    part.seed = campaign.selection.seed + done;
    part.count = std::min(campaign.batch, campaign.selection.count - done);
    const auto answered = [&](const Question& question) { return log.has(entry(part, question)); };
    if (std::ranges::all_of(campaign.questions, answered)) continue;
    const std::vector<Case> cases = select_cases(part);
    const ScratchDirectory builds;  // of this batch, nobody needs it afterwards
    for (const Question& question : campaign.questions) {
      if (answered(question)) continue;
      const int wrong = ask(campaign, question, cases, builds / "");
      log.add(entry(part, question), cases.size(), wrong);
      mismatches += wrong;
    }
  }
  return mismatches;
}

}  // namespace oracle
