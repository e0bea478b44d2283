// SPDX-License-Identifier: Apache-2.0
#include "record/perf_side_band.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace treadle {
namespace {

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct From {
  std::uint32_t process, thread, core;
  std::uint64_t time;
};

std::string record(std::uint32_t type, std::uint16_t misc, std::string body, From from) {
  put(body, from.process);
  put(body, from.thread);
  put(body, from.time);
  put(body, std::uint64_t{from.core});
  std::string bytes;
  put(bytes, perf_event_header{type, misc, static_cast<std::uint16_t>(sizeof(perf_event_header) + body.size())});
  return bytes + body;
}

std::string mapping(std::uint32_t process, std::uint32_t protection, const std::string& path) {
  std::string body;
  put(body, process);
  put(body, process);
  for (std::uint64_t value : {0x1000ull, 0x200ull, 0x40ull, 0ull, 0ull, 0ull}) put(body, value);
  put(body, protection);
  put(body, 0u);
  return body + path + std::string(8 - path.size() % 8, '\0');
}

std::string comes(From from) { return record(PERF_RECORD_SWITCH, 0, "", from); }
std::string goes(From from) { return record(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, "", from); }

TEST(PerfSideBands, TellWhichCodeIsWhere) {
  PerfSideBand found(7, {});
  found.use_copy_of_vdso("/tmp/vdso");
  ASSERT_TRUE(static_cast<bool>(found.add(record(PERF_RECORD_MMAP2, 0, mapping(7, PROT_READ | PROT_EXEC, "/bin/x"), {7, 7, 0, 1}) +
                                          record(PERF_RECORD_MMAP2, 0, mapping(7, PROT_READ, "/bin/data"), {7, 7, 0, 1}) +
                                          record(PERF_RECORD_MMAP2, 0, mapping(8, PROT_EXEC, "/bin/other"), {8, 8, 0, 1}) +
                                          record(PERF_RECORD_MMAP2, 0, mapping(7, PROT_EXEC, "[vdso]"), {7, 7, 0, 1}))));
  const std::vector<PtSideBand::Code> expected{{"/bin/x", 0x40, 0x200, 0x1000}, {"/tmp/vdso", 0, 0x200, 0x1000}};
  EXPECT_EQ(found.side_band(1).code, expected);
}

TEST(PerfSideBands, GiveACoreToAThreadFromWhenTheOneBeforeHasGone) {
  PerfSideBand found(7, {});
  ASSERT_TRUE(static_cast<bool>(found.add(comes({7, 71, 0, 10}) + goes({7, 71, 0, 20}) + comes({7, 72, 0, 35}))));
  ASSERT_TRUE(static_cast<bool>(found.add(comes({7, 72, 1, 5}) + goes({7, 72, 1, 30}) + comes({9, 90, 1, 31}))));
  const std::vector<PtSideBand::Switch> expected{{0, 71, 0}, {0, 72, 21}, {1, 72, 0}, {1, 0, 31}};
  EXPECT_EQ(found.side_band(2).switches, expected);
}

TEST(PerfSideBands, ConvertTheKernelsTimeToTheProcessors) {
  const PerfClock clock{1000, 1 << 9, 10};  // two ticks in a nanosecond
  EXPECT_EQ(clock.counter_at(1000), 0u);
  EXPECT_EQ(clock.counter_at(1500), 1000u);
  EXPECT_EQ(clock.counter_at(1000 + 3'000'000'000), 6'000'000'000u);
}

TEST(PerfSideBands, SayWhatIsLost) {
  std::string full;
  for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{PERF_AUX_FLAG_TRUNCATED}}) put(full, value);
  PerfSideBand found(7, {});
  ASSERT_TRUE(static_cast<bool>(
      found.add(record(PERF_RECORD_AUX, 0, full, {7, 7, 1, 1}) + record(PERF_RECORD_LOST, 0, std::string(16, '\1'), {7, 7, 0, 1}))));
  ASSERT_EQ(found.losses().size(), 2u);
  EXPECT_NE(found.losses()[0].find("core 1: the buffer"), std::string::npos);
}

TEST(PerfSideBands, ThatAreDamagedAreRefused) {
  const std::string whole = comes({7, 71, 0, 10});
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(static_cast<bool>(PerfSideBand(7, {}).add(whole.substr(0, size)))) << size;
  EXPECT_FALSE(static_cast<bool>(PerfSideBand(7, {}).add(std::string(8, '\0'))));
}

/// The kernel gives the same records without Intel PT, to an event that counts nothing.
TEST(PerfSideBands, OfThisKernelAreUnderstood) {
  int gate[2];
  ASSERT_EQ(::pipe(gate), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char go;
    if (::read(gate[0], &go, 1) == 1) ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.disabled = attributes.enable_on_exec = attributes.exclude_kernel = attributes.sample_id_all = 1;
  attributes.mmap = attributes.mmap2 = attributes.task = attributes.context_switch = 1;
  attributes.sample_type = PerfSideBand::perf_sample_type;
  const int event = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, child, -1, -1, 0));
  void* at = event < 0 ? MAP_FAILED : ::mmap(nullptr, 9 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  ASSERT_EQ(::write(gate[1], "", 1), 1);
  ::waitpid(child, nullptr, 0);
  if (at == MAP_FAILED) GTEST_SKIP() << "the kernel does not allow it";
  const auto* page = static_cast<perf_event_mmap_page*>(at);
  PerfSideBand found(static_cast<std::uint32_t>(child), {});
  ASSERT_TRUE(static_cast<bool>(found.add({static_cast<const char*>(at) + page->data_offset, page->data_head})));
  const PtSideBand side_band = found.side_band(4096);
  EXPECT_TRUE(std::ranges::any_of(side_band.code, [](const auto& code) { return code.path.find("true") != std::string::npos; }));
  EXPECT_TRUE(std::ranges::any_of(side_band.code, [](const auto& code) { return code.path.find("ld-linux") != std::string::npos; }));
  ::munmap(at, 9 * 4096);
  ::close(event);
}

}  // namespace
}  // namespace treadle
