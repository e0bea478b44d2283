// SPDX-License-Identifier: Apache-2.0
// The execution from top to bottom: a lane for each thread, a row for each event. Only the rows in sight exist, so that 100,000 of them
// cost no more than fifty.
import { drawArrows } from "./arrows";
import { colourOf, h, svg } from "./dom";
import { Overview } from "./overview";
import { View } from "./view";
import { eventText, placeText, sentence, valueText } from "./words";

export const ROW = 24;
const GUTTER = 64;
const NARROWEST_LANE = 52;
const WIDEST_LANE = 200;
const ROOM_FOR_TEXT = 320; // right of the last lane's edge
const BAND = 7; // a lock held, a store on its way
const SPARE_ROWS = 8; // drawn beyond the edges

/** Where lanes and rows are, in pixels from the top left of the list. */
export interface Geometry {
  lanes: number[]; // threads
  laneWidth: number;
  width: number; // of everything
  laneX(thread: number): number;
  dotX(thread: number): number;
  rowY(row: number): number; // its middle
  first: number; // rows drawn
  last: number;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly heads = h("div", { class: "lane-heads", "aria-hidden": "true" });
  private readonly rows = h("div", { class: "rows" });
  private readonly drawing = svg("svg", { class: "drawing", "aria-hidden": "true" });
  private readonly overlay = svg("svg", { class: "drawing", "aria-hidden": "true" });
  private readonly sheet = h("div", { class: "sheet" }, this.drawing, this.rows, this.overlay);
  private readonly scroller = h("div", { class: "scroller", tabindex: 0, role: "listbox", "aria-label": "Events of the execution" }, this.heads, this.sheet);
  private readonly overview: Overview;
  private readonly empty = h("p", { class: "nothing" }, "No event passes the filters.");
  private pending = false;
  private drawn = ""; // what the last drawing showed
  private furnished = "";
  private listed: Int32Array | null = null;
  private made = new Map<number, HTMLElement>(); // rows in the page

  constructor(private readonly view: View) {
    this.overview = new Overview(view);
    this.element = h("div", { class: "timeline" }, this.scroller, this.overview.element);
    this.scroller.addEventListener("scroll", () => this.schedule());
    new ResizeObserver(() => {
      this.overview.fit();
      this.drawn = "";
      if (view.run) this.bringIntoSight(false); // the line below may have grown over the current row
      this.draw();
    }).observe(this.scroller);
    view.subscribe((change) => {
      if (!view.run) return;
      if (change === "finding") this.scroller.scrollTop = 0;
      this.drawn = "";
      this.bringIntoSight(change !== "cursor");
      this.draw();
    });
  }

  focus(): void {
    this.scroller.focus({ preventScroll: true });
  }

  get rowsInSight(): number {
    return Math.max(1, Math.floor((this.scroller.clientHeight - this.headHeight) / ROW) - 1);
  }

  private get headHeight(): number {
    return this.heads.offsetHeight;
  }

