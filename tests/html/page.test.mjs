// SPDX-License-Identifier: Apache-2.0
// The page of the HTML report in a browser: keys, clicks, filters, both themes, layout, paper.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const programs = join(here, "..", "programs");
const { TREADLE, TREADLE_WEB, TREADLE_PAGES } = process.env;
const { chromium } = createRequire(join(TREADLE_WEB, "package.json"))("playwright-core");
const WIDE = { width: 1440, height: 900 };

/** Two findings, one about a variable and one about locks, and an exploration that went on to its end. */
const BANK = `#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;
static void *deposit(void *unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  balance += 50;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
static void *withdraw(void *unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  balance -= 30;
  return 0;
}
int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, deposit, 0);
  pthread_create(&second, 0, withdraw, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
`;

function made(name, source, ...options) {
  mkdirSync(TREADLE_PAGES, { recursive: true });
  const file = join(TREADLE_PAGES, `${name}.html`);
  const run = spawnSync(TREADLE, ["check", ...options, "--html", file, source], { cwd: TREADLE_PAGES, encoding: "utf8" });
  assert.ok(run.status === 0 || run.status === 1, run.stdout + run.stderr);
  return file;
}

/** Two inputs and a schedule: three ways at least, one of which fails. */
const ASKED = `#include <assert.h>
#include <pthread.h>
#include <treadle/treadle.h>
static _Atomic int ready;
static void *set(void *unused) {
  ready = 1;
  return unused;
}
int main(void) {
  int x = treadle_input_range("x", 0, 9);
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  int seen = 0;
  if (x == 7)
    seen = ready;
  pthread_join(thread, 0);
  assert(!seen);
  return 0;
}
`;

let browser;
let bank;
let buffers;
let asked;

before(async () => {
  mkdirSync(TREADLE_PAGES, { recursive: true });
  const source = join(TREADLE_PAGES, "bank.c");
  writeFileSync(source, BANK);
  bank = made("bank", source, "--json", join(TREADLE_PAGES, "bank.json"));
  const asking = join(TREADLE_PAGES, "asked.c");
  writeFileSync(asking, ASKED);
  asked = made("asked", asking, "--strategy", "mpc", "--coverage");
  buffers = made("buffers", join(programs, "store_buffering.c"), "--strategy", "exhaustive", "--model", "tso", "--stop-at-first");
  browser = await chromium.launch({
    executablePath: ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--disable-dev-shm-usage"],
  });
});
after(() => browser?.close());

/** A page of its own, which must neither complain nor ask the network for anything. */
async function opened(file, use, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => request.url().startsWith("file:") || complaints.push(`asked for ${request.url()}`));
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready]");
  await use(page);
  await context.close();
  assert.deepEqual(complaints, []);
}

const current = (page) => page.locator(".row.current").getAttribute("aria-label");
const words = (page) => page.locator(".words").innerText();
const rows = (page) => page.locator(".row").count();
const named = (page, kind) => page.locator(".tabs button", { hasText: kind });

test("opens where it goes wrong and says what happened", () =>
  opened(bank, async (page) => {
    await named(page, "data-race").click();
    assert.match(await page.locator(".why .message").innerText(), /data race on balance/);
    assert.equal(await page.locator(".card.part").count(), 2);
    assert.match(await current(page), /balance/);
    assert.match(await page.locator(".card.again code").innerText(), /^treadle replay .*data-race-.*witness$/);
    assert.equal(await page.locator(".row.named").count(), 2);
    const inSight = () => {
      const row = document.querySelector(".row.current").getBoundingClientRect();
      const list = document.querySelector(".scroller").getBoundingClientRect();
      return row.top >= list.top && row.bottom <= list.bottom;
    };
    assert.ok(await page.evaluate(inSight));
    await page.setViewportSize({ width: 1100, height: 620 });
    await page.waitForFunction(inSight);
  }));

test("tells who wrote what was read", () =>
  opened(bank, async (page) => {
    await named(page, "data-race").click();
    const reads = page.locator(".card.reads");
    if ((await reads.count()) === 0) return; // the two accesses are writes
    assert.match(await reads.innerText(), /written by|initial value/);
  }));

test("steps forwards and backwards with the keyboard", () =>
  opened(bank, async (page) => {
    await page.keyboard.press("Home");
    const first = await words(page);
    await page.keyboard.press("ArrowDown");
    const second = await words(page);
    assert.notEqual(first, second);
    await page.keyboard.press("j");
    assert.notEqual(await words(page), second);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("k");
    assert.equal(await words(page), first);
    await page.keyboard.press("End");
    const last = await words(page);
    await page.keyboard.press("ArrowDown");
    assert.equal(await words(page), last, "the end is the end");
  }));

