// SPDX-License-Identifier: Apache-2.0
// On paper: every finding in full, one after the other, with the steps that matter as a table. Made when the page is printed.
import { exploration } from "./exploration";
import { h } from "./dom";
import { Finding, Model, OrderStep, Part, Run, runOf } from "./model";
import { linesOf } from "./source";
import { View } from "./view";
import { eventText, placeText, sourceText } from "./words";
import { readSentence } from "./why";

const AROUND = 3; // lines of source

function excerpt(view: View, part: Part): HTMLElement | null {
  const frame = part.stack.find((candidate) => candidate.file >= 0);
  if (!frame || view.model.files[frame.file].text === null) return null;
  const all = linesOf(view, frame.file);
  const text = [];
  for (let line = Math.max(1, frame.line - AROUND); line <= Math.min(all.length, frame.line + AROUND); line++)
    text.push(`${line === frame.line ? ">" : " "} ${String(line).padStart(4)}  ${all[line - 1]}`);
  return h("pre", {}, text.join("\n"));
}

function steps(model: Model, run: Run): HTMLElement {
  const threads = run.threadsUsed;
  return h(
    "table",
    { class: "steps" },
    h("thead", {}, h("tr", {}, h("th", {}, "step"), ...threads.map((thread) => h("th", {}, `${run.threadName(thread)} ${run.packed.threads[thread].function}`)))),
    h(
      "tbody",
      {},
      ...run.story.map((event) => {
        const source = sourceText(model, run, event);
        const what = h("td", {}, eventText(run, event), h("div", { class: "nothing" }, [source, placeText(model, run, event)].filter(Boolean).join(" · ")));
        return h("tr", { class: run.named.has(event) ? "named" : undefined }, h("td", {}, run.isReal(event) ? String(run.step[event]) : "end"), ...threads.map((thread) => (thread === run.thread[event] ? what : h("td", {}))));
      }),
    ),
  );
}

/** The order that passed and the one that fails, where `treadle predict` knows both. */
function orders(view: View, index: number): HTMLElement | null {
  const both = view.model.result?.findings[index]?.orders;
  if (!both) return null;
  const column = (title: string, steps: OrderStep[]): HTMLElement =>
    h("section", {}, h("h2", {}, title), h("ol", {}, ...steps.filter((step) => step.does !== "").map((step) => h("li", { class: step.key ? "named" : undefined }, `${step.thread} ${step.does} `, h("span", { class: "nothing" }, [step.from, step.place].filter(Boolean).join(" · "))))));
  return h("div", { class: "orders" }, column("The order that passed", both.passing), column("The order that fails", both.failing));
}

function printed(view: View, finding: Finding, index: number): HTMLElement {
  const run = runOf(index);
  return h(
    "article",
    {},
    h("h1", {}, `${index + 1}. ${finding.kind}${finding.location.text === "??" ? "" : ` at ${finding.location.text}`}`),
    h("p", { class: "message" }, finding.message),
    ...finding.parts.map((part) =>
      h(
        "section",
        {},
        h("h2", {}, `Thread ${part.thread} ${part.does}`),
        part.also !== "" && h("p", {}, part.also),
        h("ol", {}, ...part.stack.map((frame) => h("li", {}, `${frame.function}${frame.file >= 0 ? ` (${frame.text})` : ""}`))),
        excerpt(view, part),
      ),
    ),
    ...run.reads.map((event) => h("p", {}, `${run.threadName(run.thread[event])}: ${readSentence(view, run, event)}`)),
    orders(view, index),
    h("h2", {}, "The steps that matter"),
    steps(view.model, run),
    finding.replay !== "" && h("p", {}, "See it again: ", h("code", {}, finding.replay)),
  );
}

export function preparePrinting(view: View, app: HTMLElement): void {
  const paper = h("div", { class: "paper" });
  window.addEventListener("beforeprint", () => {
    paper.replaceChildren(...view.model.findings.map((finding, index) => printed(view, finding, index)), h("article", {}, exploration(view.model, () => undefined, true)));
    app.after(paper);
  });
  window.addEventListener("afterprint", () => paper.remove());
}
