// SPDX-License-Identifier: Apache-2.0
#include "subject/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace treadle {

namespace {

// Sparse: only what an execution fills is ever touched.
constexpr std::uint64_t kDecisions = 4u << 20;
constexpr std::uint64_t kInputs = 1u << 18;
constexpr std::uint64_t kEvents = 8u << 20;
constexpr std::uint64_t kChoiceWords = 32u << 20;
constexpr std::uint64_t kTextBytes = 16u << 20;
constexpr std::uint64_t kExpressions = 8u << 20;
constexpr std::uint64_t kNotes = 8u << 20;

constexpr std::uint64_t page_up(std::uint64_t bytes) { return (bytes + 4095) & ~4095ull; }
constexpr std::uint64_t kDecisionsAt = page_up(sizeof(TreadleSharedBlock));
constexpr std::uint64_t kInputsAt = kDecisionsAt + page_up(kDecisions * sizeof(TreadleDecision));
constexpr std::uint64_t kEventsAt = kInputsAt + page_up(kInputs * sizeof(std::uint64_t));
constexpr std::uint64_t kChoicesAt = kEventsAt + page_up(kEvents * sizeof(TreadleEvent));
constexpr std::uint64_t kTextsAt = kChoicesAt + page_up(kChoiceWords * sizeof(std::uint32_t));
constexpr std::uint64_t kExpressionsAt = kTextsAt + page_up(kTextBytes);
constexpr std::uint64_t kNotesAt = kExpressionsAt + page_up(kExpressions * sizeof(TreadleExpression));
constexpr std::uint64_t kTotal = kNotesAt + page_up(kNotes * sizeof(TreadleNote));

template <class T>
T* at(TreadleSharedBlock* block, std::uint64_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(block) + offset);
}

}  // namespace

Result<SharedMemory> SharedMemory::create(const std::string& path) {
  const int fd = path.empty() ? ::memfd_create("treadle", MFD_CLOEXEC) : ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(kTotal)) != 0)
    return Problem{"cannot make the memory shared with the program: " + std::string(std::strerror(errno)), "is there free memory?"};
  void* mapped = ::mmap(nullptr, kTotal, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    ::close(fd);
    return Problem{"cannot map the memory shared with the program: " + std::string(std::strerror(errno)), "is there free memory?"};
  }
  SharedMemory memory(fd, static_cast<TreadleSharedBlock*>(mapped));
  memory.reset_header();
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), block_(std::exchange(other.block_, nullptr)) {}

SharedMemory::~SharedMemory() {
  if (block_ != nullptr) ::munmap(block_, kTotal);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedMemory::reset_header() {
  TreadleSharedBlock& b = *block_;
  b.magic = TREADLE_MAGIC;
  b.abi_version = TREADLE_ABI_VERSION;
  b.guest_state = TREADLE_GUEST_STARTING;
  b.guest_pid = 0;
  b.posted = b.finished = b.job_count = b.results_done = b.running_job = b.shut_down = b.in_place = 0;
  b.arguments_replaceable = b.argument_bytes = 0;
  b.execution = b.interrupt = 0;
  b.decisions_at = kDecisionsAt, b.decision_capacity = kDecisions;
  b.inputs_at = kInputsAt, b.input_capacity = kInputs;
  b.events_at = kEventsAt, b.event_capacity = kEvents;
  b.choices_at = kChoicesAt, b.choice_capacity = kChoiceWords;
  b.texts_at = kTextsAt, b.text_capacity = kTextBytes;
  b.expressions_at = kExpressionsAt, b.expression_capacity = kExpressions;
  b.notes_at = kNotesAt, b.note_capacity = kNotes;
  b.total_bytes = kTotal;
  b.events_used = b.choices_used = b.texts_used = b.pending_used = b.expressions_used = b.notes_used = 0;
  b.message[0] = '\0';
}

std::span<TreadleDecision> SharedMemory::decisions() const { return {at<TreadleDecision>(block_, kDecisionsAt), kDecisions}; }
std::span<std::uint64_t> SharedMemory::inputs() const { return {at<std::uint64_t>(block_, kInputsAt), kInputs}; }
std::span<const TreadleEvent> SharedMemory::events() const { return {at<const TreadleEvent>(block_, kEventsAt), kEvents}; }
std::span<const std::uint32_t> SharedMemory::choices() const { return {at<const std::uint32_t>(block_, kChoicesAt), kChoiceWords}; }
std::span<const char> SharedMemory::texts() const { return {at<const char>(block_, kTextsAt), kTextBytes}; }
std::span<const TreadleExpression> SharedMemory::expressions() const {
  return {at<const TreadleExpression>(block_, kExpressionsAt), kExpressions};
}
std::span<const TreadleNote> SharedMemory::notes() const { return {at<const TreadleNote>(block_, kNotesAt), kNotes}; }

}  // namespace treadle
