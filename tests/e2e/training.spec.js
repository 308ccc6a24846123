// Training on real MNIST in the tab, and what the page still does meanwhile.
import { expect, test } from "./fixtures.js";
import { open, settledOn, status } from "./lab.js";

const region = (page) => page.getByRole("region", { name: "Training", exact: true });

async function choose(page, settings) {
  for (const [label, value] of Object.entries(settings)) {
    await region(page).getByRole("combobox", { name: label, exact: true }).selectOption(value);
  }
  await page.getByRole("button", { name: "Reset training", exact: true }).click();
}

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Both losses together of the first `count` steps, each made by the button, from the table beside the curves. */
async function losses(page, count) {
  for (let step = 1; step <= count; step += 1) {
    await button(page, "Step").click();
    await expect(region(page)).toHaveAttribute("data-step", String(step), { timeout: 60_000 });
  }
  const table = region(page).locator("details", { hasText: "Curves as numbers" });
  await table.locator("summary").click();
  const rows = await table.locator("tbody tr").evaluateAll((all) =>
    all.map((row) => Array.from(row.cells, (cell) => Number(cell.textContent))),
  );
  expect(rows.map((row) => row[0])).toEqual(Array.from({ length: count }, (_, k) => k + 1));
  return rows.map((row) => row[1] + row[2]);
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

test("400 steps of tiny at batch 32 on the CPU read more than 88 % of all 10 000 test images", async ({ page }) => {
  test.setTimeout(600_000);
  await open(page, "device=cpu&preset=tiny&batch=32");
  await choose(page, { Test: "400" });
  await button(page, "Train").click();
  await expect(status(page, "Training status")).toContainText("%", { timeout: 540_000 });
  await button(page, "Pause").click();
  const text = await status(page, "Training status").textContent();
  console.log(text);
  expect(text).toMatch(/10\D?000/);
  expect(Number(/([\d.]+)\s*%/.exec(text)[1])).toBeGreaterThan(88);
});

test("40 steps on WebGPU lower the loss and follow the CPU's losses to a hundredth", async ({ page }) => {
  test.setTimeout(900_000);
  const curves = {};
  for (const device of ["cpu", "webgpu"]) {
    await open(page, `device=${device}&preset=tiny&batch=8&seed=3`);
    await settledOn(page, device);
    await choose(page, {});
    curves[device] = await losses(page, 40);
  }
  const worst = Math.max(...curves.cpu.map((loss, step) => Math.abs(curves.webgpu[step] - loss) / loss));
  const [first, last] = [mean(curves.webgpu.slice(0, 8)), mean(curves.webgpu.slice(-8))];
  console.log(`WebGPU: mean loss of 8 steps from ${first.toFixed(4)} to ${last.toFixed(4)}; largest distance from the CPU ${worst.toExponential(1)}`);
  expect(last).toBeLessThan(first);
  expect(worst).toBeLessThan(1e-2);
});

/** Milliseconds from moving a slider to the changed picture, each time. */
async function sliderLatencies(page, times) {
  const slider = page.getByRole("slider", { name: "Pose dimension 3", exact: true });
  await slider.scrollIntoViewIfNeeded();
  await slider.focus();
  return await slider.evaluate(async (input, times) => {
    const picture = document.querySelector('[role="img"][aria-label="Reconstruction"]');
    const canvas = picture instanceof HTMLCanvasElement ? picture : picture.querySelector("canvas");
    const look = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.join();
    const frame = () => new Promise(requestAnimationFrame);
    const latencies = [];
    for (let k = 0; k < times; k += 1) {
      const before = look();
      const value = Number(input.min) + ((k % 9) + 0.5) / 9 * (Number(input.max) - Number(input.min));
      const start = performance.now();
      input.value = String(value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      while (look() === before && performance.now() - start < 5000) await frame();
      latencies.push(performance.now() - start);
      await new Promise((done) => setTimeout(done, 40));
    }
    return latencies;
  }, times);
}

/** Milliseconds from a click on a button of the page to its effect. */
async function clickLatencies(page, times) {
  return await page.evaluate(async (times) => {
    const button = (name) => Array.from(document.querySelectorAll("button")).find((b) => b.textContent.trim() === name);
    const spans = [button("±0.25"), button("±2 sd")];
    const latencies = [];
    for (let k = 0; k < times; k += 1) {
      const span = spans[k % 2];
      const start = performance.now();
      span.click();
      while (span.getAttribute("aria-pressed") !== "true" && performance.now() - start < 5000) {
        await new Promise(requestAnimationFrame);
      }
      latencies.push(performance.now() - start);
      await new Promise((done) => setTimeout(done, 30));
    }
    return latencies;
  }, times);
}

const p95 = (values) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1];

for (const [activity, begin] of [
  ["compact trains at batch 128", async (page) => {
    await choose(page, {});
    await button(page, "Train").click();
    await expect(region(page)).toHaveAttribute("data-state", "running", { timeout: 60_000 });
  }],
  ["all test images are read", async (page) => {
    await button(page, "Test on all 10 000").click();
    await expect(region(page).getByRole("progressbar")).toBeVisible({ timeout: 60_000 });
  }],
]) {
  test(`clicks and sliders are answered while ${activity} on the CPU`, async ({ page }) => {
    test.setTimeout(180_000);
    await open(page, "device=cpu&preset=compact&batch=128");
    await begin(page);
    const clicks = await clickLatencies(page, 20);
    const slides = await sliderLatencies(page, 40);
    const median = [...slides].sort((a, b) => a - b)[20];
    console.log(`clicks p95 ${Math.round(p95(clicks))} ms; slider to picture median ${Math.round(median)} ms, p95 ${Math.round(p95(slides))} ms`);
    expect(p95(clicks)).toBeLessThan(100);
    expect(p95(slides)).toBeLessThan(150);
  });
}

test("every kernel agrees with its twin in the browser", async ({ page }) => {
  test.setTimeout(900_000);
  await open(page, "device=webgpu");
  await settledOn(page, "webgpu");
  await button(page, "Check this device").click();
  const hood = page.getByRole("region", { name: "Under the hood", exact: true });
  await expect(hood.locator(".verdict")).toBeVisible({ timeout: 840_000 });
  const rows = await hood.locator("table.steps").last().locator("tbody tr").evaluateAll((all) =>
    all.map((row) => [row.cells[0].textContent, Number(row.cells[1].textContent)]),
  );
  console.log(`${rows.length} tensors, worst ${rows[0].join(" ")}`);
  expect(rows.length).toBeGreaterThan(60);
  for (const operation of ["conv_forward", "conv_backward_weight", "routing_backward_dynamic", "adam"]) {
    expect(rows.some(([name]) => name.includes(operation)), operation).toBe(true);
  }
  for (const [name, error] of rows) expect(error, name).toBeLessThanOrEqual(1e-4);
});
