// SPDX-License-Identifier: Apache-2.0
// An execution unpacked for quick access.
import type { Model, Operation, PackedRun } from "./document";
import { tellingReads } from "./reads";

export * from "./document";

export interface Place {
  file: number;
  line: number;
  column: number;
  function: string;
}

/** From one event to another, both shown; `until` may be past the last. */
export interface LockSpan {
  thread: number;
  object: number;
  from: number;
  until: number;
  open: boolean;
  shared: boolean;
  depth: number; // how many its thread held already
}

export interface BufferSpan {
  thread: number;
  from: number;
  until: number;
  depth: number;
}

/** A piece of memory that several threads use. */
export interface Variable {
  object: number;
  events: number[]; // all that touch it, in order
}

// Where the value of a read comes from, when no event wrote it.
export const NOT_A_READ = -1;
export const INITIAL = -2;
export const UNKNOWN = -3;

const MOST_SWITCHES = 5;

export class Run {
  readonly count: number;
  readonly operation: Uint16Array;
  readonly thread: Uint16Array;
  readonly step: Uint32Array;
  readonly place: Uint32Array;
  readonly object: Uint32Array;
  readonly value: Uint32Array;
  readonly source: Int32Array;
  readonly telling: Uint8Array;
  readonly story: number[];
  readonly inStory: Set<number>;
  readonly named: Set<number>;
  readonly reads: number[]; // those whose values explain the finding
  private readonly keys: Set<number>; // objects that the finding is about
  readonly switches: Set<number>; // events before which a switch matters
  readonly arrows = new Map<number, number>(); // to -> from
  readonly arrowsOut = new Map<number, number[]>();
  readonly readers = new Map<number, number[]>(); // write -> reads in other threads
  readonly locks: LockSpan[];
  readonly buffers: BufferSpan[];
  readonly variables: Variable[];
  readonly places: Place[];
  readonly threadsUsed: number[];
  readonly deepest: number[]; // locks held at once, by thread
  readonly waits = new Map<number, number[]>(); // a blocked thread's last row -> where the others took what it waits for
  private readonly buffersDeep: number[]; // stores buffered at once, by thread
  private readonly left = new Map<number, number>();
  readonly buffered: Set<number>;
  private readonly early: Set<number>; // reads that may have seen a store before memory has

  constructor(readonly packed: PackedRun) {
    const events = packed.events;
    this.count = events.operation.length;
    this.operation = Uint16Array.from(events.operation);
    this.thread = Uint16Array.from(events.thread);
    this.place = Uint32Array.from(events.place);
    this.object = Uint32Array.from(events.object);
    this.value = Uint32Array.from(events.value);
    this.step = Uint32Array.from(events.step);
    for (let i = 1; i < this.count; i++) this.step[i] += this.step[i - 1];
    this.source = new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) this.source[i] = this.unpackSource(i, events.source[i]);
    for (let i = 0; i < events.left.length; i += 2) this.left.set(events.left[i], events.left[i + 1]);
    this.buffered = new Set(events.buffered);
    this.places = packed.places.map(([file, line, column, name]) => ({ file, line, column, function: packed.strings[name] }));

    this.telling = new Uint8Array(this.count);
    let at = 0;
    packed.telling.forEach((length, i) => {
      if (i % 2 === 1) this.telling.fill(1, at, at + length);
      at += length;
    });
    this.named = new Set(packed.named.filter((event) => event >= 0));
    this.story = [...new Set([...packed.story, ...this.named, ...this.ending()])].sort((a, b) => a - b);
    this.inStory = new Set(this.story);
    for (let i = 0; i < packed.arrows.length; i += 2) {
      const to = packed.arrows[i];
      const from = to - packed.arrows[i + 1];
      this.arrows.set(to, from);
      append(this.arrowsOut, from, to);
    }
    for (let i = 0; i < this.count; i++)
      if (this.source[i] >= 0 && this.thread[this.source[i]] !== this.thread[i]) append(this.readers, this.source[i], i);

