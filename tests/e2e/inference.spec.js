// Reading a digit, looking at its routing, bending its pose.
import { expect, test } from "./fixtures.js";
import { NO_WEBGPU, ONE, SEVEN, draw, injectIntoEngine, open, pixels, pushToEnd, settledOn, settledPixels, status } from "./lab.js";

const devices = [
  { name: "without WebGPU", query: "", device: "cpu", script: NO_WEBGPU, hasGpu: false },
  { name: "on the CPU", query: "device=cpu", device: "cpu", script: "", hasGpu: true },
  { name: "on WebGPU", query: "device=webgpu", device: "webgpu", script: "", hasGpu: true },
];

for (const { name, query, device, script, hasGpu } of devices) {
  test.describe(name, () => {
    test.setTimeout(180_000);

    test.beforeEach(async ({ page }) => {
      if (script) await injectIntoEngine(page, script);
      const worker = await open(page, query);
      expect(await worker.evaluate(() => Boolean(navigator.gpu)), "what the engine's worker sees").toBe(hasGpu);
      await settledOn(page, device);
    });

    test("a drawing changes the prediction", async ({ page }) => {
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await expect(status(page, "Prediction")).toContainText(/blank|draw/i);
      await draw(page, ONE);
      await expect(status(page, "Prediction")).toContainText("1", { timeout: 30_000 });
      const one = await settledPixels(page, "Input digit");
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await draw(page, SEVEN);
      await expect(status(page, "Prediction")).toContainText("7", { timeout: 30_000 });
      expect(await settledPixels(page, "Input digit")).not.toBe(one);
    });

    test("iteration 1 is uniform and every row of coefficients sums to 1", async ({ page }) => {
      const slider = page.getByRole("slider", { name: "Iteration", exact: true });
      await slider.focus();
      await slider.press("Home");
      await page.getByText("All coefficients as numbers").click();
      const rows = async () =>
        await page.getByRole("region", { name: "Routing" }).locator("table tbody tr").evaluateAll((all) =>
          all.map((row) => Array.from(row.querySelectorAll("td"), (cell) => Number(cell.textContent.replace("−", "-")))),
        );
      await expect.poll(async () => (await rows()).length).toBeGreaterThanOrEqual(288);
      const couplings = (all) => all.map((row) => row.slice(-10));
      for (const row of couplings(await rows())) {
        for (const c of row) expect(c).toBeCloseTo(0.1, 6);
      }
      await slider.press("End");
      await expect.poll(async () => couplings(await rows()).flat().some((c) => Math.abs(c - 0.1) > 1e-4)).toBe(true);
      const last = couplings(await rows());
      for (const row of last) expect(row.reduce((sum, c) => sum + c, 0)).toBeCloseTo(1, 2);
    });

    test("bending a dimension changes the picture and resetting restores it to the bit", async ({ page }) => {
      const plain = await settledPixels(page, "Reconstruction");
      const slider = page.getByRole("slider", { name: "Pose dimension 3", exact: true });
      await pushToEnd(slider);
      await expect.poll(() => pixels(page, "Reconstruction")).not.toBe(plain);
      await page.getByRole("button", { name: "Reset pose", exact: true }).click();
      await expect.poll(() => pixels(page, "Reconstruction")).toBe(plain);
    });
  });
}

test("the first true picture comes within 2 s of a warm start @trunk-serve", async ({ page }) => {
  await open(page);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-ready", "inference", { timeout: 30_000 });
  const millis = await page.evaluate(() => performance.getEntriesByName("first-picture")[0]?.startTime);
  console.log(`first picture after ${Math.round(millis)} ms`);
  expect(millis).toBeLessThan(2000);
});

test("a software adapter is named, and one click takes it", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, "");
  await settledOn(page, "cpu");
  await expect(page.getByText(/software/i).first()).toBeVisible();
  await page.getByRole("button", { name: "Use WebGPU" }).first().click();
  await settledOn(page, "webgpu");
});

test("routing iterations change without retraining", async ({ page }) => {
  await open(page);
  await page.getByRole("combobox", { name: "Routing iterations", exact: true }).first().selectOption("7");
  await expect(page.getByRole("slider", { name: "Iteration", exact: true })).toHaveAttribute("max", "7");
});

test("the page has no sideways scroll at 360 px", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await open(page);
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(inner).toBeLessThanOrEqual(outer);
});
