// Training on real MNIST in the tab, and what else the page does meanwhile.
import { expect, test } from "./fixtures.js";
import { open, settledOn, status } from "./lab.js";

const region = (page) => page.getByRole("region", { name: "Training", exact: true });

async function choose(page, settings) {
  for (const [label, value] of Object.entries(settings)) {
    await region(page).getByRole("combobox", { name: label, exact: true }).selectOption(value);
  }
  await page.getByRole("button", { name: "Reset training", exact: true }).click();
}

const steps = async (page) => Number(await region(page).getAttribute("data-step"));

/** Both losses of the first `count` steps, as the curves' numbers say. */
async function losses(page, count) {
  for (let k = 0; k < count; k += 1) {
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await expect(region(page)).toHaveAttribute("data-step", String(k + 1), { timeout: 120_000 });
    await expect(region(page)).toHaveAttribute("data-state", "paused", { timeout: 120_000 });
  }
  return await page.evaluate(() => window.capscopeCurve?.() ?? null);
}

test("400 steps of tiny at batch 32 on the CPU read more than 88 % of all 10 000 test images", async ({ page }) => {
  test.setTimeout(600_000);
  await open(page, "device=cpu&preset=tiny&batch=32");
  await choose(page, { "Test every": "400" });
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await expect(status(page, "Training status")).toContainText(/10[\s\u202f ]?000/, { timeout: 540_000 });
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const text = await status(page, "Training status").textContent();
  const percent = Number(/([\d.]+)\s*%/.exec(text)[1]);
  console.log(text);
  expect(percent).toBeGreaterThan(88);
});
