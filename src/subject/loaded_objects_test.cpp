// SPDX-License-Identifier: Apache-2.0
#include "subject/loaded_objects.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(LoadedObjects, AreTheFilesWithCodeAndReachFromTheirFirstToTheirLastMapping) {
  const auto objects = objects_in_maps(
      "555555554000-555555555000 r--p 00000000 08:01 11                         /home/me/my prog\n"
      "555555555000-555555556000 r-xp 00001000 08:01 11                         /home/me/my prog\n"
      "555555556000-555555557000 rw-p 00002000 08:01 11                         /home/me/my prog\n"
      "7ffff7d00000-7ffff7d01000 r--s 00000000 08:01 12                         /usr/lib/locale/locale-archive\n"
      "7ffff7e00000-7ffff7e01000 r-xp 00000000 08:01 13                         /home/me/libqueue.so\n"
      "7ffff7fc0000-7ffff7fc1000 r-xp 00000000 00:00 0                          [vdso]\n"
      "7ffff7fd0000-7ffff7fd1000 rw-p 00000000 00:00 0 \n");
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].path, "/home/me/libqueue.so");
  EXPECT_EQ(objects[1].path, "/home/me/my prog");
  EXPECT_EQ(objects[1].base, 0x555555554000u);
  EXPECT_EQ(objects[1].end, 0x555555557000u);
}

TEST(LoadedObjects, OfRubbishAreNone) { EXPECT_TRUE(objects_in_maps("what?\n1-2\n").empty()); }

}  // namespace
}  // namespace treadle
