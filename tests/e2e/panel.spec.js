// The training panel: weight files, own images, slow motion, the confusion matrix.
import { readFileSync } from "node:fs";
import { expect, test } from "./fixtures.js";
import { open, status } from "./lab.js";

const region = (page) => page.getByRole("region", { name: "Training", exact: true });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const tiny = "device=cpu&preset=tiny&batch=8&seed=5";

/** Two IDX files of images whose upper rows are filled, the more the higher the class. */
function bars(count, classes = 4) {
  const images = Buffer.alloc(16 + count * 784);
  const labels = Buffer.alloc(8 + count);
  [0x803, count, 28, 28].forEach((word, place) => images.writeUInt32BE(word, 4 * place));
  [0x801, count].forEach((word, place) => labels.writeUInt32BE(word, 4 * place));
  for (let k = 0; k < count; k += 1) {
    images.fill(255, 16 + k * 784, 16 + k * 784 + 28 * (4 + 2 * (k % classes)));
    labels[8 + k] = k % classes;
  }
  const file = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });
  return [file("bars-images", images), file("bars-labels", labels)];
}

const choose = (page, kind, files) => page.locator(`input[data-files="${kind}"]`).setInputFiles(files);

test("own images are trained and tested on, and each mistake is counted", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  await choose(page, "idx", bars(72, 11));
  await expect(page.getByRole("alert")).toContainText("at most ten classes");
  await choose(page, "idx", bars(72)[0]);
  await expect(page.getByRole("alert").last()).toContainText("choose them together");
  await choose(page, "idx", bars(72));
  await expect(region(page)).toContainText("Trains on bars-images: 60 images; every sixth, 12 in all");

  await button(page, "Step").click();
  await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  await button(page, "Test on all 12 of bars-images").click();
  const matrix = page.getByRole("group", { name: "Confusion matrix", exact: true });
  await expect(matrix.getByRole("button")).toHaveCount(100, { timeout: 30_000 });
  const counts = await matrix.getByRole("button").evaluateAll((cells) => cells.map((cell) => Number(cell.textContent) || 0));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12);
  const filled = matrix.getByRole("button").nth(counts.findIndex((count) => count > 0));
  await filled.click();
  await expect(filled).toHaveAttribute("aria-pressed", "true");
  // These are no digits of the gallery, and it says so.
  const gallery = page.getByRole("region", { name: "Gallery", exact: true });
  await expect(gallery).toContainText("not on MNIST's single test digits");
  const saved = page.waitForEvent("download");
  await button(page, "Save Confusion matrix as SVG").click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("capscope-confusion-1-steps.svg");
  const drawn = readFileSync(await file.path(), "utf8");
  expect(drawn.match(/<rect x=/g).length).toBe(100);
  const told = Array.from(drawn.matchAll(/text-anchor="middle"[^>]*>(\d+)</g), ([, count]) => Number(count));
  // Each count, and the classes above the columns.
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(12 + 45);
  await filled.focus();
  await page.keyboard.press("Escape");
  await expect(filled).toHaveAttribute("aria-pressed", "false");
});

test("weights are saved, loaded again and trained on; another file is refused by a sentence", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  await button(page, "Step").click();
  await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  const download = page.waitForEvent("download");
  await button(page, "Save weights").click();
  const file = await (await download).path();
  await button(page, "Reset training").click();
  await expect(region(page)).toHaveAttribute("data-step", "0");
  await choose(page, "weights", { name: "no.safetensors", mimeType: "", buffer: Buffer.from("PK no tensors") });
  await expect(page.getByRole("alert")).toContainText("not a safetensors file");
  await choose(page, "weights", { name: "mine.safetensors", mimeType: "", buffer: readFileSync(file) });
  await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  await button(page, "Step").click();
  await expect(region(page)).toHaveAttribute("data-step", "2", { timeout: 30_000 });
});

test("slow motion goes through every phase by keyboard and makes one step", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  const slow = page.getByRole("region", { name: "Slow motion", exact: true });
  const phases = page.getByRole("group", { name: /^Phases of a training step/ });
  await phases.focus();
  for (let phase = 0; phase < 12; phase += 1) {
    await page.keyboard.press("ArrowRight");
    await expect(slow).toHaveAttribute("data-phase", String(phase), { timeout: 30_000 });
    if (phase === 0) await expect(slow.locator(".batch figure")).toHaveCount(8);
    if (phase === 4) await expect(slow).toContainText("entropy is 2.303");
    if (phase === 7) await expect(slow.locator(".batch figcaption").first()).toHaveText(/[✓✗]/);
    if (phase === 10) await expect(slow.locator(".bars")).toContainText("conv1.weight");
  }
  await expect(slow.locator(".phases [aria-current=step]")).toHaveText("Adam");
  await expect(region(page)).toHaveAttribute("data-step", "1");
  await page.keyboard.press("ArrowLeft");
  await expect(slow).toHaveAttribute("data-phase", "10");
});

