// SPDX-License-Identifier: Apache-2.0
// The HTML report of an execution of 100,000 events in headless Chromium: size, first paint, time of a step.
//   node bench/html_report.mjs BUILD
// Wanted: at most 10 MB, 1 s, 50 ms. Times are of the page's own processor time too, because a busy machine slows the clock only.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const build = resolve(process.argv[2] ?? "build");
const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(build, "web", "package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "treadle-bench-"));
const STEPS = 30;

const row = (what, value, wanted, holds) => console.log(`| ${what} | ${value} | ${wanted} | ${wanted === "" ? "" : holds ? "yes" : "**no**"} |`);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

try {
  const page_file = join(folder, "report.html");
  const program = join(folder, "many_events");
  execFileSync(join(build, "bin", "treadle"), ["cc", "-g", "-O1", join(here, "programs", "many_events.c"), "-o", program, "-pthread"]);
  spawnSync(join(build, "bin", "treadle"), ["check", "--strategy", "random", "--max-executions", "1", "--html", page_file, program], { cwd: folder });
  console.log("| figure | value | wanted | holds |\n|---|---|---|---|");
  const megabytes = statSync(page_file).size / 1e6;
  row("size of the page, MB", megabytes.toFixed(1), "<= 10", megabytes <= 10);

  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-background-networking"] });
  const paints = [];
  let page, busy, loading;
  for (let i = 0; i < 5; i++) {
    await page?.context().close();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    busy = async () => (await session.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration").value * 1000;
    await page.goto(`file://${page_file}`);
    await page.waitForSelector("html[data-ready]");
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    loading = await busy();
  }
  row("events", await page.locator(".count").innerText(), "", true);
  row("processor time of the page until everything stands, ms", loading.toFixed(0), "<= 1000", loading <= 1000);
  row("first contentful paint, ms, median of 5", median(paints).toFixed(0), "<= 1000", median(paints) <= 1000);

  await page.keyboard.press("3");
  for (const [what, from, key] of [["a step", "Home", "j"], ["a step back", "End", "k"], ["a screen", "Home", "PageDown"]]) {
    await page.keyboard.press(from);
    const before = await busy();
    const times = await page.evaluate(
      async ([key, steps]) => {
        const times = [];
        for (let i = 0; i < steps; i++) {
          const start = performance.now();
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          times.push(performance.now() - start);
        }
        return times;
      },
      [key, STEPS],
    );
    const cost = ((await busy()) - before) / STEPS;
    row(`${what}: processor time of the page, ms, mean of ${STEPS}`, cost.toFixed(1), "<= 50", cost <= 50);
    row(`${what}: until it is drawn, ms, median`, median(times).toFixed(1), "<= 50", median(times) <= 50);
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
