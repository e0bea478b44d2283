// SPDX-License-Identifier: Apache-2.0
// One table of keys: what they do and what the help says about them.
import { h } from "./dom";
import type { Filters } from "./toolbar";
import type { Timeline } from "./timeline";
import type { View } from "./view";

interface Key {
  keys: string[]; // KeyboardEvent.key
  shown: string;
  help: string;
  press: () => void;
}

export function listenToKeys(view: View, timeline: Timeline, filters: Filters, app: { theme: () => void; finding: (by: number) => void }): { toggleHelp: () => void } {
  const run = (): NonNullable<View["run"]> => view.run!;
  const table: Key[] = [
    { keys: ["ArrowDown", "ArrowRight", "j"], shown: "↓ → j", help: "one event forward", press: () => view.moveRows(1) },
    { keys: ["ArrowUp", "ArrowLeft", "k"], shown: "↑ ← k", help: "one event back", press: () => view.moveRows(-1) },
    { keys: ["n", "N"], shown: "n  N", help: "next, previous event that matters", press: () => undefined },
    { keys: ["s", "S"], shown: "s  S", help: "next, previous switch that matters", press: () => undefined },
    { keys: ["]", "["], shown: "]  [", help: "next, previous event of this thread", press: () => undefined },
    { keys: ["w"], shown: "w", help: "from a read to the write that it saw", press: () => run().source[view.cursor] >= 0 && view.reveal(run().source[view.cursor]) },
    { keys: ["b"], shown: "b", help: "to what let this operation go on", press: () => run().arrows.has(view.cursor) && view.reveal(run().arrows.get(view.cursor)!) },
    { keys: ["f"], shown: "f", help: "to where it goes wrong", press: () => view.reveal(Math.max(...run().named, run().named.size ? 0 : run().count - 1)) },
    { keys: ["PageDown"], shown: "PgDn", help: "a screen forward", press: () => view.moveRows(timeline.rowsInSight) },
    { keys: ["PageUp"], shown: "PgUp", help: "a screen back", press: () => view.moveRows(-timeline.rowsInSight) },
    { keys: ["Home"], shown: "Home", help: "first event", press: () => view.goTo(view.rows[0] ?? 0) },
    { keys: ["End"], shown: "End", help: "last event", press: () => view.goTo(view.rows[view.rows.length - 1] ?? 0) },
    { keys: ["1"], shown: "1", help: "list what matters", press: () => view.filter({ level: "story" }) },
    { keys: ["2"], shown: "2", help: "list what is shared", press: () => view.filter({ level: "shared" }) },
    { keys: ["3"], shown: "3", help: "list everything", press: () => view.filter({ level: "all" }) },
    { keys: ["t"], shown: "t", help: "hide this event's thread; T shows all", press: () => view.filter({ toggle: run().thread[view.cursor] }) },
    { keys: ["T"], shown: "T", help: "show all threads", press: () => [...view.hidden].forEach((toggle) => view.filter({ toggle })) },
    { keys: ["/"], shown: "/", help: "filter by variable or lock; Esc leaves", press: () => filters.focusVariable() },
    { keys: [".", ","], shown: ".  ,", help: "next, previous finding", press: () => undefined },
    { keys: ["d"], shown: "d", help: "light or dark", press: app.theme },
  ];
  const pairs: Record<string, () => void> = {
    n: () => view.moveAmong(run().story, 1),
    N: () => view.moveAmong(run().story, -1),
    s: () => view.moveAmong([...run().switches].sort((a, b) => a - b), 1),
    S: () => view.moveAmong([...run().switches].sort((a, b) => a - b), -1),
    "]": () => view.moveInThread(1),
    "[": () => view.moveInThread(-1),
    ".": () => app.finding(1),
    ",": () => app.finding(-1),
  };
  const always = new Set([".", ",", "d"]);

  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("table", {}, h("tbody", {}, ...table.map((key) => h("tr", {}, h("th", {}, h("kbd", {}, key.shown)), h("td", {}, key.help))))),
    h("button", { click: () => dialog.close() }, "Close"),
  );
  document.body.append(dialog);
  const toggleHelp = (): void => (dialog.open ? dialog.close() : dialog.showModal());

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target instanceof HTMLInputElement) {
      if (event.key !== "Escape" && event.key !== "Enter") return;
      if (event.key === "Escape") view.filter({ variable: "" });
      timeline.focus();
      return event.preventDefault();
    }
    if (event.key === "?") return toggleHelp();
    if (dialog.open || (!view.run && !always.has(event.key))) return;
    // In the source, arrows and pages scroll it.
    if (target.classList.contains("code") && /^(Arrow|Page|Home|End)/.test(event.key)) return;
    const key = table.find((candidate) => candidate.keys.includes(event.key));
    if (!key) return;
    event.preventDefault();
    (pairs[event.key] ?? key.press)();
  });
  return { toggleHelp };
}
