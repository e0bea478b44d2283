// SPDX-License-Identifier: Apache-2.0
// Blocks that nobody can free any more when the program ends. What looks like a pointer into a live block, in global variables, in the
// stacks and thread-local storage of threads that still exist, in thread-specific data, in memory the program mapped, or in a block already
// found, keeps that block: a number that happens to look like an address may hide a leak, nothing invents one.
#include <link.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <initializer_list>

#include "runtime/carrier.h"
#include "runtime/heap_state.h"
#include "runtime/io.h"
#include "runtime/scheduler.h"
#include "runtime/store_buffer.h"
#include "runtime/sys.h"
#include "runtime/thread_sync.h"

namespace treadle {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSpecificBytes = 32 * 2 * sizeof(void*);       // of a SpecificBlock
constexpr std::uint32_t kUnseen = 0, kEndOfList = 1, kFirstIndex = 2;  // values of `next`

/// All live blocks in order of address, and those among them whose contents are still to be looked at.
struct Search {
  Block** blocks;
  std::uint32_t* next;  // by block: unseen, or the next one in the list of those waiting (or that were)
  std::uint32_t count;
  std::uint32_t waiting = kEndOfList;
};

std::uint32_t index_of(const Search& s, std::uint64_t address) noexcept {
  std::uint32_t from = 0, to = s.count;
  while (from < to) {
    const std::uint32_t middle = from + (to - from) / 2;
    if (s.blocks[middle]->address() <= address)
      from = middle + 1;
    else
      to = middle;
  }
  if (from == 0) return s.count;
  const Block& block = *s.blocks[from - 1];
  const std::uint64_t offset = address - block.address();
  return offset == 0 || offset < block.size ? from - 1 : s.count;
}

void reach(Search& s, std::uint32_t index) noexcept {
  if (s.next[index] != kUnseen) return;
  s.next[index] = s.waiting;
  s.waiting = index + kFirstIndex;
}

void look_through(Search& s, std::uint64_t from, std::uint64_t to) noexcept {
  from = (from + 7) & ~7ull;
  for (; from + 8 <= to; from += 8) {
    const std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(from);
    if (!in_heap(word)) continue;
    const std::uint32_t index = index_of(s, word);
    if (index < s.count) reach(s, index);
  }
}

void look_through_waiting(Search& s) noexcept {
  while (s.waiting != kEndOfList) {
    const Block& block = *s.blocks[s.waiting - kFirstIndex];
    s.waiting = s.next[s.waiting - kFirstIndex];
    look_through(s, block.address(), block.address() + block.size);
  }
}

int look_through_object(dl_phdr_info* info, std::size_t, void* search) noexcept {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uint64_t from = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) look_through(*static_cast<Search*>(search), from, from + header.p_memsz);
  }
  return 0;
}

int add_tls_bytes(dl_phdr_info* info, std::size_t, void* total) noexcept {
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_TLS) *static_cast<std::uint64_t*>(total) += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
  return 0;
}

void look_through_thread(Search& s, const Thread& thread, std::uint64_t stack, std::uint64_t tls_bytes) noexcept {
  look_through(s, stack, stack_top(thread.id) + 64);
  const std::uint64_t tls = thread.id == 0 ? thread.fs_base : 0;
  if (tls != 0)
    look_through(s, (tls - tls_bytes) & ~63ull, tls + 2304);  // and the thread control block behind it
  else
    look_through(s, stack_top(thread.id) + 64, stack_top(thread.id) + 64 + TREADLE_TLS_BYTES);
  const ThreadSync* sync = world().sync->threads[thread.id];
  if (sync == nullptr) return;
  for (const SpecificBlock* block : sync->specific)
    if (block != nullptr) look_through(s, reinterpret_cast<std::uint64_t>(block), reinterpret_cast<std::uint64_t>(block) + kSpecificBytes);
}

