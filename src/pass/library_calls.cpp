// SPDX-License-Identifier: Apache-2.0
// The catalogue of library functions that work on memory handed to them: which bytes they read and write. The library itself is not
// instrumented, so the caller announces what the call is going to touch.
#include <llvm/ADT/StringMap.h>

#include <vector>

#include "pass/hooks.h"
#include "pass/ranges.h"

namespace treadle {

using namespace llvm;

namespace {

enum class Extent {
  Bytes,         // as many as argument `a` says
  String,        // the string there, with its terminator
  StringAtMost,  // the string there, but no more than argument `a` says
  LikeString,    // as long as the string at argument `a`
  Appended,      // behind the string there: as long as the string at argument `a`
  AppendedMost,  // the same, with at most argument `b` characters
  Compared,      // up to the first difference between arguments 0 and 1
  ComparedMost,  // the same, within argument `a`
  Found,         // up to the byte argument `a`, within argument `b`
};

struct Touch {
  bool writes;
  unsigned pointer;
  Extent extent;
  unsigned a = 0, b = 0;
};

struct LibraryFunction {
  const char* name;
  unsigned parameters;  // at least
  std::vector<Touch> touches;
};

constexpr bool read = false, write = true;

// One function per line, in the order of the manual. Functions that look for something in a string count as reading all of it.
const LibraryFunction catalogue[] = {
    {"memcpy", 3, {{read, 1, Extent::Bytes, 2}, {write, 0, Extent::Bytes, 2}}},
    {"memmove", 3, {{read, 1, Extent::Bytes, 2}, {write, 0, Extent::Bytes, 2}}},
    {"mempcpy", 3, {{read, 1, Extent::Bytes, 2}, {write, 0, Extent::Bytes, 2}}},
    {"bcopy", 3, {{read, 0, Extent::Bytes, 2}, {write, 1, Extent::Bytes, 2}}},
    {"memset", 3, {{write, 0, Extent::Bytes, 2}}},
    {"explicit_bzero", 2, {{write, 0, Extent::Bytes, 1}}},
    {"bzero", 2, {{write, 0, Extent::Bytes, 1}}},
    {"memcmp", 3, {{read, 0, Extent::Bytes, 2}, {read, 1, Extent::Bytes, 2}}},
    {"bcmp", 3, {{read, 0, Extent::Bytes, 2}, {read, 1, Extent::Bytes, 2}}},
    {"memchr", 3, {{read, 0, Extent::Found, 1, 2}}},
    {"memrchr", 3, {{read, 0, Extent::Bytes, 2}}},
    {"memmem", 4, {{read, 0, Extent::Bytes, 1}, {read, 2, Extent::Bytes, 3}}},
    {"strlen", 1, {{read, 0, Extent::String}}},
    {"strnlen", 2, {{read, 0, Extent::StringAtMost, 1}}},
    {"strcpy", 2, {{read, 1, Extent::String}, {write, 0, Extent::LikeString, 1}}},
    {"stpcpy", 2, {{read, 1, Extent::String}, {write, 0, Extent::LikeString, 1}}},
    {"strncpy", 3, {{read, 1, Extent::StringAtMost, 2}, {write, 0, Extent::Bytes, 2}}},
    {"stpncpy", 3, {{read, 1, Extent::StringAtMost, 2}, {write, 0, Extent::Bytes, 2}}},
    {"strcat", 2, {{read, 1, Extent::String}, {read, 0, Extent::String}, {write, 0, Extent::Appended, 1}}},
    {"strncat", 3, {{read, 1, Extent::StringAtMost, 2}, {read, 0, Extent::String}, {write, 0, Extent::AppendedMost, 1, 2}}},
    {"strcmp", 2, {{read, 0, Extent::Compared}, {read, 1, Extent::Compared}}},
    {"strncmp", 3, {{read, 0, Extent::ComparedMost, 2}, {read, 1, Extent::ComparedMost, 2}}},
    {"strcasecmp", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strncasecmp", 3, {{read, 0, Extent::StringAtMost, 2}, {read, 1, Extent::StringAtMost, 2}}},
    {"strcoll", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strchr", 2, {{read, 0, Extent::String}}},
    {"strchrnul", 2, {{read, 0, Extent::String}}},
    {"index", 2, {{read, 0, Extent::String}}},
    {"strrchr", 2, {{read, 0, Extent::String}}},
    {"rindex", 2, {{read, 0, Extent::String}}},
    {"strstr", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strcasestr", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strspn", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strcspn", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strpbrk", 2, {{read, 0, Extent::String}, {read, 1, Extent::String}}},
    {"strdup", 1, {{read, 0, Extent::String}}},
    {"strndup", 2, {{read, 0, Extent::StringAtMost, 1}}},
    {"puts", 1, {{read, 0, Extent::String}}},
    {"fputs", 2, {{read, 0, Extent::String}}},
    {"_ZSt11_Hash_bytesPKvmm", 3, {{read, 0, Extent::Bytes, 1}}},  // std::hash of strings
};

// `__strcpy_chk` is strcpy with one more argument at the end, `__strdup` an old name of strdup.
StringRef plain_name(StringRef name) {
  if (name.consume_front("__")) name.consume_back("_chk");
  return name;
}

const LibraryFunction* look_up(const CallBase& call) {
  static const StringMap<const LibraryFunction*> by_name = [] {
    StringMap<const LibraryFunction*> map;
    for (const LibraryFunction& function : catalogue) map[function.name] = &function;
    return map;
  }();
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration() || callee->isIntrinsic()) return nullptr;
  auto found = by_name.find(plain_name(callee->getName()));
  if (found == by_name.end() || call.arg_size() < found->second->parameters) return nullptr;
  // A program may declare a function of that name as it likes; then it is not the library's.
  auto fits = [&](const Touch& touch) { return call.getArgOperand(touch.pointer)->getType()->isPointerTy(); };
  return all_of(found->second->touches, fits) ? found->second : nullptr;
}

struct Range {
  Value* pointer;
  Value* bytes;
};

class Measure {
 public:
  Measure(IRBuilder<>& at, CallBase& call) : at_(at), call_(call) {}

  Range range_of(const Touch& touch) {
    Value* pointer = call_.getArgOperand(touch.pointer);
    switch (touch.extent) {
      case Extent::Bytes:
        return {pointer, number(touch.a)};
      case Extent::String:
        return {pointer, with_end(length(pointer, unlimited()))};
      case Extent::StringAtMost:
        return {pointer, at_.CreateBinaryIntrinsic(Intrinsic::umin, with_end(length(pointer, number(touch.a))), number(touch.a))};
      case Extent::LikeString:
        return {pointer, with_end(length(call_.getArgOperand(touch.a), unlimited()))};
      case Extent::Appended:
        return {end_of(pointer), with_end(length(call_.getArgOperand(touch.a), unlimited()))};
      case Extent::AppendedMost:
        return {end_of(pointer), with_end(length(call_.getArgOperand(touch.a), number(touch.b)))};
      case Extent::Compared:
        return {pointer, compared(unlimited())};
      case Extent::ComparedMost:
        return {pointer, compared(number(touch.a))};
      case Extent::Found:
        return {pointer, helper("__treadle_found_bytes", {pointer, call_.getArgOperand(touch.a), number(touch.b)})};
    }
    llvm_unreachable("all extents are listed");
  }

 private:
  Value* unlimited() { return ConstantInt::getAllOnesValue(at_.getInt64Ty()); }
  Value* number(unsigned argument) { return at_.CreateZExtOrTrunc(call_.getArgOperand(argument), at_.getInt64Ty()); }
  Value* with_end(Value* length) { return at_.CreateAdd(length, at_.getInt64(1)); }
  Value* helper(StringRef name, ArrayRef<Value*> arguments) { return call_hook(at_, name, at_.getInt64Ty(), arguments); }
  Value* length(Value* string, Value* at_most) { return helper("__treadle_string_length", {string, at_most}); }
  Value* end_of(Value* string) { return at_.CreatePtrAdd(string, length(string, unlimited())); }
  Value* compared(Value* at_most) { return helper("__treadle_compared_bytes", {call_.getArgOperand(0), call_.getArgOperand(1), at_most}); }

  IRBuilder<>& at_;
  CallBase& call_;
};

}  // namespace

bool is_library_access(const CallBase& call) { return look_up(call) != nullptr; }

void hook_library_call(CallBase& call, Sharing& sharing) {
  Before at(call);
  Measure measure(at, call);
  for (const Touch& touch : look_up(call)->touches) {
    Value* pointer = call.getArgOperand(touch.pointer);
    if (touch.writes ? sharing.is_private(pointer) : sharing.needs_no_read_hook(pointer)) continue;
    Range range = measure.range_of(touch);
    touch.writes ? announce_write(at, range.pointer, range.bytes) : announce_read(at, range.pointer, range.bytes);
  }
}

}  // namespace treadle
