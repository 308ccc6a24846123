// What the browser tests share: opening the page on a chosen device, and reading what it shows.
import { expect } from "./fixtures.js";

// Init scripts do not reach a worker: the fault goes in front of the engine's loader.
export const NO_WEBGPU = "Object.defineProperty(self.navigator, 'gpu', { value: undefined, configurable: true });\n";

/** Puts `script` before the engine's own program. */
export async function injectIntoEngine(page, script) {
  await page.route("**/engine_loader.js*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: script + (await response.text()) });
  });
}

/** Opens the page and waits for its first true picture; the engine's worker. */
export async function open(page, query = "device=cpu") {
  const worker = page.waitForEvent("worker");
  await page.goto(`./?${query}`);
  await expect(page.locator("html")).toHaveAttribute("data-ready", "inference", { timeout: 30_000 });
  return await worker;
}

/** Waits until the choice of device is final. */
export async function settledOn(page, device) {
  await expect(page.locator("html")).toHaveAttribute("data-device", device, { timeout: 60_000 });
}

/** The pixels of a picture, as the browser holds them. */
export async function pixels(page, name) {
  const picture = page.getByRole("img", { name, exact: true });
  return await picture.evaluate((element) => {
    const canvas = element instanceof HTMLCanvasElement ? element : element.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(data).join();
  });
}

/** The pixels of a picture once two looks in a row agree. */
export async function settledPixels(page, name) {
  let last;
  await expect(async () => {
    const before = last;
    last = await pixels(page, name);
    expect(last).toBe(before);
  }).toPass({ intervals: [150] });
  return last;
}

/** Draws a line on the pad through points in parts of its width and height. */
export async function draw(page, points) {
  const pad = page.getByRole("application", { name: "Draw pad" });
  await pad.scrollIntoViewIfNeeded();
  const box = await pad.boundingBox();
  const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(points[0]));
  await page.mouse.down();
  for (const point of points.slice(1)) await page.mouse.move(...at(point), { steps: 8 });
  await page.mouse.up();
}

export const ONE = [[0.55, 0.15], [0.5, 0.5], [0.45, 0.85]];
export const SEVEN = [[0.25, 0.2], [0.75, 0.2], [0.45, 0.85]];

/** Moves a slider as a person with a keyboard does, to its end. */
export async function pushToEnd(slider) {
  await slider.focus();
  await slider.press("End");
}

export const status = (page, name) => page.getByRole("status", { name, exact: true });
