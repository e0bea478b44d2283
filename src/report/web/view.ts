// SPDX-License-Identifier: Apache-2.0
// What is being looked at: the finding, the current event, which events are listed. Parts of the page subscribe and redraw.
import { lastUpTo, Model, Run, runOf } from "./model";

/** How much of the execution is listed. */
export type Level = "story" | "shared" | "all";

export type Change = "finding" | "rows" | "cursor";

export class View {
  finding = -1; // -1: the exploration
  run: Run | null = null;
  cursor = 0;
  level: Level = "story";
  hidden = new Set<number>(); // threads
  variable = ""; // part of an object's name
  rows: Int32Array = new Int32Array(0); // events listed
  private listeners: ((change: Change) => void)[] = [];

  constructor(readonly model: Model) {}

  subscribe(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  show(finding: number): void {
    this.finding = finding;
    this.run = finding >= 0 ? runOf(finding) : null;
    this.hidden.clear();
    this.variable = "";
    this.level = "story";
    if (this.run) {
      // Where it goes wrong.
      this.cursor = this.run.named.size > 0 ? Math.max(...this.run.named) : this.run.count - 1;
      this.list();
    }
    this.tell("finding");
  }

  private list(): void {
    const run = this.run;
    if (!run) return;
    const wanted = this.variable.trim().toLowerCase();
    const objects = run.packed.strings.map((text) => wanted === "" || text.toLowerCase().includes(wanted));
    const listed = (event: number): boolean => {
      if (this.hidden.has(run.thread[event])) return false;
      if (this.level === "story" && !run.inStory.has(event) && wanted === "") return false;
      if (this.level === "shared" && run.telling[event] === 0) return false;
      return wanted === "" || objects[run.object[event]] || !run.isReal(event);
    };
    const rows = new Int32Array(run.count);
    let count = 0;
    for (let event = 0; event < run.count; event++) if (listed(event)) rows[count++] = event;
    this.rows = rows.slice(0, count);
  }

  /** The row of the current event, or of the last one listed before it. */
  get row(): number {
    return Math.max(0, lastUpTo(this.rows, this.cursor));
  }

  goTo(event: number): void {
    if (!this.run || this.run.count === 0) return;
    this.cursor = Math.min(Math.max(event, 0), this.run.count - 1);
    this.tell("cursor");
  }

  /** To an event that may not be listed now. */
  reveal(event: number): void {
    if (!this.run) return;
    const at = lastUpTo(this.rows, event);
    if (at < 0 || this.rows[at] !== event) {
      this.hidden.delete(this.run.thread[event]);
      this.variable = "";
      if (this.level === "story" && !this.run.inStory.has(event)) this.level = "shared";
      if (this.level === "shared" && this.run.telling[event] === 0) this.level = "all";
      this.list();
      this.tell("rows");
    }
    this.goTo(event);
  }

  moveRows(by: number): void {
    if (this.rows.length === 0) return;
    const here = lastUpTo(this.rows, this.cursor);
    const onRow = here >= 0 && this.rows[here] === this.cursor;
    // From between two rows, one step back is the row before.
    const target = here + by + (!onRow && by < 0 ? 1 : 0);
    this.goTo(this.rows[Math.min(Math.max(target, 0), this.rows.length - 1)]);
  }

  /** The next event in that direction that is one of `events`, which are sorted. */
  moveAmong(events: number[], direction: 1 | -1): void {
    const at = lastUpTo(events, direction > 0 ? this.cursor : this.cursor - 1);
    const target = events[direction > 0 ? at + 1 : at];
    if (target !== undefined) this.reveal(target);
  }

  moveInThread(direction: 1 | -1): void {
    const run = this.run;
    if (!run) return;
    const thread = run.thread[this.cursor];
    const rows = this.rows;
    for (let at = lastUpTo(rows, this.cursor) + (direction > 0 ? 1 : -1); at >= 0 && at < rows.length; at += direction)
      if (run.thread[rows[at]] === thread && rows[at] !== this.cursor) return this.goTo(rows[at]);
  }

  filter(change: { level?: Level; variable?: string; toggle?: number }): void {
    if (change.level !== undefined) this.level = change.level;
    if (change.variable !== undefined) this.variable = change.variable;
    if (change.toggle !== undefined && !this.hidden.delete(change.toggle)) this.hidden.add(change.toggle);
    this.list();
    this.tell("rows");
  }
}
