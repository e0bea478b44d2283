// SPDX-License-Identifier: Apache-2.0
// Many generated programs, each against every strategy and model: a batch is made and compiled once, and all are asked about it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases.h"
#include "compare.h"

namespace oracle {

/// What a strategy under a model is asked, and held to.
struct Question {
  CompareOptions options;
  std::string name() const;  // "optimal sc"
};

/// Strategies that are told apart by the programs they can be asked about.
enum class Field {
  Reduced,    // those that leave executions out: programs of few classes
  Unreduced,  // those that run every interleaving: programs of few executions
};

/// All strategies of a field under all models that they have, with what each promises about the number of executions.
std::vector<Question> questions_of(Field field, const CompareOptions& common);

/// The programs that a field is asked about.
Selection programs_of(Field field);

struct Campaign {
  Selection selection;
  std::vector<Question> questions{};
  int batch = 250;
  std::string log{};  // a line for each batch and question that was answered; what it has already is not asked again. Empty: none
  std::function<void(const Question&, const Case&, const Mismatch&)> report{};
};

/// How many mismatches there were. Throws std::runtime_error when a batch does not compile or the log cannot be written.
int mismatches_of(const Campaign& campaign);

}  // namespace oracle
