// SPDX-License-Identifier: Apache-2.0
// Every schedule of a few lines, from within an ordinary unit test:
//
//   TEST(Queue, KeepsBoth) {
//     EXPECT_TRUE(treadle::explore([] {
//       Queue queue;
//       std::thread a([&] { queue.push(1); }), b([&] { queue.push(2); });
//       a.join(), b.join();
//       EXPECT_EQ(queue.size(), 2);
//     }));
//   }
//
// The test program is built with `treadle c++` and run by itself, by ctest or by hand. The call starts `treadle check` on the same program
// with the same arguments, reduced to the test that is running; there the call is reached again in each execution, and only there are the
// lines run. What they change is not seen after the call, and what the test does before the call is done in each execution, too.
//
// Needs C++17. In a program that was built by another compiler everything compiles, nothing is explored, and the result says so.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "treadle/explore_call.h"

namespace treadle {

struct ExploreOptions {
  std::string strategy = {};              // as `treadle check --strategy`; empty: Treadle chooses
  std::string model = "sc";               // sc, tso, pso
  std::string races = "stop";             // stop, explore, ignore
  double seconds = 10;                    // after which it stops, whatever it has covered by then
  unsigned long long executions = 0;      // at most; 0: any number
  std::vector<std::string> more = {};     // other options of `treadle check`
  bool run_once_without_treadle = false;  // built by another compiler: run the lines once, and pass
};

/// True: explored, and nothing was found. `complete` says whether that goes for every schedule.
struct Explored {
  bool passed = false;
  bool complete = false;
  unsigned long long executions = 0;
  std::string verdict = {};  // clean, bugs, incomplete; empty: it was not explored
  std::string report = {};   // what `treadle check` prints, or why there is nothing to print

  explicit operator bool() const { return passed; }

  /// In EXPECT_TRUE of GoogleTest the report is the message.
  template <class Result, class = typename explore_detail::IsAssertionResult<Result>::type>
  operator Result() const {  // NOLINT(google-explicit-constructor)
    Result result(passed);
    result << report;
    return result;
  }
};

template <class Lines>
Explored explore(Lines&& lines, const ExploreOptions& options = {}, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  namespace detail = explore_detail;
  if (treadle_in_control == nullptr) {
    if (!options.run_once_without_treadle) return {false, false, 0, "", "not explored: this program was not built with `treadle c++`"};
    lines();
    return {true, false, 1, "", "run once, not explored: this program was not built with `treadle c++`"};
  }
  const std::string test = detail::current_test<Lines>();
  const std::string call = detail::name_of_call(test, file, line);
  if (treadle_in_control() != 0) {
    const char* marker = std::getenv(detail::variable);
    if (marker == nullptr) {
      lines();
      return {true, false, 1, "", "the whole program is being explored"};
    }
    const std::vector<std::string> wanted = detail::split(marker);
    if (wanted.empty() || call != wanted[0]) {
      const detail::Summary before = detail::summary_of(call, wanted);
      return {before.passed, before.complete, before.executions, before.verdict, "explored before"};
    }
    const int first = detail::expectations_so_far<Lines>();
    detail::begin();
    lines();
    detail::leave(detail::has_failed_since<Lines>(first) ? 1 : 0);
  }
  detail::Request request{{}, detail::arguments_for_test<Lines>(test), detail::marker_for(call, test)};
  const std::string seconds = std::to_string(options.seconds) + "s";
  if (!options.strategy.empty()) request.options = {"--strategy", options.strategy};
  if (options.executions > 0) request.options.insert(request.options.end(), {"--max-executions", std::to_string(options.executions)});
  request.options.insert(request.options.end(), {request.options.empty() ? "--budget" : "--max-time", seconds});
  request.options.insert(request.options.end(), {"--model", options.model, "--races", options.races});
  request.options.insert(request.options.end(), options.more.begin(), options.more.end());
  const detail::Answer answer = detail::run_treadle(request);
  detail::explored()[call] = {answer.status == 0, answer.verdict == "clean", answer.executions, answer.verdict};
  return {answer.status == 0, answer.verdict == "clean", answer.executions, answer.verdict, answer.printed};
}

}  // namespace treadle
