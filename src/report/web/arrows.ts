// SPDX-License-Identifier: Apache-2.0
// What connects the rows: who wrote what was read, which operation let which go on, and where one thread was left for another.
import { svg } from "./dom";
import { lastUpTo } from "./model";
import type { Geometry } from "./timeline";
import type { View } from "./view";

type Kind = "reads-from" | "synchronises" | "waits";

const MEANING: Record<Kind, string> = {
  "reads-from": "wrote what the other read",
  synchronises: "happened before the other, by synchronisation",
  waits: "took what the other waits for",
};

const head = (kind: string): SVGElement =>
  svg(
    "marker",
    { id: `head-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 0L8 4L0 8z" }),
  );
const defs = svg("defs", {}, ...Object.keys(MEANING).map(head));

/** Those that explain the finding or touch the current event go over the text, the others under it. */
export function drawArrows(drawing: SVGSVGElement, overlay: SVGSVGElement, under: SVGElement[], view: View, geometry: Geometry): void {
  const run = view.run!;
  const rows = view.rows;
  const rowOf = (event: number): number => {
    const at = lastUpTo(rows, event);
    return at >= 0 && rows[at] === event ? at : -1;
  };
  // An end that is far away is drawn just out of sight: a dashed line a million pixels long takes seconds to paint.
  const nearby = (row: number): number => Math.min(Math.max(row, geometry.first - 4), geometry.last + 4);
  const drawn = new Set<string>();
  const telling = new Set(run.reads);
  const faint: SVGElement[] = [];
  const strong: SVGElement[] = [];
  const arrow = (from: number, to: number, kind: Kind): void => {
    const key = `${kind} ${from} ${to}`;
    const [a, b] = [rowOf(from), rowOf(to)];
    if (a < 0 || b < 0 || drawn.has(key)) return;
    drawn.add(key);
    const touched = from === view.cursor || to === view.cursor;
    const told = kind === "waits" || (kind === "reads-from" && telling.has(to));
    const path = svg("path", {
      class: `arrow ${kind}${touched ? " touched" : told ? " told" : ""}`,
      d: curve(geometry, run.thread[from], nearby(a), run.thread[to], nearby(b)),
      "marker-end": `url(#head-${kind})`,
    });
    path.append(svg("title", {}, MEANING[kind]));
    (touched || told ? strong : faint).push(path);
  };
  const arrowsAt = (event: number): void => {
    const source = run.source[event];
    if (source >= 0 && (run.thread[source] !== run.thread[event] || event === view.cursor)) arrow(source, event, "reads-from");
    for (const reader of (run.readers.get(event) ?? []).slice(0, 40)) arrow(event, reader, "reads-from");
    const from = run.arrows.get(event);
    if (from !== undefined) arrow(from, event, "synchronises");
    for (const to of (run.arrowsOut.get(event) ?? []).slice(0, 40)) arrow(event, to, "synchronises");
  };
  for (let row = geometry.first; row < geometry.last; row++) arrowsAt(rows[row]);
  arrowsAt(view.cursor);
  for (const [waiting, taken] of run.waits) for (const from of taken) arrow(from, waiting, "waits");
  for (const event of telling) arrowsAt(event);

  drawing.replaceChildren(defs, ...lanes(geometry), ...under, ...switches(view, geometry), ...faint);
  overlay.replaceChildren(...strong);
}

function curve(geometry: Geometry, fromThread: number, fromRow: number, toThread: number, toRow: number): string {
  const [x1, y1] = [geometry.dotX(fromThread), geometry.rowY(fromRow)];
  const [x2, y2] = [geometry.dotX(toThread), geometry.rowY(toRow)];
  if (fromThread === toThread) {
    const bulge = Math.min(26, 10 + (toRow - fromRow) * 2);
    return `M${x1 - 5} ${y1}C${x1 - bulge} ${y1} ${x2 - bulge} ${y2} ${x2 - 6} ${y2}`;
  }
  const side = x2 > x1 ? 1 : -1;
  const reach = Math.max(30, Math.abs(x2 - x1) / 2);
  return `M${x1 + side * 5} ${y1 + 3}C${x1 + side * reach} ${y1 + 3} ${x2 - side * reach} ${y2} ${x2 - side * 7} ${y2}`;
}

function lanes(geometry: Geometry): SVGElement[] {
  const [y1, y2] = [geometry.rowY(geometry.first - 1), geometry.rowY(geometry.last)];
  return geometry.lanes.flatMap((thread) => {
    const x = geometry.laneX(thread);
    return [svg("line", { class: "lane", x1: x, x2: x, y1, y2 }), svg("line", { class: "life", x1: geometry.dotX(thread), x2: geometry.dotX(thread), y1, y2 })];
  });
}

/** Control passing from one thread to another, where it matters. */
function switches(view: View, geometry: Geometry): SVGElement[] {
  const run = view.run!;
  const drawn: SVGElement[] = [];
  for (let row = Math.max(geometry.first, 1); row < geometry.last; row++) {
    const event = view.rows[row];
    const before = view.rows[row - 1];
    if (run.thread[before] === run.thread[event] || !run.isReal(event)) continue;
    const [x1, x2] = [geometry.dotX(run.thread[before]), geometry.dotX(run.thread[event])];
    const y = row * 24;
    const matters = run.switches.has(event);
    drawn.push(svg("path", { class: matters ? "switch matters" : "switch", d: `M${x1} ${y - 7}V${y}H${x2}V${y + 7}` }));
  }
  return drawn;
}
