// Procedures and numbers of iterations compared over a test set, on the same votes.
import { readFileSync } from "node:fs";
import { expect, test } from "./fixtures.js";
import { open, status } from "./lab.js";

const panel = (page) => page.getByRole("region", { name: "Compare routing", exact: true });
const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Two IDX files of images whose upper rows are filled, the more the higher the class. */
function bars(count, classes = 4) {
  const images = Buffer.alloc(16 + count * 784);
  const labels = Buffer.alloc(8 + count);
  [0x803, count, 28, 28].forEach((word, place) => images.writeUInt32BE(word, 4 * place));
  [0x801, count].forEach((word, place) => labels.writeUInt32BE(word, 4 * place));
  for (let k = 0; k < count; k += 1) {
    images.fill(255, 16 + k * 784, 16 + k * 784 + 28 * (4 + 2 * (k % classes)));
    labels[8 + k] = k % classes;
  }
  const file = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });
  return [file("bars-images", images), file("bars-labels", labels)];
}

test("a comparison goes on in the background, digits are read meanwhile, and it can be cancelled", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "device=cpu&lang=en");
  await expect(panel(page)).toContainText("Nothing was compared yet.");
  await button(page, "Compare over the test set").click();
  await expect(panel(page).getByRole("progressbar", { name: "Test images compared" })).toBeVisible();
  await expect(panel(page)).toContainText(/[1-9][\d\u202f]* of 10\u202f000/, { timeout: 20_000 });
  await button(page, "Clear").click();
  await expect(status(page, "Prediction")).toContainText("draw a digit");
  await button(page, "Cancel the comparison").click();
  await expect(button(page, "Compare over the test set")).toBeVisible();
  await expect(panel(page).getByRole("progressbar")).toHaveCount(0);
  await expect(panel(page)).toContainText("Nothing was compared yet.");
});

test("what was found stands in sentences, a plot, a table and a file", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "device=cpu&lang=en&preset=tiny&batch=8&seed=5");
  await page.locator('input[data-files="idx"]').setInputFiles(bars(72));
  await button(page, "Step").click();
  await expect(page.getByRole("region", { name: "Training", exact: true })).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  await button(page, "Show yours").click();
  await expect(status(page, "Prediction")).toContainText("Read as");
  await button(page, "Compare over the test set").click();
  await expect(panel(page)).toContainText("your network after 1 steps, made for dynamic routing: 12 test images, 36 capsules vote for 10.", { timeout: 20_000 });
  const found = panel(page).getByRole("list", { name: "What was found" });
  await expect(found).toContainText("equal coefficients");
  await expect(found.getByRole("link", { name: "[4]" })).toHaveAttribute("href", "#source-4");
  const table = panel(page).getByRole("table");
  await expect(table.locator("tbody tr")).toHaveCount(10);
  await expect(table.locator("thead th")).toHaveText(["r", "dynamic", "leaky", "random", "uniform"]);
  const row = async (r) => (await table.locator("tbody tr").nth(r - 1).locator("td").allTextContents()).map((cell) => cell.replace("\u202f%", ""));
  const first = await row(1);
  // One iteration of dynamic routing is none.
  expect(first[0]).toBe(first[3]);
  await button(page, "entropy").click();
  expect((await row(1))[0]).toBe("2.303");
  expect(Number((await row(10))[0])).toBeLessThanOrEqual(2.303);
  const plot = panel(page).getByRole("img", { name: "entropy" });
  await expect(plot.locator(".curve-of")).toHaveCount(4);
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
  };
  const [name, csv] = await saved("Comparison as CSV");
  expect(name).toBe("capscope-compare-yours-1-steps.csv");
  const lines = csv.trim().split("\n").map((line) => line.split(","));
  expect(lines.length).toBe(1 + 22);
  expect(lines[0].slice(0, 5)).toEqual(["procedure", "iterations", "correct", "total", "entropy"]);
  expect(lines.slice(1).every((line) => line[3] === "12")).toBe(true);
  const [picture, svg] = await saved("Save the comparison as SVG");
  expect(picture).toBe("capscope-compare-yours-1-steps.svg");
  expect(svg.match(/class="curve-of"/g).length).toBe(4);
  await page.setViewportSize({ width: 360, height: 740 });
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(inner).toBeLessThanOrEqual(outer);
});
