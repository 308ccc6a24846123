import { expect, test } from "./fixtures.js";

test("the page mounts and the engine answers from its worker @trunk-serve", async ({ page }) => {
  const worker = page.waitForEvent("worker");
  await page.goto("./");
  await expect(page.getByRole("heading", { name: "Capscope" })).toBeVisible();
  expect((await worker).url()).toMatch(/\/engine_loader\.js$/);
  // The page sets both only on the engine's word: the device it runs on, and the first picture computed.
  await expect(page.locator("html")).toHaveAttribute("data-device", /^(cpu|webgpu)$/, { timeout: 30_000 });
  await expect(page.locator("html")).toHaveAttribute("data-ready", "inference", { timeout: 30_000 });
});

test("the four MNIST files are served under their own names @trunk-serve", async ({ page, request }) => {
  await page.goto("./");
  const sizes = {
    "train-images-idx3-ubyte": 47_040_016,
    "train-labels-idx1-ubyte": 60_008,
    "t10k-images-idx3-ubyte": 7_840_016,
    "t10k-labels-idx1-ubyte": 10_008,
  };
  for (const [name, size] of Object.entries(sizes)) {
    const unpackedLength = await page.evaluate(async (url) => {
      const raw = await (await fetch(url)).arrayBuffer();
      const isGzip = new Uint8Array(raw, 0, 2).join() === "31,139";
      if (!isGzip) return raw.byteLength;
      const unpacked = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
      return (await new Response(unpacked).arrayBuffer()).byteLength;
    }, `./assets/mnist/${name}.gz`);
    expect(unpackedLength, name).toBe(size);
  }
  expect((await request.get("./assets/networks/no-such-network.safetensors")).status()).toBe(404);
});
