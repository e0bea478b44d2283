// SPDX-License-Identifier: Apache-2.0
// The block of memory that host and program share, on the host's side of the fence.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "abi/shared_block.h"
#include "base/result.h"

namespace treadle {

class SharedMemory {
 public:
  /// `path` empty: anonymous, to be inherited by descriptor; else a file, for a program that gdb starts.
  static Result<SharedMemory> create(const std::string& path = {});
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  int descriptor() const { return descriptor_; }
  TreadleSharedBlock& block() const { return *block_; }

  std::span<TreadleDecision> decisions() const;
  std::span<std::uint64_t> inputs() const;
  std::span<const TreadleEvent> events() const;
  std::span<const std::uint32_t> choices() const;
  std::span<const char> texts() const;
  std::span<const TreadleExpression> expressions() const;
  std::span<const TreadleNote> notes() const;

  /// Everything the guest may have written over is set again.
  void reset_header();

 private:
  SharedMemory(int descriptor, TreadleSharedBlock* block) : descriptor_(descriptor), block_(block) {}
  int descriptor_ = -1;
  TreadleSharedBlock* block_ = nullptr;
};

}  // namespace treadle