test("goes from a read to the write that it saw", () =>
  opened(buffers, async (page) => {
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    assert.match(await words(page), /read overlooked.*written by 0\.\d/);
    await page.keyboard.press("w");
    assert.match(await words(page), /write overlooked/);
  }));

test("lists more or less of the execution, by key and by click", () =>
  opened(bank, async (page) => {
    const few = await rows(page);
    await page.keyboard.press("3");
    const all = await rows(page);
    assert.ok(all > few);
    await page.getByRole("button", { name: "What matters" }).click();
    assert.equal(await rows(page), few);
  }));

test("filters by thread and by variable, and Escape takes it back", () =>
  opened(bank, async (page) => {
    await page.keyboard.press("3");
    const all = await rows(page);
    await page.getByRole("button", { name: "Thread 0.1" }).click();
    assert.equal(await page.locator(".lane-heads .head", { hasText: "0.1" }).count(), 0);
    assert.ok((await rows(page)) < all);
    await page.getByRole("button", { name: "Thread 0.1" }).click();
    assert.equal(await rows(page), all);
    await page.keyboard.press("/");
    await page.keyboard.type("bal");
    for (const label of await page.locator(".row:not(.end):not(.pending) .what b").allInnerTexts()) assert.match(label, /balance/);
    await page.keyboard.press("Escape");
    assert.equal(await rows(page), all);
  }));

test("shows values, locks and lines as they were at each step", () =>
  opened(bank, async (page) => {
    await named(page, "data-race").click();
    await page.keyboard.press("3");
    await page.locator('.row[aria-label*="write balance"]').first().click();
    assert.match(await page.locator(".values tr.touched").innerText(), /balance\s+(150|70)/);
    await page.locator('.row[aria-label*="lock a"]').first().click();
    assert.match(await page.getByLabel("Locks held").innerText(), /holds\s*a/);
    assert.match(await page.locator(".pane.active .line.here code").first().innerText(), /pthread_mutex_lock/);
    assert.match(await page.locator(".pane.active .note").innerText(), /lock a/);
  }));

test("shows stores that wait in their buffers", () =>
  opened(buffers, async (page) => {
    await page.keyboard.press("2");
    const store = page.locator('.row[aria-label*="into its store buffer"]').first();
    await store.click();
    assert.match(await page.getByLabel("Store buffers").innerText(), /seen by nobody else yet/);
    assert.ok((await page.locator("rect.buffer").count()) > 0);
    await page.keyboard.press("End");
    assert.match(await page.getByLabel("Store buffers").innerText(), /every store has reached memory/);
  }));

test("draws locks held, switches that matter and who waits for whom", () =>
  opened(bank, async (page) => {
    await named(page, "deadlock").click();
    assert.ok((await page.locator("rect.band").count()) >= 2);
    assert.ok((await page.locator("path.switch.matters").count()) >= 1);
    assert.equal(await page.locator("path.arrow.waits").count(), 2);
    await page.keyboard.press("3");
    assert.ok((await page.locator("path.arrow.synchronises").count()) >= 2);
  }));

test("tells about the exploration", () =>
  opened(bank, async (page) => {
    await named(page, "Exploration").click();
    const text = await page.locator(".exploration").innerText();
    for (const part of [/Bugs found/, /Covers all schedules/, /executions/, /strategy/, /When they were found/]) assert.match(text, part);
    await page.locator(".first-seen .mark circle").first().click();
    assert.equal(await page.locator(".tabs button").first().getAttribute("aria-current"), "page");
  }));

for (const colorScheme of ["light", "dark"])
  test(`shows the paths of a search as a tree that opens, ${colorScheme}`, () =>
    opened(
      asked,
      async (page) => {
        await named(page, "Exploration").click();
        const tree = page.locator(".paths");
        assert.match(await tree.innerText(), /asked\.c:14 true.*x(\[31:0\])? == 7/);
        assert.ok((await tree.locator(".leaf").count()) >= 3);
        const failing = tree.locator(".leaf.failing");
        assert.equal(await failing.count(), 1);
        assert.match(await failing.innerText(), /assertion failed.*x = 7/s);
        assert.deepEqual(await page.evaluate(layoutProblems), []);
        // Closed and opened by hand, and all at once.
        await tree.locator("summary").first().click();
        assert.ok(!(await tree.locator("details").first().evaluate((one) => one.open)));
        await page.getByText("open all").click();
        assert.ok(await tree.locator("details").evaluateAll((all) => all.every((one) => one.open)));
        await page.getByText("close all").click();
        assert.ok(await tree.locator("details").evaluateAll((all) => all.every((one) => !one.open)));
        await page.getByText(/^only the 1 that fail/).click();
        assert.equal(await tree.locator(".leaf:not(.failing)").count(), 0);
        await page.getByText(/^only the 1 that fail/).click();
        await page.screenshot({ path: join(TREADLE_PAGES, `paths-${colorScheme}.png`) });
        assert.match(await page.locator(".coverage").innerText(), /ways of branches taken/);
        await page.getByText("open all").click();
        await failing.locator("button").click();
        assert.equal(await page.locator(".tabs button").first().getAttribute("aria-current"), "page");
      },
      { colorScheme },
    ));

