// The gallery: test digits above their reconstructions, mistakes, and digits to pick.
import { expect, test } from "./fixtures.js";
import { open, status } from "./lab.js";

const gallery = (page) => page.getByRole("region", { name: "Gallery", exact: true });
const pairs = (page) => gallery(page).getByRole("list").getByRole("button");

async function openGallery(page, query) {
  await open(page, query);
  await gallery(page).scrollIntoViewIfNeeded();
  await expect(pairs(page)).toHaveCount(24);
}

test("test digits stand above their reconstructions, and a click reads one", async ({ page }) => {
  await openGallery(page);
  const first = pairs(page).first();
  const [given, made] = await first.locator("canvas").evaluateAll((canvases) =>
    canvases.map((canvas) => Array.from(canvas.getContext("2d").getImageData(0, 0, 28, 28).data.filter((_, i) => i % 4 === 0))));
  const squares = given.reduce((sum, value, i) => sum + ((value - made[i]) / 255) ** 2, 0);
  const ink = given.reduce((sum, value) => sum + (value / 255) ** 2, 0);
  // A reconstruction is no copy, and much nearer to its digit than an empty picture is.
  expect(squares).toBeGreaterThan(0);
  expect(squares).toBeLessThan(ink / 2);
  const [, index, label] = (await first.getAttribute("aria-label")).match(/^Test digit (\d+), a (\d), read /);
  await first.click();
  await expect(first).toHaveAttribute("aria-pressed", "true");
  await expect(status(page, "Prediction")).toContainText(/labelled/);
  await expect(page.getByRole("region", { name: "Input", exact: true })).toContainText(`Test digit ${index}, labelled ${label}`);
});

test("the filter shows one class only, and pages turn", async ({ page }) => {
  await openGallery(page);
  const label = (pair) => pair.getAttribute("aria-label");
  const first = await label(pairs(page).first());
  await gallery(page).getByRole("button", { name: "Next page" }).click();
  await expect.poll(() => label(pairs(page).first())).not.toBe(first);
  await gallery(page).getByRole("combobox", { name: "Digits shown" }).selectOption("7");
  await expect.poll(async () => {
    const labels = await pairs(page).evaluateAll((pairs) => pairs.map((pair) => pair.getAttribute("aria-label")));
    return labels.length > 0 && labels.every((label) => label.includes(", a 7, "));
  }).toBe(true);
});

test("mistakes of the network are found on demand, with progress, and marked by more than colour", async ({ page }) => {
  test.setTimeout(180_000);
  // The smallest network reads the 10 000 test images soonest.
  await openGallery(page, "device=cpu&network=tiny");
  await gallery(page).getByRole("checkbox", { name: "Mistakes only" }).check();
  await expect(gallery(page).getByRole("progressbar", { name: "Test images read" })).toBeVisible();
  await expect(gallery(page)).toContainText(/131 of 10\s000 read wrong/, { timeout: 150_000 });
  await expect(pairs(page)).toHaveCount(24);
  await expect.poll(async () => {
    const labels = await pairs(page).evaluateAll((pairs) => pairs.map((pair) => pair.getAttribute("aria-label")));
    return labels.every((label) => label.includes("read wrong as"));
  }).toBe(true);
  await expect(pairs(page).first()).toContainText("✗");

  // A cell of the confusion matrix, by keyboard: its mistakes, and only they.
  const matrix = page.getByRole("group", { name: "Confusion matrix", exact: true });
  const counts = await matrix.getByRole("button").evaluateAll((cells) => cells.map((cell) => Number(cell.textContent) || 0));
  const mistakes = counts.map((count, place) => (place % 11 === 0 ? 0 : count));
  expect(mistakes.reduce((sum, count) => sum + count, 0)).toBe(131);
  const most = mistakes.indexOf(Math.max(...mistakes));
  const [label, read] = [Math.floor(most / 10), most % 10];
  await matrix.getByRole("button").first().focus();
  for (let down = 0; down < label; down += 1) await page.keyboard.press("ArrowDown");
  for (let right = 0; right < read; right += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(matrix.getByRole("button").nth(most)).toHaveAttribute("aria-pressed", "true");
  await gallery(page).scrollIntoViewIfNeeded();
  await expect(pairs(page)).toHaveCount(mistakes[most]);
  await expect.poll(async () => {
    const labels = await pairs(page).evaluateAll((pairs) => pairs.map((pair) => pair.getAttribute("aria-label")));
    return labels.every((told) => told.endsWith(`, a ${label}, read wrong as ${read}`));
  }).toBe(true);
  await gallery(page).getByRole("button", { name: `${label} read as ${read}` }).press("Enter");
  await expect(pairs(page)).toHaveCount(24);
  await expect(matrix.getByRole("button").nth(most)).toHaveAttribute("aria-pressed", "false");
});

test("the gallery is drawn anew as training goes on", async ({ page }) => {
  test.setTimeout(120_000);
  await openGallery(page, "device=cpu&preset=tiny&batch=8");
  const step = async (number) => {
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await expect(page.getByRole("region", { name: "Training", exact: true })).toHaveAttribute("data-step", String(number), { timeout: 60_000 });
  };
  await step(1);
  await page.getByRole("button", { name: "Show yours", exact: true }).click();
  await gallery(page).scrollIntoViewIfNeeded();
  const made = () =>
    pairs(page).first().locator("canvas").nth(1).evaluate((canvas) =>
      Array.from(canvas.getContext("2d").getImageData(0, 0, 28, 28).data).join());
  const look = async () => {
    let [now, last] = [await made(), ""];
    await expect.poll(async () => ([last, now] = [now, await made()], now === last), { intervals: [400] }).toBe(true);
    return now;
  };
  const before = await look();
  await step(2);
  await gallery(page).scrollIntoViewIfNeeded();
  await expect.poll(made, { timeout: 30_000 }).not.toBe(before);
});
