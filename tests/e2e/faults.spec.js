// What the page does when something fails under it while it works.
import { expect, test } from "./fixtures.js";
import { ONE, draw, injectIntoEngine, open, settledOn, status } from "./lab.js";

const region = (page) => page.getByRole("region", { name: "Training", exact: true });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const steps = async (page) => Number(await region(page).getAttribute("data-step"));

/** Waits for so many more steps. */
async function trainsOn(page, more) {
  const before = await steps(page);
  await expect.poll(() => steps(page), { timeout: 120_000 }).toBeGreaterThanOrEqual(before + more);
}

// The page's message takes the newest device away, and the answer says that it was there to be taken.
const LOSABLE = `
{
  const opened = [];
  const requestDevice = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    opened.push(await requestDevice.apply(this, options));
    return opened.at(-1);
  };
  const faults = new BroadcastChannel("faults");
  faults.onmessage = ({ data }) => {
    if (data !== "lose") return;
    opened.at(-1).destroy();
    faults.postMessage(opened.length);
  };
}
`;

/** Takes the device away; how many have been opened. */
const lose = (page) =>
  page.evaluate(() => new Promise((done) => {
    const faults = new BroadcastChannel("faults");
    faults.onmessage = ({ data }) => done(data);
    faults.postMessage("lose");
  }));

test("a device lost in training is rebuilt from the last state, and after three losses the CPU goes on", async ({ page }) => {
  test.setTimeout(600_000);
  await injectIntoEngine(page, LOSABLE);
  await open(page, "device=webgpu&preset=tiny&batch=8");
  await settledOn(page, "webgpu");
  await button(page, "Reset training").click();
  await button(page, "Train").click();
  const told = page.getByRole("note");
  for (const loss of [1, 2]) {
    await trainsOn(page, 3);
    expect(await lose(page)).toBe(loss);
    await expect(told).toContainText(/WebGPU device was lost .*training goes on from step \d+/, { timeout: 120_000 });
    await expect(page.getByRole("combobox", { name: "Device", exact: true })).toHaveValue("webgpu");
    await expect(region(page)).toHaveAttribute("data-state", "running");
    await told.getByRole("button").last().click();
  }
  await trainsOn(page, 3);
  expect(await lose(page)).toBe(3);
  await expect(told).toContainText("the third loss, and the CPU is used from now on", { timeout: 60_000 });
  await settledOn(page, "cpu");
  await trainsOn(page, 20);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await button(page, "Pause").click();
  await button(page, "Clear").click();
  await draw(page, ONE);
  await expect(status(page, "Prediction")).toContainText("Read as one");
});

test("where WebGPU is forced, training waits for it", async ({ page }) => {
  test.setTimeout(300_000);
  await injectIntoEngine(page, `
{
  const requestAdapter = GPU.prototype.requestAdapter;
  const allowed = new Promise((go) => (new BroadcastChannel("faults").onmessage = go));
  GPU.prototype.requestAdapter = async function (...options) {
    await allowed;
    return requestAdapter.apply(this, options);
  };
}
`);
  await open(page, "device=webgpu&preset=tiny&batch=8");
  await button(page, "Train").click();
  // At once, since the page waits five seconds only.
  await expect(region(page)).toHaveAttribute("data-state", "waiting");
  expect(await steps(page)).toBe(0);
  await page.evaluate(() => new BroadcastChannel("faults").postMessage("go"));
  await settledOn(page, "webgpu");
  await trainsOn(page, 2);
  await expect(region(page)).toHaveAttribute("data-state", "running");
});

test("the training set's way here is shown, and training begins when it has come", async ({ page }) => {
  test.setTimeout(120_000);
  let release;
  const held = new Promise((go) => (release = go));
  await page.route("**/assets/mnist/train-images*", async (route) => {
    await held;
    await route.continue();
  });
  await open(page, "device=cpu&preset=tiny&batch=8");
  await button(page, "Train").click();
  await expect(region(page).getByRole("progressbar")).toBeVisible();
  await expect(region(page)).toHaveAttribute("data-state", "loading");
  await expect(region(page)).toContainText("9.72 MB");
  release();
  await trainsOn(page, 1);
  await expect(region(page)).toHaveAttribute("data-state", "running");
});

