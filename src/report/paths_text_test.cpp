// SPDX-License-Identifier: Apache-2.0
#include "report/paths_text.h"

#include <gtest/gtest.h>

#include "report/path_list_json.h"

namespace treadle {
namespace {

using Json = nlohmann::ordered_json;

PathTurn turn(unsigned line, const char* way, const char* condition) {
  PathTurn made;
  made.where = {"main", "/src/bank.c", line, 3};
  made.way = way;
  made.condition = condition;
  return made;
}

/// Thread 0 always makes one turn, then one of two; thread 0.1 turns only where the first did.
PathList three_paths() {
  PathList list;
  list.turns = {turn(4, "true", "n > 0"), turn(7, "true", "x == 1"), turn(7, "false", "x != 1"), turn(12, "true", "ready == 1"),
                turn(12, "false", "ready == 0")};
  list.paths.resize(3);
  list.paths[0].threads = {{"0", {0, 1}}, {"0.1", {3}}};
  list.paths[1].threads = {{"0", {0, 1}}, {"0.1", {4}}};
  list.paths[2].threads = {{"0", {0, 2}}, {"0.1", {}}};
  for (ListedPath& path : list.paths) {
    path.ended = "completed";
    path.counts = true;
  }
  list.paths[0].ended = "assertion failed";
  list.paths[0].findings = {0};
  list.paths[0].inputs = {{"0", "x", 1}};
  return list;
}

const std::vector<std::string> findings{"assertion at bank.c:20"};

TEST(PathsText, ShowsWhereWaysPartAndHowEachPathEnds) {
  EXPECT_EQ(paths_text(three_paths(), findings, {}),
            "3 paths; 1 shows 1 finding\n"
            "├─ 0 bank.c:7 true: x == 1\n"
            "│  ├─ 0.1 bank.c:12 true: ready == 1\n"
            "│  │  └─ path 1: assertion failed, finding 1 (assertion at bank.c:20); x = 1\n"
            "│  └─ 0.1 bank.c:12 false: ready == 0\n"
            "│     └─ path 2: completed\n"
            "└─ 0 bank.c:7 false: x != 1\n"
            "   └─ path 3: completed\n");
}

TEST(PathsText, CountsWhatIsFolded) {
  EXPECT_EQ(paths_text(three_paths(), findings, {.levels = 1}),
            "3 paths; 1 shows 1 finding\n"
            "├─ 0 bank.c:7 true: x == 1 … 2 paths, 1 of them failing\n"
            "└─ 0 bank.c:7 false: x != 1 … 1 path\n");
}

TEST(PathsText, ShowsOneThreadOrFailingPathsOrEveryTurn) {
  EXPECT_EQ(paths_text(three_paths(), findings, {.thread = "0.1"}),
            "3 paths; 1 shows 1 finding\n"
            "├─ path 3: completed\n"
            "├─ 0.1 bank.c:12 true: ready == 1\n"
            "│  └─ path 1: assertion failed, finding 1 (assertion at bank.c:20); x = 1\n"
            "└─ 0.1 bank.c:12 false: ready == 0\n"
            "   └─ path 2: completed\n");
  EXPECT_EQ(paths_text(three_paths(), findings, {.failing = true}),
            "3 paths; 1 shows 1 finding\n"
            "└─ path 1: assertion failed, finding 1 (assertion at bank.c:20); x = 1\n");
  EXPECT_NE(paths_text(three_paths(), findings, {.every_turn = true}).find("0 bank.c:4 true: n > 0"), std::string::npos);
}

TEST(PathListJson, IsReadAsItWasWritten) {
  const PathList list = three_paths();
  const auto again = path_list_in(json_part(list));
  ASSERT_TRUE(again);
  EXPECT_EQ(paths_text(*again, findings, {.every_turn = true}), paths_text(list, findings, {.every_turn = true}));
}

TEST(PathListJson, ThatDoesNotMakeSenseIsNone) {
  EXPECT_FALSE(path_list_in(Json(3)));
  EXPECT_FALSE(path_list_in(Json::object()));
  Json beyond = json_part(three_paths());
  beyond["paths"][0]["threads"][0]["turns"][0] = 99;
  EXPECT_FALSE(path_list_in(beyond));
  Json negative = json_part(three_paths());
  negative["paths"][0]["threads"][0]["turns"][0] = -1;
  EXPECT_FALSE(path_list_in(negative));
  Json without = json_part(three_paths());
  without["turns"][0].erase("place");
  EXPECT_FALSE(path_list_in(without));
}

}  // namespace
}  // namespace treadle
