// SPDX-License-Identifier: Apache-2.0
#include "cli/witness_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/program.h"
#include "trace/files.h"

namespace treadle {
namespace {

Result<Done> belongs_together(const Witness& witness, const std::string& path, std::uint64_t hash) {
  if (witness.binary_hash == hash) return Done{};
  return Problem{fmt::format("{} was made with another build of {}", path, witness.program),
                 "a schedule fits one binary only: run `treadle check` again, or build it as it was"};
}

}  // namespace

Result<std::unique_ptr<WitnessProgram>> WitnessProgram::open(const Options& options) {
  if (options.files.size() > 1) return Problem{"one witness at a time, please", ""};
  const std::string& path = options.files.front();
  auto witness = read_witness(path);
  if (!witness) return witness.problem();
  if (!std::filesystem::exists(witness->program))
    return Problem{fmt::format("{} is gone, the program of this witness", witness->program), "run `treadle check` again"};
  if (const auto built = check_built_with_treadle(witness->program); !built) return built.problem();

  auto opened = std::make_unique<WitnessProgram>();
  opened->how_ = options.subject;
  opened->how_.program = witness->program;
  opened->how_.arguments = witness->arguments;
  opened->how_.environment = witness->environment;
  auto subject = Subject::start(opened->how_);
  if (!subject) return subject.problem();
  if (const auto same = belongs_together(*witness, path, (*subject)->binary_hash()); !same) return same.problem();
  opened->witness_ = std::move(*witness);
  opened->subject_ = std::move(*subject);
  opened->runner_ = std::make_unique<SubjectRunner>(*opened->subject_, opened->numbers_);
  opened->symbols_ = symbols_of(*opened->subject_, opened->how_.program);
  return opened;
}

}  // namespace treadle
