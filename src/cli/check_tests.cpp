// SPDX-License-Identifier: Apache-2.0
#include "cli/check_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/hash.h"
#include "cli/check_one.h"
#include "cli/commands.h"
#include "cli/html.h"
#include "cli/reports.h"
#include "cli/witnesses.h"
#include "explore/interrupt.h"
#include "report/tests.h"

namespace treadle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double shortest_share = 0.2;  // seconds

/// The user's time is for all of them: what one leaves, the others share.
class Shares {
 public:
  explicit Shares(const Options& options) : seconds_(options.budget.seconds) {
    if (!seconds_ && leaves_the_choice(options)) seconds_ = default_seconds;
  }
  std::optional<double> next(std::size_t tests_left) const {
    if (!seconds_) return std::nullopt;
    const double left = *seconds_ - std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::max(left / static_cast<double>(std::max<std::size_t>(tests_left, 1)), shortest_share);
  }

 private:
  std::optional<double> seconds_;
  Clock::time_point begin_ = Clock::now();
};

/// What the name of a folder may not have is left to a hash.
std::string folder_for(const std::string& test) {
  std::string name;
  for (const char c : test) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ? c : '-';
  return fmt::format("{}-{:08x}", name.substr(0, 60), hash_of(test) >> 32);
}

Options options_for(const std::string& test, Framework framework, const Options& options, std::optional<double> seconds) {
  Options one = options;
  one.arguments = arguments_for(framework, test, options.arguments);
  if (framework != Framework::Listed) one.schedule.status_matters = true;
  one.budget.seconds = seconds;
  if (!options.resume.empty()) one.resume = (std::filesystem::path(options.resume) / folder_for(test)).string();
  return one;
}

class TestRun {
 public:
  TestRun(const Options& options, const std::string& program, const TestProgram& tests)
      : options_(options), program_(program), tests_(tests), shares_(options) {
    all_.program = program;
    all_.subject = subject_of(options);
    all_.folder = std::filesystem::current_path().string();
    all_.framework = text_of(tests.framework);
    all_.replay_options = replay_options(options);
  }

  int go() {
    for (std::size_t i = 0; i < tests_.tests.size() && !Interrupt::raised() && !enough(); ++i)
      check(tests_.tests[i], tests_.tests.size() - i);
    auto reported = write_reports(all_, options_);
    if (reported && !options_.html.empty()) reported = write_page();
    for (const TestResult& test : all_.tests)
      if (test.result.search.problem)
        could_not({test.name + ": " + test.result.search.problem->sentence, test.result.search.problem->hint});
    if (not_saved_) return could_not(*not_saved_);
    if (!reported) return could_not(reported.problem());
    return status();
  }

 private:
  void check(const std::string& test, std::size_t tests_left) {
    Options options = options_for(test, tests_.framework, options_, shares_.next(tests_left));
    auto one = check_one(options, program_, options_.files.front() + " " + test, known_);
    if (!one) {
      CheckResult failed;
      failed.strategy = options.strategy;
      failed.model = options.schedule.model;
      failed.carrier = "reset";
      failed.search.problem = one.problem();
      failed.search.verdict.covers = "nothing: it could not be run";
      all_.tests.push_back({test, std::move(failed)});
      return;
    }
    all_.tests.push_back({test, (*one)->result});
    known_ = (*one)->searches->known_program();
    if ((*one)->not_saved) not_saved_ = (*one)->not_saved;
    // Kept running for the page; the others have done what they were for.
    if (!options_.html.empty() && !(*one)->result.search.findings.empty())
      with_findings_.push_back(std::move(*one));
    else
      (*one)->searches->end();
  }

  bool enough() const { return options_.stop_at_first && !all_.tests.empty() && !all_.tests.back().result.search.findings.empty(); }

  Result<Done> write_page() const {
    HtmlReport page({options_.html, program_, json_of(all_), all_.replay_options});
    for (const auto& one : with_findings_)
      if (auto added = page.add(one->result.search.findings, one->searches->program(), one->searches->symbols(), options_.leaks); !added)
        return added;
    return page.write();
  }

  int status() const {
    int status = 0;
    for (const TestResult& test : all_.tests) {
      if (!test.result.search.findings.empty()) return 1;
      if (test.result.search.problem) status = 2;
    }
    return status;
  }

  const Options& options_;
  const std::string& program_;
  const TestProgram& tests_;
  Shares shares_;
  TestsResult all_;
  std::vector<std::unique_ptr<CheckedSubject>> with_findings_;
  std::optional<Problem> not_saved_;
  std::shared_ptr<KnownProgram> known_;  // read once for all of them
};

}  // namespace

int check_tests(const Options& options, const std::string& program, const TestProgram& tests) {
  if (!options.witness_yaml.empty())
    return could_not({"--witness-yaml is of one search, and each test is a search of its own", "check one of them"});
  if (tests.tests.empty() && tests.framework == Framework::Listed)
    return could_not({fmt::format("there is no line in {}", options.cases), "each line is more of the program's command line"});
  if (tests.tests.empty())
    return could_not(
        {fmt::format("no test of {} is left by what follows --", options.files.front()),
         "see which there are: " + program + (tests.framework == Framework::GoogleTest ? " --gtest_list_tests" : " --list-tests")});
  return TestRun(options, program, tests).go();
}

}  // namespace treadle
