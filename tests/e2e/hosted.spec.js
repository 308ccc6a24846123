// The folder that a static host serves, from a sub-path that it was not made for, with its content security policy.
import { expect, test } from "./fixtures.js";
import { SEVEN, draw, open, settledOn, settledPixels, status } from "./lab.js";

test.use({ baseURL: "http://127.0.0.1:4173/a/b/" });

test.describe("its policy", () => {
  test.use({ expectedErrors: [/Executing inline script violates/] });

  test("under any sub-path it reads, trains and keeps to its policy", async ({ page }) => {
    test.setTimeout(120_000);
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await open(page, "device=webgpu&preset=tiny&batch=8");
    await settledOn(page, "webgpu");
    // The engine's files have their content in their names, so that no two versions are ever mixed.
    expect(asked.some((path) => /^\/a\/b\/engine-[0-9a-f]{16}\.js$/.test(path))).toBe(true);
    expect(asked.some((path) => /^\/a\/b\/engine-[0-9a-f]{16}_bg\.wasm$/.test(path))).toBe(true);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await draw(page, SEVEN);
    await expect(status(page, "Prediction")).toContainText("Read as seven");
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await expect(page.getByRole("region", { name: "Training", exact: true })).toHaveAttribute("data-step", "1", { timeout: 60_000 });
    // A script that somebody smuggles into the page does not run. (The browser's tools may evaluate text; a page may not.)
    const refused = await page.evaluate(() => new Promise((told) => {
      document.addEventListener("securitypolicyviolation", (event) => told(event.effectiveDirective), { once: true });
      document.body.append(Object.assign(document.createElement("script"), { textContent: "window.smuggled = true" }));
    }));
    expect(refused).toBe("script-src-elem");
    expect(await page.evaluate(() => window.smuggled)).toBeUndefined();
    await expect(page.getByRole("contentinfo")).toContainText(/Capscope \d+\.\d+\.\d+/);
  });
});

test.describe("with its service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("it opens without a network after the first visit", async ({ page, context }) => {
    await open(page, "device=cpu");
    await expect(page.locator("html")).toHaveAttribute("data-offline", "ready", { timeout: 30_000 });
    const picture = await settledPixels(page, "Reconstruction");
    await context.setOffline(true);
    await open(page, "device=cpu");
    expect(await settledPixels(page, "Reconstruction")).toBe(picture);
    await context.setOffline(false);
  });
});
