// SPDX-License-Identifier: Apache-2.0
// Locales are counted by reference, cached per thread, and initialised on first use.
#include <locale.h>
#include <time.h>

#include <iomanip>
#include <locale>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex lock;
static std::string joined;

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

int main() {
  auto work = [](int n) {
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new Comma));
    out << std::fixed << std::setprecision(2) << n + 0.5;
    locale_t own = newlocale(LC_ALL_MASK, "C", nullptr);
    uselocale(own);
    time_t when = n * 100000;
    tm parts;
    localtime_r(&when, &parts);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(own);
    std::lock_guard guard(lock);
    joined += out.str() + " ";
  };
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
  return joined.size() != 15 || joined.find(',') != 1;
}
