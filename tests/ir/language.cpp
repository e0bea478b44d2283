// SPDX-License-Identifier: Apache-2.0
// A bit of everything that is delicate to instrument; prints what it computes, to be compared with a build without hooks.
#include <immintrin.h>

#include <atomic>
#include <complex>
#include <coroutine>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

int counter;

// ---- coroutines: a generator, and tasks that hand over to each other without growing the stack
struct Generator {
  struct promise_type {
    int value;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
  bool next() {
    handle.resume();
    return !handle.done();
  }
};
Generator fibonacci(int n) {
  int a = 0, b = 1;
  char text[20];
  for (int i = 0; i < n; i++) {
    snprintf(text, sizeof text, "%d", a);
    co_yield a + static_cast<int>(strlen(text)) * 1000;
    int sum = a + b;
    a = b;
    b = sum;
  }
}

struct Task {
  struct promise_type {
    std::coroutine_handle<> next;
    int result;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    struct HandOver {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
        return done.promise().next ? done.promise().next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    HandOver final_suspend() noexcept { return {}; }
    void return_value(int v) { result = v; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle.promise().next = caller;
    return handle;
  }
  int await_resume() {
    int result = handle.promise().result;
    handle.destroy();
    return result;
  }
};
Task leaf(int x) { co_return x + counter; }
Task tree(int x) {
  int a = co_await leaf(x);
  int b = co_await leaf(a);
  co_return a* b;
}
void coroutines() {
  counter = 1;
  auto numbers = fibonacci(8);
  while (numbers.next()) printf("%d ", numbers.handle.promise().value);
  auto task = tree(4);
  task.handle.resume();
  printf("%d\n", task.handle.promise().result);
  task.handle.destroy();
}

// ---- arguments: variadic, by value, returned through memory, must-tail
int sum(int n, ...) {
  va_list list, copy;
  va_start(list, n);
  int s = 0;
  for (int i = 0; i < n; i++) s += va_arg(list, int);
  va_copy(copy, list);
  double d = va_arg(copy, double);
  va_end(copy);
  va_end(list);
  return s + static_cast<int>(d);
}
void log(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}
struct Big {
  int a[20];
} big;
int by_value(Big b) {
  int s = 0;
  for (int x : b.a) s += x;
  b.a[0] = 99;
  return s;
}
Big returned(int k) {
  Big b;
  for (int i = 0; i < 20; i++) b.a[i] = k * i;
  return b;
}
[[clang::noinline]] int minus(int a, int b) { return a - b; }
int tail(int a, int b) {
  counter++;
  [[clang::musttail]] return minus(b, a);
}
void arguments() {
  log("%d %s %f\n", sum(3, 1, 2, 3, 4.0), "x", 2.5);
  big = returned(3);
  printf("%d %d %d %d\n", by_value(big), by_value(returned(1)), big.a[0], tail(1, 5));
}

// ---- control flow: longjmp, exceptions with destructors, asm goto, odd loops
jmp_buf place;
int jumps() {
  volatile int n = 0;
  int r = setjmp(place);
  n = n + 1;
  if (r < 3) longjmp(place, r + 1);
  return n * 10 + r;
}
struct Counts {
  ~Counts() { counter++; }
};
int throws(int x) {
  try {
    Counts first;
    if (x > 2) throw x;
    return 0;
  } catch (int y) {
    return y * 2 + counter;
  }
}
int asm_goto(int x) {
  asm goto("test %0,%0; jz %l1" ::"r"(x)::zero);
  return 1;
zero:
  return 2;
}
int switch_loop(int x) {
  int s = 0;
  for (int i = 0;;) switch (x + i + counter * 0) {
      case 0:
        i += 1;
        continue;
      case 1:
        i += 2;
        s++;
        continue;
      case 2:
      case 3:
        i++;
        continue;
      default:
        return s + i;
    }
}
void control() { printf("%d %d %d %d %d %d\n", jumps(), throws(1), throws(5), asm_goto(0), asm_goto(1), switch_loop(0)); }

// ---- types of every size
typedef float Vector __attribute__((vector_size(16)));
Vector vector = {1, 2, 3, 4};
__int128 wide;
long double extended = 1.5L;
struct {
  unsigned a : 3;
  int b : 13;
  unsigned long c : 40;
  bool d : 1;
} bits;
std::complex<double> complex_number;
bool boolean;
_Float16 half;
unsigned char byte = 255;
short negative = -1;
int array[10][10];
std::atomic<double> atomic_double{1};
std::atomic<signed char> atomic_char{-3};
struct alignas(16) Wide {
  long a, b;
};
std::atomic<Wide> atomic_wide;

__attribute__((target("avx2"))) void vectors() {
  __m256i five = _mm256_set1_epi32(5);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(array), five);
  int index[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  __m256i got = _mm256_i32gather_epi32(&array[0][0], _mm256_loadu_si256(reinterpret_cast<__m256i*>(index)), 4);
  _mm256_maskstore_epi32(&array[0][0], _mm256_set1_epi32(-1), _mm256_add_epi32(got, got));
  printf("%d\n", array[0][2]);
}

void types() {
  Vector sum = vector + (Vector){1, 1, 1, 1};
  wide = static_cast<__int128>(1) << 100;
  wide += 5;
  extended *= 2;
  bits.a = counter & 3;
  bits.b = -100;
  bits.c = 1ull << 39;
  bits.d = true;
  complex_number = {1, 2};
  complex_number *= complex_number;
  boolean = !boolean;
  byte++;
  half = 1.5f;
  printf("%f %f %llx %Lf\n", sum[0], sum[3], static_cast<unsigned long long>(wide >> 64), extended);
  printf("%d %d %lx %d\n", bits.a, bits.b, static_cast<long>(bits.c), bits.d);
  printf("%f %f %d %d %d %f\n", complex_number.real(), complex_number.imag(), boolean, byte, negative, static_cast<double>(half) * 2);
  atomic_double.fetch_add(0.5);
  __atomic_fetch_max(reinterpret_cast<signed char*>(&atomic_char), 2, __ATOMIC_SEQ_CST);
  __atomic_fetch_min(reinterpret_cast<signed char*>(&atomic_char), -7, __ATOMIC_SEQ_CST);
  Wide expected{0, 0};
  bool swapped = atomic_wide.compare_exchange_strong(expected, {3, 4});
  printf("%f %d %d %ld\n", atomic_double.load(), atomic_char.load(), swapped, atomic_wide.load().b);
  if (__builtin_cpu_supports("avx2")) vectors();
}

// ---- classes: virtual bases, pointers to members, lambdas, thread_local with constructors, resolvers, naked functions
struct Root {
  virtual ~Root() = default;
  virtual int f() { return 1; }
  int z = 5;
};
struct Left : virtual Root {
  int f() override { return 2 + z; }
};
struct Right : virtual Root {};
struct Bottom : Left, Right {
  int f() override { return Left::f() * 3; }
};
int (Root::*member)() = &Root::f;
thread_local int computed = sum(2, 3, 4, 1.0);
static thread_local struct Constructed {
  int k;
  Constructed() : k(7) {}
  ~Constructed() { counter += k; }
} constructed;
extern "C" {
int eleven() { return 11; }
int (*resolve())() { return eleven; }
int resolved() __attribute__((ifunc("resolve")));
}
__attribute__((naked)) int seventeen() { __asm__("movl $17,%eax; ret"); }
int lambdas() {
  int k = 3;
  auto add = [&k](int x) { return k += x; };
  add(2);
  auto twice = [k] { return k * 2; };
  return twice() + add(1);
}
void classes() {
  Bottom bottom;
  Root* root = &bottom;
  printf("%d %d %d %d %d %d %d\n", root->f(), (root->*member)(), computed, constructed.k, resolved(), seventeen(), lambdas());
}

// ---- the standard library
void library() {
  std::mutex mutex;
  std::map<std::string, int> map;
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; k++) {
        total++;
        std::lock_guard lock(mutex);
        map["key" + std::to_string(i)]++;
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::ostringstream out;
  out << std::fixed << 3.25 << " " << std::hex << 255;
  auto shared = std::make_shared<int>(3);
  auto copy = shared;
  printf("%d %d %s %ld\n", total.load(), map["key1"], out.str().c_str(), copy.use_count());
}

int main() {
  coroutines();
  arguments();
  control();
  types();
  classes();
  library();
}
