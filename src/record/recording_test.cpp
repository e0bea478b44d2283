// SPDX-License-Identifier: Apache-2.0
#include "record/recording.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

#include "abi/repeats.h"
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

std::string shortened(const std::string& bytes, std::size_t room) {
  std::string out(room, '\0');
  out.resize(treadle_shorten(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), reinterpret_cast<std::uint8_t*>(out.data()),
                             room));
  return out;
}

std::optional<std::string> lengthened(const std::string& bytes, std::size_t size) {
  std::string out(size, '\0');
  if (!treadle_lengthen(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), reinterpret_cast<std::uint8_t*>(out.data()),
                        size))
    return std::nullopt;
  return out;
}

/// Rows of a few bytes, again and again, with something else in between.
std::string repeating(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::string row, all;
  for (std::size_t i = 0, length = 1 + random() % 200; i < length; ++i) row += static_cast<char>(1 + random() % 5);
  while (all.size() < size) {
    for (std::size_t i = 0, times = random() % 80; i < times; ++i) all += row;
    for (std::size_t i = 0, others = random() % 40; i < others; ++i) all += static_cast<char>(1 + random() % 250);
  }
  all.resize(size);
  return all;
}

TEST(Blocks, ThatRepeatThemselvesComeBackAsTheyWere) {
  unsigned made_short = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string bytes = repeating(seed, 1 + seed * 109);
    const std::string less = shortened(bytes, bytes.size() / 2);
    ASSERT_LE(less.size(), bytes.size() / 2);
    if (less.empty()) continue;
    ++made_short;
    EXPECT_EQ(lengthened(less, bytes.size()), bytes) << seed;
    EXPECT_FALSE(lengthened(less.substr(0, less.size() - 1), bytes.size()).has_value());
  }
  EXPECT_GT(made_short, 200u);
  EXPECT_LT(shortened(std::string(30'000, 'x'), 15'000).size(), 100u);
}

TEST(Blocks, ThatDoNotRepeatThemselvesAreLeftAlone) {
  std::mt19937_64 random(1);
  std::string bytes;
  for (int i = 0; i < 30'000; ++i) bytes += static_cast<char>(random());
  EXPECT_EQ(shortened(bytes, bytes.size() / 2), "");
  EXPECT_EQ(shortened("", 100), "");
  EXPECT_FALSE(lengthened("", 3).has_value());
  EXPECT_FALSE(lengthened(std::string("\x01\x00\x00\x00\x05\x00", 6), 5).has_value());  // as what?
}

TEST(Recordings, ThatRepeatThemselvesAreReadAndDamageIsNoticed) {
  const std::string contents = repeating(7, 20'000), less = shortened(contents, 10'000);
  ASSERT_FALSE(less.empty());
  const std::string plain = made_up_thread({1, 0, 1}, {{contents, true}, {"\x02", true}});
  const std::size_t copy = TREADLE_PAGE + TREADLE_BLOCK;
  TreadleBlockHeader header;
  std::memcpy(&header, plain.data() + copy, sizeof header);
  header.size = static_cast<std::uint32_t>(sizeof header + less.size());
  const std::string whole = plain.substr(0, copy) + std::string(reinterpret_cast<const char*>(&header), sizeof header) + less;
  const auto file = decode_thread(whole, "thread-1");
  ASSERT_TRUE(static_cast<bool>(file)) << file.problem().sentence;
  EXPECT_EQ(file->bytes, contents + "\x02");
  for (std::size_t at = copy + sizeof header; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_FALSE(static_cast<bool>(decode_thread(damaged, "thread-1"))) << at;
    EXPECT_FALSE(static_cast<bool>(decode_thread(whole.substr(0, at), "thread-1"))) << at;
  }
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
