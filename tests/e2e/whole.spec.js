// What holds for the page as a whole: the names that others rely on, what it says where WebGPU fails, the pad under a
// finger and under zoom, and that it needs nobody once it is there.
import { expect, test } from "./fixtures.js";
import { ONE, SEVEN, draw, injectIntoEngine, open, settledOn, settledPixels, status } from "./lab.js";

test("every control and picture has the name by which tests and screen readers find it", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  const names = {
    button: ["Train", "Step", "Reset training", "Clear", "Random digit", "Play routing", "Reset pose", "Share", "Start tour", "Check this device", "Save weights", "Load weights"],
    slider: ["Iteration", "Shift x", "Shift y", "Rotate", "Scale", ...Array.from({ length: 16 }, (_, k) => `Pose dimension ${k + 1}`)],
    img: ["Input digit", "Reconstruction", "Difference", "Coupling coefficients"],
    status: ["Prediction", "Training status"],
    combobox: ["Network", "Routing procedure", "Routing iterations", "Batch size", "Device"],
    region: ["Input", "Routing", "Pose", "Training", "Under the hood"],
  };
  for (const [role, all] of Object.entries(names)) {
    for (const name of all) {
      await expect(page.getByRole(role, { name, exact: true }).first(), `${role} ${name}`).toBeVisible();
    }
  }
  for (const region of names.region) {
    // A sentence in plain words on every panel.
    await expect(page.getByRole("region", { name: region, exact: true }).locator("p").first()).not.toBeEmpty();
  }
});

test.describe("where WebGPU fails the page goes on and says why", () => {
  const adapter = (answer) => `Object.defineProperty(self.navigator.gpu.constructor.prototype, "requestAdapter", { value: () => ${answer} });\n`;
  for (const [name, script, told] of [
    ["no navigator.gpu", "Object.defineProperty(self.navigator, 'gpu', { value: undefined, configurable: true });\n", /WebGPU/],
    ["no adapter", adapter("Promise.resolve(null)"), /offers no adapter/],
    [
      "a device refused",
      "GPUAdapter.prototype.requestDevice = () => Promise.reject(new DOMException('not today', 'OperationError'));\n",
      /gives no device/,
    ],
    ["no answer in 5 s", adapter("new Promise(() => {})"), /did not answer in 5 s/],
  ]) {
    test(name, async ({ page }) => {
      await injectIntoEngine(page, script);
      await open(page, "device=webgpu");
      await settledOn(page, "cpu");
      await expect(page.getByRole("note").filter({ hasText: told })).toBeVisible();
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await draw(page, ONE);
      await expect(status(page, "Prediction")).toContainText("Read as one");
    });
  }
});

test("a lost pointer ends the stroke, and a finger on the pad does not scroll the page", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  const pad = page.getByRole("application", { name: "Draw pad" });
  await pad.scrollIntoViewIfNeeded();
  expect(await pad.evaluate((element) => getComputedStyle(element).touchAction)).toBe("none");
  const box = await pad.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 4);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  const path = () => page.locator("#pad path").getAttribute("d");
  await expect.poll(path).not.toBe("");
  await pad.evaluate((element) => element.releasePointerCapture(1));
  // The browser tells of the loss with the next move.
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 1);
  const before = await path();
  await page.mouse.move(box.x + box.width / 4, box.y + box.height * 0.9, { steps: 4 });
  expect(await path()).toBe(before);
  await page.mouse.up();
});

test("a stroke lies where it was drawn, whatever the pixel ratio and the scale of the page", async ({ browser, baseURL }) => {
  const seen = [];
  for (const [deviceScaleFactor, zoom] of [[1, 1], [2.5, 1], [1, 1.5]]) {
    const context = await browser.newContext({ baseURL, deviceScaleFactor, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await open(page, "device=cpu");
    await page.evaluate((zoom) => (document.body.style.zoom = zoom), zoom);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await draw(page, SEVEN);
    await expect(status(page, "Prediction")).toContainText("Read as seven");
    seen.push((await settledPixels(page, "Input digit")).split(",").map(Number));
    await context.close();
  }
  const ink = seen[0].reduce((sum, value) => sum + value, 0);
  for (const other of seen.slice(1)) {
    // Points are rounded to the pixels of another screen: the ink is the same but for its edges.
    const differs = other.reduce((sum, value, at) => sum + Math.abs(value - seen[0][at]), 0);
    expect(differs / ink).toBeLessThan(0.02);
  }
});

test("once loaded, the page reads, routes and bends without any network", async ({ page, context }) => {
  await open(page);
  await settledOn(page, "cpu");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await draw(page, SEVEN);
  await expect(status(page, "Prediction")).toContainText("Read as seven");
  const plain = await settledPixels(page, "Reconstruction");
  const slider = page.getByRole("slider", { name: "Pose dimension 3", exact: true });
  await slider.focus();
  await slider.press("End");
  await expect.poll(() => settledPixels(page, "Reconstruction")).not.toBe(plain);
  await context.setOffline(false);
});

test("an untrained network says so and predicts nothing, and settings say whether they restart", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, "device=cpu&preset=tiny&batch=8");
  const training = page.getByRole("region", { name: "Training", exact: true });
  await page.getByRole("button", { name: "Reset training", exact: true }).click();
  await expect(training).toHaveAttribute("data-step", "0", { timeout: 30_000 });
  await page.getByRole("button", { name: "Show yours", exact: true }).click();
  await expect(status(page, "Prediction")).toContainText("untrained");
  await expect(status(page, "Prediction")).not.toContainText("Read as");
  await expect(training).toContainText("The pictures above are of the network in training.");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await expect(training).toHaveAttribute("data-step", "1", { timeout: 60_000 });
  await expect(status(page, "Prediction")).toContainText("Read as");
  // The rate goes on with the same network; another batch size asks for a new one.
  await training.getByRole("combobox", { name: "Learning rate", exact: true }).selectOption("0.003");
  await expect(training).toContainText("Each setting but the rate takes a new network.");
  await training.getByRole("combobox", { name: "Batch size", exact: true }).selectOption("16");
  await expect(training).toContainText("These settings are not those of the network in training.");
  await expect(training).toHaveAttribute("data-step", "1");
  await page.getByRole("button", { name: "Show the pretrained", exact: true }).click();
  await expect(training).toContainText("The pictures above are of a pretrained network.");
});
