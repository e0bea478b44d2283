// SPDX-License-Identifier: Apache-2.0
// What is in the shared variables after the current event, who holds which lock, and which stores have not reached memory.
import { colourOf, counted, h } from "./dom";
import { lastUpTo, Run, Variable } from "./model";
import { View } from "./view";
import { placeText } from "./words";

const MOST = 40; // variables listed at once

/** The value in memory: stores that are still in a buffer do not count. */
function lastInMemory(run: Run, variable: Variable, cursor: number): number {
  for (let at = lastUpTo(variable.events, cursor); at >= 0; at--) {
    const event = variable.events[at];
    if (run.showsMemory(event)) return event;
  }
  return -1;
}

/** Before its first event: what that one read or overwrote, if it read. */
function initially(run: Run, variable: Variable): string {
  const first = variable.events[0];
  const operation = run.operationOf(first);
  if (!operation.reads) return "";
  return operation.writes ? run.text(run.value[first]).split(" -> ")[0] : run.valueAfter(first);
}

/** A row of the table, made once and changed when its variable is accessed. */
class VariableRow {
  readonly value = h("td", { class: "value" });
  readonly access = h("td", {});
  readonly element: HTMLElement;
  private shown = NaN; // access

  constructor(private readonly view: View, private readonly run: Run, readonly variable: Variable) {
    const name = run.text(variable.object);
    this.element = h("tr", {}, h("td", { class: "name", title: name }, name), this.value, this.access);
  }

  draw(): void {
    const { view, run, variable } = this;
    this.element.classList.toggle("touched", run.object[view.cursor] === variable.object);
    const last = lastUpTo(variable.events, view.cursor);
    const access = last < 0 ? -1 : variable.events[last];
    if (access === this.shown) return;
    this.shown = access;
    const memory = lastInMemory(run, variable, view.cursor);
    const value = memory < 0 ? initially(run, variable) : run.valueAfter(memory);
    this.value.textContent = value === "" ? "?" : value;
    this.value.title = value === "" ? "not known: nobody has read or written it in memory yet" : "";
    this.access.replaceChildren(
      access < 0
        ? h("span", { class: "nothing" }, "not yet")
        : h(
            "button",
            { class: "link", title: "Go to this event", click: () => view.reveal(access) },
            h("b", { class: `chip ${colourOf(run.thread[access])}` }, run.threadName(run.thread[access])),
            ` ${run.operationOf(access).text.split(" ")[0]} ${placeText(view.model, run, access)}`,
          ),
    );
  }
}

export class Values {
  readonly element = h("div", { class: "values" });
  private readonly variables = h("section", { "aria-label": "Shared variables" });
  private readonly rest = h("div", {});
  private rows: VariableRow[] = [];

  constructor(private readonly view: View) {
    this.element.append(this.variables, this.rest);
    view.subscribe((change) => {
      if (!view.run) return;
      if (change !== "cursor") this.list(view.run);
      for (const row of this.rows) row.draw();
      this.rest.replaceChildren(this.locks(view.run), ...(view.run.buffers.length > 0 ? [this.buffers(view.run)] : []));
    });
  }

  private list(run: Run): void {
    const { view } = this;
    const wanted = view.variable.trim().toLowerCase();
    const all = run.variables.filter((variable) => wanted === "" || run.text(variable.object).toLowerCase().includes(wanted));
    this.rows = all.slice(0, MOST).map((variable) => new VariableRow(view, run, variable));
    const head = h("thead", {}, h("tr", {}, h("th", {}, "variable"), h("th", {}, "value"), h("th", {}, "last access")));
    this.variables.replaceChildren(
      h("h3", {}, "Shared variables after this step"),
      this.rows.length === 0 ? h("p", { class: "nothing" }, "none") : h("table", {}, head, h("tbody", {}, ...this.rows.map((row) => row.element))),
      all.length > MOST ? h("p", { class: "nothing" }, `and ${counted(all.length - MOST, "more variable")}: filter by name`) : "",
    );
  }

  private locks(run: Run): HTMLElement {
    const { view } = this;
    const held = run.locks.filter((span) => span.from <= view.cursor && view.cursor < span.until);
    return h(
      "section",
      { "aria-label": "Locks held" },
      h("h3", {}, "Locks held"),
      held.length === 0
        ? h("p", { class: "nothing" }, "none")
        : h(
            "ul",
            {},
            ...held.map((span) =>
              h(
                "li",
                {},
                h("b", { class: `chip ${colourOf(span.thread)}` }, run.threadName(span.thread)),
                " holds ",
                h("i", { class: `swatch ${colourOf(span.object)}` }),
                h("b", {}, run.text(span.object)),
                span.shared ? " as a reader" : "",
                h("button", { class: "link", title: "Go to where it was taken", click: () => view.reveal(span.from) }, `since ${placeText(view.model, run, span.from) || `step ${run.step[span.from]}`}`),
              ),
            ),
          ),
    );
  }

  private buffers(run: Run): HTMLElement {
    const { view } = this;
    const waiting = run.buffers.filter((span) => span.from <= view.cursor && view.cursor < span.until);
    return h(
      "section",
      { "aria-label": "Store buffers" },
      h("h3", {}, "Store buffers"),
      waiting.length === 0
        ? h("p", { class: "nothing" }, "empty: every store has reached memory")
        : h(
            "ul",
            {},
            ...waiting.map((span) =>
              h(
                "li",
                {},
                h("b", { class: `chip ${colourOf(span.thread)}` }, run.threadName(span.thread)),
                " ",
                h("b", {}, run.text(run.object[span.from])),
                ` ← ${run.valueAfter(span.from)} `,
                h("button", { class: "link", click: () => view.reveal(span.from) }, `since ${placeText(view.model, run, span.from) || `step ${run.step[span.from]}`}`),
                ", seen by nobody else yet",
              ),
            ),
          ),
    );
  }
}
