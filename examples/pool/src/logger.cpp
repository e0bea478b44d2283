// SPDX-License-Identifier: Apache-2.0
#include "logger.h"

namespace pool {

Logger::Logger() {
  writer_ = std::thread([this] {
    while (auto line = queue_.take()) written_.push_back(std::move(*line));
  });
}

Logger::~Logger() { finish(); }

void Logger::log(std::string_view line) { queue_.put(std::string(line)); }

std::vector<std::string> Logger::finish() {
  queue_.close();
  if (writer_.joinable()) writer_.join();
  return written_;
}

}  // namespace pool