test("the running batch is shown as the network got it, each picture marked right or wrong", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  const batch = region(page).getByRole("list", { name: "The batch", exact: true });
  await expect(region(page)).toContainText("the pictures of the running batch appear here");
  const look = () =>
    batch.locator("canvas").evaluateAll((all) =>
      all.map((canvas) => Array.from(canvas.getContext("2d").getImageData(0, 0, 28, 28).data).join()));
  let before = [];
  for (const step of [1, 2]) {
    await button(page, "Step").click();
    await expect(region(page)).toContainText(`Step ${step} learned from 8 images`, { timeout: 30_000 });
    await expect(batch.getByRole("listitem")).toHaveCount(8);
    const pictures = await look();
    expect(new Set([...pictures, ...before]).size).toBe(8 * step);
    before = pictures;
  }
  // By a sign, by a line below, and in words; right and wrong ones add up to what the sentence says.
  const told = await batch.getByRole("listitem").evaluateAll((all) =>
    all.map((one) => ({ sign: one.textContent.trim(), words: one.title, line: getComputedStyle(one).borderBottomStyle, wrong: one.classList.contains("wrong") })));
  for (const { sign, words, wrong } of told) {
    const [, label] = /^a (\d), read (right|wrong as \d)$/.exec(words);
    if (wrong) expect(sign.replace(/\s/g, "")).toMatch(new RegExp(`^✗${label}→(?!${label})\\d$`));
    else expect(sign.replace(/\s/g, "")).toBe(`✓${label}`);
  }
  await expect(region(page)).toContainText(`${told.filter(({ wrong }) => wrong).length} were read wrong before the update`);
  await region(page).getByText("The batch as numbers").click();
  const rows = region(page).locator("details", { hasText: "The batch as numbers" }).locator("tbody tr");
  await expect(rows).toHaveCount(8);
  const numbers = await rows.evaluateAll((all) => all.map((row) => row.cells[1].textContent !== row.cells[2].textContent));
  expect(numbers).toEqual(told.map(({ wrong }) => wrong));

  // The pictures of training as files.
  const save = async (name) => {
    const download = page.waitForEvent("download");
    await button(page, name).click();
    const file = await download;
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const sheet = await save("Save The batch as PNG");
  // Eight pictures side by side, two cells between them, three pixels a cell.
  expect([sheet.bytes.readUInt32BE(16), sheet.bytes.readUInt32BE(20)]).toEqual([(8 * 28 + 7 * 2) * 3, 28 * 3]);
  for (const [title, file, lines] of [["Loss, logarithmic", "losses", 2], ["Accuracy", "accuracies", 2], ["Routing entropy, at most ln 10", "routing-entropy", 1]]) {
    const curve = await save(`Save ${title} as SVG`);
    expect(curve.name).toBe(`capscope-${file}-2-steps.svg`);
    const svg = curve.bytes.toString();
    expect(svg).toMatch(/^<svg xmlns[^]*<\/svg>$/);
    expect(svg.match(/<path vector-effect="non-scaling-stroke" stroke-width="2"/g).length).toBe(lines);
    expect(svg).toContain(`>${title}<`);
  }
});

test("a rate that breaks the network stops training and its last good state comes back", async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, tiny);
  await button(page, "Step").click();
  await expect(region(page)).toHaveAttribute("data-step", "1", { timeout: 30_000 });
  // No rate on offer is so large: the choice is given one that is.
  await region(page).getByRole("combobox", { name: "Learning rate", exact: true }).evaluate((select) => {
    select.options[0].value = "1e38";
    select.selectedIndex = 0;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await button(page, "Train").click();
  await expect(status(page, "Training status")).toContainText("not a finite number", { timeout: 30_000 });
  await button(page, "Back to step 1").click();
  await expect(region(page)).toHaveAttribute("data-state", "paused");
  await expect(region(page)).toHaveAttribute("data-step", "1");
});
