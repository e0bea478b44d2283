// SPDX-License-Identifier: Apache-2.0
// How much each variable took part in recent conflicts (VSIDS, of Chaff).
#pragma once

#include <vector>

#include "solve/trail.h"

namespace treadle {

class Activities {
 public:
  void add_variable() { activities_.push_back(0); }
  double of(Variable variable) const { return activities_[variable]; }

  void bump(Variable variable) {
    activities_[variable] += increment_;
    if (activities_[variable] < 1e100) return;
    for (double& activity : activities_) activity *= 1e-100;
    increment_ *= 1e-100;
  }
  void decay() { increment_ *= 1 / 0.95; }

 private:
  std::vector<double> activities_;
  double increment_ = 1;
};

}  // namespace treadle
