// SPDX-License-Identifier: Apache-2.0
#include "pass/foreign_accesses.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>

#include <optional>

#include "abi/hooks.h"
#include "pass/hooks.h"

namespace treadle {

using namespace llvm;

namespace {

// ---- Texts that are printed: what %s stands for, where the format is known.

constexpr unsigned no_argument = ~0u;

unsigned format_of_printer(StringRef name) {
  return StringSwitch<unsigned>(name)
      .Case("printf", 0)
      .Cases("fprintf", "dprintf", "sprintf", "asprintf", "syslog", "__printf_chk", 1)
      .Cases("snprintf", "__fprintf_chk", 2)
      .Case("__sprintf_chk", 3)
      .Case("__snprintf_chk", 4)
      .Default(no_argument);
}

struct PrintedText {
  unsigned argument;                       // behind the format, counted from 0
  std::optional<std::uint64_t> precision;  // at most so many bytes
  unsigned precision_argument = no_argument;
};

/// Nothing for a format that numbers its arguments, or is wrong.
SmallVector<PrintedText, 4> texts_in(StringRef format) {
  SmallVector<PrintedText, 4> texts;
  unsigned argument = 0;
  while (true) {
    format = format.drop_until([](char c) { return c == '%'; });
    if (!format.consume_front("%")) return texts;
    if (format.consume_front("%")) continue;
    format = format.drop_while([](char c) { return StringRef("-+ #0'I").contains(c); });
    const auto number = [&](std::optional<std::uint64_t>& value, unsigned& from) {
      if (format.consume_front("*")) {
        from = argument++;
        return;
      }
      std::uint64_t digits = 0;
      if (!format.consumeInteger(10, digits)) value = digits;
    };
    std::optional<std::uint64_t> width;
    unsigned ignored = no_argument;
    number(width, ignored);
    if (format.starts_with("$")) return {};
    PrintedText text{0, std::nullopt};
    if (format.consume_front(".")) {
      text.precision = 0;
      number(text.precision, text.precision_argument);
    }
    const StringRef rest = format.drop_while([](char c) { return StringRef("hlLqjzt").contains(c); });
    const bool plain = rest.size() == format.size();
    format = rest;
    if (format.empty()) return {};
    text.argument = argument;
    if (format.front() == 's' && plain) texts.push_back(text);
    if (format.front() != 'm') ++argument;
    format = format.drop_front();
  }
}

void announce_printed_texts(CallBase& call, Sharing& sharing, unsigned format_argument) {
  StringRef format;
  if (call.arg_size() <= format_argument || !call.getFunctionType()->isVarArg() ||
      !getConstantStringInfo(call.getArgOperand(format_argument), format))
    return;
  const unsigned first = format_argument + 1;
  Before at(call);
  for (const PrintedText& text : texts_in(format)) {
    if (first + text.argument >= call.arg_size()) return;
    Value* pointer = call.getArgOperand(first + text.argument);
    if (!pointer->getType()->isPointerTy() || sharing.needs_no_read_hook(pointer)) continue;
    Value* most = at.getInt64(~0ull);
    if (text.precision_argument != no_argument)  // a negative one is none
      most = at.CreateSExtOrTrunc(call.getArgOperand(first + text.precision_argument), at.getInt64Ty());
    else if (text.precision)
      most = at.getInt64(*text.precision);
    call_hook(at, "__treadle_text", at.getVoidTy(), {pointer, most});
  }
}

// ---- Streams: where they are in their buffer, and how wide the next item is to be.

// Members of std::ostream and std::istream and the functions beside them, as libstdc++.so exports them. Manipulators are functions of
// their own.
std::optional<TreadleStreamUse> use_of_stream(StringRef name) {
  const bool is_manipulator = name.contains("sEPF");
  if (name.starts_with("_ZNSols") || name.starts_with("_ZNSo9_M_insert"))
    return is_manipulator ? std::nullopt : std::optional(TREADLE_STREAM_PUTS_FORMATTED);
  if (name.starts_with("_ZNSo3put") || name.starts_with("_ZNSo5write")) return TREADLE_STREAM_PUTS;
  if (name.starts_with("_ZNSirs")) return is_manipulator ? std::nullopt : std::optional(TREADLE_STREAM_TAKES);
  for (const char* member : {"_ZNSi10_M_extract", "_ZNSi3get", "_ZNSi4read", "_ZNSi6ignore", "_ZNSi7getline"})
    if (name.starts_with(member)) return TREADLE_STREAM_TAKES;
  if (name.contains("ERSt13basic_ostreamI")) {
    if (name.starts_with("_ZStls") || name.starts_with("_ZSt16__ostream_insert")) return TREADLE_STREAM_PUTS_FORMATTED;
    if (name.starts_with("_ZSt4endl")) return TREADLE_STREAM_PUTS;
  }
  if (name.starts_with("_ZNK") && name.contains("stringstreamIcSt11char_traitsIcESaIcEE3strEv")) return TREADLE_STREAM_SHOWS;
  if (name.starts_with("_ZNK") && name.contains("stringbufIcSt11char_traitsIcESaIcEE3strEv")) return TREADLE_STREAM_BUFFER_SHOWS;
  if (name.contains("ERSt13basic_istreamI") && (name.starts_with("_ZStrs") || name.starts_with("_ZSt7getline")))
    return TREADLE_STREAM_TAKES;
  return std::nullopt;
}

// The characters that are put: argument 1, and how many they are.
void announce_characters(CallBase& call, Sharing& sharing) {
  Value* text = call.getArgOperand(1);
  if (!text->getType()->isPointerTy() || sharing.needs_no_read_hook(text)) return;
  Before at(call);
  const StringRef name = call.getCalledFunction()->getName();
  if (name.starts_with("_ZSt16__ostream_insertIc") || name.starts_with("_ZNSo5write"))
    return announce_read(at, text, call.getArgOperand(2));
  if (name.starts_with("_ZStlsI") && name.ends_with("PKc")) call_hook(at, "__treadle_text", at.getVoidTy(), {text, at.getInt64(~0ull)});
}

}  // namespace

void announce_foreign_accesses(CallBase& call, Sharing& sharing) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || call.arg_empty()) return;
  const StringRef name = callee->getName();
  if (const unsigned format = format_of_printer(name); format != no_argument) announce_printed_texts(call, sharing, format);
  const auto use = use_of_stream(name);
  if (!use) return;
  const unsigned stream = call.hasStructRetAttr() ? 1 : 0;
  if (call.arg_size() <= stream || !call.getArgOperand(stream)->getType()->isPointerTy()) return;
  if (*use <= TREADLE_STREAM_PUTS_FORMATTED && call.arg_size() > 1) announce_characters(call, sharing);
  Before at(call);
  call_hook(at, "__treadle_stream", at.getVoidTy(), {call.getArgOperand(stream), at.getInt32(*use)});
}

}  // namespace treadle
