// The address holds what is in view: opening it gives the same view, and whatever else it holds does no harm.
import { expect, test } from "./fixtures.js";
import { SEVEN, draw, open, pushToEnd, settledOn, settledPixels, status } from "./lab.js";

const slider = (page, name) => page.getByRole("slider", { name, exact: true });

/** Presses Share and gives what the clipboard holds. */
async function share(page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(page.getByText("The address of this view is copied.")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await expect(page.getByRole("textbox", { name: "Address", exact: true })).toHaveValue(copied);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("textbox", { name: "Address", exact: true })).toHaveCount(0);
  return new URL(copied);
}

async function openAgain(page, address) {
  await page.goto("about:blank");
  await page.goto(address.href);
  await expect(page.locator("html")).toHaveAttribute("data-ready", "inference", { timeout: 30_000 });
}

test("a bent pose, its span, r, iteration and capsule are shared", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "device=cpu&network=tiny&digit=0&r=5&capsule=3&seed=7");
  await settledOn(page, "cpu");
  await slider(page, "Iteration").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await pushToEnd(slider(page, "Pose dimension 4"));
  const bent = await settledPixels(page, "Reconstruction");
  const value = await slider(page, "Pose dimension 4").inputValue();

  const address = await share(page);
  expect(address.searchParams.get("network")).toBe("tiny");
  expect(address.searchParams.get("bend")).toMatch(/^4:[0-9.]+$/);
  await openAgain(page, address);
  await expect(slider(page, "Iteration")).toHaveValue("2");
  await expect(slider(page, "Iteration")).toHaveAttribute("max", "5");
  // Offsets are told to four decimals.
  const distance = async () => Math.abs(Number(await slider(page, "Pose dimension 4").inputValue()) - Number(value));
  await expect.poll(distance).toBeLessThan(1e-4);
  // So no pixel moves by more than a step or two of its 256.
  await expect.poll(async () => {
    const again = (await settledPixels(page, "Reconstruction")).split(",").map(Number);
    return Math.max(...bent.split(",").map((byte, at) => Math.abs(byte - again[at])));
  }).toBeLessThanOrEqual(2);
  expect(new URL(page.url()).searchParams.get("seed")).toBe("7");
});

test("a drawing is shared", async ({ page }) => {
  await open(page);
  await settledOn(page, "cpu");
  await draw(page, SEVEN);
  await expect(status(page, "Prediction")).toContainText("7");
  const address = await share(page);
  expect(address.searchParams.get("drawing")).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(address.href.length).toBeLessThan(2_000);
  await openAgain(page, address);
  await expect(status(page, "Prediction")).toContainText("7");
  await expect(page.getByRole("region", { name: "Input", exact: true })).toContainText("Your drawing.");
});

test("a hostile address opens a page that works", async ({ page }) => {
  await open(page, "device=cpu&r=99&iteration=0&digit=-5&capsule=99&pin=99999&bend=1:1e9,77:3,x&second=abc&drawing=!!!&rate=NaN&seed=-1&network=%3Cimg%20src%3Dx%3E");
  await settledOn(page, "cpu");
  await expect(status(page, "Prediction")).toContainText(/\d/);
  await expect(slider(page, "Iteration")).toHaveAttribute("max", "10");
  // A capsule that this network does not have is forgotten.
  await expect.poll(() => new URL(page.url()).searchParams.get("pin")).toBeNull();
});

test("settings of training are in the address", async ({ page }) => {
  await open(page, "device=cpu&preset=tiny&batch=32&pairs=1&rate=0.003&train-r=2&reconstruction=0.01&epochs=3&test=100&seed=11");
  await settledOn(page, "cpu");
  const training = page.getByRole("region", { name: "Training", exact: true });
  await expect(training.getByRole("combobox", { name: "Pictures", exact: true })).toHaveValue("true");
  await expect(training.getByRole("combobox", { name: "Learning rate", exact: true })).toHaveValue("0.003");
  await expect(training.getByRole("combobox", { name: "Epochs", exact: true })).toHaveValue("3");
  const query = new URL(page.url()).searchParams;
  await training.getByRole("combobox", { name: "Epochs", exact: true }).selectOption("10");
  await expect.poll(() => new URL(page.url()).searchParams.get("epochs")).toBeNull();
  expect(query.get("rate")).toBe("0.003");
});

test("the phase of slow motion is shared", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, "device=cpu&preset=tiny&batch=8&seed=5&phase=3");
  const slow = page.getByRole("region", { name: "Slow motion", exact: true });
  await expect(slow).toHaveAttribute("data-phase", "2", { timeout: 60_000 });
  await expect(slow.locator(".phases .lit")).toHaveCount(3);
  const phase = () => new URL(page.url()).searchParams.get("phase");
  await slow.getByRole("button", { name: "Phase before", exact: true }).click();
  await expect.poll(phase).toBe("2");
  await slow.getByRole("button", { name: "Leave slow motion", exact: true }).click();
  await expect.poll(phase).toBeNull();
  // No step was made by looking.
  await expect(page.getByRole("region", { name: "Training", exact: true })).toHaveAttribute("data-step", "0");
});

test("an embedded figure shows digit, routing and pose, and no training", async ({ page }) => {
  await open(page, "device=cpu&embed");
  for (const name of ["Input", "Routing", "Pose"]) {
    await expect(page.getByRole("region", { name, exact: true })).toBeVisible();
  }
  for (const name of ["Training", "Under the hood"]) {
    await expect(page.getByRole("region", { name, exact: true })).toBeHidden();
  }
  await expect(page.getByRole("button", { name: "Share", exact: true })).toBeHidden();
  const home = page.getByRole("link", { name: "Open in Capscope" });
  await expect(home).toBeVisible();
  expect(new URL(await home.evaluate((link) => link.href)).searchParams.get("embed")).toBeNull();
});
