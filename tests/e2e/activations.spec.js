// Every layer as pictures, under the hood.
import { readFileSync } from "node:fs";
import { expect, test } from "./fixtures.js";
import { open, status } from "./lab.js";

const hood = (page) => page.getByRole("region", { name: "Under the hood", exact: true });

test.beforeEach(async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await hood(page).getByText("Every layer as pictures").click();
});

test("a cell of every layer tells its value and what it sees, by pointer and by keyboard", async ({ page }) => {
  const cell = status(page, "Cell");
  const conv1 = hood(page).getByRole("application", { name: /^First convolution/ });
  await expect(conv1.locator("canvas")).toHaveCount(32);
  await conv1.focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) await conv1.press(key);
  await expect(cell).toHaveText(/^Map 1, row 2, column 2: \d\.\d{4}\. It sees rows 2–10 and columns 2–10\.$/);
  // The frame on the input: 9 of 28 pixels, from the second on.
  const frame = hood(page).locator(".sight");
  await expect(frame).toHaveAttribute("style", /left: ?3\.57\d*%; ?top: ?3\.57\d*%; ?width: ?32\.14/);

  const primary = hood(page).getByRole("application", { name: /^Primary capsules/ });
  await expect(primary.locator("canvas")).toHaveCount(8);
  await primary.locator(".square").nth(7).hover({ position: { x: 2, y: 2 } });
  await expect(cell).toHaveText(/^Type 8, row 1, column 1, length: 0\.\d{4}\. It sees rows 1–17 and columns 1–17\.$/);

  const digits = hood(page).getByRole("application", { name: /^Digit capsules/ });
  // Away with the pointer: what the page scrolls below it would be pointed at.
  await page.mouse.move(0, 0);
  await digits.focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await digits.press(key);
  await expect(cell).toHaveText(/^Digit 2, dimension 1: −?\d\.\d{4}\. It depends on the whole digit; the row's length is \d\.\d{3}\.$/);

  for (const name of [/^Decoder, hidden layer 1/, /^Decoder, hidden layer 2/, /^Decoder, output/]) {
    const layer = hood(page).getByRole("application", { name });
    await layer.focus();
    await layer.press("ArrowRight");
    await expect(cell).toHaveText(/: \d+\.\d{4}\. /);
  }
});

test("a bent pose changes the decoder's layers and nothing below", async ({ page }) => {
  const picture = (name) =>
    hood(page).getByRole("img", { name }).evaluate((tiles) =>
      Array.from(tiles.querySelectorAll("canvas"), (canvas) => canvas.toDataURL()).join());
  const [conv1, hidden] = [await picture(/^First convolution/), await picture(/^Decoder, hidden layer 2/)];
  const slider = page.getByRole("slider", { name: "Pose dimension 3", exact: true });
  await slider.focus();
  await slider.press("End");
  await expect.poll(() => picture(/^Decoder, hidden layer 2/)).not.toBe(hidden);
  expect(await picture(/^First convolution/)).toBe(conv1);
});

test("every layer is saved as a picture of its cells", async ({ page }) => {
  const buttons = hood(page).getByRole("button", { name: /^Save .* as PNG$/ });
  await expect(buttons).toHaveCount(6);
  const sizes = [];
  for (const button of await buttons.all()) {
    const download = page.waitForEvent("download");
    await button.click();
    const file = await download;
    const bytes = readFileSync(await file.path());
    sizes.push([file.suggestedFilename().replace("-test-digit-15-r3.png", ""), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]);
  }
  expect(sizes).toEqual([
    ["capscope-conv1", (8 * 20 + 7) * 4, (4 * 20 + 3) * 4],
    ["capscope-primary-lengths", (4 * 6 + 3) * 16, (2 * 6 + 1) * 16],
    ["capscope-digit-capsules", 16 * 16, 10 * 16],
    ["capscope-decoder-1", expect.any(Number), expect.any(Number)],
    ["capscope-decoder-2", expect.any(Number), expect.any(Number)],
    ["capscope-decoder-output", 28 * 16, 28 * 16],
  ]);
});

test("every layer's numbers are there as text", async ({ page }) => {
  const layer = hood(page).locator(".layer").filter({ hasText: "Digit capsules" });
  await layer.getByText("This layer as numbers").click();
  await expect(layer.locator("tbody tr")).toHaveCount(10);
  const row = await layer.locator("tbody tr").nth(5).locator("td").allTextContents();
  const length = Math.hypot(...row.map(Number));
  // The five is the longest: its row is the pose whose length the page tells.
  expect(length).toBeGreaterThan(0.8);
  expect(row.length).toBe(16);
});
