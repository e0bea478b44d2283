// SPDX-License-Identifier: Apache-2.0
// Bytes from outside that are to be any bytes, on request: of standard input, of files, of arguments and of the environment. They are
// inputs like those that a program asks for, taken once, before main begins: what the schedule gives, else what was there. What a program
// reads of them by read(), getc(), fread() and fgets() is known to be made of them. Other functions get the right bytes; that they were
// looked at is noticed by how far reading has come, and is a use without a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace treadle {

/// At the very beginning. `asked`: the value of TREADLE_ENV_SOURCES, or null.
void sources_start(const char* asked) noexcept;

bool any_sources() noexcept;

/// Before it is noted which files are open.
void sources_before_main() noexcept;

/// In the main thread, right before main.
void sources_execution_begin() noexcept;
void sources_execution_end() noexcept;

/// What to open in the place of a file: "/proc/self/fd/7", or null for the file itself.
const char* source_instead_of(const char* path, bool writes) noexcept;

/// Where reading goes on, before a call that reads; -1: none of ours. A stream has read ahead.
long place_in_source(int fd) noexcept;
long place_in_source(FILE* stream) noexcept;

/// `bytes` bytes from there on have been written to `to`, as an access by the program that is recorded already.
void source_was_read(int fd, long place, void* to, std::size_t bytes, std::uint64_t pc) noexcept;

/// And reading stopped at the first end of line among them, if there is one.
void source_line_was_read(int fd, long place, std::size_t bytes, std::uint64_t pc) noexcept;

/// From `place` to `end` it was looked at by a function without a model.
void source_was_looked_at(int fd, long place, long end, std::uint64_t pc) noexcept;

/// The program has opened something, and is going to close it.
void source_opened(int fd, FILE* stream) noexcept;
void source_closes(int fd) noexcept;

/// The running thread is about to take a turn. What has been read meanwhile by functions that say nothing of it comes before.
void sources_catch_up(std::uint64_t pc) noexcept;
extern bool g_sources_are_read;

/// One byte at `place`: the running thread is about to return it as an int.
void source_byte_returned(int fd, long place, std::uint64_t pc) noexcept;

}  // namespace treadle
