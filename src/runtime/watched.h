// SPDX-License-Identifier: Apache-2.0
// Memory that executions hardly ever write: the data of libc and its companions, the environment, the user's locale. Most of what a
// reset would copy is of this kind (100 of 120 KB for a small C program). So it is write-protected when the base image is saved; the first
// write to a page makes it writable for good, and from then on resets and snapshots copy it like everything else. After a few executions
// nothing faults any more.
//
// Only memory that the kernel does not write on behalf of a system call may be watched: it would fail instead of telling us.
#pragma once

#include <cstdint>

namespace treadle {

/// All pages that [from, to) touches. Before the base image is saved.
void watch(std::uint64_t from, std::uint64_t to) noexcept;

/// Copies what is watched to `cursor`, which moves on, and protects it from now on.
void save_watched(std::uint64_t& cursor) noexcept;

/// For the SIGSEGV handler: true when a page was written for the first time and the write is to be tried again.
bool watched_fault(std::uint64_t address) noexcept;

/// As if it had been written: for what the kernel does write.
void expect_writes(std::uint64_t from, std::uint64_t to) noexcept;

/// Writes `bytes` bytes to the base image, and to memory as if they had been there all the time.
void change_watched(std::uint64_t at, const char* from, std::uint64_t bytes) noexcept;

/// Pages in the order in which they were first written. Those from `first` on go back to what they were in the base image.
unsigned written_pages() noexcept;
std::uint64_t written_page(unsigned index) noexcept;
void restore_written(unsigned first) noexcept;

constexpr std::uint64_t kWatchedPage = 4096;

}  // namespace treadle
