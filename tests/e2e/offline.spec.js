// A second visit without a network, and what is fetched only once.
import { expect, test } from "./fixtures.js";
import { SEVEN, draw, open, settledPixels, status } from "./lab.js";

test.use({ serviceWorkers: "allow" });

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Waits until all that the page needs to open is kept. */
const isKept = (page) => expect(page.locator("html")).toHaveAttribute("data-offline", "ready", { timeout: 30_000 });

test("after the first visit the page opens, reads and trains without a network", async ({ page, context }) => {
  test.setTimeout(120_000);
  await open(page, "device=cpu&preset=tiny&batch=8");
  await isKept(page);
  const picture = await settledPixels(page, "Reconstruction");
  // The training set is fetched when it is first needed, and is kept.
  await button(page, "Step").click();
  const training = page.getByRole("region", { name: "Training", exact: true });
  await expect(training).toHaveAttribute("data-step", "1", { timeout: 60_000 });
  const kept = () =>
    page.evaluate(async () => (await (await caches.open("capscope")).keys()).map(({ url }) => url.split("/").pop()));
  await expect.poll(kept).toContain("train-images-idx3-ubyte.gz");

  await context.setOffline(true);
  await open(page, "device=cpu&preset=tiny&batch=8&seed=2");
  expect(await settledPixels(page, "Reconstruction")).toBe(picture);
  await button(page, "Reset training").click();
  await expect(training).toHaveAttribute("data-step", "0");
  await button(page, "Step").click();
  await expect(training).toHaveAttribute("data-step", "1", { timeout: 60_000 });
  await button(page, "Clear").click();
  await draw(page, SEVEN);
  await expect(status(page, "Prediction")).toContainText("Read as seven");
  await context.setOffline(false);
});

test("with a network, its files count and MNIST alone comes from what is kept", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, "device=cpu&preset=tiny&batch=8");
  await isKept(page);
  // An older version left its files behind; they are forgotten with the next document.
  await page.evaluate(async () => {
    const store = await caches.open("capscope");
    await store.put("capscope-0123456789abcdef.js", new Response("old"));
    await store.put("engine.js", new Response("throw new Error('an engine of an older version')"));
    await store.put("assets/mnist/train-labels-idx1-ubyte.gz", new Response("not MNIST"));
  });
  await open(page, "device=cpu&preset=tiny&batch=8");
  const old = () => page.evaluate(async () => Boolean(await caches.match("capscope-0123456789abcdef.js")));
  await expect.poll(old).toBe(false);
  // What is kept in MNIST's place is taken for MNIST, and refused by name.
  await button(page, "Step").click();
  await expect(page.getByRole("alert")).toContainText("The file of labels starts with 0x6e6f7420", { timeout: 60_000 });
});
