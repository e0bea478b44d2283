// SPDX-License-Identifier: Apache-2.0
#include "record/pt_hardware.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/atomic_file.h"
#include "record/perf_side_band.h"

namespace treadle {
namespace {

constexpr const char* device = "/sys/bus/event_source/devices/intel_pt/";
constexpr std::size_t ring_bytes = 256 << 10, packet_bytes = 4 << 20;  // of each core

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "config:10" → bit 10 of the configuration; nothing when the kernel does not know the option.
std::uint64_t option(const std::string& name) {
  const std::string place = first_line(device + ("format/" + name));
  return place.starts_with("config:") ? std::uint64_t{1} << (std::strtoul(place.c_str() + 7, nullptr, 10) & 63) : 0;
}

perf_event_attr common() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.disabled = attributes.enable_on_exec = 1;
  attributes.inherit = attributes.inherit_thread = 1;  // threads, not children of fork
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PerfSideBand::perf_sample_type;
  return attributes;
}

/// Returns are traced one by one, as the emulation does: a decoder that begins anywhere then needs no stack.
perf_event_attr packets_event() {
  perf_event_attr attributes = common();
  attributes.type = static_cast<std::uint32_t>(std::strtoul(first_line(device + std::string("type")).c_str(), nullptr, 10));
  attributes.config = option("pt") | option("branch") | option("tsc") | option("noretcomp");
  attributes.sample_period = 1;
  return attributes;
}

perf_event_attr side_band_event() {
  perf_event_attr attributes = common();
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.mmap = attributes.mmap2 = 1;  // code only
  attributes.task = attributes.context_switch = 1;
  attributes.watermark = 1;
  return attributes;
}

int open_event(const perf_event_attr& attributes, pid_t process, int core) {
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, process, core, -1, PERF_FLAG_FD_CLOEXEC));
}

Problem refused(int error) {
  return {fmt::format("the kernel does not allow tracing with Intel PT: {}", std::strerror(error)),
          "see /proc/sys/kernel/perf_event_paranoid (2 or less is enough) and `ulimit -l`"};
}

/// A ring buffer that the kernel fills.
class Ring {
 public:
  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  Ring(Ring&& other) noexcept { *this = std::move(other); }
  Ring& operator=(Ring&& other) noexcept {
    std::swap(page_, other.page_);
    std::swap(packets_, other.packets_);
    std::swap(file_, other.file_);
    return *this;
  }
  ~Ring() {
    if (packets_ != nullptr) ::munmap(packets_, packet_bytes);
    if (page_ != nullptr) ::munmap(page_, first_page + ring_bytes);
    if (file_ >= 0) ::close(file_);
  }

  /// Takes the descriptor; `errno` tells what went wrong.
  bool open(int file, bool has_packets) {
    file_ = file;
    if (file < 0) return false;
    void* at = ::mmap(nullptr, first_page + ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) return false;
    page_ = static_cast<perf_event_mmap_page*>(at);
    if (!has_packets) return true;
    page_->aux_offset = first_page + ring_bytes;
    page_->aux_size = packet_bytes;
    at = ::mmap(nullptr, packet_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(page_->aux_offset));
    if (at == MAP_FAILED) return false;
    packets_ = static_cast<char*>(at);
    return true;
  }

  /// Of a core that is switched off there is none.
  bool is_open() const { return page_ != nullptr; }

  std::string records() {
    return taken(reinterpret_cast<char*>(page_) + page_->data_offset, page_->data_size, page_->data_head, page_->data_tail);
  }
  std::string packets() { return taken(packets_, packet_bytes, page_->aux_head, page_->aux_tail); }

  PerfClock clock() const { return {page_->time_zero, page_->time_mult, page_->time_shift}; }
  bool has_clock() const { return page_->cap_user_time_zero; }

 private:
  static constexpr std::size_t first_page = 4096;

  /// What lies between the kernel's end and ours, in one piece; then it is the kernel's again.
  template <class Place>
  static std::string taken(const char* data, std::uint64_t size, const Place& head, Place& tail) {
    const std::uint64_t end = __atomic_load_n(&head, __ATOMIC_ACQUIRE), begin = tail;
    std::string bytes;
    bytes.reserve(end - begin);
    const std::uint64_t first = begin % size, count = std::min(end - begin, size - first);
    bytes.append(data + first, count);
    bytes.append(data, end - begin - count);
    __atomic_store_n(&tail, end, __ATOMIC_RELEASE);
    return bytes;
  }

