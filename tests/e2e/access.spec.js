// For everyone: what axe finds, the keyboard alone, large type, less motion, few bytes, and how long an answer takes.
import AxeBuilder from "@axe-core/playwright";
import { gzipSync } from "node:zlib";
import { expect, test } from "./fixtures.js";
import { SEVEN, draw, open, settledOn, settledPixels, status } from "./lab.js";

/** Opens everything on the page that folds. */
async function unfold(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing serious with everything open, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(120_000);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page);
    await settledOn(page, "cpu");
    await unfold(page);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const told = serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
    console.log(`axe, ${colorScheme}: ${violations.length} findings, ${serious.length} of them serious`);
    expect(told).toEqual([]);
  });
}

test("the keyboard alone draws, steps the iterations, bends a pose and trains a step", async ({ page }) => {
  test.setTimeout(120_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await settledOn(page, "cpu");
  // Tab reaches the pad, and its focus can be seen.
  const pad = page.getByRole("application", { name: "Draw pad" });
  const isFocused = (control) => control.evaluate((element) => element === document.activeElement);
  for (let tabs = 0; tabs < 60 && !(await isFocused(pad)); tabs++) await page.keyboard.press("Tab");
  expect(await isFocused(pad), "Tab reaches the pad").toBe(true);
  expect(await pad.evaluate((element) => getComputedStyle(element).outlineStyle)).not.toBe("none");
  // A one: down through the middle.
  await page.keyboard.press("Enter");
  for (let steps = 0; steps < 12; steps++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(status(page, "Prediction")).toContainText("1");

  const tabTo = async (control, what) => {
    for (let tabs = 0; tabs < 600 && !(await isFocused(control)); tabs++) await page.keyboard.press("Tab");
    expect(await isFocused(control), `Tab reaches ${what}`).toBe(true);
  };
  const iteration = page.getByRole("slider", { name: "Iteration", exact: true });
  await tabTo(iteration, "the scrubber");
  await page.keyboard.press("Home");
  await expect(iteration).toHaveValue("1");
  await page.keyboard.press("ArrowRight");
  await expect(iteration).toHaveValue("2");

  const before = await settledPixels(page, "Reconstruction");
  const dimension = page.getByRole("slider", { name: "Pose dimension 1", exact: true });
  await tabTo(dimension, "the first pose dimension");
  await page.keyboard.press("End");
  await expect.poll(() => settledPixels(page, "Reconstruction")).not.toBe(before);

  const step = page.getByRole("button", { name: "Step", exact: true });
  const network = page.getByRole("region", { name: "Training", exact: true }).getByRole("combobox", { name: "Network" });
  await tabTo(network, "the choice of network");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+Tab");
  await tabTo(step, "Step");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Training", exact: true })).toHaveAttribute("data-step", "1", { timeout: 60_000 });
  await expect(status(page, "Training status")).toContainText("Paused.");
});

test("at 200 % zoom nothing is cut off and nothing scrolls sideways", async ({ page }) => {
  // 200 % of a 1280 pixel wide window lays the page out in 640 pixels, each as large as two.
  await page.setViewportSize({ width: 640, height: 400 });
  await open(page);
  await unfold(page);
  const [scrolled, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect(scrolled).toBeLessThanOrEqual(shown);
  const cut = await page.evaluate(() =>
    Array.from(document.querySelectorAll("button, select, input"))
      .filter((control) => control.checkVisibility() && control.type !== "file" && control.type !== "range")
      .map((control) => [control.getAttribute("aria-label") ?? control.textContent, control.getBoundingClientRect()])
      .filter(([, box]) => box.width > 1 && (box.left < -1 || box.right > window.innerWidth + 1))
      .map(([name]) => name));
  expect(cut).toEqual([]);
});

test("less motion: nothing plays by itself, and a play jumps", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await settledOn(page, "cpu");
  const play = page.getByRole("button", { name: "Play routing" });
  await expect(play).toHaveAttribute("aria-pressed", "false");
  await expect(page.getByRole("slider", { name: "Iteration", exact: true })).toHaveValue("3");
  const moving = await page.evaluate(() =>
    document.getAnimations().filter(({ playState, effect }) => playState === "running" && effect.getTiming().duration > 1).length);
  expect(moving).toBe(0);
});

test("every picture's numbers can be reached as text", async ({ page }) => {
  await open(page);
  await settledOn(page, "cpu");
  for (const name of ["Input", "Routing", "Pose", "Training", "Under the hood"]) {
    const region = page.getByRole("region", { name, exact: true });
    const pictures = await region.getByRole("img").count();
    if (pictures === 0) continue;
    const ways = await region.evaluate((element) =>
      element.querySelectorAll("details table").length +
      Array.from(element.querySelectorAll("button, summary, a")).filter((way) => /CSV|number/i.test(way.textContent)).length);
    expect(ways, `${name}: ${pictures} pictures`).toBeGreaterThan(0);
  }
});

test("the first true picture takes at most 3 MB", async ({ page }) => {
  const bodies = new Map();
  const pending = [];
  let done = false;
  page.on("response", (response) => {
    if (!done && response.ok()) {
      pending.push(response.body().then((body) => bodies.set(response.url(), body)).catch(() => {}));
    }
  });
  await open(page);
  done = true;
  await Promise.all(pending);
  // What a worker asks for passes the page by: its files are asked for here.
  const engine = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  const requested = new Set([...bodies.keys(), ...engine]);
  for (const url of requested) {
    if (!bodies.has(url)) bodies.set(url, Buffer.from(await (await page.request.get(url)).body()));
  }
  let sum = 0;
  for (const [url, body] of bodies) {
    const size = gzipSync(body, { level: 9 }).length;
    sum += size;
    console.log(`${String(size).padStart(9)} ${new URL(url).pathname.split("/").slice(2).join("/") || "./"}`);
  }
  console.log(`${String(sum).padStart(9)} bytes before the first true picture`);
  const names = [...bodies.keys()].join("\n");
  expect(names, "the engine is counted").toContain("engine_bg.wasm");
  expect(names, "the network is counted").toContain("compact.safetensors");
  expect(sum).toBeLessThanOrEqual(3_000_000);
});

test("how long a stroke and a slider take is on the browser's own timeline", async ({ page }) => {
  test.setTimeout(120_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await settledOn(page, "cpu");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await draw(page, SEVEN);
  await expect(status(page, "Prediction")).toContainText("7");
  const dimension = page.getByRole("slider", { name: "Pose dimension 3", exact: true });
  await dimension.focus();
  for (let steps = 0; steps < 25; steps++) {
    await page.keyboard.press(steps % 2 ? "ArrowLeft" : "ArrowRight");
    await page.waitForTimeout(40);
  }
  const durations = (name) => page.evaluate((name) => performance.getEntriesByName(name, "measure").map(({ duration }) => duration), name);
  for (const [name, atLeast] of [["draw-to-lengths", 3], ["slider-to-picture", 10]]) {
    await expect.poll(async () => (await durations(name)).length).toBeGreaterThanOrEqual(atLeast);
    const sorted = (await durations(name)).sort((a, b) => a - b);
    const [median, late] = [0.5, 0.95].map((part) => sorted[Math.floor(part * (sorted.length - 1))]);
    console.log(`${name}: ${sorted.length} times, median ${median.toFixed(0)} ms, p95 ${late.toFixed(0)} ms`);
    // Generous: the machine that tests may be busy with something else. What is promised is 100 and 50 ms.
    expect(median).toBeLessThan(2_000);
  }
});
