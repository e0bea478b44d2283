// SPDX-License-Identifier: Apache-2.0
// The source of all threads side by side, each where its thread is after the current event.
import { colourOf, h } from "./dom";
import { highlighted } from "./highlight";
import { Place, Run } from "./model";
import { View } from "./view";
import { eventText, fileName } from "./words";

const AROUND = 120; // lines before and after
const EDGE = 15;

const lines = new Map<number, string[]>();

export function linesOf(view: View, file: number): string[] {
  let known = lines.get(file);
  if (!known) lines.set(file, (known = (view.model.files[file].text ?? "").split("\n")));
  return known;
}

/**
 * The last event of each thread up to the current one, found once for all. A thread ends nowhere in particular: then it is the one before
 * that, unless the end is what we look at.
 */
function whereabouts(run: Run, cursor: number): Map<number, number> {
  const last = new Map<number, number>();
  for (let event = cursor; event >= 0 && last.size < run.threadsUsed.length; event--) {
    const ends = run.operationOf(event).text === "exit-thread" && event !== cursor;
    if (!ends && !last.has(run.thread[event])) last.set(run.thread[event], event);
  }
  return last;
}

class Pane {
  readonly code = h("div", { class: "code", tabindex: 0 });
  readonly element: HTMLElement;
  private readonly where = h("span", { class: "where" });
  private readonly file = h("span", { class: "file" });
  private readonly warning = h("span", { class: "warning", title: "The file was changed after the program was built" }, "changed since");
  private readonly note = h("span", {});
  private readonly noteLine = h("div", { class: "line here note" }, this.note);
  // The lines in the page: of which file, from where on. They are made once and then only marked.
  private shownFile = -1;
  private first = 0;
  private lines: { element: HTMLElement; marks: HTMLElement }[] = [];
  private marked: number[] = [];
  private here = -1;

  constructor(readonly thread: number, run: Run) {
    const info = run.packed.threads[thread];
    const title = h("header", {}, h("b", { class: "chip" }, info.name), this.where, this.file, this.warning);
    this.element = h("section", { class: `pane ${colourOf(thread)}`, "aria-label": `Source of thread ${info.name}` }, title, this.code);
  }

  show(view: View, run: Run, event: number | undefined, all: Map<number, number>): void {
    this.element.classList.toggle("active", event === view.cursor);
    const place = event === undefined ? null : run.placeOf(event);
    const file = place && place.file >= 0 ? view.model.files[place.file] : null;
    this.where.textContent = place ? place.function : run.packed.threads[this.thread].function;
    this.file.textContent = file && place ? `${fileName(file.path)}:${place.line}` : "";
    this.file.title = file?.path ?? "";
    this.warning.hidden = !file?.newer;
    if (!place || event === undefined) this.showText("has not done anything yet");
    else if (!file) this.showText(`in ${place.function || "code"} without source`);
    else if (file.text === null) this.showText(`${file.path} could not be read`);
    else this.showPlace(view, run, place, event, all);
  }

  /** Measures, so it comes after everything else was drawn. */
  bringIntoSight(): void {
    const line = this.lines[this.here - this.first]?.element;
    if (!line || this.shownFile < 0) return;
    const { scrollTop, clientHeight } = this.code;
    const inSight = line.offsetTop > scrollTop + 20 && line.offsetTop + 3 * line.offsetHeight < scrollTop + clientHeight;
    if (!inSight) this.code.scrollTop = line.offsetTop - clientHeight / 2 + line.offsetHeight;
  }

  private showText(text: string): void {
    this.shownFile = -1;
    this.code.replaceChildren(h("p", { class: "nothing" }, text));
  }

  private showPlace(view: View, run: Run, place: Place, event: number, all: Map<number, number>): void {
    const lines = linesOf(view, place.file);
    const last = this.first + this.lines.length - 1;
    const nearEdge = (place.line - this.first < EDGE && this.first > 1) || (last - place.line < EDGE && last < lines.length);
    if (this.shownFile !== place.file || nearEdge) this.makeLines(lines, place);
    const at = (line: number): { element: HTMLElement; marks: HTMLElement } | undefined => this.lines[line - this.first];
    at(this.here)?.element.classList.remove("here");
    at(place.line)?.element.classList.add("here");
    this.here = place.line;
    for (const line of this.marked) at(line)?.marks.replaceChildren();
    this.marked = [];
    for (const [thread, where] of all) {
      const other = run.placeOf(where);
      if (other.file !== place.file) continue;
      at(other.line)?.marks.append(h("i", { class: `mark ${colourOf(thread)}`, title: `thread ${run.threadName(thread)}` }));
      this.marked.push(other.line);
    }
    this.note.textContent = eventText(run, event);
    const indent = /^\s*/.exec(lines[place.line - 1] ?? "")![0].replaceAll("\t", "    ").length;
    this.note.style.marginLeft = `calc(20px + ${Math.min(indent, 8)}ch)`;
    at(place.line)?.element.after(this.noteLine);
  }

  private makeLines(text: string[], place: Place): void {
    this.shownFile = place.file;
    this.first = Math.max(1, place.line - AROUND);
    this.lines = text.slice(this.first - 1, place.line + AROUND).map((line, index) => {
      const marks = h("span", { class: "marks" });
      const element = h("div", { class: "line" }, marks, h("span", { class: "number" }, String(this.first + index)), h("code", {}, ...highlighted(line)));
      return { element, marks };
    });
    this.marked = [];
    this.here = -1;
    this.code.replaceChildren(...this.lines.map((line) => line.element));
  }
}

export class Sources {
  readonly element = h("div", { class: "sources" });
  private panes: Pane[] = [];
  private of: Run | null = null;
  private frame = 0;

  constructor(private readonly view: View) {
    view.subscribe(() => this.draw());
  }

  private draw(): void {
    const { view } = this;
    const run = view.run;
    if (!run) return;
    if (this.of !== run) {
      this.of = run;
      this.panes = this.inOrder(run).map((thread) => new Pane(thread, run));
    }
    const shown = this.panes.filter((pane) => !view.hidden.has(pane.thread));
    if (shown.length !== this.element.childElementCount || shown.some((pane, i) => pane.element !== this.element.children[i]))
      this.element.replaceChildren(...shown.map((pane) => pane.element));
    const last = whereabouts(run, view.cursor);
    for (const pane of shown) pane.show(view, run, last.get(pane.thread), last);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.bringIntoSight(shown));
  }

  private bringIntoSight(shown: Pane[]): void {
    for (const pane of shown) pane.bringIntoSight();
    const active = shown.find((pane) => pane.element.classList.contains("active"));
    if (!active) return;
    const { offsetLeft, offsetWidth } = active.element;
    const { scrollLeft, clientWidth } = this.element;
    if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth) this.element.scrollLeft = offsetLeft;
  }

  /** The threads that the finding is about first: with many threads not all fit. */
  private inOrder(run: Run): number[] {
    const named = new Set([...run.named].map((event) => run.thread[event]));
    if (run.threadsUsed.length <= 2) return run.threadsUsed;
    return [...run.threadsUsed].sort((a, b) => Number(named.has(b)) - Number(named.has(a)) || a - b);
  }
}
