// SPDX-License-Identifier: Apache-2.0
// What library functions do with what they are told, as far as dependence goes (see dependence.h). A function that is not listed may do
// anything: read and write all memory, call back, not return.
#pragma once

#include <llvm/IR/Function.h>

namespace treadle {

enum class Deed {
  Unknown,
  Operates,      // on the object that its arguments name; the result comes from what happened
  Prints,        // its arguments leave the program
  Computes,      // its result from its arguments, and from memory that was announced as read
  ReadsText,     // unannounced; as good as Computes for the words of the command line, which nobody changes
  Allocates,     // where, depends on what was allocated before
  AsksForInput,  // which one, depends on how many were asked for before
  FillsIn,       // operates, and writes what happened to where its arguments point
  Assumes,       // its argument, or else the execution ends there
  SetsSpecific,  // keeps its arguments for this thread
  GetsSpecific,
  StartsThread,  // with a function and its argument
  Joins,         // and hands over the thread's result
  EndsThread,    // with a result
  CallsBack,     // a function that it was handed, at some time, in some thread
};

Deed deed_of(const llvm::Function& function);

/// Which arguments of a function that StartsThread are the thread's function and its argument.
struct ThreadArguments {
  unsigned function, argument;
};
ThreadArguments thread_arguments(const llvm::Function& starter);

}  // namespace treadle
