// SPDX-License-Identifier: Apache-2.0
#include "spinning.h"

#include <gtest/gtest.h>

#include "interpret.h"

namespace oracle {
namespace {

TEST(Spinning, ProgramsHaveTheClassesThatTheyShould) {
  for (const Spinning& one : spinning_programs()) {
    for (const Model model : kModels) {
      const Classes classes = count_classes(one.program.program, {model});
      EXPECT_TRUE(classes.complete);
      EXPECT_EQ(classes.all(), one.classes[static_cast<int>(model)]) << one.program.name << " " << text_of(model);
      const Classes enumerated = count_classes_by_enumeration(one.program.program, {model}, 20'000);
      if (enumerated.complete) EXPECT_EQ(classes, enumerated) << one.program.name << " " << text_of(model);
    }
  }
}

}  // namespace
}  // namespace oracle
