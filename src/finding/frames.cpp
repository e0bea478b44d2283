// SPDX-License-Identifier: Apache-2.0
#include "finding/symbols.h"

namespace treadle {

SourceStack Symbols::resolve(std::span<const std::uint64_t> pcs, Pc innermost) const {
  SourceStack stack;
  for (std::size_t i = 0; i < pcs.size(); ++i) {
    const auto& frames = frames_at(pcs[i], i == 0 ? innermost : Pc::ReturnAddress);
    stack.frames.insert(stack.frames.end(), frames.begin(), frames.end());
  }
  return stack;
}

std::string Symbols::place_of(std::uint64_t pc) const {
  const std::uint64_t pcs[] = {pc};
  const SourceFrame frame = user_frame(resolve(pcs));
  return is_user_code(frame) || !frame.file.empty() ? text_of(frame) : "";
}

bool is_user_code(const SourceFrame& frame) { return !frame.library && frame.function != "??"; }

SourceFrame user_frame(const SourceStack& stack) {
  for (const SourceFrame& frame : stack.frames)
    if (is_user_code(frame)) return frame;
  return stack.frames.empty() ? SourceFrame{.function = "??"} : stack.frames.front();
}

std::string text_of(const SourceFrame& frame) {
  if (frame.file.empty()) return frame.function.empty() ? "??" : frame.function;
  return frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line);
}

}  // namespace treadle
