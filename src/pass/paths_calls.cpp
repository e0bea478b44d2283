// SPDX-License-Identifier: Apache-2.0
#include "pass/paths_calls.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace treadle {

using namespace llvm;

namespace {

// What LLVM knows as a library function neither calls back nor blocks, except these.
bool is_loud(StringRef name) {
  static const StringSet<> names = {
      "abort", "exit",   "_exit",  "_Exit",  "quick_exit", "qsort",  "bsearch", "atexit",  "longjmp", "siglongjmp",   "fork",
      "execl", "execle", "execlp", "execv",  "execve",     "execvp", "execvP",  "execvpe", "system",  "popen",        "pclose",
      "read",  "write",  "fread",  "fwrite", "fgets",      "fgetc",  "getc",    "getchar", "gets",    "scanf",        "fscanf",
      "open",  "fopen",  "close",  "fclose", "flockfile",  "rand",   "random",  "rand_r",  "time",    "gettimeofday", "getrandom"};
  return names.contains(name);
}

bool traps(Intrinsic::ID id) { return id == Intrinsic::trap || id == Intrinsic::ubsantrap || id == Intrinsic::debugtrap; }

bool is_quiet(const CallBase& call, const TargetLibraryInfo& library) {
  if (isa<InvokeInst>(call) || call.doesNotReturn() || call.hasFnAttr(Attribute::ReturnsTwice)) return false;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  if (call.doesNotThrow() && call.doesNotAccessMemory() && call.hasFnAttr(Attribute::WillReturn)) return true;
  LibFunc function;
  return library.getLibFunc(*callee, function) && !is_loud(callee->getName());
}

}  // namespace

bool is_real_call(const CallBase& call) { return !call.isInlineAsm() && !isa<IntrinsicInst>(call); }

bool ends_path(const CallBase& call, const TargetLibraryInfo& library) {
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return traps(intrinsic->getIntrinsicID()) || isa<InvokeInst>(call);
  if (call.isInlineAsm()) return isa<InvokeInst>(call);
  return !is_quiet(call, library);
}

}  // namespace treadle
