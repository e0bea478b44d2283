// SPDX-License-Identifier: Apache-2.0
// Violation witnesses of SV-COMP, format 2.0 (YAML): the inputs that a run was given, in order, and the place where it violates the
// property. The format has no threads: which interleaving leads there it cannot say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "finding/finding.h"

namespace treadle {

struct SvInput {
  SourceFrame where;  // of the call that returned it
  std::string value;  // as C writes it
};

struct SvWitness {
  std::vector<std::pair<std::string, std::string>> sources;  // path and SHA-256
  std::string creation_time;                                 // RFC 3339
  std::string uuid;
  const char* property = "";  // of sv_property()
  std::vector<SvInput> inputs;
  SourceFrame violation;
};

/// "G ! call(reach_error())": the property of SV-COMP that the finding violates. Nothing: there is none.
std::optional<const char*> sv_property(const Finding& finding, Ending ending);

std::string yaml_of(const std::vector<SvWitness>& witnesses);

/// Made of its content: the same witness has the same one.
std::string uuid_of(std::string_view content);

}  // namespace treadle
