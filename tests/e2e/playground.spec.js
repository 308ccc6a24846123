// The vote playground: votes to drag, routed live, without any network.
import { readFile } from "node:fs/promises";
import { expect, test } from "./fixtures.js";
import { open, status } from "./lab.js";

const panel = (page) => page.getByRole("region", { name: "Vote playground", exact: true });
const vote = (page, child, parent) => panel(page).getByRole("button", { name: new RegExp(`^Vote of child ${child} for ${parent}:`) });
const arrange = (page, name) => panel(page).getByRole("button", { name, exact: true }).click();

/** Numbers in a text, true minus signs included. */
const numbers = (text) => Array.from(text.matchAll(/[−-]?\d+\.\d+/g), ([n]) => Number(n.replace("−", "-")));
const lengths = async (page) => numbers(await status(page, "Vote playground").textContent()).slice(0, 2);
const coupling = async (page, child, parent) => numbers(await vote(page, child, parent).getAttribute("aria-label")).at(-1);

test.describe("while the engine has not even arrived", () => {
  test.beforeEach(async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.route("**/engine*", () => {});
    await page.goto("./?device=cpu&lang=en");
    await expect(panel(page)).toBeVisible();
  });

  test("presets are routed as they say, from r = 1 to 10", async ({ page }) => {
    const [a, b] = await lengths(page);
    expect(a).toBeGreaterThan(0.85);
    expect(b).toBeLessThan(0.2);
    const r = panel(page).getByRole("slider", { name: "Iterations r", exact: true });
    await r.focus();
    await r.press("Home");
    expect(await coupling(page, 6, "A")).toBe(0.5);
    await r.press("End");
    await expect(status(page, "Vote playground")).toContainText("r = 10");
    await expect(panel(page).locator("svg .bar")).toHaveCount(6 * 2 * 10);
    await arrange(page, "two clusters");
    expect(await coupling(page, 1, "A")).toBeGreaterThan(0.7);
    expect(await coupling(page, 4, "B")).toBeGreaterThan(0.7);
    await arrange(page, "one outlier");
    expect(await coupling(page, 6, "A")).toBeLessThan(0.1);
    const before = await lengths(page);
    for (const name of ["sign flip", "rotation"]) {
      const [x, y] = numbers(await vote(page, 1, "A").getAttribute("aria-label"));
      await arrange(page, name);
      await expect(panel(page)).toContainText("Largest change of a coefficient: 0.000.");
      expect(await lengths(page)).toEqual(before);
      const [now_x, now_y] = numbers(await vote(page, 1, "A").getAttribute("aria-label"));
      const turn = name === "rotation" ? Math.PI / 6 : Math.PI;
      expect(now_x).toBeCloseTo(x * Math.cos(turn) - y * Math.sin(turn), 1);
      expect(now_y).toBeCloseTo(x * Math.sin(turn) + y * Math.cos(turn), 1);
    }
  });

  test("a vote is dragged by the pointer and moved by the arrow keys", async ({ page }) => {
    const child = vote(page, 3, "A");
    await child.scrollIntoViewIfNeeded();
    const before = await coupling(page, 3, "A");
    const box = await child.boundingBox();
    const plane = await panel(page).getByRole("group", { name: "Votes for A" }).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(plane.x + plane.width * 0.2, plane.y + plane.height * 0.8, { steps: 5 });
    await page.mouse.up();
    const [x, y] = numbers(await child.getAttribute("aria-label"));
    expect(Math.abs(x + 0.96)).toBeLessThan(0.05);
    expect(Math.abs(y + 0.96)).toBeLessThan(0.05);
    expect(await coupling(page, 3, "A")).toBeLessThan(before);
    await expect(panel(page)).toContainText("Your own votes.");
    await page.mouse.move(plane.x + 5, plane.y + 5);
    expect(numbers(await child.getAttribute("aria-label")).slice(0, 2)).toEqual([x, y]);
    await child.focus();
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("ArrowUp");
    const [right, up] = numbers(await child.getAttribute("aria-label"));
    expect(right).toBeCloseTo(x + 0.25, 1);
    expect(up).toBeGreaterThan(y);
    for (let times = 0; times < 20; times++) await page.keyboard.press("Shift+ArrowRight");
    expect(numbers(await child.getAttribute("aria-label"))[0]).toBe(1.5);
  });

  test("it fits a phone, in either language", async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await panel(page).getByText("The playground as numbers").click();
    await expect(panel(page).locator("tbody tr")).toHaveCount(3 * (6 + 2));
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(inner).toBeLessThanOrEqual(outer);
    const handle = await vote(page, 1, "B").boundingBox();
    expect(handle.width).toBeGreaterThanOrEqual(28);
    await page.getByRole("button", { name: "简体中文" }).click();
    await expect(page.getByRole("region", { name: "投票游乐场", exact: true })).toContainText("熵");
  });
});

test("it is kept as a picture, and the tour begins by pointing to it", async ({ page }) => {
  await open(page, "device=cpu&lang=en");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the playground as SVG", exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("capscope-playground-r3.svg");
  const svg = (await readFile(await file.path())).toString();
  expect(svg).toMatch(/^<svg xmlns[^]*<\/svg>$/);
  expect(svg.match(/class="vote"/g).length).toBe(12);
  await page.getByRole("button", { name: "Start tour", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: /playground/ }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(panel(page)).toBeFocused();
  await expect(panel(page)).toBeInViewport();
});
