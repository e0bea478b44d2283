// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "cli/check_one.h"
#include "cli/check_tests.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/html.h"
#include "cli/input_flags.h"
#include "cli/keep.h"
#include "cli/program.h"
#include "cli/reports.h"
#include "cli/searches.h"
#include "cli/sv_witness.h"
#include "cli/test_program.h"
#include "report/json.h"

namespace treadle {

Subcommand describe_check() {
  return {"treadle check [options] PROGRAM|SOURCE... [-- ARGS]",
          "Runs the program under one schedule after another and reports each distinct bug once, with a witness that\n"
          "`treadle replay` runs again. The verdict says what it covers. Sources are compiled first.\n"
          "A program of GoogleTest or Catch2 is checked test by test, each with its share of the time.",
          "Examples:\n"
          "  treadle check counter.c\n"
          "  treadle check --cflags \"-O2 -Iinclude\" queue.cpp queue_test.cpp\n"
          "  treadle check --strategy pct --depth 2 --max-executions 10000 ./server_test -- --quick\n"
          "  treadle check --strategy icb --preemptions 2 --max-time 10m ./pool_test\n"
          "  treadle check --races explore --model tso --outcomes sb.c\n"
          "  treadle check ./my_tests -- --gtest_filter=Queue.*\n"
          "  treadle check --jobs auto --resume state --max-time 8h ./pool_test\n"
          "\nExit status: 0 nothing found, 1 found, 2 could not do what was asked, 3 a bug in Treadle itself.\n",
          flags_of(Use::Check), "program or source"};
}

namespace {

/// The tests in it, when it is to be taken apart into them.
Result<std::optional<TestProgram>> tests_to_check(const Options& options, const std::string& program) {
  if (!options.cases.empty()) {
    auto listed = tests_listed_in(options.cases);
    if (!listed) return listed.problem();
    return std::optional<TestProgram>(std::move(*listed));
  }
  if (options.tests == Tests::Off) return std::optional<TestProgram>{};
  auto tests = tests_of(program, options.arguments);
  if (tests && !*tests && options.tests == Tests::Wanted)
    return Problem{fmt::format("{} does not list its tests as GoogleTest and Catch2 do", options.files.front()),
                   "without --tests each it is checked as one program; --exit-status makes a status other than 0 a finding"};
  return tests;
}

/// Then trying all of them is part of what we are asked for.
bool leaves_inputs_open(const Options& options, const std::string& program) {
  if (!leaves_the_choice(options) || !(options.schedule.inputs == GivenInputs{})) return false;
  return !symbolic_sources().empty() || asks_for_inputs(program);
}

int check_whole(const Options& options, const std::string& program) {
  const auto checked = check_one(options, program, options.files.front());
  if (!checked) return could_not(checked.problem());
  CheckedSubject& one = **checked;
  const SearchResult& search = one.result.search;
  auto reported = write_reports(one.result, options);
  if (reported && !one.not_saved && !options.html.empty())
    reported = write_html({options.html, program, json_of(one.result), one.result.replay_options}, search.findings,
                          &one.searches->program(), one.searches->symbols(), options.leaks);
  if (reported && !options.keep.empty() && search.paths)
    reported = write_file_atomically((std::filesystem::path(options.keep) / kept_result).string(), json_of(one.result));
  if (reported && !options.witness_yaml.empty())
    reported = write_sv_witnesses(options, search.findings, one.searches->program(), one.searches->symbols());
  if (search.problem) could_not(*search.problem);
  if (one.not_saved) return could_not(*one.not_saved);
  if (!reported) return could_not(reported.problem());
  return !search.findings.empty() ? 1 : search.problem ? 2 : 0;
}

int check(const Options& options) {
  if (const auto possible = one_report_on_stdout(options); !possible) return could_not(possible.problem());
  if (const auto possible = can_be_done(options); !possible) return could_not(possible.problem());
  if (!options.cases.empty() && options.tests == Tests::Wanted)
    return could_not({"--tests each takes the tests that the program lists, and --cases those of a file", "leave one of them out"});
  auto program = program_from(options);
  if (!program) return could_not(program.problem());
  const auto tests = tests_to_check(options, *program);
  if (!tests) return could_not(tests.problem());
  if (*tests && options.coverage)
    return could_not(
        {"--coverage is of one search, and each test is a search of its own", "with --tests off the program is checked as a whole"});
  if (*tests) return check_tests(options, *program, **tests);
  if (!leaves_inputs_open(options, *program)) return check_whole(options, *program);
  Options with_inputs = options;
  if (!is_symbolic_build(*program) && is_compiled_here(options)) {
    with_inputs.symbolic = true;
    program = program_from(with_inputs);
    if (!program) return could_not(program.problem());
  }
  with_inputs.all_inputs = is_symbolic_build(*program);
  return check_whole(with_inputs, *program);
}

}  // namespace

int run_check(std::vector<std::string> words) {
  auto options = parse(describe_check(), std::move(words));
  if (!options) return could_not(options.problem());
  if (*options && ((*options)->coverage || wants_symbolic_build(**options))) (*options)->symbolic = true;
  return *options ? check(**options) : 0;
}

}  // namespace treadle