    this.deepest = packed.threads.map(() => 0);
    this.locks = this.unpackLocks();
    this.buffersDeep = packed.threads.map(() => 0);
    this.buffers = this.unpackBuffers();
    for (let i = this.count - 1; i >= 0 && !this.isReal(i); i--) {
      const holders = this.locks.filter((span) => span.open && span.object === this.object[i] && span.thread !== this.thread[i]);
      if (this.operationOf(i).class === "pending" && holders.length > 0) this.waits.set(i, holders.map((span) => span.from));
    }
    this.reads = tellingReads(this);
    this.keys = new Set([...this.named, ...this.reads].map((event) => this.object[event]).filter((object) => object !== 0));
    this.switches = this.findSwitches();
    this.early = this.findEarlyReads();
    this.variables = this.findVariables();
    this.threadsUsed = [...new Set(this.thread)].sort((a, b) => a - b);
  }

  private unpackSource(event: number, packed: number): number {
    if (packed > 0) return event - packed;
    return packed === 0 ? NOT_A_READ : packed === -1 ? INITIAL : UNKNOWN;
  }

  /** The rows at the end that tell who waits and how it ended. */
  private ending(): number[] {
    const rows = [];
    for (let i = this.count - 1; i >= 0 && !this.isReal(i); i--) rows.push(i);
    // A run that went on regularly after what was found ends without a tale.
    return rows.length === 1 && this.named.size > 0 && !this.named.has(rows[0]) ? [] : rows;
  }

  private unpackLocks(): LockSpan[] {
    const open: LockSpan[] = [];
    return this.packed.locks.map(([thread, object, from, until, shared]) => {
      for (let i = open.length - 1; i >= 0; i--) if (open[i].until <= from) open.splice(i, 1);
      const taken = new Set(open.filter((span) => span.thread === thread).map((span) => span.depth));
      let depth = 0;
      while (taken.has(depth)) depth++;
      const span = { thread, object, from, until: until < 0 ? this.count : until, open: until < 0, shared: shared === 1, depth };
      this.deepest[thread] = Math.max(this.deepest[thread], Math.min(depth + 1, 4));
      open.push(span);
      return span;
    });
  }

  private unpackBuffers(): BufferSpan[] {
    const open: BufferSpan[] = [];
    return this.packed.buffers.map(([from, until]) => {
      for (let i = open.length - 1; i >= 0; i--) if (open[i].until <= from) open.splice(i, 1);
      const thread = this.thread[from];
      const depth = open.filter((span) => span.thread === thread).length;
      const span = { thread, from, until: until < 0 ? this.count : until, depth };
      this.buffersDeep[thread] = Math.max(this.buffersDeep[thread], Math.min(depth + 1, 3));
      open.push(span);
      return span;
    });
  }

  private findVariables(): Variable[] {
    const found = new Map<number, Variable & { shared: boolean }>();
    for (let i = 0; i < this.count; i++) {
      const operation = this.operationOf(i);
      const touches = operation.reads || operation.writes || operation.text.startsWith("flush");
      if (!touches || this.object[i] === 0) continue;
      const object = this.object[i];
      let variable = found.get(object);
      if (!variable) found.set(object, (variable = { object, events: [], shared: false }));
      variable.events.push(i);
      variable.shared ||= this.telling[i] === 1;
    }
    // What the finding is about, then what the story is about, then the rest as it was first used.
    const told = new Set(this.story.map((event) => this.object[event]));
    const rank = (object: number): number => (this.keys.has(object) ? 0 : told.has(object) ? 1 : 2);
    const shared = [...found.values()].filter((variable) => variable.shared);
    return shared.sort((a, b) => rank(a.object) - rank(b.object) || a.events[0] - b.events[0]);
  }

  /** Among the switches between the steps of the story, the last ones that have to do with what the finding is about. */
  private findSwitches(): Set<number> {
    const all = this.story.filter((event, i) => i > 0 && this.isReal(event) && this.thread[event] !== this.thread[this.story[i - 1]]);
    const about = (event: number): boolean => this.keys.has(this.object[event]);
    const telling = all.filter((event) => about(event) || about(this.story[this.story.indexOf(event) - 1]));
    return new Set(telling.length > 0 ? telling.slice(-MOST_SWITCHES) : all.slice(-3));
  }

  private findEarlyReads(): Set<number> {
    const early = new Set<number>();
    const waiting = this.packed.threads.map(() => 0);
    const flushed = new Map<number, number>();
    for (const span of this.buffers) flushed.set(span.until, span.thread);
    if (this.buffers.length === 0) return early;
    for (let i = 0; i < this.count; i++) {
      if (flushed.has(i)) waiting[flushed.get(i)!]--;
      if (this.isBufferedStore(i)) waiting[this.thread[i]]++;
      const operation = this.operationOf(i);
      if (operation.reads && !operation.writes && waiting[this.thread[i]] > 0) early.add(i);
    }
    return early;
  }

  /** Does the event show what is in memory, for everybody to see? */
  showsMemory(event: number): boolean {
    return !this.buffered.has(event) && !this.early.has(event);
  }

  operationOf(event: number): Operation {
    return this.packed.operations[this.operation[event]];
  }

  text(index: number): string {
    return this.packed.strings[index];
  }

  placeOf(event: number): Place {
    return this.places[this.place[event]];
  }

  threadName(thread: number): string {
    return this.packed.threads[thread].name;
  }

  /** How many bands a lane must have room for. */
  bands(thread: number): number {
    return this.deepest[thread] + this.buffersDeep[thread];
  }

  /** Not one of the rows that tell how it ended. */
  isReal(event: number): boolean {
    const kind = this.operationOf(event).class;
    return kind !== "pending" && kind !== "end";
  }

  /** What the event left in its variable, or saw there; "" when that is not known. */
  valueAfter(event: number): string {
    const left = this.left.get(event);
    return this.text(left === undefined ? this.value[event] : left);
  }

  isBufferedStore(event: number): boolean {
    return this.buffered.has(event) && this.operationOf(event).writes;
  }
}

function append(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function embedded(id: string): unknown {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return JSON.parse(element.textContent ?? "");
}

export const VERSION = 1;

export function readModel(): Model {
  const model = embedded("model") as Model;
  if (model.version !== VERSION) throw new Error(`the data has version ${model.version}, this page reads ${VERSION}`);
  return model;
}

const runs = new Map<number, Run>();

/** Unpacked when it is first looked at. */
export function runOf(finding: number): Run {
  let run = runs.get(finding);
  if (!run) runs.set(finding, (run = new Run(embedded(`run-${finding}`) as PackedRun)));
  return run;
}

/** The last element of an ascending list that is not greater, as an index; -1 when there is none. */
export function lastUpTo(sorted: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
