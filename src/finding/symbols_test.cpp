// SPDX-License-Identifier: Apache-2.0
// On this very program, wherever the system has put it.
#include "finding/symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <filesystem>
#include <mutex>

namespace bank {

struct Account {
  std::mutex lock;
  int balance;
  struct {
    short day, month;
  } opened[3];
};

Account accounts[4];
std::atomic<int> transfers;
long grid[3][5];

namespace {
int hidden_total;
}

__attribute__((noinline)) std::uint64_t where_called() { return reinterpret_cast<std::uint64_t>(__builtin_return_address(0)); }

__attribute__((always_inline)) inline std::uint64_t inlined_call() { return where_called() + 0; }  // line 33

template <class T>
__attribute__((noinline)) std::uint64_t outer(T) {
  std::uint64_t pc = inlined_call();  // line 37
  asm volatile("" : "+r"(pc));
  return pc;
}

int* counter_inside() {
  static int calls;
  return &++calls == nullptr ? nullptr : &calls;
}

}  // namespace bank

namespace treadle {
namespace {

std::uint64_t own_base() {
  std::uint64_t base = 0;
  ::dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* out) { return *static_cast<std::uint64_t*>(out) = info->dlpi_addr, 1; },
                    &base);
  return base;
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

class OwnSymbols : public testing::Test {
 protected:
  std::string name(const void* at) const { return symbols_->data_name(reinterpret_cast<std::uint64_t>(at)); }
  std::unique_ptr<Symbols> symbols_ = Symbols::of_objects({{own_path(), own_base(), 0}});
};

TEST_F(OwnSymbols, ExpandInlinedCalls) {
  const auto& frames = symbols_->frames_at(bank::outer(1));
  ASSERT_GE(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "bank::inlined_call()");
  EXPECT_EQ(frames[0].line, 33u);
  EXPECT_EQ(frames[1].function, "unsigned long bank::outer<int>(int)");
  EXPECT_EQ(frames[1].line, 37u);
  EXPECT_GT(frames[1].column, 0u);
  EXPECT_TRUE(frames[1].file.ends_with("finding/symbols_test.cpp")) << frames[1].file;
  EXPECT_TRUE(is_user_code(frames[0]));
  EXPECT_EQ(symbols_->place_of(bank::outer(1)), "symbols_test.cpp:33");
}

TEST_F(OwnSymbols, NameGlobalsDownToTheMember) {
  EXPECT_EQ(name(&bank::accounts[2].balance), "bank::accounts[2].balance");
  EXPECT_EQ(name(&bank::accounts[1].opened[2].month), "bank::accounts[1].opened[2].month");
  EXPECT_EQ(name(reinterpret_cast<char*>(&bank::accounts[0].balance) + 1), "bank::accounts[0].balance+1");
  EXPECT_EQ(name(&bank::grid[2][3]), "bank::grid[2][3]");
}

TEST_F(OwnSymbols, StopAtTheInsidesOfTheLibrary) {
  EXPECT_EQ(name(&bank::accounts[3].lock), "bank::accounts[3].lock");
  EXPECT_EQ(name(&bank::transfers), "bank::transfers");
}

TEST_F(OwnSymbols, KnowStaticVariablesInsideFunctionsAndFiles) {
  EXPECT_EQ(name(bank::counter_inside()), "bank::counter_inside()::calls");
  EXPECT_EQ(name(&++bank::hidden_total), "bank::(anonymous namespace)::hidden_total");
}

TEST_F(OwnSymbols, TellTheLibrarysCodeFromTheUsers) {
  void (*const library)(int&, int&) = &std::swap<int>;
  const auto& frames = symbols_->frames_at(reinterpret_cast<std::uint64_t>(library), Pc::Exact);
  EXPECT_NE(frames[0].function.find("std::swap<int>"), std::string::npos) << frames[0].function;
  EXPECT_TRUE(frames[0].library) << frames[0].file;
  EXPECT_FALSE(is_user_code(frames[0]));
}

TEST_F(OwnSymbols, KnowNothingOfForeignAddresses) {
  const int local = 0;
  EXPECT_EQ(name(&local), "");
  EXPECT_EQ(symbols_->frames_at(0x1234).size(), 1u);
  EXPECT_EQ(symbols_->frames_at(0x1234)[0].function, "??");
  EXPECT_EQ(symbols_->frames_at(0)[0].function, "??");
  EXPECT_EQ(symbols_->place_of(0), "");
}

TEST(Symbols, OfAProgramAreWhereTheProgramIsWithoutAslr) {
  const auto symbols = Symbols::of_program(own_path());
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(&bank::transfers) - own_base() + kExecutableBase;
  EXPECT_EQ(symbols->data_name(address), "bank::transfers");
}

TEST(Symbols, OfSystemLibrariesAreNoPlacesOfTheUsers) {
  Dl_info libc{};
  void* const in_libc = ::dlsym(RTLD_DEFAULT, "strtol");
  ASSERT_NE(::dladdr(in_libc, &libc), 0);
  const auto symbols = Symbols::of_objects(
      {{std::filesystem::canonical(libc.dli_fname), reinterpret_cast<std::uint64_t>(libc.dli_fbase), 0}, {own_path(), own_base(), 0}});
  const auto pc = reinterpret_cast<std::uint64_t>(in_libc);
  const SourceFrame frame = symbols->frames_at(pc, Pc::Exact)[0];
  EXPECT_NE(frame.function.find("strtol"), std::string::npos) << frame.function;
  EXPECT_FALSE(is_user_code(frame));
  EXPECT_EQ(symbols->place_of(pc + 1), "");
  EXPECT_EQ(symbols->data_name(reinterpret_cast<std::uint64_t>(&bank::transfers)), "bank::transfers");
}

TEST(Symbols, OfAProgramThatIsNotThereAreEmpty) {
  const auto symbols = Symbols::of_program("/no/such/program");
  EXPECT_EQ(symbols->data_name(kExecutableBase + 8), "");
  EXPECT_EQ(symbols->frames_at(kExecutableBase + 8)[0].function, "??");
}

TEST(Symbols, PreferTheUsersFrames) {
  SourceStack stack;
  EXPECT_EQ(user_frame(stack).function, "??");
  stack.frames = {{"std::mutex::lock()", "std_mutex.h", 100, 1, true}, {"transfer", "src/bank.cpp", 12, 3, false}};
  EXPECT_EQ(text_of(user_frame(stack)), "bank.cpp:12");
  stack.frames.pop_back();
  EXPECT_EQ(text_of(user_frame(stack)), "std_mutex.h:100") << "better than nothing";
  EXPECT_EQ(text_of(SourceFrame{"work"}), "work");
}

}  // namespace
}  // namespace treadle
