// SPDX-License-Identifier: Apache-2.0
// A line of C or C++ with its words told apart, as far as one line allows.
import { h } from "./dom";

const KEYWORDS = new Set(
  ("alignas alignof asm auto bool break case catch char class co_await co_return co_yield concept const consteval constexpr constinit continue decltype " +
    "default delete do double else enum explicit export extern false final float for friend goto if inline int long mutable namespace new noexcept " +
    "nullptr operator override private protected public register requires restrict return short signed sizeof static static_assert struct switch " +
    "template this thread_local throw true try typedef typename union unsigned using virtual void volatile while _Atomic _Bool NULL").split(" "),
);
const TOKENS = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(^\s*#\s*\w+)|(\b\d[\w.']*)|([A-Za-z_]\w*)/g;

export function highlighted(line: string): (HTMLElement | string)[] {
  const pieces: (HTMLElement | string)[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const [text, comment, quoted, directive, number, word] = match;
    const kind = comment ? "comment" : quoted ? "quoted" : directive ? "directive" : number ? "literal" : KEYWORDS.has(word) ? "keyword" : "";
    if (kind === "") continue;
    if (match.index > end) pieces.push(line.slice(end, match.index));
    pieces.push(h("span", { class: kind }, text));
    end = match.index + text.length;
  }
  if (end < line.length) pieces.push(line.slice(end));
  return pieces;
}
