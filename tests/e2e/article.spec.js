// The article under the page: its numbers come from the networks themselves.
import { expect, test } from "./fixtures.js";
import { open } from "./lab.js";

const article = (page) => page.getByRole("region", { name: "Read on", exact: true });
const table = (page) => article(page).locator("table.parameters");
const number = (text) => Number(text.replace(/[^\d]/g, ""));

for (const [preset, total] of [["tiny", 180_144], ["compact", 792_496], ["paper", 8_215_728]]) {
  test(`the parameters of ${preset} are products that add up`, async ({ page }) => {
    await open(page, "device=cpu&lang=en");
    await article(page).getByRole("combobox", { name: "Whose layers", exact: true }).selectOption(preset);
    await expect(table(page)).toContainText(`Layers of ${preset}`);
    const rows = await table(page).locator("tbody tr").evaluateAll((all) =>
      all.map((row) => [row.cells[2].textContent, row.cells[3].textContent]),
    );
    for (const [sum, count] of rows) {
      const products = sum.split(" + ").map((product) => product.split(" · ").reduce((value, n) => value * Number(n), 1));
      expect(products.reduce((value, n) => value + n, 0), sum).toBe(number(count));
    }
    expect(rows.reduce((value, [, count]) => value + number(count), 0)).toBe(total);
    expect(number(await table(page).locator("tfoot td").last().textContent())).toBe(total);
    if (preset === "paper") await expect(article(page)).toContainText(/8\D?238\D?608/);
  });
}

test("the article compares, cites and explains, in both languages, and fits 360 px", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "device=cpu&lang=en");
  await expect(article(page).getByRole("table", { name: /capsule beside a neuron/i })).toBeVisible();
  await expect(article(page).getByRole("table", { name: /authors/i })).toContainText("0.0005 × the sum of squares");
  for (const link of await article(page).locator("li > a.number").all()) {
    const target = (await link.getAttribute("href")).slice(1);
    await expect(page.locator(`[id="${target}"]`)).toHaveCount(1);
  }
  expect(await article(page).locator("dt").count()).toBeGreaterThan(10);
  const width = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await width()).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "简体中文", exact: true }).click();
  await expect(page.getByRole("region", { name: "延伸阅读", exact: true })).toContainText("局限与批评");
  expect(await width()).toBeLessThanOrEqual(0);
});
