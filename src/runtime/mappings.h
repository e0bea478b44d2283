// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace treadle {

/// Unmaps what the execution mapped.
void restore_mappings() noexcept;

}  // namespace treadle
