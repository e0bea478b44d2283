// SPDX-License-Identifier: Apache-2.0
#include "report/readable.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Readable, LeavesPlainNamesAlone) {
  EXPECT_EQ(readable("main"), "main");
  EXPECT_EQ(readable("transfer(Account&, Account&, int)"), "transfer(Account&, Account&, int)");
  EXPECT_EQ(readable("main::$_0::operator()() const"), "main::$_0::operator()() const");
  EXPECT_EQ(readable("Node::operator->() const"), "Node::operator->() const");
}

TEST(Readable, DropsDefaultTemplateArguments) {
  EXPECT_EQ(readable("std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
                     "std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >::size() const"),
            "std::vector<std::string>::size() const");
  EXPECT_EQ(readable("std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > >::clear()"),
            "std::map<int, long>::clear()");
}

TEST(Readable, ShortensLongParameterLists) {
  EXPECT_EQ(
      readable("void apply(std::function<void (int)> const&, std::vector<double, std::allocator<double> > const&, unsigned long) const"),
      "void apply(…) const");
}

TEST(Readable, SurvivesWhatIsNotAName) {
  for (const char* odd : {"", ")", "(", ", std::allocator<", "a<b", "??", "operator<", "))(("})
    EXPECT_LE(readable(odd).size(), std::string(odd).size() + 3);
}

}  // namespace
}  // namespace treadle
