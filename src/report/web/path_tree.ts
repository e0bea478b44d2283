// SPDX-License-Identifier: Apache-2.0
// The paths that a search executed, as a tree that opens: first the turns of the first thread, then those of the next; a leaf is a path.
// Only turns at which paths part are shown. What is closed is not in the page yet: there may be thousands of paths.
import { counted, h } from "./dom";
import { ListedPath, Model, PathList, PathTurn } from "./model";

interface Node {
  thread: string;
  turn: number;
  children: Map<string, Node>;
  paths: number[]; // that end here
  count: number; // of paths below
  failing: number;
}

const OPEN_LEVELS = 3;
const MOST_ON_PAPER = 500;

const nodeOf = (thread: string, turn: number): Node => ({ thread, turn, children: new Map(), paths: [], count: 0, failing: 0 });

function treeOf(list: PathList, failingOnly: boolean): Node {
  const root = nodeOf("", -1);
  list.paths.forEach((path, number) => {
    if (failingOnly && path.findings.length === 0) return;
    let at = root;
    const pass = (): void => {
      at.count++;
      if (path.findings.length > 0) at.failing++;
    };
    pass();
    for (const { thread, turns } of path.threads)
      for (const turn of turns) {
        const key = `${thread} ${turn}`;
        let next = at.children.get(key);
        if (!next) at.children.set(key, (next = nodeOf(thread, turn)));
        at = next;
        pass();
      }
    at.paths.push(number);
  });
  return root;
}

