// The routing panel: two views of the coefficients, one capsule, its votes, and the files to keep.
import { readFile } from "node:fs/promises";
import { expect, test } from "./fixtures.js";
import { open } from "./lab.js";

const panel = (page) => page.getByRole("region", { name: "Routing", exact: true });

/** Waits until the page has played the iterations by itself. */
async function played(page) {
  const play = page.getByRole("button", { name: "Play routing" });
  await expect(play).toHaveAttribute("aria-pressed", "false", { timeout: 20_000 });
}

/** Numbers in a text, true minus signs included. */
const numbers = (text) => Array.from(text.matchAll(/[−+-]?\d+(?:\.\d+)?/g), ([n]) => Number(n.replace("−", "-")));

test.describe("with a test digit", () => {
  test.use({ reducedMotion: "reduce" });

  test.beforeEach(async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page);
  });

  test("the flow view shows what goes from places to digits, and follows the iterations", async ({ page }) => {
    const iteration = page.getByRole("slider", { name: "Iteration", exact: true });
    await panel(page).getByRole("button", { name: "Flow", exact: true }).click();
    const flow = page.getByRole("img", { name: "Flow of votes", exact: true });
    await expect(flow).toBeVisible();
    await expect(page).toHaveURL(/view=flow/);
    // 36 ribbons to the digit in view, and one path to each of the other nine.
    await expect(flow.locator(".drawn > :first-child path")).toHaveCount(36 + 9);
    const ribbons = () => flow.locator(".drawn > :first-child path").evaluateAll((paths) => paths.map((p) => p.getAttribute("d")).join());
    const last = await ribbons();
    await iteration.focus();
    await iteration.press("Home");
    await expect.poll(ribbons).not.toBe(last);
    // In the first iteration each of the ten digits gets a tenth of 288 votes.
    await expect(flow).toHaveAttribute("aria-description", /0: 28\.8, 1: 28\.8.*9: 28\.8/);
    const alike = await ribbons();
    await page.getByRole("button", { name: "what is sent, c·‖û‖" }).click();
    await expect.poll(ribbons).not.toBe(alike);
  });

  test("a capsule pinned in the map stays pinned in the flow, and Escape lets it go", async ({ page }) => {
    await page.getByRole("img", { name: "Coupling coefficients" }).locator(".square").nth(2).click({ position: { x: 5, y: 5 } });
    await page.mouse.move(2, 2);
    await expect(panel(page).getByText("type 3, row 1, column 1").first()).toBeVisible();
    await expect(panel(page).getByText("pinned; Escape or another click lets it go")).toBeVisible();
    await panel(page).getByRole("button", { name: "Flow", exact: true }).click();
    await expect(panel(page).getByText("pinned; Escape or another click lets it go")).toBeVisible();
    const picker = page.getByRole("application", { name: /Primary capsules/ });
    await picker.focus();
    await picker.press("Escape");
    await expect(panel(page).getByText("couples most with the digit in view")).toBeVisible();
    // By keyboard: the first capsule, then the one at its right, pinned.
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await picker.press(key);
    await picker.blur();
    await expect(panel(page).getByText("type 1, row 1, column 2").first()).toBeVisible();
  });

  test("ten couplings with a bar for each iteration, and they add up to one vote", async ({ page }) => {
    const rows = panel(page).locator(".couplings tbody tr");
    await expect(rows).toHaveCount(10);
    await expect(rows.first().locator(".spark i")).toHaveCount(3);
    await page.getByRole("combobox", { name: "Routing iterations", exact: true }).first().selectOption("6");
    await expect(rows.first().locator(".spark i")).toHaveCount(6);
    const couplings = await rows.evaluateAll((all) => all.map((row) => Number(row.cells[2].textContent)));
    expect(Math.abs(couplings.reduce((sum, c) => sum + c, 0) - 1)).toBeLessThan(0.006);
    // Agreement stands beside it once the votes have come.
    await expect(rows.first().locator("td").last()).toHaveText(/^[−+]?\d+\.\d\d$/);
  });

  test("the votes are a cloud with named axes, and a capsule's contribution leaves nothing over", async ({ page }) => {
    const cloud = page.getByRole("img", { name: "Votes", exact: true });
    await expect(cloud.locator("circle[fill-opacity]")).toHaveCount(288);
    await expect(cloud).toContainText(/axis 1: \d+\.\d.% of the variance/);
    await expect(cloud).toContainText("v₃");
    await expect(cloud.locator("circle.ring")).toHaveCount(1);
    const told = await panel(page).locator(".contribution").textContent();
    const [given, rest, bias, length] = numbers(told.slice(told.indexOf("gives")));
    expect(Math.abs(given + rest + bias - length), told).toBeLessThan(0.003);
    // Fewer iterations, and v has come less far.
    const iteration = page.getByRole("slider", { name: "Iteration", exact: true });
    await iteration.focus();
    await iteration.press("Home");
    await expect(cloud).not.toContainText("v₂");
    await expect(cloud).toContainText("v₁");
    // Closed, nothing is sent any more: another digit leaves no cloud behind.
    await panel(page).locator("details.votes > summary").click();
    await expect(cloud).toBeHidden();
  });

  test("the formulas hold the real numbers of the iteration shown", async ({ page }) => {
    const working = panel(page).locator(".working");
    const iteration = page.getByRole("slider", { name: "Iteration", exact: true });
    await expect(working.getByRole("heading")).toHaveText("How iteration 3 is computed");
    await iteration.focus();
    await iteration.press("ArrowLeft");
    await expect(working.getByRole("heading")).toHaveText("How iteration 2 is computed");
    const lines = await working.locator("dd.number").allTextContents();
    const [logit, sum, coupling] = numbers(lines[0]);
    expect(Math.abs(Math.exp(logit) / sum - coupling), lines[0]).toBeLessThan(0.01);
    const [above, below, length] = numbers(lines[2]);
    expect(Math.abs(above / below - length), lines[2]).toBeLessThan(0.01);
    const [before, gain, after] = numbers(lines[3].replace("− ", "−").replace("+ ", "+"));
    expect(Math.abs(before + gain - after), lines[3]).toBeLessThan(0.02);
  });

  test("each iteration has its entropies and its winner", async ({ page }) => {
    const table = panel(page).locator("table.rounds");
    const row = async (name) => numbers((await table.getByRole("row", { name }).locator("td").allTextContents()).join(" "));
    const plain = await row(/^Entropy \d/);
    const weighted = await row(/^Entropy, weighted by length/);
    expect(plain.length).toBe(3);
    expect(Math.abs(plain[0] - Math.log(10))).toBeLessThan(0.001);
    expect(plain[2]).toBeLessThan(plain[0]);
    expect(weighted[2]).toBeLessThan(weighted[0]);
    await expect(table.getByRole("row", { name: /^Winner/ })).toContainText(/–.*(same|new)/);
  });

  test("the trace, the tables and the pictures can be kept", async ({ page }) => {
    const saved = async (name) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const trace = await saved("Save trace");
    expect(trace.name).toBe("capscope-trace-test-digit-15-r3.safetensors");
    const header = JSON.parse(trace.bytes.subarray(8, 8 + Number(trace.bytes.readBigUInt64LE())).toString());
    expect(header["digit coupling"]).toMatchObject({ dtype: "F32", shape: [3, 288, 10] });
    expect(header["digit votes"].shape).toEqual([288, 10, 16]);
    expect(header.conv1.shape).toEqual([32, 20, 20]);

    const table = (await saved("Coefficients as CSV")).bytes.toString().trim().split("\n").map((line) => line.split(","));
    expect(table.length).toBe(1 + 3 * 288);
    expect(table[1].slice(-10).map(Number)).toEqual(Array(10).fill(expect.closeTo(0.1, 6)));
    const lengths = (await saved("Lengths as CSV")).bytes.toString().trim().split("\n");
    expect(lengths.length).toBe(1 + 3);
    const map = await saved("Save Coupling coefficients as PNG");
    expect(map.name).toMatch(/^capscope-coupling-to-5-iteration-3-test-digit-15-r3\.png$/);
    // Four types side by side and two below each other, a line apart, sixteen pixels a capsule.
    expect([map.bytes.readUInt32BE(16), map.bytes.readUInt32BE(20)]).toEqual([(4 * 6 + 3) * 16, (2 * 6 + 1) * 16]);
    expect((await saved("Votes as SVG")).bytes.toString()).toMatch(/^<svg xmlns[^]*<circle[^]*<\/svg>$/);
    await panel(page).getByRole("button", { name: "Flow", exact: true }).click();
    const flow = (await saved("Flow as SVG")).bytes.toString();
    expect(flow).toMatch(/^<svg xmlns[^]*<\/svg>$/);
    expect(flow.match(/<path/g).length).toBeGreaterThanOrEqual(36 + 9);
  });
});

test("playing animates the flow from one iteration to the next", async ({ page }) => {
  await open(page, "device=cpu&view=flow");
  await played(page);
  const flow = page.getByRole("img", { name: "Flow of votes", exact: true });
  await flow.locator("svg").first().evaluate((svg) => {
    window.widths = new Set();
    const host = svg.parentElement;
    new MutationObserver(() => window.widths.add(host.innerHTML)).observe(host, { childList: true, subtree: true });
  });
  await page.getByRole("button", { name: "Play routing" }).click();
  // Three iterations alone would be three pictures.
  await expect.poll(() => page.evaluate(() => window.widths.size)).toBeGreaterThan(3);
});
