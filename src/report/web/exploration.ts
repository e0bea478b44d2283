// SPDX-License-Identifier: Apache-2.0
// The search itself: what the verdict is, what it covers and what it took.
import { counted, h, svg } from "./dom";
import { duration, whole } from "./figures";
import { Coverage, Model, Predictions, SearchResult, TestSummary } from "./model";
import { overTime } from "./over_time";
import { pathTree } from "./path_tree";

const VERDICTS = { clean: "Nothing found", bugs: "Bugs found", incomplete: "Nothing found so far" };

function figures(result: SearchResult): [string, string][] {
  const rate = result.seconds > 0 ? ` (${whole(result.executions / result.seconds)} per second)` : "";
  const rows: [string, string][] = [["executions", `${whole(result.executions)} in ${duration(result.seconds)}${rate}`]];
  if (result.strategy) rows.push(["strategy", result.strategy]);
  rows.push(["memory model", result.model.toUpperCase()], ["carrier", result.carrier]);
  if (result.jobs && result.jobs > 1) rows.push(["workers", String(result.jobs)]);
  if (result.blocked) rows.push(["blocked", `${whole(result.blocked)} more, which led nowhere new and were given up`]);
  if (result.redundant) rows.push(["redundant", `${whole(result.redundant)} of them repeated others`]);
  if (result.assumption_failed) rows.push(["left out", `${counted(result.assumption_failed, "execution")} in which an assumption of the program did not hold`]);
  if (result.paths) rows.push(["paths", whole(result.paths)]);
  const { queries, seconds, constraints } = result.solver;
  if (queries > 0) rows.push(["solver", `${whole(queries)} ${queries === 1 ? "query" : "queries"}${seconds ? ` in ${duration(seconds)}` : ""}, ${counted(constraints, "constraint")}`]);
  if (result.problem) rows.push(["stopped", result.problem]);
  return rows;
}

function howFar(result: SearchResult): HTMLElement | null {
  if (!result.estimate) return null;
  const share = Math.min(1, result.executions / Math.max(result.estimate.executions, 1));
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "How far it came"),
    h("progress", { max: 1, value: share, "aria-label": "Share of the estimated executions" }),
    h("p", {}, `${whole(result.executions)} of ${result.estimate.at_least ? "at least" : "about"} ${whole(result.estimate.executions)} executions by estimate; ${duration(result.estimate.seconds_left)} more at this rate`),
  );
}

/** When each finding was first seen, along the executions. */
function firstSeen(model: Model, result: SearchResult, open: (finding: number) => void): HTMLElement | null {
  if (model.findings.length === 0 || !model.findings.some((finding) => finding.execution > 0)) return null;
  const total = Math.max(result.executions + (result.blocked ?? 0), ...model.findings.map((finding) => finding.execution), 1);
  const x = (execution: number): number => 20 + (execution / total) * 960;
  const picture = svg("svg", { viewBox: "0 0 1000 64", role: "img", "aria-label": "Executions at which the findings were first seen", class: "first-seen" });
  picture.append(svg("line", { class: "axis", x1: 20, x2: 980, y1: 40, y2: 40 }));
  picture.append(svg("text", { x: 20, y: 60 }, "1"), svg("text", { x: 980, y: 60, "text-anchor": "end" }, whole(total)));
  model.findings.forEach((finding, index) => {
    const mark = svg("g", { class: "mark", click: () => open(index) }, svg("circle", { cx: x(finding.execution), cy: 40, r: 7 }), svg("text", { x: x(finding.execution), y: 24, "text-anchor": "middle" }, String(index + 1)));
    mark.append(svg("title", {}, `${finding.kind}, execution ${finding.execution}`));
    picture.append(mark);
  });
  return h("section", { class: "card" }, h("h2", {}, "When they were found"), picture);
}

function outcomes(result: SearchResult): HTMLElement | null {
  const all = result.outcomes ?? [];
  const names = [...new Set(all.flatMap((outcome) => Object.keys(outcome)))];
  if (names.length === 0) return null;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, counted(all.length, "distinct outcome")),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...names.map((name) => h("th", {}, name)))),
      h("tbody", {}, ...all.map((outcome) => h("tr", {}, ...names.map((name) => h("td", { class: "value" }, String(outcome[name] ?? "")))))),
    ),
  );
}