test("lets keys walk the tree of paths", () =>
  opened(asked, async (page) => {
    await named(page, "Exploration").click();
    const first = page.locator(".paths summary").first();
    await first.focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const begin = await focused();
    await page.keyboard.press("ArrowLeft");
    assert.ok(!(await page.locator(".paths details").first().evaluate((one) => one.open)));
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.locator(".paths details").first().evaluate((one) => one.open));
    await page.keyboard.press("ArrowRight");
    const below = await focused();
    assert.notEqual(below, begin);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    assert.equal(await focused(), begin);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), begin);
  }));

test("prints every path", () =>
  opened(asked, async (page) => {
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    const paper = page.locator(".paper .tree");
    assert.ok(await paper.locator("details").evaluateAll((all) => all.length > 0 && all.every((one) => one.open)));
    assert.equal(await paper.locator("button").count(), 0);
    assert.match(await paper.evaluate((one) => one.textContent), /assertion failed/);
  }));

test("is usable without a mouse", () =>
  opened(bank, async (page) => {
    assert.equal(await page.evaluate(() => document.activeElement?.className), "scroller");
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog.help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("dialog.help").isVisible()));
    await page.keyboard.press(".");
    assert.equal(await page.locator(".tabs button").nth(1).getAttribute("aria-current"), "page");
    // Every control can be reached, and one sees where one is.
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      const [text, name] = await page.evaluate(() => [document.activeElement?.textContent?.trim() ?? "", document.activeElement?.className ?? ""]);
      reached.add(text).add(name);
    }
    for (const control of ["Shared", "Everything", "copy", "Exploration", "scroller"])
      assert.ok([...reached].some((text) => text.startsWith(control)), `${control} cannot be reached`);
  }));

test("remembers nothing that was not chosen and follows the system's theme", () =>
  opened(
    bank,
    async (page) => {
      assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
      await page.keyboard.press("d");
      assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
    },
    { colorScheme: "dark" },
  ));

/** What is wrong with the layout, in sentences. */
function layoutProblems() {
  const problems = [];
  const box = (element) => element.getBoundingClientRect();
  const describe = (element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className} "${(element.textContent ?? "").trim().slice(0, 30)}"`;
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is ${document.documentElement.scrollWidth} wide`);

  // Parts side by side do not cover each other, and are in sight.
  const parts = [...document.querySelectorAll(".top, .tabs, .why, .left, .sources, .values, .exploration")].filter((part) => box(part).height > 0);
  for (const [i, part] of parts.entries()) {
    const a = box(part);
    if (a.left < -1 || a.right > innerWidth + 1) problems.push(`${describe(part)} is outside`);
    for (const other of parts.slice(i + 1)) {
      const b = box(other);
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) problems.push(`${describe(part)} and ${describe(other)} overlap`);
    }
  }
  // Controls do not overlap, and none is cut off by its toolbar.
  for (const bar of document.querySelectorAll(".top, .filters, .stepper")) {
    const controls = [...bar.querySelectorAll("button, input, .count, .words, .program")];
    for (const [i, control] of controls.entries()) {
      const a = box(control);
      if (a.right > box(bar).right + 1 || a.bottom > box(bar).bottom + 1) problems.push(`${describe(control)} leaves its bar`);
      for (const other of controls.slice(i + 1)) {
        const b = box(other);
        if (a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2) problems.push(`${describe(control)} and ${describe(other)} overlap`);
      }
    }
  }
  // Text can be told from what is behind it.
  const channel = (value) => ((value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 200) return colour;
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  for (const element of document.querySelectorAll("#app *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || box(element).height === 0 || element.closest("svg")) continue;
    const colour = getComputedStyle(element).color;
    const ground = behind(element);
    const [a, b] = [light(rgba(colour)), light(ground)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    const key = `${colour} on ${ground}`;
    if (contrast < 4.4 && !seen.has(key)) problems.push(`${describe(element)}: contrast ${contrast.toFixed(1)} (${key})`);
    seen.add(key);
  }
  return problems;
}

for (const [theme, size] of [
  ["light", WIDE],
  ["dark", WIDE],
  ["light", { width: 1920, height: 1080 }],
  ["dark", { width: 1024, height: 720 }],
  ["light", { width: 640, height: 900 }],
])
  test(`keeps everything in its place and legible: ${theme}, ${size.width} x ${size.height}`, () =>
    opened(
      bank,
      async (page) => {
        for (const finding of [0, 1, 2]) {
          await page.locator(".tabs button").nth(finding).click();
          assert.deepEqual(await page.evaluate(layoutProblems), [], `tab ${finding}`);
          await page.screenshot({ path: join(TREADLE_PAGES, `bank-${finding}-${theme}-${size.width}.png`) });
        }
      },
      { viewport: size, colorScheme: theme },
    ));

test("prints every finding with its steps, in black on white", () =>
  opened(
    bank,
    async (page) => {
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".paper article").count(), 3);
      assert.ok(await page.locator(".paper .steps").first().isVisible());
      assert.ok(!(await page.locator("#app").isVisible()));
      const pdf = await page.pdf({ format: "A4" });
      assert.ok(pdf.length > 10_000);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    },
    { colorScheme: "dark" },
  ));

