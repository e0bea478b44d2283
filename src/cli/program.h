// SPDX-License-Identifier: Apache-2.0
// From what stands on the command line to a binary that can be run.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "finding/symbols.h"
#include "subject/program_dependence.h"

namespace treadle {

/// The absolute path of the program: a binary as it is, sources compiled into `options.out`. A binary that was not built with Treadle
/// is a Problem.
Result<std::string> program_from(const Options& options);
/// Is it ours to say how it is compiled?
bool is_compiled_here(const Options& options);

/// Does the file carry the section that our compiler leaves?
Result<Done> check_built_with_treadle(const std::string& path);

/// Was it built with --symbolic? False for what cannot be read.
bool is_symbolic_build(const std::string& path);

/// Is it built from files that ask for inputs? False for what cannot be read.
bool asks_for_inputs(const std::string& path);

/// Names for what is at the program's addresses, its libraries included.
std::unique_ptr<Symbols> symbols_of(const Subject& subject, const std::string& program);

/// Which events of the program may depend on which of its reads.
ProgramDependence dependence_of(const Subject& subject, const std::string& program);
/// The same without its libraries.
ProgramDependence dependence_of(const std::string& program);

const char* text_of(Carrier carrier);  // "reset"

}  // namespace treadle
