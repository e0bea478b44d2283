// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace treadle {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() {
    std::string pattern = (fs::temp_directory_path() / "treadle-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~AtomicFile() override { fs::remove_all(folder_); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }
  fs::path folder_;
};

TEST_F(AtomicFile, HoldsWhatWasWrittenLastAndNothingIsLeftBeside) {
  const std::string path = folder_ / "result";
  const std::string large(300'000, 'x');
  ASSERT_TRUE(write_file_atomically(path, "old"));
  ASSERT_TRUE(write_file_atomically(path, large));
  const auto read = read_file(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, large);
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  const std::string path = folder_ / "result";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  ::chmod(path.c_str(), 0640);
  ASSERT_TRUE(write_file_atomically(path, "new"));
  struct stat about{};
  ::stat(path.c_str(), &about);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
}

TEST_F(AtomicFile, WrittenThroughALinkReplacesWhatTheLinkLeadsTo) {
  const std::string path = folder_ / "result", link = folder_ / "link";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  fs::create_symlink(path, link);
  ASSERT_TRUE(write_file_atomically(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*read_file(path), "new");
}

TEST_F(AtomicFile, ThatCannotBeWrittenIsAProblemThatNamesIt) {
  const std::string path = folder_ / "no" / "such" / "folder";
  const auto written = write_file_atomically(path, "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.problem().sentence, "cannot write " + path + ": No such file or directory");
  EXPECT_FALSE(written.problem().hint.empty());
  EXPECT_FALSE(write_file_atomically(folder_, "x")) << "a folder";
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, OnAFullDiskIsAProblemAndTheDeviceStays) {
  const auto written = write_file_atomically("/dev/full", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.problem().sentence, "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(AtomicFile, ThatIsMissingOrTooLargeIsAProblem) {
  EXPECT_FALSE(read_file(folder_ / "missing"));
  EXPECT_FALSE(read_file(folder_));
  EXPECT_FALSE(read_file("/dev/zero", 100'000));
}

}  // namespace
}  // namespace treadle