/** Too many schedules to finish in the time. */
const COUNTING = `#include <pthread.h>
static _Atomic int counter;
static void *add(void *unused) {
  for (int i = 0; i < 40; i++) counter++;
  return 0;
}
int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, add, 0);
  pthread_create(&second, 0, add, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
`;

test("draws the executions over time, with what was thought to be the whole", async () => {
  const source = join(TREADLE_PAGES, "counting.c");
  writeFileSync(source, COUNTING);
  const page = made("counting", source, "--strategy", "optimal", "--max-time", "2s");
  await opened(page, async (page) => {
    const picture = page.locator(".over-time");
    assert.match(await picture.getAttribute("aria-label"), /^Executions over time: [\d,]+ in /);
    const points = (await picture.locator(".made").getAttribute("points")).split(" ").map((point) => point.split(",").map(Number));
    assert.ok(points.length > 3);
    assert.ok(points.every(([x, y]) => x >= 0 && x <= 1000 && y >= 0 && y <= 240));
    assert.ok(points.every(([x, y], index) => index === 0 || (x >= points[index - 1][0] && y <= points[index - 1][1])), "never back");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  });
});

test("prints the order that passed and the one that fails side by side", async () => {
  const file = join(TREADLE_PAGES, "predicted.html");
  const source = join(TREADLE_PAGES, "predicted.c");
  writeFileSync(source, BANK); // under another name: witnesses are called after the program
  const run = spawnSync(TREADLE, ["predict", "--html", file, source], { cwd: TREADLE_PAGES, encoding: "utf8" });
  assert.equal(run.status, 1, run.stdout + run.stderr);
  await opened(file, async (page) => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    const both = page.locator(".paper .orders").first().locator("section");
    assert.equal(await both.count(), 2);
    const [left, right] = [await both.nth(0).boundingBox(), await both.nth(1).boundingBox()];
    assert.ok(left.x + left.width <= right.x, "beside each other");
    assert.equal(left.y, right.y);
    assert.ok((await both.nth(1).locator("li").count()) > 1);
  });
});

test("is made again from the JSON of a search, and from a witness", () => {
  const again = join(TREADLE_PAGES, "again.html");
  execFileSync(TREADLE, ["report", "bank.json", "--html", again], { cwd: TREADLE_PAGES, stdio: "pipe" });
  assert.equal(readFileSync(again, "utf8"), readFileSync(bank, "utf8"));
  const { findings } = JSON.parse(readFileSync(join(TREADLE_PAGES, "bank.json"), "utf8"));
  execFileSync(TREADLE, ["report", findings[0].witness, "--html", again], { cwd: TREADLE_PAGES, stdio: "pipe" });
  return opened(again, async (page) => assert.match(await page.locator(".why .kind").innerText(), new RegExp(findings[0].kind)));
});

test("is refused in one sentence where there is nothing to show", () => {
  const refused = (...words) => {
    const run = spawnSync(TREADLE, ["report", ...words], { cwd: TREADLE_PAGES, encoding: "utf8" });
    assert.equal(run.status, 2, run.stdout + run.stderr);
    return run.stderr;
  };
  writeFileSync(join(TREADLE_PAGES, "no.json"), "{}");
  assert.match(refused("no.json", "--html", "x.html"), /not a result of/);
  assert.match(refused("gone.json", "--html", "x.html"), /cannot read|cannot open|No such file/);
  assert.match(refused("bank.json"), /--html FILE is missing/);
});
