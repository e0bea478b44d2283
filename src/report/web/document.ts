// SPDX-License-Identifier: Apache-2.0
// The data in the page as it is written: a type for each field. docs/html-report.md says what they mean.

export interface Frame {
  function: string;
  file: number; // in Model.files, or -1
  line: number;
  text: string; // "bank.c:12"
}

export interface Part {
  thread: string;
  does: string;
  also: string;
  stack: Frame[];
  event: number; // in the run, or -1
}

export interface Finding {
  kind: string;
  message: string;
  location: Frame;
  parts: Part[];
  witness: string;
  replay: string;
  confirmed: boolean;
  execution: number;
  model: "sc" | "tso" | "pso";
  inputs: InputValue[];
  events: number;
}

/** In the order in which they were asked for. */
export interface InputValue {
  thread: string;
  name: string;
  value: number;
}

export interface SourceFile {
  path: string;
  text: string | null;
  newer: boolean;
}

/** Where a thread could have gone on otherwise. */
export interface PathTurn {
  kind: "branch" | "pin" | "check" | "assume" | "result";
  place: { function: string; file: string; line: number; column: number };
  way: string;
  condition: string;
  guards: boolean;
}

export interface ListedPath {
  threads: { thread: string; turns: number[] }[]; // numbers in PathList.turns
  inputs: InputValue[];
  ended: string;
  counts: boolean;
  findings: number[];
  witness: string | null;
}

/** The paths that a search executed. */
export interface PathList {
  turns: PathTurn[];
  paths: ListedPath[];
  left_out: number;
}

/** Which ways of the program's branches were taken. */
export interface Coverage {
  ways: number;
  taken: number;
  unknown_because: string;
  functions: { function: string; file: string; ways: number; taken: number }[];
  branches: { function: string; file: string; line: number; column: number; ways: { way: string; to_line: number; state: "taken" | "unreachable" | "unknown" }[] }[];
}

/** A step of an execution in words, as `treadle predict` tells of it. */
export interface OrderStep {
  thread: string;
  does: string;
  from: string;
  place: string;
  key: boolean;
}

/** What one execution implied. */
export interface Predictions {
  causal_model: string;
  note: string;
  events: number;
  made: number;
  race_candidates: number;
  lock_rings: number;
  regions: number;
  atomicity: { candidates: number; real: number };
  coverage: Record<string, { complete: boolean; context_bound: number | null; questions: number; unanswered: number; limits: string[] | string }>;
  seconds: number;
}

/** How far the search was at some time. */
export interface Sample {
  seconds: number;
  executions: number;
  redundant: number;
  findings: number;
  estimate: number | null;
}

/** One test of a program full of them; its findings are numbers of the whole's. */
export interface TestSummary {
  name: string;
  verdict: "clean" | "bugs" | "incomplete";
  covers: string;
  executions: number;
  seconds: number;
  findings: number[];
  problem: string | null;
}

/** What `treadle check --json` and `treadle predict --json` write; the rest is there when the command has it. */
export interface SearchResult {
  verdict: "clean" | "bugs" | "incomplete";
  covers: string;
  model: string;
  carrier: string;
  executions: number;
  seconds: number;
  solver: { queries: number; seconds?: number; constraints: number };
  findings: { orders?: { passing: OrderStep[]; failing: OrderStep[] } }[];
  unconfirmed: { kind: string; message: string; why?: string }[];
  strategy?: string;
  blocked?: number;
  redundant?: number;
  assumption_failed?: number;
  paths?: number;
  estimate?: { executions: number; at_least?: boolean; standard_error: number | null; probes: number; method: string; seconds_left: number } | null;
  jobs?: number;
  outcomes?: Record<string, number>[];
  problem?: string | null;
  predictions?: Predictions;
  path_list?: PathList | null;
  coverage?: Coverage | null;
  progress?: Sample[];
  tests?: TestSummary[];
}

export interface Model {
  version: number;
  program: string;
  result: SearchResult | null;
  findings: Finding[];
  files: SourceFile[];
}

export interface Thread {
  name: string;
  parent: number;
  function: string;
}

export type OperationClass = "plain" | "atomic" | "sync" | "note" | "trouble" | "pending" | "end";

export interface Operation {
  text: string;
  class: OperationClass;
  reads: boolean;
  writes: boolean;
}

export interface PackedRun {
  left_out: [number, number];
  threads: Thread[];
  ending: string;
  events: Record<"operation" | "thread" | "step" | "place" | "object" | "value" | "source" | "left" | "buffered", number[]>;
  telling: number[];
  story: number[];
  named: number[];
  arrows: number[];
  locks: [number, number, number, number, number][];
  buffers: [number, number][];
  operations: Operation[];
  places: [number, number, number, number][];
  strings: string[];
}
