// SPDX-License-Identifier: Apache-2.0
// An event in words, the same everywhere in the page.
import { INITIAL, Model, Run, UNKNOWN } from "./model";

export function valueText(run: Run, event: number): string {
  const value = run.text(run.value[event]);
  if (value === "") return "";
  const operation = run.operationOf(event);
  if (operation.text.startsWith("range")) return `(${value})`;
  if (operation.reads && operation.writes) return value.replace("->", "→");
  if (operation.reads) return `= ${value}`;
  if (operation.writes || operation.text.startsWith("flush")) return `← ${value}`;
  return operation.class === "pending" ? `(${value})` : value;
}

/** "read counter = 0" */
export function eventText(run: Run, event: number): string {
  return [run.operationOf(event).text, run.text(run.object[event]), valueText(run, event)].filter((word) => word !== "").join(" ");
}

/** "bank.c:12", "transfer", "" */
export function placeText(model: Model, run: Run, event: number): string {
  const place = run.placeOf(event);
  if (place.file < 0) return place.function === "??" ? "" : place.function;
  return `${fileName(model.files[place.file].path)}:${place.line}`;
}

/** A program that was compiled for the search carries a hash in its name, which tells nobody anything. */
export function programName(path: string): string {
  return fileName(path).replace(/-[0-9a-f]{16}$/, "");
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Where the value that an event read comes from: "written by 0.2 at bank.c:12"; "" for an event that reads nothing. */
export function sourceText(model: Model, run: Run, event: number): string {
  const source = run.source[event];
  if (source === INITIAL) return "the initial value";
  if (source === UNKNOWN) return "written by something that was not recorded";
  if (source < 0) return "";
  const own = run.thread[source] === run.thread[event];
  const buffered = own && run.buffered.has(event) ? ", still in its store buffer" : "";
  const place = placeText(model, run, source);
  return `written by ${own ? "itself" : run.threadName(run.thread[source])}${place ? ` at ${place}` : ""}, step ${run.step[source]}${buffered}`;
}

/** The whole event in a sentence. */
export function sentence(model: Model, run: Run, event: number): string {
  const source = sourceText(model, run, event);
  const place = placeText(model, run, event);
  const buffered = run.isBufferedStore(event) ? " (into its store buffer)" : "";
  return `thread ${run.threadName(run.thread[event])}: ${eventText(run, event)}${buffered}${source ? `, ${source}` : ""}${place ? ` · ${place}` : ""}`;
}
