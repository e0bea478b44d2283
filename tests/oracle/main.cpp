// SPDX-License-Identifier: Apache-2.0
// The oracle's command line. Exit status: 0 agreement, 1 a mismatch, 2 could not do what was asked.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "campaign.h"
#include "cases.h"
#include "classes.h"
#include "compare.h"
#include "emit_c.h"
#include "interpret.h"
#include "litmus.h"
#include "process.h"
#include "shrink.h"

namespace oracle {
namespace {

const std::map<std::string, Model> kModelNames{{"sc", Model::Sc}, {"tso", Model::Tso}, {"pso", Model::Pso}};

std::string profile_names() {
  std::string names;
  for (const Profile& profile : profiles()) names += std::string(names.empty() ? "" : " ") + std::string(profile.name);
  return names;
}

void add_selection(CLI::App& command, Selection& selection) {
  command.add_option("--seed", selection.seed, "first seed");
  command.add_option("--count", selection.count, "how many programs, one per seed");
  command.add_option("--profile", selection.profile, "kind of programs: " + profile_names());
  command.add_option("--programs", selection.programs, "these, each as PROFILE/SEED");
  command.add_option("--litmus", selection.litmus, "a litmus test, or \"all\", instead of generated programs");
  command.add_option("--spinning", selection.spinning, "one of the programs with spin loops, or \"all\", instead");
  command.add_option("--most-threads", selection.most_threads, "besides main");
  command.add_option("--most-operations", selection.most_operations, "visible operations in all threads together");
  command.add_option("--most-classes", selection.most_classes, "Mazurkiewicz classes; larger programs are not made");
  command.add_option("--most-executions", selection.most_executions, "of a search without reduction; larger programs are not made");
}

int generate_files(const Selection& selection, const std::string& out) {
  const std::vector<Case> cases = select_cases(selection);
  std::vector<Program> programs;
  for (const Case& one : cases) programs.push_back(one.program);
  write_file(out, emit_batch(programs));
  const std::string stem = out.ends_with(".c") ? out.substr(0, out.size() - 2) : out;
  write_file(stem + ".json", expected_json(cases).dump(1));
  return 0;
}

unsigned long long number(std::uint64_t n) { return n; }  // for printf

int show_interpretation(const Selection& selection, const std::vector<Model>& models) {
  for (const Case& one : select_cases(selection)) {
    std::printf("// %s\n%s\n", one.name.c_str(), emit_c(one.program).c_str());
    for (const Model model : models) {
      const Interpretation all = interpret(one.program, model);
      std::printf("%s: %zu outcomes, %llu executions, %llu states%s%s%s%s\n", text_of(model), all.outcomes.size(), number(all.executions),
                  number(all.states), all.deadlocks ? ", can get stuck" : "", all.fails ? ", can fail" : "",
                  all.misuses ? ", misuses a lock" : "", all.complete ? "" : ", incomplete");
      for (const Outcome& outcome : all.outcomes) std::printf("  %s\n", to_string(named(one.program, outcome)).c_str());
    }
    for (const Model model : models)
      for (const TellApart by : {TellApart::Order, TellApart::ReadsFrom, TellApart::Values}) {
        const Classes classes = count_classes(one.program, {.model = model, .by = by});
        std::printf("%s classes under %s: %llu (%llu complete, %llu get stuck, %llu fail)%s\n", text_of(by), text_of(model),
                    number(classes.all()), number(classes.completed), number(classes.stuck), number(classes.failed),
                    classes.complete ? "" : ", and more");
      }
    std::printf("Mazurkiewicz classes under sc when plain accesses are invisible: %llu\n",
                number(count_classes(one.program, {.plain_is_visible = false}).all()));
  }
  return 0;
}

struct CompareCommand {
  Selection selection;
  CompareOptions options;
  int batch = 125;
  int most_mismatches = 3;
  bool no_shrink = false;
};

void report(const Case& one, const Mismatch& mismatch, CompareOptions options, bool shrinks) {
  std::printf("MISMATCH %s (strategy %s, model %s, races %s)\n%s%s\n", one.name.c_str(), options.strategy.c_str(), text_of(options.model),
              options.races.c_str(), mismatch.text().c_str(), emit_c(one.program).c_str());
  std::fflush(stdout);
  if (!shrinks) return;
  options.builds.clear();  // nobody will ask for those again
  const Comparison comparison(options);
  const Program small = shrink(one.program, [&comparison](std::span<const Program> candidates) {
    std::vector<Case> cases;
    for (const Program& candidate : candidates) cases.push_back({"", candidate});
    std::vector<bool> fails;
    if (!cases.empty())
      for (const auto& found : comparison.run(cases)) fails.push_back(found.has_value());
    return fails;
  });
  const Case smallest{one.name, small};
  const auto left = comparison.run({&smallest, 1});
  std::printf("shrunk to\n%s%s\n", left[0] ? left[0]->text().c_str() : "", emit_c(small).c_str());
  std::fflush(stdout);
}

int compare(const CompareCommand& command) {
  const Comparison comparison(command.options);
  int compared = 0, mismatches = 0;
  Selection part = command.selection;
  const int total = command.selection.is_generated() ? command.selection.count : 1;
  while (compared < total) {
    part.seed = command.selection.seed + compared;
    part.count = std::min(command.batch, total - compared);
    const std::vector<Case> cases = select_cases(part);
    const auto results = comparison.run(cases);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (!results[k]) continue;
      report(cases[k], *results[k], command.options, !command.no_shrink);
      if (++mismatches == command.most_mismatches) {
        std::printf("stopped after %d mismatches\n", mismatches);
        return 1;
      }
    }
    compared += int(cases.size());
  }
  std::printf("%d programs compared, %d mismatches\n", compared, mismatches);
  return mismatches == 0 ? 0 : 1;
}

struct CampaignCommand {
  CompareOptions common;
  std::string field = "reduced", log, profile;
  std::vector<std::string> strategies, models;
  std::uint64_t seed = 1;
  int count = 250, batch = 250;
  std::optional<int> most_threads, most_operations;
  std::optional<std::uint64_t> most_classes;
  bool no_shrink = false;
};

bool wanted(const std::vector<std::string>& some, const std::string& one) {
  return some.empty() || std::find(some.begin(), some.end(), one) != some.end();
}

int run_campaign(CampaignCommand command) {
  command.common.cflags.push_back("-O0");  // a quarter of the time to compile; what is seen of a program is settled before it is optimised
  const Field field = command.field == "reduced" ? Field::Reduced : Field::Unreduced;
  Campaign campaign{.selection = programs_of(field), .batch = command.batch, .log = command.log};
  campaign.selection.seed = command.seed;
  campaign.selection.count = command.count;
  if (!command.profile.empty()) campaign.selection.profile = command.profile;
  campaign.selection.most_threads = command.most_threads;
  campaign.selection.most_operations = command.most_operations;
  if (command.most_classes && field == Field::Reduced) campaign.selection.most_classes = command.most_classes;
  for (Question& question : questions_of(field, command.common))
    if (wanted(command.strategies, question.options.strategy) && wanted(command.models, text_of(question.options.model)))
      campaign.questions.push_back(std::move(question));
  if (campaign.questions.empty()) throw std::invalid_argument("no such strategy and model among those that are " + command.field);
  campaign.report = [&command](const Question& question, const Case& one, const Mismatch& mismatch) {
    report(one, mismatch, question.options, !command.no_shrink);
  };
  const int mismatches = mismatches_of(campaign);
  std::printf("%d programs, %zu strategies and models, %d mismatches\n", command.count, campaign.questions.size(), mismatches);
  return mismatches == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app{"Independent second opinion on small concurrent programs"};
  app.require_subcommand(1);
  Selection selection;
  std::string out = "programs.c", model_name;
  CompareCommand comparing;
  std::string compare_model = "sc", limit_model, jobs;

  CLI::App* generate = app.add_subcommand("generate", "write programs as one C file, and what they do as JSON beside it");
  add_selection(*generate, selection);
  generate->add_option("--out", out, "C file to write")->required();

  CLI::App* interpret_command = app.add_subcommand("interpret", "print programs and all their outcomes");
  add_selection(*interpret_command, selection);
  interpret_command->add_option("--model", model_name, "sc, tso or pso; all three when not given")->check(CLI::IsMember(kModelNames));

  CLI::App* list = app.add_subcommand("litmus", "list the litmus tests");

  CLI::App* compare_command = app.add_subcommand("compare", "check programs with treadle and compare with the interpreter");
  add_selection(*compare_command, comparing.selection);
  compare_command->add_option("--treadle", comparing.options.treadle, "the tool to ask")->required();
  compare_command->add_option("--strategy", comparing.options.strategy);
  compare_command->add_option("--races", comparing.options.races)->check(CLI::IsMember({"stop", "explore", "ignore"}));
  compare_command->add_option("--model", compare_model)->check(CLI::IsMember(kModelNames));
  compare_command->add_option("--limit-model", limit_model, "the model of --most-classes and --most-executions, when it is another one")
      ->check(CLI::IsMember(kModelNames));
  compare_command->add_flag("--subset", comparing.options.subset, "the strategy need not find everything");
  compare_command->add_flag("--exact-executions", comparing.options.exact_executions, "as many executions as the interpreter counts");
  compare_command->add_flag("--within-classes,--at-most-classes", comparing.options.within_classes,
                            "no more executions than Mazurkiewicz classes");
  compare_command->add_flag("--covers-classes", comparing.options.covers_classes, "at least one execution of each class");
  compare_command->add_flag("--exact-classes", comparing.options.exact_classes, "exactly one execution of each class, none in vain");
  compare_command->add_flag("--covers-value-classes", comparing.options.covers_value_classes, "at least one of each value class");
  compare_command->add_flag("--exact-value-classes", comparing.options.exact_value_classes, "exactly one of each value class");
  compare_command->add_flag("--exact-rf-classes", comparing.options.exact_rf_classes, "exactly one of each reads-from class");
  compare_command->add_option("--jobs", jobs, "workers that `treadle check` shall use");
  compare_command->add_option("--check-option", comparing.options.more, "further option for `treadle check`; repeatable")
      ->allow_extra_args(false);
  compare_command->add_option("--cflag", comparing.options.cflags, "further option for the compiler; repeatable")->allow_extra_args(false);
  compare_command->add_option("--seconds", comparing.options.seconds_per_program, "that a program may take");
  compare_command->add_option("--builds", comparing.options.builds,
                              "folder where compiled batches are kept, for comparisons of the same programs");
  compare_command->add_option("--batch", comparing.batch, "programs compiled together");
  compare_command->add_option("--most-mismatches", comparing.most_mismatches, "stop after so many");
  compare_command->add_flag("--no-shrink", comparing.no_shrink);

  CampaignCommand campaign;
  CLI::App* campaign_command =
      app.add_subcommand("campaign", "generated programs against all strategies and models, each batch compiled once");
  campaign_command->add_option("--treadle", campaign.common.treadle, "the tool to ask")->required();
  campaign_command->add_option("--field", campaign.field, "strategies that leave executions out, or that do not")
      ->check(CLI::IsMember({"reduced", "unreduced"}));
  campaign_command->add_option("--strategies", campaign.strategies, "these only");
  campaign_command->add_option("--models", campaign.models, "these only")->check(CLI::IsMember(kModelNames));
  campaign_command->add_option("--seed", campaign.seed, "first seed");
  campaign_command->add_option("--count", campaign.count, "how many programs, one per seed");
  campaign_command->add_option("--profile", campaign.profile, "kind of programs, when not of all kinds: " + profile_names());
  campaign_command->add_option("--most-threads", campaign.most_threads, "besides main");
  campaign_command->add_option("--most-operations", campaign.most_operations, "visible operations in all threads together");
  campaign_command->add_option("--most-classes", campaign.most_classes, "Mazurkiewicz classes, of the field reduced");
  campaign_command->add_option("--batch", campaign.batch, "programs compiled together");
  campaign_command->add_option("--log", campaign.log, "file of what was compared; a campaign that has one goes on where it was stopped");
  campaign_command->add_flag("--no-shrink", campaign.no_shrink);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*generate) return generate_files(selection, out);
  if (*interpret_command)
    return show_interpretation(selection, model_name.empty() ? std::vector<Model>(std::begin(kModels), std::end(kModels))
                                                             : std::vector{kModelNames.at(model_name)});
  if (*campaign_command) return run_campaign(campaign);
  if (*list) {
    static constexpr const char* kAllowed[] = {"allowed by all", "allowed from TSO on", "allowed under PSO only", "forbidden"};
    for (const Litmus& test : litmus_tests())
      std::printf("%-28s %-24s %s\n", test.name.c_str(), kAllowed[static_cast<int>(test.allowed)], to_string(test.condition).c_str());
    return 0;
  }
  if (!jobs.empty()) comparing.options.more.insert(comparing.options.more.end(), {"--jobs", jobs});
  comparing.options.model = kModelNames.at(compare_model);
  comparing.selection.limit_model = kModelNames.at(limit_model.empty() ? compare_model : limit_model);
  return compare(comparing);
}

}  // namespace
}  // namespace oracle

int main(int argc, char** argv) {
  try {
    return oracle::run(argc, argv);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "oracle: %s\n", problem.what());
    return 2;
  }
}
