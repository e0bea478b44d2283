// SPDX-License-Identifier: Apache-2.0
#include "cli/words.h"

#include <cctype>

namespace treadle {

Result<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word, maybe an empty one
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'') {
      if (++i == text.size()) return Problem{"a \\ at the end has nothing to stand for", ""};
      word += text[i];
      inside = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote) return Problem{"a quote is not closed", ""};
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace treadle
