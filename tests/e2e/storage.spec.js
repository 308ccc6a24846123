// What survives a reload, a second tab, and what is stored in a form that is not read any more.
import { expect, test } from "./fixtures.js";
import { open, status } from "./lab.js";

const region = (page) => page.getByRole("region", { name: "Training", exact: true });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const kept = (page) => status(page, "What is kept");

/** Trains so many steps of the tiny network. */
async function train(page, steps) {
  for (let step = 1; step <= steps; step += 1) {
    await button(page, "Step").click();
    await expect(region(page)).toHaveAttribute("data-step", String(step), { timeout: 30_000 });
  }
  await expect(kept(page)).toContainText(`Kept in this browser at step ${steps},`, { timeout: 30_000 });
}

const tiny = "device=cpu&preset=tiny&batch=8&seed=5";

test("training goes on after a reload, and a second tab does not write over it unasked", async ({ page, context }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  await train(page, 2);

  const other = await context.newPage();
  await open(other, tiny);
  await expect(kept(other)).toContainText("Another tab keeps its training");
  await button(other, "Step").click();
  await expect(region(other)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  await other.close();

  await open(page, tiny);
  await expect(kept(page)).toContainText("step 2");
  await expect(region(page)).toHaveAttribute("data-step", "2");
  await button(page, "Step").click();
  await expect(region(page)).toHaveAttribute("data-step", "3", { timeout: 30_000 });
  const table = region(page).locator("details", { hasText: "Curves as numbers" });
  await table.locator("summary").click();
  await expect(table.locator("tbody tr")).toHaveCount(3);
});

test("a second tab keeps its own when it is told to, and the first one says so", async ({ page, context }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  await train(page, 1);
  const other = await context.newPage();
  await open(other, tiny);
  await button(other, "Keep this tab's instead").click();
  await expect(kept(page)).toContainText("Another tab keeps its training");
  await expect(region(other)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  await other.close();
});

test("training of an older format is refused by a sentence, and a new one starts", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  await train(page, 1);
  await page.evaluate(async () => {
    const answer = (request) => new Promise((done, fail) => {
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
    const database = await answer(indexedDB.open("capscope"));
    const table = database.transaction("kept", "readwrite").objectStore("kept");
    const record = new TextEncoder().encode('{"format":0}');
    for (const slot of [0, 1]) await answer(table.put(record, `training ${slot}, record`));
    database.close();
  });
  await open(page, tiny);
  await expect(kept(page)).toContainText("format 0");
  await button(page, "Step").click();
  await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
});
