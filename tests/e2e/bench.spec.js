// What programs that time the page rely on.
import { expect, test } from "./fixtures.js";
import { open } from "./lab.js";
import { readFileSync } from "node:fs";

test("?bench offers functions that time training steps and single images", async ({ page }) => {
  await page.goto("./?bench&device=cpu");
  await page.waitForFunction(() => typeof window.bench === "function" && typeof window.infer === "function");
  const steps = await page.evaluate(() => window.bench("tiny", 4, 3, 1));
  expect(steps.ms).toHaveLength(3);
  expect(steps.loss).toHaveLength(3);
  expect(steps.loss.every((loss) => loss > 0 && loss < 10)).toBe(true);
  expect([steps.executor, steps.dispatches, steps.submits]).toEqual(["cpu", 0, 0]);
  const images = await page.evaluate(() => window.infer("tiny", 5, 1));
  expect(images.ms).toHaveLength(5);
  const refusal = await page.evaluate(() => window.bench("huge", 4, 3, 1).catch((error) => error.message));
  expect(refusal).toContain("tiny, compact or paper");
});

test("on WebGPU a step is at most 40 dispatches and one submit beside the read-back", async ({ page }) => {
  await page.goto("./?bench&device=webgpu");
  await page.waitForFunction(() => typeof window.bench === "function", null, { timeout: 30_000 });
  const steps = await page.evaluate(() => window.bench("tiny", 4, 2, 1));
  expect(steps.executor).toBe("webgpu");
  expect(steps.dispatches).toBeGreaterThan(20);
  expect(steps.dispatches).toBeLessThanOrEqual(40);
  expect(steps.submits).toBe(2);
  expect(steps.split.submits_a_chunk).toBe(1);
});

test("?bench=PRESET,BATCH,STEPS puts a report with every kernel into the page", async ({ page }) => {
  await page.goto("./?bench=tiny,4,2&device=cpu");
  const report = JSON.parse(await page.locator("#bench-result").textContent({ timeout: 30_000 }));
  expect([report.preset, report.batch, report.executor]).toEqual(["tiny", 4, "cpu"]);
  expect(report.training.ms).toHaveLength(2);
  expect(report.kernels.steps.map((step) => step.name)).toContain("primary: conv_backward_weight");
  expect(report.kernels.ceiling_gflops).toBeGreaterThan(0);
});

test("a person asks how fast the device is, and gets times, ceilings and a file", async ({ page }) => {
  await open(page, "device=cpu");
  const hood = page.getByRole("region", { name: "Under the hood", exact: true });
  await hood.getByRole("combobox", { name: "Network to measure", exact: true }).selectOption("tiny");
  await hood.getByRole("button", { name: "Measure", exact: true }).click();
  const kernels = hood.getByRole("table").filter({ hasText: "Each kernel of a training step" });
  await expect(kernels).toBeVisible({ timeout: 60_000 });
  await expect(hood).toContainText(/A training step takes [\d.]+ ms \([\d.]+ to [\d.]+\): [\d\s]+ images a second\./);
  await expect(hood).toContainText(/One image, routed, traced and decoded, takes [\d.]+ ms/);
  await expect(kernels.getByRole("row").filter({ hasText: "primary: conv_backward_weight" })).toHaveCount(1);
  const download = page.waitForEvent("download");
  await hood.getByRole("button", { name: "All of it as JSON", exact: true }).click();
  const report = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  expect([report.preset, report.executor, report.training.ms.length]).toEqual(["tiny", "cpu", 8]);
});
