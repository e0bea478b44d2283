// SPDX-License-Identifier: Apache-2.0
// What went wrong, before anything else: the sentence, each thread's part in it, and where the values that were read come from.
import { colourOf, h, rich } from "./dom";
import { Finding, INITIAL, OrderStep, Part, Run } from "./model";
import { linesOf } from "./source";
import { View } from "./view";
import { eventText, placeText, sourceText } from "./words";

const FRAMES = 4;

/** "0.2 read counter = 0 at bank.c:12: the initial value" */
export function readSentence(view: View, run: Run, event: number): string {
  const place = placeText(view.model, run, event);
  return `${eventText(run, event)}${place ? ` at ${place}` : ""}: ${sourceText(view.model, run, event)}`;
}

export function headline(finding: Finding): HTMLElement {
  const place = finding.location.text === "??" ? "" : ` at ${finding.location.text}`;
  return h("header", {}, h("h1", {}, h("span", { class: "kind" }, finding.kind), place), h("p", { class: "message" }, ...rich(finding.message)));
}

export class Why {
  readonly element = h("div", { class: "why" });

  constructor(private readonly view: View) {
    view.subscribe((change) => change === "finding" && this.draw());
  }

  private draw(): void {
    const { view } = this;
    const run = view.run;
    if (!run) return;
    const finding = view.model.findings[view.finding];
    const orders = view.model.result?.findings[view.finding]?.orders;
    const { reads } = run;
    this.element.replaceChildren(
      headline(finding),
      h(
        "div",
        { class: "cards" },
        ...finding.parts.map((part) => this.card(run, part)),
        reads.length > 0 &&
          h(
            "section",
            { class: "card reads" },
            h("h2", {}, "Where the values came from"),
            h("ul", {}, ...reads.map((event) => this.read(run, event))),
          ),
        orders && h("section", { class: "card order" }, h("h2", {}, "The order that passed"), this.order(run, orders.passing)),
        orders && h("section", { class: "card order" }, h("h2", {}, "The order that fails"), this.order(run, orders.failing)),
        this.again(finding),
      ),
    );
  }

  private order(run: Run, steps: OrderStep[]): HTMLElement {
    const chip = (thread: string): HTMLElement | null => {
      const number = run.packed.threads.findIndex((candidate) => candidate.name === thread);
      return thread === "" ? null : h("b", { class: `chip ${colourOf(Math.max(number, 0))}` }, thread);
    };
    const shown = steps.filter((step) => step.does !== "");
    return h("ol", {}, ...shown.map((step) => h("li", { class: step.key ? "key" : undefined }, chip(step.thread), ` ${step.does} `, h("span", { class: "nothing" }, [step.from, step.place].filter(Boolean).join(" · ")))));
  }

  private card(run: Run, part: Part): HTMLElement {
    const { view } = this;
    const thread = run.packed.threads.findIndex((candidate) => candidate.name === part.thread);
    const top = part.stack.find((frame) => frame.file >= 0);
    const line = top ? linesOf(view, top.file)[top.line - 1]?.trim() : "";
    const stack = part.stack.slice(0, FRAMES);
    return h(
      "section",
      { class: `card part ${colourOf(Math.max(thread, 0))}` },
      h(
        "h2",
        {},
        h("b", { class: "chip" }, part.thread),
        " ",
        part.event >= 0 ? h("button", { class: "link", title: "Go to this event", click: () => view.reveal(part.event) }, ...rich(part.does)) : h("span", {}, ...rich(part.does)),
      ),
      part.also !== "" && h("p", {}, ...rich(part.also)),
      line ? h("pre", {}, line) : null,
      h("ol", { class: "stack" }, ...stack.map((frame) => h("li", {}, h("span", {}, frame.function), h("span", { class: "place" }, frame.file >= 0 ? frame.text : "")))),
      part.stack.length > FRAMES && h("p", { class: "nothing" }, `and ${part.stack.length - FRAMES} more frames`),
    );
  }

  private read(run: Run, event: number): HTMLElement {
    const { view } = this;
    const source = run.source[event];
    return h(
      "li",
      {},
      h("b", { class: `chip ${colourOf(run.thread[event])}` }, run.threadName(run.thread[event])),
      " ",
      h("button", { class: "link", title: "Go to this event", click: () => view.reveal(event) }, eventText(run, event)),
      source === INITIAL || source < 0 ? h("span", {}, ` · ${sourceText(view.model, run, event)}`) : null,
      source >= 0 ? h("button", { class: "link from", title: "Go to the write", click: () => view.reveal(source) }, ` ${sourceText(view.model, run, event)}`) : null,
    );
  }

  private again(finding: Finding): HTMLElement {
    const copy = h("button", { title: "Copy the command" }, "copy");
    copy.addEventListener("click", () => {
      void navigator.clipboard?.writeText(finding.replay).then(() => (copy.textContent = "copied"));
    });
    return h(
      "section",
      { class: "card again" },
      h("h2", {}, "See it again"),
      finding.replay ? h("p", { class: "command" }, h("code", {}, finding.replay), copy) : h("p", {}, "no witness was written"),
      finding.inputs.length > 0 && h("p", {}, `inputs: ${finding.inputs.map((input) => `${input.name} = ${input.value} (thread ${input.thread})`).join(", ")}`),
      h("p", { class: "nothing" }, `memory model ${finding.model.toUpperCase()}${finding.execution > 0 ? ` · found in execution ${finding.execution}` : ""}${finding.confirmed ? " · replayed" : ""}`),
    );
  }
}
