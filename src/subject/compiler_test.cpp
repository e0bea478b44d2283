// SPDX-License-Identifier: Apache-2.0
#include "subject/compiler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "subject/compiler_arguments.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

CompilerArguments understood(const Words& words) {
  auto result = understand(words);
  EXPECT_TRUE(bool(result)) << result.problem().sentence;
  return *result;
}

std::string refused(const Words& words) {
  auto result = understand(words);
  return result ? "" : result.problem().sentence;
}

bool contains(const Words& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// A directory of its own for each test, and the way back.
class InOwnDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "treadle-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    before_ = fs::current_path();
    fs::current_path(pattern);
    here_ = pattern;
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(here_);
  }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

  fs::path before_, here_;
};

TEST(DropInCompiler, KnowsWhenItLinks) {
  EXPECT_TRUE(understood({"a.c"}).links);
  EXPECT_TRUE(understood({"a.o", "-o", "a"}).links);
  EXPECT_TRUE(understood({"-x", "c", "-"}).links);
  EXPECT_TRUE(understood({"-shared", "a.o"}).is_shared);
  for (const char* word : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"}) EXPECT_FALSE(understood({word, "a.c"}).links) << word;
}

TEST(DropInCompiler, TakesSymbolicForItself) {
  const CompilerArguments symbolic = understood({"-c", "--symbolic", "a.c"});
  EXPECT_TRUE(symbolic.is_symbolic);
  EXPECT_EQ(symbolic.words, (Words{"-c", "a.c"}));
  EXPECT_FALSE(understood({"-c", "a.c"}).is_symbolic);
}

TEST(DropInCompiler, HandsQuestionsAboutTheCompilerOn) {
  for (const Words& words :
       {Words{"--version"}, {"-v"}, {"-dumpmachine"}, {"-print-file-name=libc.so"}, {"-o", "a.c"}, {}, {"-static", "--version"}}) {
    EXPECT_TRUE(understood(words).is_query);
    EXPECT_EQ(understood(words).words, words);
  }
  EXPECT_FALSE(understood({"-v", "a.c"}).is_query);
}

TEST(DropInCompiler, RefusesWhatCannotBeDone) {
  EXPECT_NE(refused({"-static", "a.c"}).find("-static"), std::string::npos);
  EXPECT_NE(refused({"a.c", "-fsanitize=address,undefined"}).find("-fsanitize=address,undefined"), std::string::npos);
  EXPECT_NE(refused({"a.c", "-m32"}), "");
  EXPECT_NE(refused({"a.c", "-target", "aarch64-linux-gnu"}), "");
  EXPECT_NE(refused({"a.c", "-fopenmp"}), "");
  EXPECT_EQ(refused({"-c", "-static", "a.c"}), "") << "only linking is affected";
  EXPECT_EQ(refused({"a.c", "-fno-sanitize=all"}), "");
  EXPECT_EQ(refused({"a.c", "-static-libstdc++"}), "");
  EXPECT_EQ(refused({"a.c", "--target=x86_64-pc-linux-gnu"}), "");
}

TEST(DropInCompiler, LeavesOutLinkTimeOptimisationAndSaysSo) {
  auto arguments = understood({"-O2", "-flto=thin", "a.c"});
  EXPECT_EQ(arguments.words, (Words{"-O2", "a.c"}));
  ASSERT_EQ(arguments.notes.size(), 1u);
}

TEST(DropInCompiler, LeavesOutCoverageAndSaysSo) {
  auto arguments = understood({"-O0", "--coverage", "-fprofile-instr-generate=a.profraw", "-fprofile-use=old", "a.c"});
  EXPECT_EQ(arguments.words, (Words{"-O0", "-fprofile-use=old", "a.c"}));
  ASSERT_EQ(arguments.notes.size(), 2u);
}

TEST(DropInCompiler, LetsSharedLibrariesHaveUndefinedHooks) {
  for (const Words& words :
       {Words{"-Wl,-z,defs"}, {"-Wl,-z", "-Wl,defs"}, {"-z", "defs"}, {"-Xlinker", "-z", "-Xlinker", "defs"}, {"-Wl,--no-undefined"}}) {
    Words all{"-shared", "a.o"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(understood(all).words, (Words{"-shared", "a.o"}));
  }
  EXPECT_EQ(understood({"-shared", "a.o", "-Wl,-z,defs,-soname,liba.so"}).words,
            (Words{"-shared", "a.o", "-Xlinker", "-soname", "-Xlinker", "liba.so"}));
  EXPECT_EQ(understood({"a.o", "-Wl,-z,defs"}).words, (Words{"a.o", "-Wl,-z,defs"})) << "an executable has them all";
}

TEST(DropInCompiler, KeepsTheRuntimeVisibleInExecutables) {
  EXPECT_EQ(understood({"a.o", "-Wl,--exclude-libs,ALL", "-lm"}).words, (Words{"a.o", "-lm"}));
  EXPECT_EQ(understood({"a.o", "-Wl,--version-script=x.map,-O1"}).words, (Words{"a.o", "-Xlinker", "-O1"}));
}

TEST(DropInCompiler, SeesDebugFlags) {
  EXPECT_TRUE(understood({"-g", "a.c"}).has_debug_flag);
  EXPECT_TRUE(understood({"-ggdb3", "a.c"}).has_debug_flag);
  EXPECT_TRUE(understood({"-g0", "a.c"}).has_debug_flag);
  EXPECT_FALSE(understood({"-gz", "a.c"}).has_debug_flag);
  EXPECT_FALSE(understood({"-O2", "a.c"}).has_debug_flag);
}

using ResponseFiles = InOwnDirectory;

TEST_F(ResponseFiles, AreReadLikeTheCompilerDoes) {
  write("inner.rsp", "'two words' back\\ slash\n");
  write("outer.rsp", "-c a.c -DX=\"a \\\"b\\\"\" @inner.rsp \"\"\n");
  EXPECT_EQ(understood({"@outer.rsp"}).words, (Words{"-c", "a.c", "-DX=a \"b\"", "two words", "back slash", ""}));
  EXPECT_EQ(understood({"-c", "@missing.rsp", "a.c"}).words, (Words{"-c", "@missing.rsp", "a.c"}));
}

using Compiling = InOwnDirectory;

TEST_F(Compiling, GivesAProgramThatRunsByItself) {
  write("a.c", "#include \"b.h\"\nint shared; int main(void) { shared = B; return shared; }\n");
  write("b.h", "#define B 7\n");
  auto program = compile({{"a.c"}, {}});
  ASSERT_TRUE(bool(program)) << program.problem().sentence;
  EXPECT_EQ(WEXITSTATUS(std::system(program->c_str())), 7);

  // Nothing changed, nothing compiled; a header changed, all compiled.
  auto first = fs::last_write_time(*program);
  ASSERT_EQ(*compile({{"a.c"}, {}}), *program);
  EXPECT_EQ(fs::last_write_time(*program), first);
  write("b.h", "#define B 8\n");
  ASSERT_EQ(*compile({{"a.c"}, {}}), *program);
  EXPECT_EQ(WEXITSTATUS(std::system(program->c_str())), 8);
  EXPECT_NE(*compile({{"a.c"}, {"-DOTHER"}}), *program);

  auto symbolic = compile({.sources = {"a.c"}, .flags = {}, .symbolic = true});
  ASSERT_TRUE(bool(symbolic)) << symbolic.problem().sentence;
  EXPECT_NE(*symbolic, *program);
  EXPECT_EQ(WEXITSTATUS(std::system(symbolic->c_str())), 8);
  for (const auto& entry : fs::directory_iterator(".treadle"))
    EXPECT_TRUE(entry.path().extension() != ".o" && entry.path().extension() != ".d") << entry.path();
}

TEST_F(Compiling, MixesLanguagesBySuffix) {
  write("a.c", "int from_c(void) { int class = 3; return class; }\n");
  write("b.cpp", "extern \"C\" int from_c(); template <class T> T same(T t) { return t; } int main() { return same(from_c()); }\n");
  auto program = compile({{"a.c", "b.cpp"}, {"-O2", "-lm"}});
  ASSERT_TRUE(bool(program)) << program.problem().sentence;
  EXPECT_EQ(WEXITSTATUS(std::system(program->c_str())), 3);
}

TEST_F(Compiling, SaysWhatIsWrong) {
  EXPECT_NE(compile({{"missing.c"}, {}}).problem().sentence.find("missing.c"), std::string::npos);
  write("bad.c", "int main( {\n");
  EXPECT_EQ(compile({{"bad.c"}, {}}).problem().sentence, "bad.c does not compile");
  write("undefined.c", "void nowhere(void); int main(void) { nowhere(); }\n");
  EXPECT_EQ(compile({{"undefined.c"}, {}}).problem().sentence, "undefined.c does not link");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  auto without = compile({{"bad.c"}, {}});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(without.problem().sentence, "clang-19 is not installed, or not in PATH");
}

}  // namespace
}  // namespace treadle