test("a hidden tab goes on training, and keeps its state when it is hidden", async ({ page }) => {
  test.setTimeout(120_000);
  // As in a tab behind another one: no frames are drawn. Timers and messages go on.
  await page.addInitScript(() => {
    const draw = window.requestAnimationFrame.bind(window);
    window.hide = () => {
      window.requestAnimationFrame = () => 0;
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    };
    window.show = () => (window.requestAnimationFrame = draw);
  });
  await open(page, "device=cpu&preset=tiny&batch=8");
  await button(page, "Train").click();
  await trainsOn(page, 5);
  await page.evaluate(() => window.hide());
  await trainsOn(page, 50);
  await expect(status(page, "What is kept")).toContainText("Kept in this browser at step", { timeout: 30_000 });
  const step = Number(/at step (\d+)/.exec(await status(page, "What is kept").textContent())[1]);
  expect(step).toBeGreaterThan(0);
  await page.evaluate(() => window.show());
  await button(page, "Pause").click();
});

test("an engine of another build is not spoken to, and the page offers a reload", async ({ page }) => {
  let stale = true;
  await page.route("**/engine_loader.js*", async (route) => {
    if (!stale) return route.continue();
    // The first message of an engine, with a build that never was: its kind, the length of the text, the text.
    await route.fulfill({
      contentType: "text/javascript",
      body: `postMessage(new Uint8Array([0, 5, ...new TextEncoder().encode("0.0.0")])); onmessage = () => { throw new Error("spoken to"); };`,
    });
  });
  await page.goto("./?device=cpu");
  await expect(page.getByRole("alert")).toContainText("of different versions");
  stale = false;
  await page.getByRole("alert").getByRole("button", { name: "Reload", exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-ready", "inference", { timeout: 30_000 });
});

test.describe("storage that fails stops nothing, and the page says that nothing is kept", () => {
  for (const [name, script, proof] of [
    ["missing", "Object.defineProperty(self, 'indexedDB', { value: undefined });", () => self.indexedDB === undefined],
    [
      "refused",
      "IDBFactory.prototype.open = () => { throw new DOMException('not here', 'SecurityError'); };",
      () => { try { return !indexedDB.open("x"); } catch (error) { return error.name === "SecurityError"; } },
    ],
    [
      "full",
      "IDBObjectStore.prototype.put = () => { throw new DOMException('no room', 'QuotaExceededError'); };",
      () => { try { return IDBObjectStore.prototype.put.call(null); } catch (error) { return error.name === "QuotaExceededError"; } },
    ],
    ["never answering", "IDBFactory.prototype.open = () => new EventTarget();", () => !(indexedDB.open("x") instanceof IDBRequest)],
  ]) {
    test(name, async ({ page }) => {
      test.setTimeout(120_000);
      await injectIntoEngine(page, `${script}\n`);
      const engine = await open(page, "device=cpu&preset=tiny&batch=8");
      expect(await engine.evaluate(proof), "the fault is there where the engine runs").toBe(true);
      await button(page, "Step").click();
      await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 60_000 });
      await expect(status(page, "What is kept")).toContainText(/keeps nothing|nothing is kept|not kept/, { timeout: 30_000 });
      await button(page, "Step").click();
      await expect(region(page)).toHaveAttribute("data-step", "2", { timeout: 30_000 });
    });
  }
});

test.describe("a device that does not take what runs here is left for the CPU, with its words", () => {
  for (const [name, script, told] of [
    [
      "a shader that does not compile",
      `const make = GPUDevice.prototype.createShaderModule;
       GPUDevice.prototype.createShaderModule = function (about) { return make.call(this, { ...about, code: about.code + "\\nfn broken( {" }); };`,
      /refused the shader .*the CPU is used/s,
    ],
    [
      "no memory",
      `const make = GPUDevice.prototype.createBuffer;
       GPUDevice.prototype.createBuffer = function (about) { return make.call(this, about.size > 1e6 ? { ...about, size: 2 ** 45 } : about); };`,
      /the CPU is used/,
    ],
  ]) {
    test(name, async ({ page }) => {
      test.setTimeout(120_000);
      await injectIntoEngine(page, `{ ${script} }\n`);
      await open(page, "device=webgpu&preset=tiny&batch=8");
      await settledOn(page, "cpu");
      await expect(page.getByRole("note")).toContainText(told);
      await expect(page.getByRole("alert")).toHaveCount(0);
      await button(page, "Clear").click();
      await draw(page, ONE);
      await expect(status(page, "Prediction")).toContainText("Read as one");
      await button(page, "Step").click();
      await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 60_000 });
    });
  }
});

