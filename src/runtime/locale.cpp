// SPDX-License-Identifier: Apache-2.0
// Any locale but C is mapped from files when it is first used. libc, restored, would forget the mapping and make another one in each
// execution. So the user's locale, which nearly all programs that ask for one ask for, is loaded beforehand (setlocale never unloads what
// it has loaded); others need a fresh process each time.
#include "runtime/locale.h"

#include <locale.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "runtime/real.h"
#include "runtime/scheduler.h"

extern "C" locale_t __newlocale(int, const char*, locale_t) noexcept;

namespace treadle {

namespace {

bool is_built_in(const char* name) noexcept { return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0; }

/// Is it loaded? Null: is any of the user's worth loading?
bool is_users(const char* name) noexcept {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LANG"}) {
    const char* value = getenv(variable);
    if (value != nullptr && *value != 0 && !is_built_in(value) && (name == nullptr || strcmp(name, value) == 0)) return true;
  }
  return false;
}

void check_locale(const char* name, std::uint64_t pc) noexcept {
  if (name != nullptr && *name != 0 && !is_built_in(name) && !is_users(name)) needs_fork("loads a locale that is not the user's", pc);
}

}  // namespace

void load_users_locale() noexcept {
  if (!is_users(nullptr)) return;
  auto* real = TREADLE_REAL(setlocale);
  char before[512] = "C";
  const char* current = real(LC_ALL, nullptr);
  if (current == nullptr || strlen(current) >= sizeof before) return;
  strcpy(before, current);
  real(LC_ALL, "");
  real(LC_ALL, before);
}

}  // namespace treadle

using namespace treadle;

extern "C" {

char* setlocale(int category, const char* name) noexcept {
  if (!native()) check_locale(name, TREADLE_PC());
  return TREADLE_REAL(setlocale)(category, name);
}

locale_t newlocale(int mask, const char* name, locale_t base) noexcept {
  if (!native()) check_locale(name, TREADLE_PC());
  return TREADLE_REAL(newlocale)(mask, name, base);
}

locale_t __newlocale(int mask, const char* name, locale_t base) noexcept {
  if (!native()) check_locale(name, TREADLE_PC());
  return TREADLE_REAL(__newlocale)(mask, name, base);
}

}  // extern "C"
