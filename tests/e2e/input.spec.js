// The digit moved before it is read, a person's own picture, and how long it all takes.
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { expect, test } from "./fixtures.js";
import { ONE, draw, open, pixels, status } from "./lab.js";

const slider = (page, name) => page.getByRole("slider", { name, exact: true });
const region = (page, name) => page.getByRole("region", { name, exact: true });

/** A PNG of grey levels, made here so that no file is needed. */
export function png(width, height, level) {
  const table = Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n >>> 0;
  });
  const crc = (bytes) => ~bytes.reduce((sum, byte) => (sum >>> 8) ^ table[(sum ^ byte) & 255], -1) >>> 0;
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const row = (y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => level(x, y))]);
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => row(y)));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

/** Dark ink on light paper: an upright bar, which is a one. */
const bar = png(80, 100, (x, y) => (x > 36 && x < 46 && y > 12 && y < 88 ? 25 : 235));

const choose = (page, name, buffer) =>
  region(page, "Input").locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer });

test("shifting, turning and scaling move the digit that is read, and Put it back restores it to the bit", async ({ page }) => {
  await open(page);
  const plain = await pixels(page, "Input digit");
  for (const name of ["Shift x", "Shift y", "Rotate", "Scale"]) {
    await slider(page, name).focus();
    const before = await pixels(page, "Input digit");
    await slider(page, name).press("ArrowRight");
    await expect.poll(() => pixels(page, "Input digit")).not.toBe(before);
  }
  await expect(slider(page, "Rotate")).toHaveAttribute("aria-valuetext", "+1°");
  await expect.poll(() => new URL(page.url()).search).toMatch(/right=0\.25.*turn=1.*scale=1\.05/);
  await page.getByRole("button", { name: "Put it back" }).click();
  await expect.poll(() => pixels(page, "Input digit")).toBe(plain);
});

test("the pose is plotted against the slider last moved, with its numbers as text", async ({ page }) => {
  await open(page);
  await slider(page, "Rotate").focus();
  await slider(page, "Rotate").press("ArrowRight");
  const plot = page.getByRole("img", { name: /^Pose of capsule 5 against Rotate\. Moves most: dimension \d+ by \d/ });
  await expect(plot).toBeVisible();
  expect(await plot.locator("path[stroke]").count()).toBeGreaterThanOrEqual(16);
  await page.getByText("The plot as numbers").click();
  const rows = region(page, "Input").locator("details table tbody tr");
  await expect(rows).toHaveCount(21);
  await expect(rows.nth(10).locator("th")).toHaveText("0°");
  await expect(rows.nth(0).locator("td")).toHaveCount(16);
  await slider(page, "Shift x").focus();
  await slider(page, "Shift x").press("ArrowLeft");
  await expect(page.getByRole("img", { name: /against Shift x/ })).toBeVisible();
});

test("a picture of dark ink on light paper is inverted, said so, and read", async ({ page }) => {
  await open(page);
  await choose(page, "one.png", bar);
  await expect(status(page, "Prediction")).toContainText("Read as one");
  await expect(region(page, "Input")).toContainText("80×100 pixels; its ground is light, so it was inverted");
});

test("a picture can be dropped and pasted", async ({ page }) => {
  await open(page);
  const give = (kind) =>
    page.evaluate(([kind, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], "one.png", { type: "image/png" }));
      const target = kind === "drop" ? document.querySelector("section.input") : document.body;
      const event = kind === "drop"
        ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
        : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      target.dispatchEvent(event);
    }, [kind, Array.from(bar)]);
  for (const kind of ["drop", "paste"]) {
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await expect(status(page, "Prediction")).toContainText("blank");
    await give(kind);
    await expect(status(page, "Prediction")).toContainText("Read as one");
  }
});

test("each picture that cannot be taken is refused with its cause", async ({ page }) => {
  await open(page);
  const huge = Buffer.from(bar);
  huge.writeUInt32BE(60_000, 16);
  // The header's checksum is no longer right; a checked one is in the engine's own tests.
  for (const [name, file, sentence] of [
    ["notes.png", Buffer.from("no picture at all"), "not a picture that can be read here"],
    ["half.png", bar.subarray(0, 70), "is damaged"],
    ["huge.png", huge, /is damaged|more than fits/],
    ["blank.png", png(40, 40, () => 200), "Nothing stands out"],
  ]) {
    await choose(page, name, file);
    await expect(region(page, "Input").getByRole("alert")).toContainText(sentence);
  }
  await choose(page, "one.png", bar);
  await expect(region(page, "Input").getByRole("alert")).toHaveCount(0);
});

test("the page measures itself from the person's event to the frame that shows it", async ({ page }) => {
  await open(page);
  await draw(page, ONE);
  await expect(status(page, "Prediction")).toContainText("one");
  await slider(page, "Pose dimension 3").focus();
  for (let k = 0; k < 4; k++) await slider(page, "Pose dimension 3").press("ArrowRight");
  await slider(page, "Rotate").focus();
  await slider(page, "Rotate").press("ArrowRight");
  const names = ["draw-to-lengths", "slider-to-picture", "move-to-lengths"];
  const durations = (name) =>
    page.evaluate((name) => performance.getEntriesByName(name, "measure").map((entry) => entry.duration), name);
  for (const name of names) {
    await expect.poll(async () => (await durations(name)).length).toBeGreaterThan(0);
    const sorted = (await durations(name)).sort((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThan(0);
    const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
    console.log(`${name}: ${sorted.length} measured, median ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  }
});
