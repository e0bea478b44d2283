// SPDX-License-Identifier: Apache-2.0
// One function for each subcommand, in the file of its name. They return the exit status: 0 nothing found, 1 found, 2 could not do what was
// asked; a bug of our own leaves with 3 through check().
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace treadle {

int run_check(std::vector<std::string> words);
int run_predict(std::vector<std::string> words);
int run_replay(std::vector<std::string> words);
int run_minimise(std::vector<std::string> words);
int run_recheck(std::vector<std::string> words);
int run_report(std::vector<std::string> words);
int run_record(std::vector<std::string> words);
int run_reproduce(std::vector<std::string> words);
int run_show(std::vector<std::string> words);

/// What the help, the manual and the completions say of them.
Subcommand describe_check();
Subcommand describe_predict();
Subcommand describe_replay();
Subcommand describe_minimise();
Subcommand describe_recheck();
Subcommand describe_report();
Subcommand describe_record();
Subcommand describe_reproduce();
Subcommand describe_show();

int run_cc(bool cpp, std::vector<std::string> args);

/// Tells the user, on standard error. Returns the exit status 2.
int could_not(const Problem& problem);

}  // namespace treadle
