// The pose: how a dimension is spread, the whole grid, and pictures as files.
import { readFileSync } from "node:fs";
import { expect, test } from "./fixtures.js";
import { open, pixels, pushToEnd, settledPixels } from "./lab.js";

const slider = (page, number) => page.getByRole("slider", { name: `Pose dimension ${number}`, exact: true });
const region = (page) => page.getByRole("region", { name: "Pose", exact: true });

test("every slider shows the spread of its dimension, marks its own value, and takes a typed one", async ({ page }) => {
  await open(page);
  await expect(region(page).locator("svg.bell path")).toHaveCount(16);
  const plain = await settledPixels(page, "Reconstruction");
  const typed = page.getByRole("textbox", { name: "Dimension 4, typed value" });
  const own = await typed.inputValue();
  await typed.fill("0.4");
  await typed.press("Enter");
  await expect(slider(page, 4)).toHaveAttribute("aria-valuetext", /^0\.400, moved by/);
  await expect.poll(() => pixels(page, "Reconstruction")).not.toBe(plain);
  await slider(page, 4).dblclick();
  // A double click first moves the slider to where it hits; what counts is where it ends.
  await expect(slider(page, 4)).toHaveAttribute("aria-valuetext", /, its own value$/);
  await expect(typed).toHaveValue(own);
  await expect.poll(() => pixels(page, "Reconstruction")).toBe(plain);
});

test("the paper's span is ±0.25 around the digit's own value", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "±0.25", exact: true }).click();
  const ends = await slider(page, 1).evaluate((input) => [Number(input.min), Number(input.max), Number(input.value)]);
  expect(ends[1] - ends[0]).toBeCloseTo(0.5, 5);
  expect((ends[0] + ends[1]) / 2).toBeCloseTo(ends[2], 5);
});

test("any of the ten capsules is decoded", async ({ page }) => {
  await open(page);
  const seen = new Set([await settledPixels(page, "Reconstruction")]);
  for (const capsule of ["0", "8"]) {
    await region(page).getByRole("combobox", { name: "Capsule", exact: true }).selectOption(capsule);
    await expect(region(page).getByRole("heading", { name: `Pose of capsule ${capsule}` })).toBeVisible();
    await expect.poll(() => pixels(page, "Reconstruction")).not.toBe([...seen].at(-1));
    seen.add(await settledPixels(page, "Reconstruction"));
  }
  expect(seen.size).toBe(3);
});

test("the grid opens on demand, its middle column is the reconstruction, and a click takes a pose", async ({ page }) => {
  await open(page);
  const plain = await settledPixels(page, "Reconstruction");
  await page.getByRole("button", { name: "All dimensions", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const rows = dialog.getByRole("img", { name: /^Dimension \d+ from −\d.* in eleven pictures$/ });
  await expect(rows).toHaveCount(16);
  const filled = () =>
    rows.evaluateAll((rows) =>
      rows.filter((row) => {
        const canvas = row.querySelector("canvas");
        return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((v, i) => i % 4 === 0 && v > 128);
      }).length);
  await expect.poll(filled).toBe(16);
  const middles = await rows.evaluateAll((rows) =>
    rows.map((row) => Array.from(row.querySelector("canvas").getContext("2d").getImageData(5 * 28, 0, 28, 28).data).join()));
  for (const middle of middles) expect(middle).toBe(plain);
  const last = dialog.locator(".grid-row").nth(4);
  const box = await last.boundingBox();
  await last.click({ position: { x: box.width * (10.5 / 11), y: box.height / 2 } });
  await expect(dialog).toBeHidden();
  await expect(slider(page, 5)).toHaveAttribute("aria-valuetext", /moved by \+/);
});

test("the grid closes with Escape", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "All dimensions", exact: true }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("pictures are saved as PNG files of what is shown", async ({ page }) => {
  await open(page);
  await pushToEnd(slider(page, 2));
  const save = async (name) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    const file = await download;
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const size = (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const trio = await save("Save the three pictures as PNG");
  expect(trio.name).toMatch(/^capscope-pictures-test-digit-15-r3\.png$/);
  // Three pictures of 28 cells and two lines of two between them, eight pixels a cell.
  expect(size(trio.bytes)).toEqual([(3 * 28 + 4) * 8, 28 * 8]);
  const strip = await save("Save Swept pictures as PNG");
  expect(size(strip.bytes)).toEqual([(11 * 28 + 20) * 4, 28 * 4]);
});