/** Of a program full of tests: each with what came of it. */
function tests(result: SearchResult): HTMLElement | null {
  if (!result.tests) return null;
  const row = (test: TestSummary): HTMLElement => {
    const verdict = test.findings.length > 0 ? "failed" : test.problem ? "error" : test.verdict;
    const numbers = test.findings.map((finding) => String(finding + 1)).join(", ");
    return h("tr", { class: verdict }, h("td", {}, test.name), h("td", {}, verdict), h("td", {}, numbers), h("td", {}, whole(test.executions)), h("td", {}, duration(test.seconds)), h("td", {}, test.problem ?? test.covers));
  };
  const heads = ["test", "result", "findings", "executions", "time", "covers"];
  return h("section", { class: "card tests" }, h("h2", {}, counted(result.tests.length, "test")), h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", {}, head)))), h("tbody", {}, ...result.tests.map(row))));
}

/** Which ways of the branches were taken, and what is known of the others. */
function coverage(taken: Coverage | null | undefined): HTMLElement | null {
  if (!taken) return null;
  const state = taken.unknown_because === "" ? "no schedule and no input leads there" : `not known to be unreachable: ${taken.unknown_because}`;
  const missed = taken.branches.flatMap((branch) => branch.ways.filter((way) => way.state !== "taken").map((way) => ({ branch, way })));
  return h(
    "section",
    { class: "card coverage" },
    h("h2", {}, `${whole(taken.taken)} of ${whole(taken.ways)} ways of branches taken`),
    h("table", { class: "figures" }, h("tbody", {}, ...taken.functions.map((one) => h("tr", {}, h("th", {}, one.function), h("td", {}, `${whole(one.taken)} of ${whole(one.ways)}`))))),
    missed.length > 0 && h("p", {}, `Not taken, and ${state}:`),
    missed.length > 0 &&
      h("ul", {}, ...missed.map(({ branch, way }) => h("li", {}, `${branch.file.slice(branch.file.lastIndexOf("/") + 1)}:${branch.line} ${way.way}${way.to_line > 0 ? `, to line ${way.to_line},` : ""} in ${branch.function}`))),
  );
}

function predictions(made: Predictions | undefined): HTMLElement | null {
  if (!made) return null;
  const rows: [string, string][] = [
    ["taken to imply", `${made.causal_model}${made.note ? `: ${made.note}` : ""}`],
    ["looked at", `${counted(made.events, "event")} of one execution, in ${duration(made.seconds)}`],
    ["pairs of accesses", `${whole(made.race_candidates)} that might race`],
    ["rings of locks", whole(made.lock_rings)],
  ];
  if (made.regions > 0) rows.push(["atomic regions", `${whole(made.regions)}; ${whole(made.atomicity.real)} of ${whole(made.atomicity.candidates)} interleavings are possible`]);
  rows.push(["predictions made", whole(made.made)]);
  for (const [kind, one] of Object.entries(made.coverage)) {
    const bound = one.context_bound === null ? "" : `, at most ${counted(one.context_bound, "switch").replace(/switchs$/, "switches")}`;
    rows.push([kind, `${one.complete ? "everything the execution implies" : "in part"}${bound}${one.unanswered > 0 ? `, ${counted(one.unanswered, "question")} unanswered` : ""}`]);
  }
  return h("section", { class: "card" }, h("h2", {}, "What one execution implies"), h("table", { class: "figures" }, h("tbody", {}, ...rows.map(([name, value]) => h("tr", {}, h("th", {}, name), h("td", {}, value))))));
}

export function exploration(model: Model, open: (finding: number) => void, onPaper = false): HTMLElement {
  const result = model.result;
  if (!result) {
    const text = model.findings.length > 0 ? "These are replays of witnesses; the search that found them is not part of this report." : "The schedule was followed to its end and nothing failed.";
    return h("div", { class: "exploration" }, h("p", { class: "nothing" }, text));
  }
  return h(
    "div",
    { class: "exploration", tabindex: -1 },
    h("header", { class: `verdict ${result.verdict}` }, h("h1", {}, VERDICTS[result.verdict]), h("p", { class: "message" }, `Covers ${result.covers}.`)),
    h("section", { class: "card" }, h("h2", {}, "The search"), h("table", { class: "figures" }, h("tbody", {}, ...figures(result).map(([name, value]) => h("tr", {}, h("th", {}, name), h("td", {}, value)))))),
    tests(result),
    howFar(result),
    overTime(result.progress),
    firstSeen(model, result, open),
    outcomes(result),
    pathTree(model, open, onPaper),
    coverage(result.coverage),
    predictions(result.predictions),
    result.unconfirmed.length > 0 &&
      h(
        "section",
        { class: "card" },
        h("h2", {}, "Unconfirmed"),
        h("p", {}, "Thought through or seen once, but no replay showed it."),
        h("ul", {}, ...result.unconfirmed.map((one) => h("li", {}, `${one.kind}: ${one.message}${one.why ? ` (${one.why})` : ""}`))),
      ),
  );
}