  perf_event_mmap_page* page_ = nullptr;
  char* packets_ = nullptr;
  int file_ = -1;
};

class Tracing : public PtHardware {
 public:
  Tracing(pid_t process, std::string folder) : process_(process), folder_(std::move(folder)) {}

  Result<Done> start() {
    const long count = ::sysconf(_SC_NPROCESSORS_CONF);
    const perf_event_attr packets = packets_event(), side_band = side_band_event();
    for (int core = 0; core < count; ++core) {
      Core next;
      if (!next.packets.open(open_event(packets, process_, core), true) && errno != ENODEV) return refused(errno);
      if (!next.side_band.open(open_event(side_band, process_, core), false) && errno != ENODEV) return refused(errno);
      const std::string name = fmt::format("{}/pt-{}", folder_, core);
      next.out.open(name, std::ios::binary);
      if (!next.out) return Problem{"cannot write " + name, ""};
      cores_.push_back(std::move(next));
    }
    const auto first = std::ranges::find_if(cores_, [](const Core& core) { return core.side_band.is_open(); });
    if (first == cores_.end() || !first->side_band.has_clock())
      return Problem{"the kernel does not tell how its clock and the processor's belong together", "Intel PT needs a constant TSC"};
    records_ = std::make_unique<PerfSideBand>(static_cast<std::uint32_t>(process_), first->side_band.clock());
    records_->use_copy_of_vdso(copy_vdso());
    return Done{};
  }

  Result<Done> drain() override {
    for (Core& core : cores_) {
      if (!core.side_band.is_open() || !core.packets.is_open()) continue;
      for (const std::string& records : {core.side_band.records(), core.packets.records()})
        if (auto taken = records_->add(records); !taken) return taken;
      const std::string packets = core.packets.packets();
      core.out.write(packets.data(), static_cast<std::streamsize>(packets.size()));
      core.bytes += packets.size();
    }
    return Done{};
  }

  Result<Done> finish() override {
    if (auto drained = drain(); !drained) return drained;
    for (Core& core : cores_) {
      core.out.close();
      if (!core.out) return Problem{"cannot write the packets of Intel PT into " + folder_, "the disk may be full"};
    }
    std::string losses;
    for (const std::string& loss : records_->losses()) losses += loss + "\n";
    if (!losses.empty())
      if (auto written = write_file_atomically(folder_ + "/pt-losses", losses); !written) return written;
    PtSideBand side_band = records_->side_band(static_cast<std::uint32_t>(cores_.size()));
    for (const Core& core : cores_) side_band.bytes.push_back(core.bytes);
    return write_file_atomically(folder_ + "/pt", encode(side_band));
  }

 private:
  /// The kernel's page of code is the same in every process; a decoder wants a file.
  std::string copy_vdso() const {
    const auto* start = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));
    std::error_code error;
    const std::string path = std::filesystem::absolute(folder_ + "/vdso", error).string();
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (line.ends_with("[vdso]")) {
        const std::uint64_t size = std::strtoull(line.c_str() + line.find('-') + 1, nullptr, 16) - std::strtoull(line.c_str(), nullptr, 16);
        if (write_file_atomically(path, std::string(start, size))) return path;
      }
    return "";
  }

  struct Core {
    Ring packets, side_band;
    std::ofstream out;
    std::uint64_t bytes = 0;
  };
  const pid_t process_;
  const std::string folder_;
  std::vector<Core> cores_;
  std::unique_ptr<PerfSideBand> records_;
};

}  // namespace

Result<Done> has_intel_pt() {
  if (first_line(device + std::string("type")).empty())
    return Problem{"this processor has no Intel PT, or the kernel does not offer it", "the software back end needs none"};
  const int event = open_event(packets_event(), 0, -1);
  if (event < 0) return refused(errno);
  ::close(event);
  return Done{};
}

Result<std::unique_ptr<PtHardware>> PtHardware::open(pid_t process, const std::string& folder) {
  auto tracing = std::make_unique<Tracing>(process, folder);
  if (auto started = tracing->start(); !started) return started.problem();
  return std::unique_ptr<PtHardware>(std::move(tracing));
}

}  // namespace treadle
