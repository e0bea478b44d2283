// SPDX-License-Identifier: Apache-2.0
#include "record/recording.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "record/made_up.h"

namespace treadle {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "recording-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  void put(const std::string& name, std::string_view bytes) const {
    ASSERT_TRUE(static_cast<bool>(write_file_atomically(path_ + "/" + name, bytes)));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What a run of main, which created one thread, leaves.
void fill(const Folder& folder) {
  RecordingBegin begin;
  begin.program = "/bin/it";
  begin.arguments = {"-v", ""};
  folder.put("begin", encode(begin));
  RecordingEnd end;
  end.code = 3;
  folder.put("end", encode(end));
  folder.put("tables", made_up_tables());
  folder.put("status", made_up_status(2));
  folder.put("thread-0", made_up_thread({0, 0, 0}, {{"\x01", true}}));
  folder.put("thread-1", made_up_thread({1, 0, 1}, {{std::string("\x02\x01"), true}, {"\x01", false}}));
}

TEST(Recordings, OfAWholeRunAreRead) {
  const Folder folder;
  fill(folder);
  const auto run = read_recording(folder.path());
  ASSERT_TRUE(static_cast<bool>(run)) << run.problem().sentence;
  EXPECT_EQ(run->begin.arguments, (std::vector<std::string>{"-v", ""}));
  ASSERT_EQ(run->threads.size(), 2u);
  EXPECT_EQ(run->threads[0].name, "0");
  EXPECT_EQ(run->threads[1].name, "0.1");
  EXPECT_EQ(run->threads[1].bytes, "\x02\x01\x01");
  EXPECT_EQ(ending_of(*run), "it exited with status 3");
  EXPECT_FALSE(has_failed(*run));
  EXPECT_TRUE(run->notes.empty());
}

TEST(Recordings, WithoutAnEndSayThatTheyAreIncomplete) {
  const Folder folder;
  fill(folder);
  fs::remove(folder.path() + "/end");
  const auto run = read_recording(folder.path());
  ASSERT_TRUE(static_cast<bool>(run));
  ASSERT_EQ(run->notes.size(), 1u);
  EXPECT_NE(run->notes[0].find("incomplete"), std::string::npos);
}

TEST(Recordings, OfAProgramThatWasKilledKeepWhatWasWritten) {
  const Folder folder;
  fill(folder);
  std::string bytes = made_up_thread({1, 0, 1}, {{"\x02", true}});
  folder.put("thread-1", bytes);
  const auto run = read_recording(folder.path());
  ASSERT_TRUE(static_cast<bool>(run)) << run.problem().sentence;
  EXPECT_EQ(run->threads[1].bytes, "\x02");
}

TEST(Recordings, OfAProgramThatWasKilledWhileABlockWasCopiedHaveItOnce) {
  const std::string two = made_up_thread({1, 0, 1}, {{"\x02", true}, {"\x03", true}});
  const std::string window = two.substr(0, TREADLE_PAGE + TREADLE_BLOCK), first = two.substr(TREADLE_PAGE + TREADLE_BLOCK);
  const std::string copy = window.substr(TREADLE_PAGE);
  for (std::size_t done : {std::size_t{0}, std::size_t{3}, std::size_t{100}, std::size_t{TREADLE_BLOCK}}) {
    const auto file = decode_thread(window + first + copy.substr(0, done), "thread-1");
    ASSERT_TRUE(static_cast<bool>(file)) << done << file.problem().sentence;
    EXPECT_EQ(file->bytes, "\x02\x03");
  }
  // Copied, and the window half way to being empty again.
  std::string emptied = window;
  std::memset(emptied.data() + TREADLE_PAGE + offsetof(TreadleBlockHeader, used), 0, 4);
  emptied[TREADLE_PAGE + sizeof(TreadleBlockHeader)] = 0;
  const auto file = decode_thread(emptied + first + copy, "thread-1");
  ASSERT_TRUE(static_cast<bool>(file)) << file.problem().sentence;
  EXPECT_EQ(file->bytes, "\x02\x03");
}

TEST(Recordings, OfTheLastSecondsAreReadInTheirOrderAndSayThatTheyBeginInTheMiddle) {
  const std::string thread = made_up_thread({1, 0, 1}, {{"\x02", true}, {"\x03", true}, {"\x04", true}}, 5);
  const std::size_t slots = TREADLE_PAGE + TREADLE_BLOCK;
  const std::string turned = thread.substr(0, slots) + thread.substr(slots + TREADLE_BLOCK) + thread.substr(slots, TREADLE_BLOCK);
  const auto file = decode_thread(turned, "thread-1");
  ASSERT_TRUE(static_cast<bool>(file)) << file.problem().sentence;
  EXPECT_EQ(file->bytes, "\x02\x03\x04");
  EXPECT_TRUE(file->begins_in_the_middle);
  EXPECT_EQ(file->resumes.size(), 3u);
  EXPECT_FALSE(static_cast<bool>(decode_thread(thread.substr(0, slots) + thread.substr(slots, TREADLE_BLOCK), "thread-1")));
}

TEST(Recordings, OnAFullDiskSayWhichThreadIsCut) {
  const Folder folder;
  fill(folder);
  std::string bytes = made_up_thread({1, 0, 1}, {{"\x02", true}});
  TreadleThreadHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.state = TREADLE_STREAM_CUT;
  header.error = ENOSPC;
  std::memcpy(bytes.data(), &header, sizeof header);
  folder.put("thread-1", bytes);
  const auto run = read_recording(folder.path());
  ASSERT_TRUE(static_cast<bool>(run)) << run.problem().sentence;
  ASSERT_EQ(run->notes.size(), 1u);
  EXPECT_EQ(run->notes[0], "the stream of thread 0.1 is cut: No space left on device");
}

TEST(Recordings, ThatAreSomethingElseAreRefused) {
  const Folder folder;
  EXPECT_NE(read_recording(folder.path()).problem().sentence.find("is not a recording"), std::string::npos);
  EXPECT_NE(read_recording("/nowhere").problem().sentence.find("no folder"), std::string::npos);
}

TEST(Recordings, OfANewerVersionAreRefused) {
  const Folder folder;
  fill(folder);
  std::string begin = encode(RecordingBegin{});
  begin[std::strlen("treadle recording\n")] = 9;
  folder.put("begin", begin);
  EXPECT_NE(read_recording(folder.path()).problem().sentence.find("newer Treadle"), std::string::npos);
}

/// One sentence for every way of damaging a file, and never a crash.
TEST(Recordings, WithAFlippedOrMissingByteNeverPassUnnoticedInWhatIsSealed) {
  const std::string begin = encode(RecordingBegin{.program = "x", .arguments = {"a"}, .environment = {"b=c"}});
  for (std::size_t i = 0; i < begin.size(); ++i) {
    std::string bytes = begin;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x20);
    EXPECT_FALSE(static_cast<bool>(decode_begin(bytes, "begin"))) << i;
    EXPECT_FALSE(static_cast<bool>(decode_begin(begin.substr(0, i), "begin"))) << i;
  }
  const std::string thread = made_up_thread({1, 0, 1}, {{"\x01\x02\x03", true}});
  const std::size_t payload = TREADLE_PAGE + sizeof(TreadleBlockHeader);
  for (std::size_t i = payload; i < payload + 3; ++i) {
    std::string bytes = thread;
    bytes[i] = 9;
    EXPECT_FALSE(static_cast<bool>(decode_thread(bytes, "thread-1"))) << i;
  }
  EXPECT_FALSE(static_cast<bool>(decode_thread(thread.substr(0, payload + 1), "thread-1")));
}

}  // namespace
}  // namespace treadle