/** The next node at which paths part or end. */
function parting(node: Node): Node {
  while (node.children.size === 1 && node.paths.length === 0) node = [...node.children.values()][0];
  return node;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function turnText(turn: PathTurn): string {
  const place = turn.place.file ? `${fileName(turn.place.file)}:${turn.place.line}` : turn.place.function;
  const kind = turn.kind === "assume" ? "assumed" : turn.kind === "pin" ? "taken as it was" : turn.way;
  return `${place}${kind ? ` ${kind}` : ""}${turn.condition ? `: ${turn.condition}` : ""}`;
}

/** The finding's number in the page: a report made later may lack one that does not show any more. */
function shownFinding(model: Model, finding: number): number {
  const written = model.result?.findings ?? [];
  if (written.length === model.findings.length) return finding;
  const { witness } = (written[finding] ?? {}) as { witness?: string };
  return model.findings.findIndex((one) => witness !== undefined && (one.witness === witness || one.witness.endsWith(`/${witness}`)));
}

class Tree {
  constructor(
    private readonly model: Model,
    private readonly list: PathList,
    private readonly open: (finding: number) => void,
    private readonly onPaper: boolean,
  ) {}

  private leaf(number: number): HTMLElement {
    const path: ListedPath = this.list.paths[number];
    const inputs = path.inputs.map((input) => `${input.name} = ${input.value}`).join(", ");
    const links = path.findings.map((finding) => {
      const shown = shownFinding(this.model, finding);
      const text = `finding ${finding + 1}`;
      return shown < 0 || this.onPaper ? h("span", { class: "failing" }, ` ${text}`) : h("button", { class: "link", click: () => this.open(shown) }, text);
    });
    return h(
      "div",
      { class: `leaf${path.findings.length > 0 ? " failing" : ""}${path.counts ? "" : " none"}`, tabindex: -1, role: "treeitem" },
      h("b", {}, `path ${number + 1}`),
      ` ${path.ended}`,
      ...links,
      inputs !== "" && h("code", {}, inputs),
    );
  }

  private branch(node: Node, depth: number): HTMLElement {
    const below = h("div", { class: "below", role: "group" });
    let made = false;
    const make = (): void => {
      if (made) return;
      made = true;
      below.append(...this.below(node, depth + 1));
    };
    const many = node.failing > 0 ? `, ${node.failing.toLocaleString("en")} failing` : "";
    const summary = h(
      "summary",
      { class: node.failing > 0 ? "failing" : undefined, tabindex: -1, role: "treeitem" },
      h("span", { class: "who" }, node.thread),
      ` ${turnText(this.list.turns[node.turn])} `,
      h("span", { class: "nothing" }, `${counted(node.count, "path")}${many}`),
    );
    const details = h("details", { open: this.onPaper || depth < OPEN_LEVELS }, summary, below);
    details.addEventListener("toggle", () => details.open && make());
    if (details.open) make();
    return details;
  }

  below(node: Node, depth: number): HTMLElement[] {
    const at = parting(node);
    return [...at.paths.map((path) => this.leaf(path)), ...[...at.children.values()].map((child) => this.branch(child, depth))];
  }
}

/** Arrows walk the tree as they do in any other: up and down what is in sight, right opens, left closes or goes to where it hangs. */
function walk(tree: HTMLElement, event: KeyboardEvent): void {
  const item = (event.target as HTMLElement).closest<HTMLElement>("[role=treeitem]");
  if (!item) return;
  const items = [...tree.querySelectorAll<HTMLElement>("[role=treeitem]")].filter((one) => one.offsetParent !== null);
  const focus = (one: HTMLElement | null | undefined): void => {
    if (!one) return;
    items.forEach((other) => (other.tabIndex = -1));
    one.tabIndex = 0;
    one.focus();
  };
  const details = item.tagName === "SUMMARY" ? (item.parentElement as HTMLDetailsElement) : null;
  const at = items.indexOf(item);
  if (event.key === "ArrowDown") focus(items[at + 1]);
  else if (event.key === "ArrowUp") focus(items[at - 1]);
  else if (event.key === "Home") focus(items[0]);
  else if (event.key === "End") focus(items[items.length - 1]);
  else if (event.key === "ArrowRight" && details && !details.open) details.open = true;
  else if (event.key === "ArrowRight" && details) focus(items[at + 1]);
  else if (event.key === "ArrowLeft" && details?.open) details.open = false;
  else if (event.key === "ArrowLeft") focus((details ?? item).parentElement?.closest("details")?.querySelector<HTMLElement>("summary"));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

const closedOrOpen = (tree: HTMLElement, openAll: boolean): HTMLDetailsElement[] => [...tree.querySelectorAll("details")].filter((one) => one.open !== openAll);

export function pathTree(model: Model, open: (finding: number) => void, onPaper = false): HTMLElement | null {
  const list = model.result?.path_list;
  if (!list || list.paths.length === 0) return null;
  const tree = h("div", { class: "paths", role: "tree", "aria-label": "Paths" });
  let failingOnly = onPaper && list.paths.length > MOST_ON_PAPER;
  const fill = (): void => {
    tree.replaceChildren(...new Tree(model, list, open, onPaper).below(treeOf(list, failingOnly), 0));
    const first = tree.querySelector<HTMLElement>("[role=treeitem]");
    if (first) first.tabIndex = 0;
  };
  fill();
  tree.addEventListener("keydown", (event) => walk(tree, event));
  const count = list.paths.filter((path) => path.counts).length;
  const failing = list.paths.filter((path) => path.findings.length > 0).length;
  const none = list.paths.length - count;
  const sentence = [
    none > 0 && `${counted(none, "execution")} more ${none === 1 ? "was" : "were"} ended by an assumption, a bound or a standstill`,
    list.left_out > 0 && `${counted(list.left_out, "more path")} ${list.left_out === 1 ? "is" : "are"} not listed`,
    onPaper && failingOnly && "on paper only those that fail",
  ].filter(Boolean);
  const only = h("button", { class: "only", "aria-pressed": "false", click: () => ((failingOnly = !failingOnly), only.setAttribute("aria-pressed", String(failingOnly)), fill()) }, `only the ${failing.toLocaleString("en")} that fail`);
  const all = (openAll: boolean): void => {
    // What opens brings forth what is below it.
    for (let some = closedOrOpen(tree, openAll); some.length > 0; some = closedOrOpen(tree, openAll))
      for (const one of some) {
        one.open = openAll;
        if (openAll) one.dispatchEvent(new Event("toggle"));
      }
  };
  return h(
    "section",
    { class: "card tree" },
    h("h2", {}, counted(count, "path")),
    sentence.length > 0 && h("p", {}, `${sentence.join("; ")}.`),
    !onPaper && h("p", { class: "actions" }, h("button", { click: () => all(true) }, "open all"), h("button", { click: () => all(false) }, "close all"), failing > 0 && only),
    tree,
  );
}