  /** At most one drawing for each frame, however fast it is scrolled. */
  private schedule(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  private bringIntoSight(middle: boolean): void {
    const wanted = `${this.view.rows.length * ROW}px`;
    if (this.sheet.style.height !== wanted) this.sheet.style.height = wanted;
    const top = this.view.row * ROW;
    const height = this.scroller.clientHeight - this.headHeight;
    const from = this.scroller.scrollTop;
    const margin = Math.min(2 * ROW, height / 4);
    if (middle || top < from - 20 * ROW || top > from + height + 20 * ROW) this.scroller.scrollTop = top - height * 0.6;
    else if (top < from + margin) this.scroller.scrollTop = top - margin;
    else if (top + ROW > from + height - margin) this.scroller.scrollTop = top + ROW - height + margin;
  }

  private geometry(): Geometry {
    const run = this.view.run!;
    const lanes = run.threadsUsed.filter((thread) => !this.view.hidden.has(thread));
    // A row belongs to one thread, so its text may run on over the lanes to its right: lanes can be narrow.
    const widest = Math.max(...lanes.map((thread) => run.bands(thread)), 0);
    const room = (this.scroller.clientWidth - GUTTER - ROOM_FOR_TEXT) / Math.max(lanes.length - 1, 1);
    const laneWidth = Math.min(Math.max(NARROWEST_LANE + widest * BAND, room), WIDEST_LANE);
    const width = Math.max(this.scroller.clientWidth, GUTTER + (lanes.length - 1) * laneWidth + ROOM_FOR_TEXT);
    const at = new Map(lanes.map((thread, index) => [thread, GUTTER + index * laneWidth]));
    const laneX = (thread: number): number => at.get(thread) ?? GUTTER;
    const top = this.scroller.scrollTop;
    return {
      lanes,
      laneWidth,
      width,
      laneX,
      dotX: (thread) => laneX(thread) + 12 + run.bands(thread) * BAND,
      rowY: (row) => row * ROW + ROW / 2,
      first: Math.max(0, Math.floor(top / ROW) - SPARE_ROWS),
      last: Math.min(this.view.rows.length, Math.ceil((top + this.scroller.clientHeight) / ROW) + SPARE_ROWS),
    };
  }

  private draw(): void {
    const { view } = this;
    const run = view.run;
    if (!run) return;
    // All measuring comes first: each measure after a change would lay the page out anew.
    const geometry = this.geometry();
    const [scrolled, inSight] = [this.scroller.scrollTop / ROW, this.rowsInSight];
    const showing = `${scrolled} ${view.cursor}`;
    if (showing === this.drawn) return;
    this.drawn = showing;
    const { width } = geometry;
    this.furnish(geometry);
    this.showRows(geometry);
    // The drawings cover what is in sight only.
    const [top, height] = [geometry.first * ROW, (geometry.last - geometry.first) * ROW];
    for (const drawing of [this.drawing, this.overlay]) {
      drawing.setAttribute("width", String(width));
      drawing.setAttribute("height", String(height));
      drawing.setAttribute("viewBox", `0 ${top} ${width} ${height}`);
      drawing.style.top = `${top}px`;
    }
    drawArrows(this.drawing, this.overlay, this.underlay(geometry), view, geometry);
    this.scroller.setAttribute("aria-activedescendant", `event-${view.cursor}`);
    this.overview.draw(scrolled, inSight);
  }

  /** What changes only with the size of the page and with the rows listed. */
  private furnish(geometry: Geometry): void {
    const { view } = this;
    const { width } = geometry;
    const run = view.run!;
    const furnished = `${view.finding} ${width} ${geometry.laneWidth} ${geometry.lanes.join()}`;
    if (this.furnished === furnished && this.listed === view.rows) return;
    this.furnished = furnished;
    this.listed = view.rows;
    this.made.clear();
    this.sheet.style.width = this.heads.style.width = `${width}px`;
    this.heads.replaceChildren(
      h("span", { class: "head gutter", style: `width:${GUTTER}px` }, "step"),
      ...geometry.lanes.map((thread, index) => {
        const laneWidth = index === geometry.lanes.length - 1 ? width - geometry.laneX(thread) : geometry.laneWidth;
        const info = run.packed.threads[thread];
        return h(
          "span",
          { class: `head ${colourOf(thread)}`, style: `width:${laneWidth}px`, title: `thread ${info.name} ${info.function}` },
          h("b", {}, info.name),
          info.function ? ` ${info.function}` : "",
        );
      }),
    );
  }

  /** Rows that were in sight before are kept: a step forward makes at most one. */
  private showRows(geometry: Geometry): void {
    const { view } = this;
    const wanted = new Map<number, HTMLElement>();
    for (let row = geometry.first; row < geometry.last; row++) wanted.set(row, this.made.get(row) ?? this.row(row, geometry));
    const same = wanted.size === this.made.size && [...wanted].every(([row, element]) => this.made.get(row) === element);
    if (!same || wanted.size === 0) this.rows.replaceChildren(...wanted.values(), ...(view.rows.length === 0 ? [this.empty] : []));
    this.made = wanted;
    for (const [row, element] of wanted) {
      const current = view.rows[row] === view.cursor;
      if (element.classList.contains("current") === current) continue;
      element.classList.toggle("current", current);
      element.setAttribute("aria-selected", String(current));
    }
  }

  private row(row: number, geometry: Geometry): HTMLElement {
    const { view } = this;
    const run = view.run!;
    const event = view.rows[row];
    const thread = run.thread[event];
    const operation = run.operationOf(event);
    const gap = row > 0 && event - view.rows[row - 1] > 1;
    const classes = ["row", operation.class, run.named.has(event) && "named", run.switches.has(event) && "switch", gap && "gap"];
    const left = geometry.dotX(thread) + 10;
    return h(
      "div",
      {
        class: classes.filter(Boolean).join(" "),
        style: `top:${row * ROW}px`,
        id: `event-${event}`,
        role: "option",
        "aria-selected": "false",
        "aria-label": sentence(view.model, run, event),
        "data-event": event,
        title: sentence(view.model, run, event),
        click: () => view.goTo(event),
      },
      h("span", { class: "step", style: `width:${GUTTER - 12}px` }, run.isReal(event) ? String(run.step[event]) : "end"),
      h("i", { class: `dot ${colourOf(thread)}`, style: `left:${geometry.dotX(thread) - 5}px` }),
      h(
        "span",
        { class: "what", style: `left:${left}px;max-width:${geometry.width - left - 6}px`, title: eventText(run, event) },
        h("span", { class: "op" }, operation.text),
        " ",
        h("b", {}, run.text(run.object[event])),
        " ",
        h("span", { class: "value" }, valueText(run, event)),
        " ",
        h("span", { class: "place" }, placeText(view.model, run, event)),
      ),
    );
  }

  /** Rows to be noticed, locks held and stores waiting in buffers, as far as they are in sight. */
  private underlay(geometry: Geometry): SVGElement[] {
    const { view } = this;
    const run = view.run!;
    const bands: SVGElement[] = [];
    for (let row = geometry.first; row < geometry.last; row++) {
      const event = view.rows[row];
      const tint = event === view.cursor ? "current" : run.named.has(event) ? "named" : "";
      if (tint !== "") bands.push(svg("rect", { class: `tint ${tint}`, x: 0, y: row * ROW, width: geometry.width, height: ROW }));
    }
    const seen = (from: number, until: number): [number, number] | null => {
      const rows = view.rows;
      const first = rows[geometry.first];
      const last = rows[geometry.last - 1];
      if (first === undefined || from > last || until < first) return null;
      const begin = this.rowAtOrAfter(from);
      // Between two rows that are listed there may be thousands: they have no place here.
      if (begin === rows.length || rows[begin] >= until) return null;
      return [begin, until >= run.count ? rows.length : this.rowAtOrAfter(until)];
    };
    const shown = new Set(geometry.lanes);
    for (const span of run.locks) {
      const at = shown.has(span.thread) ? seen(span.from, span.until) : null;
      if (!at || span.depth > 3) continue;
      const x = geometry.laneX(span.thread) + 6 + span.depth * BAND;
      const y = geometry.rowY(at[0]) - 6;
      const band = svg("rect", { class: `band ${colourOf(span.object)}${span.shared ? " by-reader" : ""}`, x, y, width: BAND - 2, rx: 2 });
      band.setAttribute("height", String(Math.max(geometry.rowY(at[1]) + 6 - y - (span.open ? ROW / 2 : 0), 4)));
      band.append(svg("title", {}, `${run.threadName(span.thread)} holds ${run.text(span.object)}`));
      bands.push(band);
    }
    for (const span of run.buffers) {
      const at = shown.has(span.thread) ? seen(span.from, span.until) : null;
      if (!at) continue;
      const x = geometry.laneX(span.thread) + 6 + (run.deepest[span.thread] + Math.min(span.depth, 2)) * BAND;
      const y = geometry.rowY(at[0]) - 6;
      const band = svg("rect", { class: "buffer", x, y, width: BAND - 2, rx: 2, height: Math.max(geometry.rowY(at[1]) + 6 - y, 4) });
      band.append(svg("title", {}, `${run.text(run.object[span.from])} ← ${run.valueAfter(span.from)} waits in the store buffer of ${run.threadName(span.thread)}`));
      bands.push(band);
    }
    return bands;
  }

  private rowAtOrAfter(event: number): number {
    const rows = this.view.rows;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle] < event) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