void look_through_threads(Search& s) noexcept {
  const World& w = world();
  std::uint64_t tls_bytes = 0;
  ::dl_iterate_phdr(add_tls_bytes, &tls_bytes);
  for (unsigned id = 0; id <= w.highest_thread; ++id) {
    const Thread& thread = w.threads[id];
    if (thread.state == ThreadState::Unused) continue;
    look_through(s, reinterpret_cast<std::uint64_t>(&thread.start_argument), reinterpret_cast<std::uint64_t>(&thread.result + 1));
    if (thread.state != ThreadState::Live) continue;
    for (unsigned i = 0; stores_under_way(thread) && i < thread.stores->count; ++i)
      look_through(s, reinterpret_cast<std::uint64_t>(&thread.stores->stores[i].low),
                   reinterpret_cast<std::uint64_t>(&thread.stores->stores[i].high + 1));
    const bool running = &thread == w.current;
    const auto stack = reinterpret_cast<std::uint64_t>(running ? __builtin_frame_address(0) : thread.context.stack_pointer);
    look_through_thread(s, thread, stack != 0 ? stack : stack_top(id) - thread.stack_bytes, tls_bytes);
  }
}

/// Page by page and through the kernel: what the program mapped it may also have made unreadable.
void look_through_mappings(Search& s) noexcept {
  const auto self = static_cast<long>(sys(SYS_getpid));
  auto* copy = static_cast<char*>(arena_allocate(kPage));
  for (std::uint64_t at = TREADLE_AT_MAPPINGS; at < io().next_mapping; at += kPage) {
    unsigned char resident = 0;
    if (sys(SYS_mincore, static_cast<long>(at), kPage, reinterpret_cast<long>(&resident)) != 0 || (resident & 1) == 0) continue;
    const iovec here{copy, kPage}, there{reinterpret_cast<void*>(at), kPage};
    if (sys(SYS_process_vm_readv, self, reinterpret_cast<long>(&here), 1, reinterpret_cast<long>(&there), 1, 0) == kPage)
      look_through(s, reinterpret_cast<std::uint64_t>(copy), reinterpret_cast<std::uint64_t>(copy) + kPage);
  }
}

Search all_live_blocks() noexcept {
  Search s{};
  auto visit_all = [](auto visit) {
    for (unsigned id = 0; id <= world().highest_thread; ++id)
      for_each_block(id, thread_heap(id).used, [&](Block& block) {
        if (block.state == kLive) visit(block);
      });
  };
  visit_all([&](Block&) { ++s.count; });
  s.blocks = arena_new<Block*>(s.count + 1);
  s.next = arena_new<std::uint32_t>(s.count + 1);
  std::uint32_t i = 0;
  visit_all([&](Block& block) { s.blocks[i++] = &block; });
  return s;
}

void report(const Block& block) noexcept { record(TREADLE_EV_LEAK, block.address(), block.size, TREADLE_LEAK_MEMORY, block.pc); }

/// Of a lost list only its head is told; of a lost ring its oldest block.
void report_lost(Search& s) noexcept {
  auto* pointed_at = arena_new<bool>(s.count + 1);
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const Block& block = *s.blocks[i];
    if (s.next[i] != kUnseen) continue;
    for (std::uint64_t at = block.address(); at + 8 <= block.address() + block.size; at += 8) {
      const std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(at);
      const std::uint32_t other = in_heap(word) ? index_of(s, word) : s.count;
      if (other != i) pointed_at[other] = true;
    }
  }
  for (const bool rings : {false, true}) {
    for (std::uint32_t i = 0; i < s.count; ++i) {
      const Block& block = *s.blocks[i];
      if (s.next[i] != kUnseen || (pointed_at[i] && !rings)) continue;
      const bool before_main = block.thread() == 0 && block.ordinal <= world().heap->before_main;
      if (!before_main) report(block);
      reach(s, i);
      look_through_waiting(s);
    }
  }
}

}  // namespace

void heap_execution_end() noexcept {
  if (!active() || (world().job->flags & TREADLE_CHECK_LEAKS) == 0) return;
  Search s = all_live_blocks();
  ::dl_iterate_phdr(look_through_object, &s);
  look_through_threads(s);
  look_through_mappings(s);
  look_through_waiting(s);
  report_lost(s);
}

}  // namespace treadle