test.describe("files that do not come as they should", () => {
  test.use({ expectedErrors: [/Failed to load resource|importScripts/] });

  test("a network that is missing is named, and the others are there", async ({ page }) => {
    await page.route("**/networks/compact.safetensors", (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto("./?device=cpu");
    await expect(page.getByRole("alert")).toContainText("networks/compact.safetensors", { timeout: 30_000 });
    await page.getByRole("combobox", { name: "Pictures of", exact: true }).selectOption({ label: "tiny, pretrained" });
    await expect(status(page, "Prediction")).toContainText("Read as", { timeout: 30_000 });
  });

  test("a network that is cut off is refused by name", async ({ page }) => {
    await page.route("**/networks/compact.safetensors", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.body()).subarray(0, 70_000) });
    });
    await page.goto("./?device=cpu");
    await expect(page.getByRole("alert")).toContainText(/the trained network compact.*safetensors/i, { timeout: 30_000 });
  });

  test("training data that do not come stop training with a sentence, and are asked for again", async ({ page }) => {
    test.setTimeout(120_000);
    await page.route("**/assets/mnist/train-images*", (route) => route.fulfill({ status: 503, body: "" }));
    await open(page, "device=cpu&preset=tiny&batch=8");
    await button(page, "Train").click();
    await expect(page.getByRole("alert")).toContainText("train-images", { timeout: 30_000 });
    await expect(region(page)).toHaveAttribute("data-state", "paused");
    await page.unroute("**/assets/mnist/train-images*");
    await button(page, "Train").click();
    await trainsOn(page, 2);
  });

  test("an engine that is missing is told", async ({ page }) => {
    await page.route("**/engine.js", (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto("./?device=cpu");
    await expect(page.getByRole("alert")).toContainText("The engine's worker has failed", { timeout: 30_000 });
  });

  test("a program under a wrong type starts all the same", async ({ page }) => {
    await page.route("**/*_bg.wasm", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), "content-type": "text/plain" } });
    });
    await open(page);
  });
});

test("an engine that the browser has ended is noticed, and the page offers a reload", async ({ page }) => {
  await page.clock.install();
  const engine = await open(page);
  await engine.evaluate(() => self.close());
  await page.clock.runFor(60_000);
  await expect(page.getByRole("alert")).toContainText("has not answered for a while");
  await expect(page.getByRole("alert").getByRole("button", { name: "Reload", exact: true })).toBeVisible();
});

test("a canvas that answers with noise, as some browsers make it, changes nothing", async ({ page }) => {
  await page.addInitScript(() => {
    const look = CanvasRenderingContext2D.prototype.getImageData;
    CanvasRenderingContext2D.prototype.getImageData = function (...place) {
      const picture = look.apply(this, place);
      picture.data.forEach((_, at) => (picture.data[at] = Math.random() * 256));
      return picture;
    };
  });
  await open(page);
  await button(page, "Clear").click();
  await draw(page, ONE);
  await expect(status(page, "Prediction")).toContainText("Read as one");
});

test("a reload in the middle of training goes on from what was kept", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, "device=cpu&preset=compact&batch=32");
  await button(page, "Train").click();
  await trainsOn(page, 3);
  await button(page, "Pause").click();
  await expect(status(page, "What is kept")).toContainText("Kept in this browser at step", { timeout: 30_000 });
  const kept = Number(/at step (\d+)/.exec(await status(page, "What is kept").textContent())[1]);
  await button(page, "Train").click();
  await trainsOn(page, 1);
  await open(page, "device=cpu&preset=compact&batch=32");
  await expect(status(page, "What is kept")).toContainText("step", { timeout: 30_000 });
  expect(await steps(page)).toBeGreaterThanOrEqual(kept);
  await button(page, "Step").click();
  await trainsOn(page, 1);
});
