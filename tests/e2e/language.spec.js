// Two languages: switched in the bar and by the address, at once and without losing anything.
import { expect, test } from "./fixtures.js";
import { ONE, draw, open, pushToEnd, settledPixels, status } from "./lab.js";

const html = (page) => page.locator("html");

/** Text of the page that is in neither table's script for the language: English sentences of three words and more. */
const englishSentences = (page) =>
  page.evaluate(() => {
    const seen = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const text = walk.currentNode.textContent.trim();
      const parent = walk.currentNode.parentElement;
      if (!parent.closest("script, noscript, .banner, #device, [lang=en]:not(html)") && /[a-z]{2,} [a-z]{2,} [a-z]{2,}/i.test(text)) seen.push(text);
    }
    for (const element of document.querySelectorAll("[aria-label], [title]")) {
      for (const name of ["aria-label", "title"]) {
        const text = element.getAttribute(name) ?? "";
        if (/[a-z]{2,} [a-z]{2,}/i.test(text) && !element.closest("[lang=en]:not(html)")) seen.push(text);
      }
    }
    return seen;
  });

test("the bar changes the language of the whole page at once, and nothing is lost", async ({ page }) => {
  await open(page, "device=cpu&lang=en");
  await expect(html(page)).toHaveAttribute("lang", "en");
  await draw(page, ONE);
  await expect(status(page, "Prediction")).toContainText("Read as");
  await pushToEnd(page.getByRole("slider", { name: "Pose dimension 3", exact: true }));
  const bent = await settledPixels(page, "Reconstruction");
  const drawn = await page.locator("#pad path").getAttribute("d");
  await page.getByRole("button", { name: "简体中文", exact: true }).click();

  await expect(html(page)).toHaveAttribute("lang", "zh-Hans");
  await expect(page.getByRole("region", { name: "路由", exact: true })).toBeVisible();
  await expect(status(page, "预测")).toContainText("读作");
  await expect(page.getByRole("button", { name: "训练", exact: true })).toBeVisible();
  expect(await englishSentences(page)).toEqual([]);
  expect(await settledPixels(page, "重构图像")).toBe(bent);
  expect(await page.locator("#pad path").getAttribute("d")).toBe(drawn);
  await expect(page).toHaveURL(/lang=zh/);

  await page.getByRole("button", { name: "English", exact: true }).click();
  await expect(page.getByRole("region", { name: "Routing", exact: true })).toBeVisible();
  expect(await settledPixels(page, "Reconstruction")).toBe(bent);
});

test("the address, then the last choice, then the browser's languages decide", async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL, locale: "zh-CN" });
  const page = await context.newPage();
  const opened = async (query) => {
    await page.goto(`./?device=cpu${query}`);
    await expect(page.getByRole("heading", { name: "Capscope" })).toBeVisible();
    return await html(page).getAttribute("lang");
  };
  expect(await opened("")).toBe("zh-Hans");
  expect(await opened("&lang=en")).toBe("en");
  expect(await opened("&lang=%3Cscript%3E")).toBe("zh-Hans");
  await page.getByRole("button", { name: "English", exact: true }).click();
  await expect(html(page)).toHaveAttribute("lang", "en");
  expect(await opened("")).toBe("en");
  expect(await opened("&lang=zh")).toBe("zh-Hans");
  await context.close();
});
