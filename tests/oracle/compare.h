// SPDX-License-Identifier: Apache-2.0
// The engine against the interpreter: compiles a batch of programs, checks each, and compares what was found with what there is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expected.h"
#include "program.h"

namespace oracle {

struct CompareOptions {
  std::string treadle = "treadle";
  std::string strategy = "exhaustive";
  std::string races = "explore";
  Model model = Model::Sc;
  bool subset = false;            // the strategy promises no completeness (random, pct): found must be possible, not the other way round
  bool exact_executions = false;  // the strategy runs every interleaving once: exactly as many as the interpreter counts
  bool within_classes = false;    // the strategy promises not to run more executions than there are classes
  bool covers_classes = false;    // the strategy promises to run at least one execution of each class that completes or gets stuck
  bool exact_classes = false;     // both: exactly one execution of each class, and none in vain
  // The same promises about the coarser classes (classes.h):
  bool covers_value_classes = false;
  bool exact_value_classes = false;
  bool exact_rf_classes = false;
  std::vector<std::string> more{};  // further options for `treadle check`
  std::vector<std::string> cflags{};
  std::string builds{};           // folder where compiled batches are kept for the next comparison; empty: nowhere
  int seconds_per_program = 300;  // generous: a loaded machine must not look like an incomplete search
};

/// How the engine differs from the interpreter on one program.
struct Mismatch {
  std::vector<std::string> missing;  // outcomes and kinds of findings that the engine did not find
  std::vector<std::string> surplus;  // that it reports and that cannot be
  std::string trouble;               // it could not be asked at all, or did not finish
  std::string text() const;
};

class Comparison {
 public:
  explicit Comparison(CompareOptions options) : options_(std::move(options)) {}

  /// One entry per case, nothing when the engine agrees. Throws std::runtime_error when the batch does not compile.
  std::vector<std::optional<Mismatch>> run(std::span<const Case> cases) const;

 private:
  struct Built {
    std::string folder;  // for what is of this comparison only
    std::string binary;
  };
  std::vector<std::string> command(const Built& built, std::size_t programs) const;
  std::string build(const std::string& folder, std::span<const Case> cases) const;
  std::optional<Mismatch> check(const Built& built, std::size_t number, const Program& program) const;
  std::vector<std::optional<Mismatch>> check_all(const Built& built, std::span<const Case> cases) const;

  CompareOptions options_;
};

/// The reports of its tests, each as if it had been checked alone.
std::vector<nlohmann::json> reports_in(const nlohmann::json& all);

/// What the JSON report of `treadle check` says, against the interpreter. Apart, so that it can be tested without an engine.
std::optional<Mismatch> judge(const Program& program, const nlohmann::json& report, const CompareOptions& options);

}  // namespace oracle
