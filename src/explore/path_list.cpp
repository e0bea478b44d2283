// SPDX-License-Identifier: Apache-2.0
#include "explore/path_list.h"

namespace treadle {

const char* text_of(TurnKind kind) {
  switch (kind) {
    case TurnKind::Branch:
      return "branch";
    case TurnKind::Pin:
      return "pin";
    case TurnKind::Check:
      return "check";
    case TurnKind::Assume:
      return "assume";
    case TurnKind::Result:
      return "result";
  }
  return "?";
}

}  // namespace treadle
