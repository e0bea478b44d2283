// SPDX-License-Identifier: Apache-2.0
// Filters above the list of events, and below it the current event in full with the buttons to step.
import { colourOf, counted, h } from "./dom";
import { Level, View } from "./view";
import { sentence } from "./words";

const LEVELS: [Level, string, string][] = [
  ["story", "What matters", "The steps that tell what went wrong (1)"],
  ["shared", "Shared", "Everything that several threads have to do with (2)"],
  ["all", "Everything", "Every recorded event (3)"],
];

export class Filters {
  readonly element = h("div", { class: "filters", role: "toolbar", "aria-label": "Which events are listed" });
  private readonly variable = h("input", { type: "search", placeholder: "variable or lock  /", "aria-label": "Only events on objects whose name contains this", list: "objects", spellcheck: false });
  private readonly names = h("datalist", { id: "objects" });

  constructor(private readonly view: View) {
    this.variable.addEventListener("input", () => view.filter({ variable: this.variable.value }));
    view.subscribe((change) => {
      if (change === "finding") this.names.replaceChildren(...this.objects().map((name) => h("option", { value: name })));
      if (change !== "cursor") this.draw();
    });
  }

  focusVariable(): void {
    this.variable.focus();
    this.variable.select();
  }

  private objects(): string[] {
    const run = this.view.run;
    if (!run) return [];
    return [...new Set([...run.variables.slice(0, 200).map((variable) => variable.object), ...run.locks.slice(0, 200).map((span) => span.object)])].map((object) => run.text(object));
  }

  private draw(): void {
    const { view } = this;
    const run = view.run;
    if (!run) return;
    if (this.variable.value !== view.variable) this.variable.value = view.variable;
    const kept = document.activeElement?.getAttribute("data-control");
    const levels = LEVELS.map(([level, text, title]) =>
      h("button", { "data-control": level, "aria-pressed": String(view.level === level), title, click: () => view.filter({ level }) }, text),
    );
    const threads = run.threadsUsed.map((thread) =>
      h(
        "button",
        {
          "data-control": `thread-${thread}`,
          class: `chip ${colourOf(thread)}`,
          "aria-pressed": String(!view.hidden.has(thread)),
          "aria-label": `Thread ${run.threadName(thread)}`,
          title: `Show or hide thread ${run.threadName(thread)}`,
          click: () => view.filter({ toggle: thread }),
        },
        run.threadName(thread),
      ),
    );
    const focused = document.activeElement === this.variable;
    this.element.replaceChildren(
      h("span", { class: "group", role: "group", "aria-label": "How much" }, ...levels),
      h("span", { class: "group threads", role: "group", "aria-label": "Threads" }, ...threads),
      this.variable,
      this.names,
      h("span", { class: "count", title: "Events listed, of all" }, `${view.rows.length.toLocaleString("en")} / ${run.count.toLocaleString("en")}`),
    );
    if (focused) this.variable.focus();
    else if (kept) this.element.querySelector<HTMLElement>(`[data-control="${kept}"]`)?.focus();
  }
}

export class Stepper {
  private readonly words = h("p", { class: "words", "aria-live": "polite" });
  readonly element: HTMLElement;

  constructor(private readonly view: View) {
    const button = (text: string, title: string, click: () => void): HTMLElement => h("button", { title, "aria-label": title, click }, text);
    this.element = h(
      "div",
      { class: "stepper" },
      h(
        "span",
        { class: "group", role: "group", "aria-label": "Steps" },
        button("«", "First event (Home)", () => view.goTo(view.rows[0] ?? 0)),
        button("‹", "One event back (↑)", () => view.moveRows(-1)),
        button("›", "One event forward (↓)", () => view.moveRows(1)),
        button("»", "Last event (End)", () => view.goTo(view.rows[view.rows.length - 1] ?? 0)),
      ),
      this.words,
    );
    view.subscribe(() => this.draw());
  }

  private draw(): void {
    const { view } = this;
    const run = view.run;
    if (!run || run.count === 0) return;
    const [before, after] = run.packed.left_out;
    const left = before + after > 0 ? ` · ${counted(before, "earlier event")} and ${counted(after, "later event")} left out` : "";
    this.words.textContent = `${run.isReal(view.cursor) ? `step ${run.step[view.cursor]}` : "end"} · ${sentence(view.model, run, view.cursor)}${left}`;
  }
}
