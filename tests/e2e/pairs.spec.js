// Two digits over each other: two capsules are named, each decoded by itself, and a network is trained on pairs.
import { expect, test } from "./fixtures.js";
import { open, pixels, pushToEnd, settledOn, settledPixels, status } from "./lab.js";

const TWO = "Two reconstructions over the input";

test("a second digit is added, moved and removed", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await settledOn(page, "cpu");
  const alone = await settledPixels(page, "Input digit");
  await page.getByRole("button", { name: "Add a second digit", exact: true }).click();
  await expect(status(page, "Two digits")).toContainText(/The two longest capsules: \d \(0\.\d\d\) and \d \(0\.\d\d\)\./);
  expect(await settledPixels(page, "Input digit")).not.toBe(alone);
  const before = await settledPixels(page, TWO);
  // Black, grey of the input, and both colours.
  const bytes = before.split(",").map(Number);
  expect(bytes.some((byte, at) => at % 4 === 0 && byte > 120 && bytes[at + 2] < byte / 2), "something is orange").toBe(true);
  await pushToEnd(page.getByRole("slider", { name: "Second digit, right", exact: true }));
  await pushToEnd(page.getByRole("slider", { name: "Second digit, down", exact: true }));
  await expect.poll(() => pixels(page, TWO)).not.toBe(before);
  await expect.poll(() => new URL(page.url()).searchParams.get("second")).toMatch(/^\d+,4,4$/);
  await page.getByText("Pixels of input and both reconstructions as numbers").click();
  await expect(page.getByRole("region", { name: "Input", exact: true }).locator("details[open] tbody tr")).toHaveCount(784);
  await page.getByRole("button", { name: "Remove it", exact: true }).click();
  await expect.poll(() => pixels(page, "Input digit")).toBe(alone);
  await expect(status(page, "Two digits")).toHaveCount(0);
});

test("an address with two digits opens with both", async ({ page }) => {
  await open(page, "device=cpu&digit=0&second=1,-2,3");
  await expect(status(page, "Two digits")).toContainText("7");
  await expect(status(page, "Two digits")).toContainText(/digits.* 7 and 2/i, { timeout: 20_000 });
  await expect(page.getByRole("slider", { name: "Second digit, right", exact: true })).toHaveValue("-2");
  await expect(page.getByText(/only ever seen one digit at a time/)).toBeVisible();
});

test("a network is trained on overlapping pairs and looked at", async ({ page }) => {
  test.setTimeout(90_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "device=cpu&preset=tiny&batch=8&pairs=1&digit=0&second=1,2,2");
  await settledOn(page, "cpu");
  await expect(page.getByText(/36×36 pixels: two digits/)).toBeVisible();
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await expect(page.getByRole("combobox", { name: "Pictures of", exact: true }).locator("option")).toHaveCount(3, { timeout: 60_000 });
  const before = await settledPixels(page, TWO);
  await page.getByRole("combobox", { name: "Pictures of", exact: true }).selectOption("yours");
  // Two digits, and a network that expects two.
  await expect(page.getByText(/trained on pairs that overlap/)).toBeVisible();
  await expect.poll(() => pixels(page, TWO), { timeout: 30_000 }).not.toBe(before);
  await expect(page.getByRole("button", { name: "Test on all 10 000 pairs", exact: true })).toBeVisible();
  // Of the 36×36 pixels that it reads the page shows the middle: the first position sees five of its nine rows there. The next ones lie two pixels on each.
  const hood = page.getByRole("region", { name: "Under the hood", exact: true });
  await hood.getByText("Every layer as pictures").click();
  const conv1 = hood.getByRole("application", { name: /^First convolution/ });
  await expect(conv1.locator("canvas")).not.toHaveCount(0);
  await conv1.focus();
  await conv1.press("ArrowRight");
  await expect(status(page, "Cell")).toContainText("It sees rows 1–5 and columns 1–5.");
  for (let right = 0; right < 6; right += 1) await conv1.press("ArrowRight");
  await expect(status(page, "Cell")).toContainText("It sees rows 1–5 and columns 9–17.");
});
