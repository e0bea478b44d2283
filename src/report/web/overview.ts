// SPDX-License-Identifier: Apache-2.0
// The whole execution in a narrow strip: who ran when, what the finding names, where we are.
import { h } from "./dom";
import type { Run } from "./model";
import type { View } from "./view";

interface Picture {
  rows: Int32Array;
  theme: string;
  image: HTMLCanvasElement;
}

export class Overview {
  readonly element = h("canvas", { class: "overview", "aria-hidden": "true", title: "The whole execution; click to go there" });
  private picture: Picture | null = null;
  private colours: { theme: string; threads: string[]; bad: string; text: string; accent: string } | null = null;

  constructor(private readonly view: View) {
    this.element.addEventListener("pointerdown", (event) => this.jump(event));
    this.element.addEventListener("pointermove", (event) => event.buttons === 1 && this.jump(event));
  }

  private jump(event: PointerEvent): void {
    const { rows } = this.view;
    const row = Math.floor((event.offsetY / this.element.clientHeight) * rows.length);
    this.view.goTo(rows[Math.min(Math.max(row, 0), rows.length - 1)] ?? 0);
  }

  /** Called when the size of the page changes: asking for it at each step would cost a layout. */
  fit(): void {
    const scale = window.devicePixelRatio || 1;
    this.element.width = Math.round(this.element.clientWidth * scale);
    this.element.height = Math.round(this.element.clientHeight * scale);
    this.picture = null;
  }

  draw(top: number, inSight: number): void {
    const { width, height } = this.element;
    const { rows } = this.view;
    const run = this.view.run;
    const paint = this.element.getContext("2d");
    if (!paint || !run || width === 0 || height === 0) return;
    const colours = this.coloursNow();
    paint.clearRect(0, 0, width, height);
    if (rows.length === 0) return;
    paint.drawImage(this.painted(run, colours.theme, colours.threads), 0, 0);

    const line = Math.max(2, Math.round(height / 400));
    const y = (row: number): number => (row / rows.length) * height;
    paint.fillStyle = colours.bad;
    for (const event of run.named) paint.fillRect(0, y(rowNear(rows, event)), width, line);
    paint.strokeStyle = colours.text;
    if (rows.length > inSight) paint.strokeRect(0.5, y(top), width - 1, Math.max(y(top + inSight) - y(top), 4));
    paint.fillStyle = colours.accent;
    paint.fillRect(0, y(this.view.row), width, line);
  }

  private coloursNow(): NonNullable<Overview["colours"]> {
    const theme = document.documentElement.dataset.theme ?? "";
    if (this.colours?.theme === theme) return this.colours;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const threads = Array.from({ length: 8 }, (_, index) => colour(`thread-${index}`));
    return (this.colours = { theme, threads, bad: colour("bad"), text: colour("text"), accent: colour("accent") });
  }

  /** Who ran when. Many rows may share a line of pixels: each thread is painted there once. */
  private painted(run: Run, theme: string, colours: string[]): HTMLCanvasElement {
    const { rows } = this.view;
    if (this.picture?.rows === rows && this.picture.theme === theme) return this.picture.image;
    const { width, height } = this.element;
    const image = document.createElement("canvas");
    image.width = width;
    image.height = height;
    const paint = image.getContext("2d")!;
    const lanes = new Map(run.threadsUsed.map((thread, index) => [thread, index]));
    const laneWidth = width / Math.max(lanes.size, 1);
    const thickness = Math.min(Math.max(1, height / rows.length), 6);
    const painted = new Uint8Array(height * lanes.size);
    for (let row = 0; row < rows.length; row++) {
      const thread = run.thread[rows[row]];
      const lane = lanes.get(thread)!;
      const y = Math.floor((row / rows.length) * height);
      if (painted[y * lanes.size + lane] === 1) continue;
      painted[y * lanes.size + lane] = 1;
      paint.fillStyle = colours[thread % 8];
      paint.fillRect(lane * laneWidth, y, laneWidth, thickness);
    }
    this.picture = { rows, theme, image };
    return image;
  }
}

function rowNear(rows: Int32Array, event: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < event) low = middle + 1;
    else high = middle;
  }
  return low;
}
