// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
import { exploration } from "./exploration";
import { counted, h } from "./dom";
import { listenToKeys } from "./keys";
import { readModel } from "./model";
import { preparePrinting } from "./print";
import { Sources } from "./source";
import { Timeline } from "./timeline";
import { Filters, Stepper } from "./toolbar";
import { Values } from "./values";
import { View } from "./view";
import { headline, Why } from "./why";
import { programName } from "./words";

const THEME = "treadle-theme";

function remembered(): string | null {
  try {
    const theme = localStorage.getItem(THEME);
    return theme === "light" || theme === "dark" ? theme : null;
  } catch {
    return null; // a browser may keep nothing for pages from disk
  }
}

/** As the system has it, until the user chooses. Returns what changes it. */
function startTheme(redraw: () => void): () => void {
  const { dataset } = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = remembered();
  const apply = (): void => {
    dataset.theme = chosen ?? (system.matches ? "dark" : "light");
    redraw();
  };
  system.addEventListener("change", apply);
  apply();
  return () => {
    chosen = dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(THEME, chosen);
    } catch {
      // then it is not remembered
    }
    apply();
  };
}

function start(): void {
  const model = readModel();
  const view = new View(model);
  const app = document.getElementById("app")!;
  const tabs = h("nav", { class: "tabs", "aria-label": "Findings" });
  const page = h("main", { class: "finding" });
  const open = (finding: number): void => view.show(finding);
  // First of all: the parts measure themselves when they draw, so they must be in the page by then.
  view.subscribe((change) => {
    if (change !== "finding") return;
    tabs.replaceChildren(
      ...model.findings.map((finding, index) =>
        h(
          "button",
          { "aria-current": view.finding === index ? "page" : undefined, click: () => open(index), title: finding.message },
          h("span", { class: "kind" }, `${index + 1} ${finding.kind}`),
          h("span", { class: "place" }, finding.location.text === "??" ? "" : finding.location.text),
        ),
      ),
      h("button", { "aria-current": view.finding < 0 ? "page" : undefined, click: () => open(-1) }, h("span", { class: "kind" }, "Exploration"), h("span", { class: "place" }, model.result ? counted(model.result.executions, "execution") : "")),
    );
    if (view.finding >= 0) page.replaceChildren(why.element, left, right);
    else page.replaceChildren(exploration(model, open));
    page.className = view.finding >= 0 ? "finding" : "search";
  });

  const why = new Why(view);
  const filters = new Filters(view);
  const timeline = new Timeline(view);
  const stepper = new Stepper(view);
  const sources = new Sources(view);
  const values = new Values(view);
  const theme = startTheme(() => view.run && view.goTo(view.cursor));

  const left = h("div", { class: "left" }, filters.element, timeline.element, stepper.element);
  const right = h("div", { class: "right" }, sources.element, values.element);
  const { toggleHelp } = listenToKeys(view, timeline, filters, {
    theme,
    finding: (by) => {
      const count = model.findings.length + 1; // the exploration is the last
      const now = view.finding < 0 ? count - 1 : view.finding;
      const next = (now + by + count) % count;
      open(next === count - 1 ? -1 : next);
    },
  });

  const header = h(
    "header",
    { class: "top" },
    h("b", { class: "brand" }, "treadle"),
    h("span", { class: "program", title: model.program }, programName(model.program)),
    model.result && h("span", { class: `verdict ${model.result.verdict}` }, model.result.verdict === "bugs" ? counted(model.findings.length, "finding") : model.result.verdict),
    h("span", { class: "covers", title: model.result?.covers }, model.result ? `covers ${model.result.covers}` : ""),
    h("button", { title: "Light or dark (d)", "aria-label": "Light or dark", click: theme }, "◐"),
    h("button", { title: "Keys (?)", "aria-label": "Keys", click: toggleHelp }, "?"),
  );

  app.append(header, tabs, page);
  preparePrinting(view, app);
  const show = (): void => {
    open(model.findings.length > 0 ? 0 : -1);
    if (view.run) timeline.focus();
    document.documentElement.dataset.ready = "yes";
  };
  if (model.findings.length === 0) return show();
  // What happened stands there before the execution is unpacked, however long that is.
  page.append(h("div", { class: "why" }, headline(model.findings[0])));
  requestAnimationFrame(() => setTimeout(show));
}

try {
  start();
} catch (problem) {
  document.getElementById("app")!.append(h("p", { class: "problem" }, `This report cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`));
  throw problem;
}
