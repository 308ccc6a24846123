// The tour: eight cards that drive the view and cover nothing of what they speak of.
import { expect, test } from "./fixtures.js";
import { ONE, draw, open, settledPixels, status } from "./lab.js";

const card = (page) => page.getByRole("dialog");
const press = (page, name) => card(page).getByRole("button", { name, exact: true }).click();

/** Whether the card covers anything of the marked part that fits on the screen above it. */
const overlap = (page) =>
  page.evaluate(() => {
    const [card, marked] = [".tour", "[data-toured]"].map((name) => document.querySelector(name).getBoundingClientRect());
    const apart = marked.bottom <= card.top || marked.right <= card.left || marked.left >= card.right;
    return { apart, top: marked.top, left: marked.left, room: card.top };
  });

async function walk(page) {
  const seen = [];
  for (let place = 1; place <= 8; place += 1) {
    await expect(card(page)).toContainText(`${place} of 8`);
    seen.push(await card(page).getAttribute("data-card"));
    await expect(page.locator("[data-toured]")).toHaveCount(1);
    await expect.poll(() => overlap(page)).toMatchObject({ apart: true });
    const { top } = await overlap(page);
    expect(top, seen.at(-1)).toBeGreaterThanOrEqual(-1);
    if (place < 8) await press(page, "Next");
  }
  return seen;
}

test("eight cards drive the view, and closing gives the person's own back", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "device=cpu&lang=en");
  await draw(page, ONE);
  await expect(status(page, "Prediction")).toContainText("Read as");
  const own = await settledPixels(page, "Reconstruction");
  const drawn = await page.locator("#pad path").getAttribute("d");
  await page.getByRole("button", { name: "Start tour", exact: true }).click();
  await expect(card(page)).toBeFocused();
  expect(await walk(page)).toEqual(["capsule", "squash", "votes", "agreement", "iterations", "pose", "training", "failure"]);
  // The last card's digit is one that the network reads wrongly, as it says.
  await expect(status(page, "Prediction")).toContainText("✗ labelled");
  await press(page, "Back");
  await press(page, "Back");
  await expect(page.getByRole("button", { name: "Reset pose", exact: true })).toBeEnabled();
  await page.keyboard.press("Escape");
  await expect(card(page)).toHaveCount(0);
  await expect(page.locator("[data-toured]")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Start tour", exact: true })).toBeFocused();
  expect(await page.locator("#pad path").getAttribute("d")).toBe(drawn);
  await expect.poll(() => settledPixels(page, "Reconstruction")).toBe(own);
});

test("a second digit comes back after the tour, which ends by Escape from anywhere", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "device=cpu&lang=en&digit=0&second=1,-2,3");
  await expect(status(page, "Two digits")).toContainText(/digits.* 7 and 2/i, { timeout: 20_000 });
  const own = await settledPixels(page, "Input digit");
  await page.getByRole("button", { name: "Start tour", exact: true }).click();
  // The first card speaks of one digit, and one digit is in view.
  await expect(status(page, "Two digits")).toHaveCount(0);
  await expect.poll(() => settledPixels(page, "Input digit")).not.toBe(own);
  await press(page, "Next");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Escape");
  await expect(card(page)).toHaveCount(0);
  await expect.poll(() => settledPixels(page, "Input digit")).toBe(own);
  await expect(status(page, "Two digits")).toContainText(/digits.* 7 and 2/i);
  await expect(page.getByRole("slider", { name: "Second digit, right", exact: true })).toHaveValue("-2");
});

test("the tour goes by keyboard alone, and its point can be dragged", async ({ page }) => {
  await open(page, "device=cpu&lang=en");
  await page.getByRole("button", { name: "Start tour", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight");
  await expect(card(page)).toHaveAttribute("data-card", "squash");
  for (let times = 0; times < 6; times += 1) {
    await page.keyboard.press("Tab");
    expect(await card(page).evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
  }
  const slider = card(page).getByRole("slider");
  await slider.focus();
  await slider.press("End");
  await expect(card(page)).toContainText("4.00 before, 0.94 after");
  const plot = await card(page).locator(".squash svg").boundingBox();
  await page.mouse.move(plot.x + plot.width - 2, plot.y + 20);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width / 4, plot.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(card(page)).toContainText(/(0\.9\d|1\.0\d) before, 0\.(4|5)\d after/);
  await page.keyboard.press("Escape");
  await expect(card(page)).toHaveCount(0);
});

test("at 360 px a card covers nothing of what it speaks of", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "device=cpu&lang=en");
  await page.getByRole("button", { name: "Start tour", exact: true }).click();
  await walk(page);
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(inner).toBeLessThanOrEqual(outer);
});
