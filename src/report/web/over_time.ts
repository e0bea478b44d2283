// SPDX-License-Identifier: Apache-2.0
// How the search went on: executions over time, those of a class of their own, what was thought to be the whole, and when findings came.
import { h, svg } from "./dom";
import { Sample } from "./document";
import { duration, whole } from "./figures";

const WIDTH = 1000;
const HEIGHT = 240;
const LEFT = 70;
const BOTTOM = 30;

const points = (samples: Sample[], x: (sample: Sample) => number, y: (sample: Sample) => number): string => samples.map((sample) => `${x(sample).toFixed(1)},${y(sample).toFixed(1)}`).join(" ");

/** Nothing to see in a search that was over in a moment. */
export function overTime(samples: Sample[] | undefined): HTMLElement | null {
  if (!samples || samples.length < 3) return null;
  const last = samples[samples.length - 1];
  const seconds = Math.max(last.seconds, 1e-9);
  // An estimate far above what was done would flatten everything else.
  const estimates = samples.filter((sample) => sample.estimate !== null);
  const highest = Math.max(last.executions, Math.min(Math.max(0, ...estimates.map((sample) => sample.estimate ?? 0)), last.executions * 4), 1);
  const x = (sample: Sample): number => LEFT + (sample.seconds / seconds) * (WIDTH - LEFT - 10);
  const height = (value: number): number => HEIGHT - BOTTOM - (Math.min(value, highest) / highest) * (HEIGHT - BOTTOM - 14);
  const label = `Executions over time: ${whole(last.executions)} in ${duration(last.seconds)}`;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "over-time" });
  picture.append(
    svg("line", { class: "axis", x1: LEFT, x2: WIDTH - 10, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
    svg("line", { class: "axis", x1: LEFT, x2: LEFT, y1: 10, y2: HEIGHT - BOTTOM }),
    svg("text", { x: LEFT - 6, y: HEIGHT - BOTTOM, "text-anchor": "end" }, "0"),
    svg("text", { x: LEFT - 6, y: 18, "text-anchor": "end" }, whole(highest)),
    svg("text", { x: WIDTH - 10, y: HEIGHT - 8, "text-anchor": "end" }, duration(last.seconds)),
  );
  if (estimates.length > 1) picture.append(svg("polyline", { class: "estimate", points: points(estimates, x, (sample) => height(sample.estimate ?? 0)) }));
  if (last.redundant > 0) picture.append(svg("polyline", { class: "classes", points: points(samples, x, (sample) => height(sample.executions - sample.redundant)) }));
  picture.append(svg("polyline", { class: "made", points: points(samples, x, (sample) => height(sample.executions)) }));
  samples.forEach((sample, index) => {
    if (sample.findings <= (index > 0 ? samples[index - 1].findings : 0)) return;
    const mark = svg("circle", { class: "found", cx: x(sample), cy: height(sample.executions), r: 5 });
    mark.append(svg("title", {}, `${sample.findings} found after ${duration(sample.seconds)}`));
    picture.append(mark);
  });
  const legend = ["executions"];
  if (last.redundant > 0) legend.push("classes (thin)");
  if (estimates.length > 1) legend.push("estimate of the whole (dashed)");
  if (last.findings > 0) legend.push("something new found (dots)");
  return h("section", { class: "card" }, h("h2", {}, "Executions over time"), picture, h("p", { class: "nothing" }, legend.join(" · ")));
}
